"""Calls with the tool's name in a tag and a tag for each argument."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..wire import WireFormat, WireParadigm

__all__ = ["Cline", "Openhands", "Qwen3Coder", "SeedOss"]


class Qwen3Coder(WireParadigm):
    """Qwen 3 Coder and Qwen 3.5 on, Nemotron 3 Nano, Step 3.5; any model that writes code.

    ``<function=f><parameter=k>`` in a tag: code as it is, without escapes.
    """

    name = "qwen3_coder"
    wire = WireFormat(
        call=("<tool_call>\n", "\n</tool_call>"),
        payload=TaggedCall(),
        leaked=(
            ("<function_", "</function>"),  # <function_bash>
            # <name>task␊</parameter>␊<parameter=…>: the head of the call was cut off.
            ("<name>", "</function>"),
        ),
        result="tool_response",
        ends_thought=True,
    )


class Openhands(WireParadigm):
    """Agents that edit files: nothing has to be escaped.

    ``<function=f><parameter=k>…</parameter></function>``: for agents that write code.
    """

    name = "openhands"
    wire = WireFormat(payload=TaggedCall(argument=("<parameter={key}>", "</parameter>\n")))


class SeedOss(WireParadigm):
    """ByteDance Seed-OSS.

    ``<seed:tool_call><function=f><parameter=k>v</parameter></function></seed:tool_call>``.
    """

    name = "seed_oss"
    wire = WireFormat(
        call=("<seed:tool_call>\n", "\n</seed:tool_call>"),
        payload=TaggedCall(argument=("<parameter={key}>", "</parameter>\n")),
    )


class Cline(WireParadigm):
    """Models of agents for editors (Cline, Roo); short, and nothing has to be escaped.

    ``<get_weather><city>Paris</city></get_weather>``: the tool's name is the tag.
    """

    name = "cline"
    wire = WireFormat(
        payload=TaggedCall(call=("<{name}>\n", "</{name}>"), argument=("<{key}>", "</{key}>\n"))
    )
