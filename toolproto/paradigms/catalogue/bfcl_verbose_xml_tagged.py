"""The leaderboard's verbose XML in ``<TOOLCALL>``."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm
from .bfcl_verbose_xml import BfclVerboseXml

__all__ = ["BfclVerboseXmlTagged"]


@register_paradigm
class BfclVerboseXmlTagged(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_verbose_xml_tagged"
    wire = WireFormat(
        call=("<TOOLCALL><functions>", "</functions></TOOLCALL>"),
        payload=BfclVerboseXml.wire.payload,
        also=(("<TOOLCALL>", "</TOOLCALL>"), ("<functions>", "</functions>")),
    )
