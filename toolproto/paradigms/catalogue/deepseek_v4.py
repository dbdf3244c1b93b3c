"""``<|DSML|tool_calls>`` around the elements of DeepSeek V3.2."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm
from .deepseek_v32 import DeepseekV32

__all__ = ["DeepseekV4"]


@register_paradigm
class DeepseekV4(WireParadigm):
    """DeepSeek V4 and V4.1, GigaChat 3.5."""

    name = "deepseek_v4"
    wire = WireFormat(
        call=("<｜DSML｜tool_calls>\n", "\n</｜DSML｜tool_calls>"),
        payload=DeepseekV32.wire.payload,
        also=(
            ("<｜DSML｜ calls>", "</｜DSML｜ calls>"),
            ("<｜GCML｜tool_calls>", "</｜GCML｜tool_calls>"),
        ),
    )
