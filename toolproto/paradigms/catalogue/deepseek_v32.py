"""``<|DSML|invoke name=…>``: elements that say which arguments are strings."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["DeepseekV32"]


@register_paradigm
class DeepseekV32(WireParadigm):
    """DeepSeek V3.2."""

    name = "deepseek_v32"
    wire = WireFormat(
        call=("<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>"),
        payload=TaggedCall(
            call=('<｜DSML｜invoke name="{name}">\n', "</｜DSML｜invoke>"),
            argument=(
                '<｜DSML｜parameter name="{key}" string="{is_string}">',
                "</｜DSML｜parameter>\n",
            ),
            together=True,
        ),
    )
