"""How tools are shown to a model."""

from .base import Style, WriteCall
from .description import Description, Presentation, describe_tools
from .forms import literal_form
from .lookup import description_tool
from .requests import example_request
from .samples import example_call
from .styles import get_style, list_styles
from .tokens import estimate_tokens

__all__ = [
    "Description",
    "Presentation",
    "Style",
    "WriteCall",
    "describe_tools",
    "description_tool",
    "estimate_tokens",
    "example_call",
    "example_request",
    "get_style",
    "list_styles",
    "literal_form",
]
