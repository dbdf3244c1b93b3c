"""``functions.get_weather:0`` and the arguments between special tokens."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["KimiK2"]


@register_paradigm
class KimiK2(WireParadigm):
    """Kimi K2, K2 Thinking and K2.5."""

    name = "kimi_k2"
    wire = WireFormat(
        section=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        call=("<|tool_call_begin|>", "<|tool_call_end|>"),
        payload=NamedJson("functions.{name}:{index}<|tool_call_argument_begin|>{arguments}"),
        between="",
        dropped=("<|tool_call_section_begin|>", "<|tool_call_section_end|>"),
        ends_thought=True,
        results=("<|im_system|>",),
    )
