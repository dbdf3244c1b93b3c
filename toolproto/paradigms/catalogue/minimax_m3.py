"""``]<]minimax[>[<city>Paris]<]minimax[>[</city>``: elements behind a marker."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["MinimaxM3"]


@register_paradigm
class MinimaxM3(WireParadigm):
    """MiniMax M3."""

    name = "minimax_m3"
    wire = WireFormat(
        call=("]<]minimax[>[<tool_call>\n", "\n]<]minimax[>[</tool_call>"),
        payload=TaggedCall(
            call=(']<]minimax[>[<invoke name="{name}">', "]<]minimax[>[</invoke>"),
            argument=("]<]minimax[>[<{key}>", "]<]minimax[>[</{key}>"),
            together=True,
        ),
    )
