"""Calls with one element for each argument's name and one for its value, as GLM writes them."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..wire import WireFormat, WireParadigm

__all__ = ["Glm45", "Glm47", "HyV3", "K2Horizon", "SolarOpen2"]


class Glm45(WireParadigm):
    """GLM 4.5 and 4.6, Ling 3, Laguna.

    The name, then ``<arg_key>`` and ``<arg_value>`` for each argument.
    """

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


class Glm47(WireParadigm):
    """GLM 4.7, GLM 5, Laguna-S 2.1.

    ``<tool_call>f<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>`` on one line.
    """

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


class HyV3(WireParadigm):
    """Hunyuan Hy3.

    ``<tool_call>f<tool_sep>`` and the elements of GLM 4.5, in a section.
    """

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


class K2Horizon(WireParadigm):
    """K2 Horizon.

    ``<ifm|tool_call>f<ifm|arg_key>k</ifm|arg_key>…``: GLM's elements with a prefix.
    """

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


class SolarOpen2(WireParadigm):
    """Solar Open 2, Solar Pro 4.

    ``<|tool_arg:start|>k<|tool_arg:value|>v<|tool_arg:end|>``: each argument between three tokens.
    """

    name = "solar_open2"
    wire = WireFormat(
        call=("<|tool_call:start|>", "<|tool_call:end|>"),
        payload=TaggedCall(
            call=("{name}\n", ""),
            argument=("<|tool_arg:start|>{key}<|tool_arg:value|>", "<|tool_arg:end|>\n"),
        ),
        dropped=("<|im:content|>", "<|im:end|>"),
        results=("<|tool_response:start|>",),
    )
