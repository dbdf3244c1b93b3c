"""``get_weather<|tool_sep|>{…}`` between special tokens."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["DeepseekV31"]


@register_paradigm
class DeepseekV31(WireParadigm):
    """DeepSeek V3.1."""

    name = "deepseek_v31"
    wire = WireFormat(
        section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        call=("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
        payload=NamedJson("{name}<｜tool▁sep｜>{arguments}"),
        between="",
        results=("<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>"),
    )
