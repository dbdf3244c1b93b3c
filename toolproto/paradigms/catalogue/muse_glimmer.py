"""``<atem:invoke>`` elements in messages with an addressee."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["MuseGlimmer"]


@register_paradigm
class MuseGlimmer(WireParadigm):
    """Muse Glimmer."""

    name = "muse_glimmer"
    wire = WireFormat(
        call=("<atem:function_calls>\n", "\n</atem:function_calls>"),
        payload=TaggedCall(
            call=('<atem:invoke name="{name}">\n', "</atem:invoke>"),
            argument=('<atem:parameter name="{key}">', "</atem:parameter>\n"),
            together=True,
        ),
        dropped=(
            "<|start|>assistant to={name}<|message|>",
            " to={name}<|message|>",
            "<|eom|>",
            "<|eot|>",
        ),
    )
