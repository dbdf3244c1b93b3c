"""``<function_call> {…}`` for each call, without an end."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Granite20bFc"]


@register_paradigm
class Granite20bFc(WireParadigm):
    """Granite 20B Functioncalling."""

    name = "granite_20b_fc"
    wire = WireFormat(call=("<function_call> ", ""))
