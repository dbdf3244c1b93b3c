"""The name behind a separator token, the arguments in a fence."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["DeepseekV3"]


@register_paradigm
class DeepseekV3(WireParadigm):
    """DeepSeek V3, R1 and its distillations, Cogito."""

    name = "deepseek_v3"
    wire = WireFormat(
        section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        call=("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
        payload=NamedJson("function<｜tool▁sep｜>{name}\n```json\n{arguments}\n```"),
        results=("<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>"),
    )
