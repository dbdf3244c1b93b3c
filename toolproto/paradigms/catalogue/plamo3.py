"""``<|plamo:begin_tool_name:plamo|>f<|plamo:end_tool_name:plamo|>…``: each part in tokens."""

from __future__ import annotations

from ..payloads import NamedJson
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["Plamo3"]


@register_paradigm
class Plamo3(WireParadigm):
    """PLaMo 3."""

    name = "plamo3"
    wire = WireFormat(
        section=("<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>"),
        call=("<|plamo:begin_tool_request:plamo|>", "<|plamo:end_tool_request:plamo|>"),
        payload=NamedJson(
            "<|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|>"
            "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{arguments}"
            "<|plamo:end_tool_arguments:plamo|>"
        ),
        between="",
    )
