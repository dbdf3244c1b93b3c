"""``functools[{…}]``: a list behind a word."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Phi4Mini"]


@register_paradigm
class Phi4Mini(WireParadigm):
    """Phi 4 Mini, FireFunction 2."""

    name = "phi4_mini"
    wire = WireFormat(call=("functools", ""), payload=JsonCall(listed=True))
