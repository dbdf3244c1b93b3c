"""The tools that paradigms are tried with, unless their author offers others."""

from __future__ import annotations

from ..protocol.tools.spec import ToolOffer, ToolSpec

__all__ = ["STANDARD_OFFER"]

_WEATHER = ToolSpec(
    "get_weather",
    "Current weather for a city.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city."},
            "unit": {"enum": ["c", "f"], "default": "c"},
        },
        "required": ["city"],
    },
)
_WRITE = ToolSpec(
    "write_file",
    "Write a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
)
_TIME = ToolSpec("now", "The time.", {"type": "object", "properties": {}})

#: A tool with an optional argument, one that takes code, and one that takes nothing.
STANDARD_OFFER = ToolOffer((_WEATHER, _WRITE, _TIME))
