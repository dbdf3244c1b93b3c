"""``<|tool_call|>[{"name": …, "arguments": {…}}]``: a list behind a token."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Granite3"]


@register_paradigm
class Granite3(WireParadigm):
    """Granite 3.0 to 3.3."""

    name = "granite3"
    wire = WireFormat(
        call=("<|tool_call|>", ""), payload=JsonCall(listed=True), also=(("<tool_call>", ""),)
    )
