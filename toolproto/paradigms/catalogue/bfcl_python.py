"""``[f(a=1), g(b="x")]``: the leaderboard's own form."""

from __future__ import annotations

from ..payloads import PythonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclPython"]


@register_paradigm
class BfclPython(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_python"
    wire = WireFormat(payload=PythonCall())
