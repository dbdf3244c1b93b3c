"""``<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>``."""

from __future__ import annotations

from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Longcat"]


@register_paradigm
class Longcat(WireParadigm):
    """LongCat Flash."""

    name = "longcat"
    wire = WireFormat(call=("<longcat_tool_call>", "</longcat_tool_call>"))
