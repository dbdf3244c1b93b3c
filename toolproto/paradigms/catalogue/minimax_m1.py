"""``<tool_calls>`` with a JSON object on each line."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["MinimaxM1"]


@register_paradigm
class MinimaxM1(WireParadigm):
    """MiniMax M1."""

    name = "minimax_m1"
    wire = WireFormat(call=("<tool_calls>\n", "\n</tool_calls>"), payload=JsonCall(lines=True))
