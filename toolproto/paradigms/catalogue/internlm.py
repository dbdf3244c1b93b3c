"""``<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>``."""

from __future__ import annotations

from ..payloads import JsonCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Internlm"]


@register_paradigm
class Internlm(WireParadigm):
    """InternLM 2 to 3, Intern-S1."""

    name = "internlm"
    wire = WireFormat(
        call=("<|action_start|><|plugin|>\n", "<|action_end|>"),
        payload=JsonCall(arguments="parameters"),
        also=(("<|action_start|> <|plugin|>", "<|action_end|>"),),
    )
