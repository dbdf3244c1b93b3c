"""A JSON list in ``<TOOLCALL>``."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Nemotron"]


@register_paradigm
class Nemotron(WireParadigm):
    """Nemotron Nano 2, Llama-Nemotron."""

    name = "nemotron"
    wire = WireFormat(
        call=("<TOOLCALL>", "</TOOLCALL>"), payload=JsonCall(listed=True), result="TOOL_RESPONSE"
    )
