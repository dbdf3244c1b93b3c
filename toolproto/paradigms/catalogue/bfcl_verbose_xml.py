"""``<function name=…><params><param name=… value=… type=…/></params>``."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclVerboseXml"]


@register_paradigm
class BfclVerboseXml(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_verbose_xml"
    wire = WireFormat(
        call=("<functions>", "</functions>"),
        payload=TaggedCall(
            call=('<function name="{name}"><params>', "</params></function>"),
            argument=('<param name="{key}" value="{value}" type="{type}"/>', ""),
            together=True,
            between="",
        ),
    )
