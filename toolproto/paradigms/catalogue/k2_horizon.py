"""``<ifm|tool_call>f<ifm|arg_key>k</ifm|arg_key>…``: GLM's elements with a prefix."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["K2Horizon"]


@register_paradigm
class K2Horizon(WireParadigm):
    """K2 Horizon."""

    name = "k2_horizon"
    wire = WireFormat(
        section=("<ifm|tool_calls>", "</ifm|tool_calls>"),
        call=("<ifm|tool_call>", "</ifm|tool_call>"),
        payload=TaggedCall(
            call=("{name}", ""),
            argument=("<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_value>", "</ifm|arg_value>"),
        ),
        between="",
    )
