"""The leaderboard's Python list in ``<TOOLCALL>``."""

from __future__ import annotations

from ..payloads import PythonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclPythonTagged"]


@register_paradigm
class BfclPythonTagged(WireParadigm):
    """Comparing with BFCL results."""

    name = "bfcl_python_tagged"
    wire = WireFormat(call=("<TOOLCALL>", "</TOOLCALL>"), payload=PythonCall())
