"""The leaderboard's JSON list in ``<TOOLCALL>``."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclJsonTagged"]


@register_paradigm
class BfclJsonTagged(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_json_tagged"
    wire = WireFormat(
        call=("<TOOLCALL>", "</TOOLCALL>"), payload=JsonCall("function", "parameters", listed=True)
    )
