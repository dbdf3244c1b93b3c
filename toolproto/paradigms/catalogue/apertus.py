"""``[{"get_weather": {…}}]`` between two special tokens: the name is the key."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Apertus"]


@register_paradigm
class Apertus(WireParadigm):
    """Apertus."""

    name = "apertus"
    wire = WireFormat(
        call=("<|tools_prefix|>", "<|tools_suffix|>"), payload=JsonCall(keyed=True, listed=True)
    )
