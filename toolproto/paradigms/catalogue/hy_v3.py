"""``<tool_call>f<tool_sep>`` and the elements of GLM 4.5, in a section."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["HyV3"]


@register_paradigm
class HyV3(WireParadigm):
    """Hunyuan Hy3."""

    name = "hy_v3"
    wire = WireFormat(
        section=("<tool_calls>\n", "\n</tool_calls>"),
        call=("<tool_call>", "</tool_call>"),
        payload=TaggedCall(
            call=("{name}<tool_sep>\n", ""),
            argument=("<arg_key>{key}</arg_key>\n<arg_value>", "</arg_value>\n"),
        ),
        result="tool_response",
    )
