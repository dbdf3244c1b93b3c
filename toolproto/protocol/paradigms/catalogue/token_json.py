"""Calls as JSON behind special tokens of the model."""

from __future__ import annotations

from ..payloads import JsonCall
from ..wire import WireFormat, WireParadigm

__all__ = ["Apertus", "CommandA", "Gigachat3", "Granite3", "Inkling", "Internlm", "Mistral"]


class Mistral(WireParadigm):
    """Mistral 7B v0.3, Nemo, Small 2409, Large 2407, Ministral 8B.

    ``[TOOL_CALLS][{"name": …, "arguments": {…}}]``: Mistral before its eleventh tokenizer.
    """

    name = "mistral"
    wire = WireFormat(
        call=("[TOOL_CALLS]", ""),
        payload=JsonCall(id="id", listed=True),
        dropped=("[/TOOL_CALLS]", "</s>"),
        results=("[TOOL_RESULTS]",),
    )


class CommandA(WireParadigm):
    """Command R7B, Command A and its successors.

    ``<|START_ACTION|>[{"tool_name": …, "parameters": {…}}]<|END_ACTION|>``: a list with ids.
    """

    name = "command_a"
    wire = WireFormat(
        call=("<|START_ACTION|>", "<|END_ACTION|>"),
        payload=JsonCall("tool_name", "parameters", id="tool_call_id", listed=True),
        dropped=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
        results=("<|START_TOOL_RESULT|>",),
    )


class Granite3(WireParadigm):
    """Granite 3.0 to 3.3.

    ``<|tool_call|>[{"name": …, "arguments": {…}}]``: a list behind a token.
    """

    name = "granite3"
    wire = WireFormat(
        call=("<|tool_call|>", ""), payload=JsonCall(listed=True), also=(("<tool_call>", ""),)
    )


class Gigachat3(WireParadigm):
    """GigaChat 3 and 3.1.

    ``<|function_call|>{"name": …, "arguments": {…}}``: one call behind a token.
    """

    name = "gigachat3"
    wire = WireFormat(
        call=("<|function_call|>", ""),
        also=(("<|message_sep|>\n\nfunction call<|role_sep|>", ""),),
        dropped=("</s>",),
    )


class Internlm(WireParadigm):
    """InternLM 2 to 3, Intern-S1.

    ``<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>``.
    """

    name = "internlm"
    wire = WireFormat(
        call=("<|action_start|><|plugin|>\n", "<|action_end|>"),
        payload=JsonCall(arguments="parameters"),
        also=(("<|action_start|> <|plugin|>", "<|action_end|>"),),
    )


class Apertus(WireParadigm):
    """Apertus.

    ``[{"get_weather": {…}}]`` between two special tokens: the name is the key.
    """

    name = "apertus"
    wire = WireFormat(
        call=("<|tools_prefix|>", "<|tools_suffix|>"),
        payload=JsonCall(keyed=True, listed=True),
        ends_thought=True,
    )


class Inkling(WireParadigm):
    """Inkling.

    ``<|message_model|>f<|content_invoke_tool_json|>{"name": "f", "args": {…}}``.
    """

    name = "inkling"
    wire = WireFormat(
        call=("<|message_model|>{name}<|content_invoke_tool_json|>", "<|end_message|>"),
        payload=JsonCall(arguments="args"),
        between="",
        also=(("<|content_invoke_tool_json|>", "<|end_message|>"),),
        dropped=("<|message_model|>", "<|content_text|>", "<|end_message|>"),
    )
