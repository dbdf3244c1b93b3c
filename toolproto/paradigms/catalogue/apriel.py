"""A JSON list in ``<tool_calls>``, each call with its id."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Apriel"]


@register_paradigm
class Apriel(WireParadigm):
    """Apriel 1.5 and 1.6."""

    name = "apriel"
    wire = WireFormat(
        call=("<tool_calls>", "</tool_calls>"), payload=JsonCall(id="id", listed=True)
    )
