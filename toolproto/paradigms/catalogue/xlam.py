"""``[{"name": …, "arguments": {…}}]``: a bare list of calls."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Xlam"]


@register_paradigm
class Xlam(WireParadigm):
    """xLAM 2, Hammer. No marker: prefer another where you can choose."""

    name = "xlam"
    wire = WireFormat(payload=JsonCall(listed=True), also=(("[TOOL_CALLS]", ""),))
