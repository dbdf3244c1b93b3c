"""Calls in notations of their own: YAML, lines with blocks of text, and Gemma's braces."""

from __future__ import annotations

from ..line_payloads import BraceCall, RawCall, YamlCall
from ..wire import WireFormat, WireParadigm

__all__ = ["FunctionGemma", "Gemma4", "RawBlock", "YamlBlock"]


class YamlBlock(WireParadigm):
    """Chat models that lose count of brackets and quotes, and that fence whatever they write.

    A fenced block of YAML for each call; long text stands below its key, without escapes.
    """

    name = "yaml_block"
    wire = WireFormat(
        call=("```yaml\n", "\n```"), payload=YamlCall(), also=(("```yml", "```"),), means_call=False
    )

    def _how(self) -> str:
        return (
            "To use one, write its call exactly as shown, from ```yaml to ```. Text of several"
            " lines goes below its key and a |, each line indented by four spaces."
        )


class RawBlock(WireParadigm):
    """Models that write code, or any text that would be full of escapes in JSON.

    ``<<call write_file``, a line for each argument, and a block for text as it is: no escapes.
    """

    name = "raw_block"
    wire = WireFormat(call=("<<call ", "\ncall>>"), payload=RawCall())

    def _how(self) -> str:
        return (
            "To use one, write its call exactly as shown, from <<call to call>>. Behind = stands"
            " JSON. Text of several lines, or with quotes in it, goes between <<END and a line"
            " that is just END, exactly as it is, without any escapes:\n"
            'key <<END\nThe first "line".\nThe second line.\nEND'
        )


class FunctionGemma(WireParadigm):
    """FunctionGemma 270M.

    ``call:get_weather{city:<escape>Paris<escape>}`` between two tokens.
    """

    name = "functiongemma"
    wire = WireFormat(
        call=("<start_function_call>", "<end_function_call>"),
        payload=BraceCall("<escape>"),
        between="",
        # The model was trained to go on with a result of its own.
        results=("<start_function_response>",),
    )


class Gemma4(WireParadigm):
    """Gemma 4.

    ``call:get_weather{city:<|"|>Paris<|"|>}`` between two tokens.
    """

    name = "gemma4"
    wire = WireFormat(
        call=("<|tool_call>", "<tool_call|>"),
        payload=BraceCall('<|"|>'),
        between="",
        also=(("<|tool_call>:", "<tool_call|>"), ("<call>", "")),
        leaked=(("default_api:", ""),),  # Gemini, whose server lost the rest
        # The model was trained to go on with a result of its own.
        results=("<|tool_response>",),
    )
