"""``<function name=…>`` and ``<param name=…>``."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Minicpm5"]


@register_paradigm
class Minicpm5(WireParadigm):
    """MiniCPM 4 and 5."""

    name = "minicpm5"
    wire = WireFormat(
        payload=TaggedCall(
            call=('<function name="{name}">', "</function>"),
            argument=('<param name="{key}">', "</param>"),
        ),
        result="tool_response",
    )
