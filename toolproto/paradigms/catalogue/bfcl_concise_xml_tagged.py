"""The leaderboard's concise XML in ``<TOOLCALL>``."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclConciseXmlTagged"]


@register_paradigm
class BfclConciseXmlTagged(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_concise_xml_tagged"
    wire = WireFormat(
        call=("<TOOLCALL><functions>", "</functions></TOOLCALL>"),
        payload=TaggedCall(
            call=('<function name="{name}">', "</function>"),
            argument=('<param name="{key}" type="{type}">', "</param>"),
            together=True,
            between="",
        ),
        also=(("<TOOLCALL>", "</TOOLCALL>"), ("<functions>", "</functions>")),
    )
