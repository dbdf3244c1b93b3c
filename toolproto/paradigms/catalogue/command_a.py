"""``<|START_ACTION|>[{"tool_name": …, "parameters": {…}}]<|END_ACTION|>``: a list with ids."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["CommandA"]


@register_paradigm
class CommandA(WireParadigm):
    """Command R7B, Command A and its successors."""

    name = "command_a"
    wire = WireFormat(
        call=("<|START_ACTION|>", "<|END_ACTION|>"),
        payload=JsonCall("tool_name", "parameters", id="tool_call_id", listed=True),
        dropped=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
        results=("<|START_TOOL_RESULT|>",),
    )
