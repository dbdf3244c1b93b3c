"""``<invoke name=…>`` and ``<parameter name=…>`` in a tag."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Dots"]


@register_paradigm
class Dots(WireParadigm):
    """rednote dots."""

    name = "dots"
    wire = WireFormat(
        call=("<dots_function_call>\n", "\n</dots_function_call>"),
        payload=TaggedCall(
            call=('<invoke name="{name}">\n', "</invoke>"),
            argument=('<parameter name="{key}">', "</parameter>\n"),
            together=True,
        ),
    )
