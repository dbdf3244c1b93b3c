"""Tools: defined, described to a model, and held against what the model asks for."""

from ..schemas.tame import tame
from .check import check_call
from .context import ToolContext
from .define import Risk, Tool, tool
from .outcome import ToolOutput
from .registry import ToolRegistry
from .spec import ToolOffer, ToolSpec, spec_from_openai

__all__ = [
    "Risk",
    "Tool",
    "ToolContext",
    "ToolOffer",
    "ToolOutput",
    "ToolRegistry",
    "ToolSpec",
    "check_call",
    "spec_from_openai",
    "tame",
    "tool",
]
