"""``<|DSML|tool_calls>`` around the elements of DeepSeek V3.2."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["DeepseekV4"]


@register_paradigm
class DeepseekV4(WireParadigm):
    """DeepSeek V4 and V4.1, GigaChat 3.5."""

    name = "deepseek_v4"
    wire = WireFormat(
        call=("<｜DSML｜tool_calls>\n", "\n</｜DSML｜tool_calls>"),
        payload=TaggedCall(
            call=('<｜DSML｜invoke name="{name}">\n', "</｜DSML｜invoke>"),
            argument=(
                '<｜DSML｜parameter name="{key}" string="{is_string}">',
                "</｜DSML｜parameter>\n",
            ),
            together=True,
        ),
        also=(
            ("<｜DSML｜ calls>", "</｜DSML｜ calls>"),
            ("<｜GCML｜tool_calls>", "</｜GCML｜tool_calls>"),
        ),
    )
