"""``<invoke name=…>`` and ``<parameter name=…>`` in a tag."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["MinimaxM2"]


@register_paradigm
class MinimaxM2(WireParadigm):
    """MiniMax M2 to M2.7."""

    name = "minimax_m2"
    wire = WireFormat(
        call=("<minimax:tool_call>\n", "\n</minimax:tool_call>"),
        payload=TaggedCall(
            call=('<invoke name="{name}">\n', "</invoke>"),
            argument=('<parameter name="{key}">', "</parameter>\n"),
            together=True,
        ),
    )
