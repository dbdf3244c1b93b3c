"""The leaderboard's concise XML in ``<TOOLCALL>``."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm
from .bfcl_concise_xml import BfclConciseXml

__all__ = ["BfclConciseXmlTagged"]


@register_paradigm
class BfclConciseXmlTagged(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_concise_xml_tagged"
    wire = WireFormat(
        call=("<TOOLCALL><functions>", "</functions></TOOLCALL>"),
        payload=BfclConciseXml.wire.payload,
        also=(("<TOOLCALL>", "</TOOLCALL>"), ("<functions>", "</functions>")),
    )
