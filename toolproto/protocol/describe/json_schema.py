"""Tools as compact JSON, one OpenAI-style definition to a line."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UsageError
from ..tools.spec import ToolSpec
from .base import WriteCall
from .text import as_json

__all__ = ["JsonSchema"]


class JsonSchema:
    """The schemas themselves: nothing is lost, and nothing is cheap."""

    name = "json_schema"
    shows_calls = False

    def show(self, tools: Sequence[ToolSpec], write: WriteCall) -> str:
        """A JSON list with one line for each tool; *write* is not needed."""
        return "[" + ",\n".join(_definition(tool) for tool in tools) + "]"


def _definition(tool: ToolSpec) -> str:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    try:
        return as_json({"type": "function", "function": function}, (",", ":"))
    except (ValueError, RecursionError):
        raise UsageError(
            f"parameters of {tool.name!r} nest too deeply, or hold numbers too long, to be shown"
        ) from None
