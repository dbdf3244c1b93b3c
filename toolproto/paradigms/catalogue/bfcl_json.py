"""``[{"function": …, "parameters": {…}}]`` in a fence."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclJson"]


@register_paradigm
class BfclJson(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_json"
    wire = WireFormat(
        call=("```json\n", "\n```"),
        payload=JsonCall("function", "parameters", listed=True),
        sure=False,
    )
