"""``<|message_model|>f<|content_invoke_tool_json|>{"name": "f", "args": {…}}``."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Inkling"]


@register_paradigm
class Inkling(WireParadigm):
    """Inkling."""

    name = "inkling"
    wire = WireFormat(
        call=("<|message_model|>{name}<|content_invoke_tool_json|>", "<|end_message|>"),
        payload=JsonCall(arguments="args"),
        between="",
        also=(("<|content_invoke_tool_json|>", "<|end_message|>"),),
        dropped=("<|content_text|>",),
    )
