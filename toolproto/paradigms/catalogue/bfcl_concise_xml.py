"""``<function name=…><param name=… type=…>value</param>``."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclConciseXml"]


@register_paradigm
class BfclConciseXml(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_concise_xml"
    wire = WireFormat(
        call=("<functions>", "</functions>"),
        payload=TaggedCall(
            call=('<function name="{name}">', "</function>"),
            argument=('<param name="{key}" type="{type}">', "</param>"),
            together=True,
            between="",
        ),
    )
