"""``{"name": …, "parameters": {…}}``, bare: as Llama 3 was trained."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Llama3Json"]


@register_paradigm
class Llama3Json(WireParadigm):
    """Llama 3.1, 3.2 and 3.3, watt-tool. No marker: prefer another where you can choose."""

    name = "llama3_json"
    wire = WireFormat(
        payload=JsonCall(arguments="parameters"), between="; ", also=(("<|python_tag|>", ""),)
    )
