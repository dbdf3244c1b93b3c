"""Tools: defined, described to a model, and held against what the model asks for."""

from .check import check_call
from .define import Risk, Tool, tool
from .registry import ToolRegistry
from .spec import ToolOffer, ToolSpec, spec_from_openai

__all__ = [
    "Risk",
    "Tool",
    "ToolOffer",
    "ToolRegistry",
    "ToolSpec",
    "check_call",
    "spec_from_openai",
    "tool",
]
