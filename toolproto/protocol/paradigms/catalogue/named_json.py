"""Calls whose name stands before the JSON of their arguments."""

from __future__ import annotations

from ..payloads import NamedJson
from ..wire import WireFormat, WireParadigm

__all__ = [
    "DeepseekV3",
    "DeepseekV31",
    "FunctionTag",
    "FunctionaryV31",
    "FunctionaryV32",
    "Harmony",
    "KimiK2",
    "MistralV11",
    "Plamo3",
    "React",
    "SolarOpen",
]


class FunctionTag(WireParadigm):
    """Models without a form of their own; one line for each call.

    ``<function=get_weather>{…}</function>``: short, and the name comes first.
    """

    name = "function_tag"
    wire = WireFormat(
        call=("<function=", "</function>"),
        payload=NamedJson("{name}>{arguments}"),
        also=(("<function name=", "</function>"),),
    )


class FunctionaryV31(WireParadigm):
    """Functionary 3.1, Llama 3.1 with custom tools.

    ``<function=get_weather>{…}</function>``: the name in the tag, the arguments as JSON.
    """

    name = "functionary_v31"
    wire = WireFormat(
        call=("<function=", "</function>"), payload=NamedJson("{name}>{arguments}"), between=""
    )


class FunctionaryV32(WireParadigm):
    """Functionary 3.2.

    ``>>>get_weather`` and the arguments on the next line.
    """

    name = "functionary_v32"
    wire = WireFormat(call=(">>>", ""), payload=NamedJson(), dropped=(">>>all\n", " all\n"))


# As chat models write it, in their Markdown or their language.
_LABELS = (
    *("**Action:** ", "**Action**: ", "Action："),
    *(f"Action {number}: " for number in range(1, 10)),
)


class React(WireParadigm):
    """Older and smaller instruction models, and prompts that already reason in this form.

    ``Action: get_weather`` and ``Action Input: {…}`` on two lines.
    """

    name = "react"
    wire = WireFormat(
        call=("Action: ", ""),
        payload=NamedJson("{name}\nAction Input: {arguments}", loose=True),
        result="Observation:",
        also=tuple((label, "") for label in _LABELS),
    )


class Harmony(WireParadigm):
    """gpt-oss 20B and 120B.

    Messages in channels, calls addressed to ``functions.get_weather``.
    """

    name = "harmony"
    wire = WireFormat(
        call=("<|channel|>commentary to=functions.", "<|call|>"),
        payload=NamedJson("{name} <|constrain|>json<|message|>{arguments}"),
        between="",
        also=(
            ("<|start|>assistant<|channel|>commentary to=functions.", "<|call|>"),
            ("<|channel|>analysis to=functions.", "<|call|>"),
            ("<|start|>assistant to=functions.", "<|call|>"),
            (" to=functions.", "<|call|>"),
            ("<|channel|>commentary to=", "<|call|>"),
            ("<|channel|>analysis to=", "<|call|>"),
            ("<|start|>assistant to=", "<|call|>"),
            (" to=", "<|call|>"),
            # As it is left by servers that take special tokens out.
            ("assistantcommentary to=functions.", ""),
            ("commentary to=functions.", ""),
        ),
        dropped=(
            "<|channel|>commentary to=assistant<|message|>",
            "<|channel|>commentary to=assistant",
            "<|start|>assistant to=assistant<|channel|>commentary<|message|>",
            " to=assistant<|channel|>commentary<|message|>",
            "<|start|>assistant",
            "<|channel|>{name}<|message|>",
            "<|channel|>{name} {name}<|message|>",
            "<|channel|>{name}<|constrain|>{name}<|message|>",
            "<|channel|>{name} <|constrain|>{name}<|message|>",
            "<|end|>",
        ),
        asides=("<|channel|>final",),  # it is addressed to the person
        results=("<|start|>functions.",),
        ends_thought=True,
    )


class KimiK2(WireParadigm):
    """Kimi K2, K2 Thinking and K2.5.

    ``functions.get_weather:0`` and the arguments between special tokens.
    """

    name = "kimi_k2"
    wire = WireFormat(
        section=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        call=("<|tool_call_begin|>", "<|tool_call_end|>"),
        payload=NamedJson("functions.{name}:{index}<|tool_call_argument_begin|>{arguments}"),
        between="",
        dropped=(
            "<|tool_call_section_begin|>",
            "<|tool_call_section_end|>",
            "<|tool_call_argument_begin|>",
        ),
        ends_thought=True,
        results=("<|im_system|>",),
    )


class MistralV11(WireParadigm):
    """Mistral Small 3.1 on, Devstral, Magistral, Ministral 3, Large 3.

    ``[TOOL_CALLS]get_weather[ARGS]{…}``: Mistral from its eleventh tokenizer on.
    """

    name = "mistral_v11"
    wire = WireFormat(
        call=("[TOOL_CALLS]", ""),
        payload=NamedJson("{name}[ARGS]{arguments}"),
        between="",
        dropped=("</s>",),
        results=("[TOOL_RESULTS]",),
    )


class DeepseekV3(WireParadigm):
    """DeepSeek V3, R1 and its distillations, Cogito.

    The name behind a separator token, the arguments in a fence.
    """

    name = "deepseek_v3"
    wire = WireFormat(
        section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        call=("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
        payload=NamedJson("function<｜tool▁sep｜>{name}\n```json\n{arguments}\n```"),
        # Its distillations shorten one token and leave out the next.
        also=(("<｜tool▁calls｜>", "<｜tool▁call▁end｜>"),),
        results=("<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>"),
    )


class DeepseekV31(WireParadigm):
    """DeepSeek V3.1.

    ``get_weather<|tool_sep|>{…}`` between special tokens.
    """

    name = "deepseek_v31"
    wire = WireFormat(
        section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        call=("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
        payload=NamedJson("{name}<｜tool▁sep｜>{arguments}"),
        between="",
        results=("<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>"),
    )


class Plamo3(WireParadigm):
    """PLaMo 3.

    ``<|plamo:begin_tool_name:plamo|>f<|plamo:end_tool_name:plamo|>…``: each part in tokens.
    """

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
        dropped=("<|plamo:tag|>",),
    )


class SolarOpen(WireParadigm):
    """Solar Open 100B.

    ``<|tool_call:name|>f<|tool_call:args|>{…}``: id, name and arguments behind tokens.
    """

    name = "solar_open"
    wire = WireFormat(
        section=("<|tool_calls|>", "<|calls|>"),
        call=("<|tool_call:begin|>", "<|tool_call:end|>"),
        payload=NamedJson("{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}"),
        between="",
        dropped=("<|begin|>assistant<|content|>", "<|begin|>assistant", "<|content|>"),
    )
