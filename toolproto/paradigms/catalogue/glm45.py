"""The name, then ``<arg_key>`` and ``<arg_value>`` for each argument."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Glm45"]


@register_paradigm
class Glm45(WireParadigm):
    """GLM 4.5 and 4.6, Ling 3, Laguna."""

    name = "glm45"
    wire = WireFormat(
        call=("<tool_call>", "</tool_call>"),
        payload=TaggedCall(
            call=("{name}\n", ""),
            argument=("<arg_key>{key}</arg_key>\n<arg_value>", "</arg_value>\n"),
        ),
        result="tool_response",
        ends_thought=True,
        results=("<|observation|>",),
    )
