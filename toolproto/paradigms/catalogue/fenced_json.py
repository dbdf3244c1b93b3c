"""A fenced block of JSON for each call."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["FencedJson"]


@register_paradigm
class FencedJson(WireParadigm):
    """Chat models that fence whatever they write."""

    name = "fenced_json"
    wire = WireFormat(
        call=("```json\n", "\n```"),
        also=(("```tool_call", "```"), ("```function_call", "```")),
        sure=False,
    )
