"""``<|tool_call_start|>[f(a=1)]<|tool_call_end|>``: a Python list between tokens."""

from __future__ import annotations

from ..payloads import PythonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Lfm2"]


@register_paradigm
class Lfm2(WireParadigm):
    """Liquid LFM2 and LFM2.5."""

    name = "lfm2"
    wire = WireFormat(
        call=("<|tool_call_start|>", "<|tool_call_end|>"),
        payload=PythonCall(),
        results=("<|tool_response_start|>",),
    )
