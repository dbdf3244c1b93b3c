"""``[TOOL_CALLS][{"name": …, "arguments": {…}}]``: Mistral before its eleventh tokenizer."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Mistral"]


@register_paradigm
class Mistral(WireParadigm):
    """Mistral 7B v0.3, Nemo, Small 2409, Large 2407, Ministral 8B."""

    name = "mistral"
    wire = WireFormat(
        call=("[TOOL_CALLS]", ""),
        payload=JsonCall(id="id", listed=True),
        dropped=("[/TOOL_CALLS]", "</s>"),
        results=("[TOOL_RESULTS]",),
    )
