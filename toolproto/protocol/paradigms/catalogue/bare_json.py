"""Calls as JSON without markers of their own: bare, behind a word, or in a fence."""

from __future__ import annotations

from ..payloads import JsonCall
from ..wire import WireFormat, WireParadigm

__all__ = [
    "BfclJson",
    "CommandR",
    "FencedJson",
    "Llama3Json",
    "LlamacppGeneric",
    "Phi4Mini",
    "Xlam",
]


class Llama3Json(WireParadigm):
    """Llama 3.1, 3.2 and 3.3, watt-tool. It has no marker: prefer another form if you can.

    ``{"name": …, "parameters": {…}}``, bare: as Llama 3 was trained.
    """

    name = "llama3_json"
    wire = WireFormat(
        payload=JsonCall(arguments="parameters"), between="; ", also=(("<|python_tag|>", ""),)
    )


class Xlam(WireParadigm):
    """xLAM 2, Hammer. It has no marker: prefer another form if you can.

    ``[{"name": …, "arguments": {…}}]``: a bare list of calls.
    """

    name = "xlam"
    wire = WireFormat(
        payload=JsonCall(listed=True),
        also=(("[TOOL_CALLS]", ""), ("<tool_call>", "</tool_call>")),
    )


class LlamacppGeneric(WireParadigm):
    """Any model behind a server that forces this JSON.

    ``{"tool_call": {"name": …, "arguments": {…}}}``: JSON under a grammar.
    """

    name = "llamacpp_generic"
    wire = WireFormat(payload=JsonCall(nesting="tool_call"))


class Phi4Mini(WireParadigm):
    """Phi 4 Mini, FireFunction 2.

    ``functools[{…}]``: a list behind a word.
    """

    name = "phi4_mini"
    wire = WireFormat(call=("functools", ""), payload=JsonCall(listed=True))


class FencedJson(WireParadigm):
    """Chat models that fence whatever they write.

    A fenced block of JSON for each call.
    """

    name = "fenced_json"
    wire = WireFormat(
        call=("```json\n", "\n```"),
        also=(("```tool_call", "```"), ("```function_call", "```")),
        means_call=False,
    )


class CommandR(WireParadigm):
    """Command R and R+.

    ``Action:`` and a fenced JSON list.
    """

    name = "command_r"
    wire = WireFormat(
        call=("Action:\n```json\n", "\n```"),
        payload=JsonCall("tool_name", "parameters", listed=True),
        also=(("Action: ```json\n", "\n```"), ("Action:```json\n", "\n```")),
    )


class BfclJson(WireParadigm):
    """Comparing with BFCL results.

    ``[{"function": …, "parameters": {…}}]`` in a fence.
    """

    name = "bfcl_json"
    wire = WireFormat(
        call=("```json\n", "\n```"),
        payload=JsonCall("function", "parameters", listed=True),
        means_call=False,
    )
