"""How tools are shown to a model."""

from .forms import describe_tool, literal_form
from .samples import example_call, example_request

__all__ = ["describe_tool", "example_call", "example_request", "literal_form"]
