"""The leaderboard's verbose XML in ``<TOOLCALL>``."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclVerboseXmlTagged"]


@register_paradigm
class BfclVerboseXmlTagged(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_verbose_xml_tagged"
    wire = WireFormat(
        call=("<TOOLCALL><functions>", "</functions></TOOLCALL>"),
        payload=TaggedCall(
            call=('<function name="{name}"><params>', "</params></function>"),
            argument=('<param name="{key}" value="{value}" type="{type}"/>', ""),
            together=True,
            between="",
        ),
        also=(("<TOOLCALL>", "</TOOLCALL>"), ("<functions>", "</functions>")),
    )
