"""A JSON list in ``<tool_calls>``."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Jamba"]


@register_paradigm
class Jamba(WireParadigm):
    """Jamba 1.5 on, Hunyuan A13B."""

    name = "jamba"
    wire = WireFormat(call=("<tool_calls>", "</tool_calls>"), payload=JsonCall(listed=True))
