"""``{"tool_call": {"name": …, "arguments": {…}}}``: JSON under a grammar."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["LlamacppGeneric"]


@register_paradigm
class LlamacppGeneric(WireParadigm):
    """Any model behind a server that forces this JSON."""

    name = "llamacpp_generic"
    wire = WireFormat(payload=JsonCall(nesting="tool_call"))
