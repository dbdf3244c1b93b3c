"""``<tool_call>f<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>`` on one line."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Glm47"]


@register_paradigm
class Glm47(WireParadigm):
    """GLM 4.7, GLM 5, Laguna-S 2.1."""

    name = "glm47"
    wire = WireFormat(
        call=("<tool_call>", "</tool_call>"),
        payload=TaggedCall(
            call=("{name}", ""), argument=("<arg_key>{key}</arg_key><arg_value>", "</arg_value>")
        ),
        between="",
        also=(("<iquest_tool_call>", "</iquest_tool_call>"),),
        result="tool_response",
        ends_thought=True,
        results=("<|observation|>",),
    )
