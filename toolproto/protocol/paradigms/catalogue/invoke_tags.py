"""Calls as ``invoke`` elements with ``parameter`` elements, each model with a prefix of its own."""

from __future__ import annotations

from ..payloads import TaggedCall
from ..wire import WireFormat, WireParadigm

__all__ = [
    "DeepseekV4",
    "DeepseekV32",
    "Dots",
    "KimiK3",
    "MinimaxM2",
    "MinimaxM3",
    "MuseGlimmer",
    "Step3",
]


class MinimaxM2(WireParadigm):
    """MiniMax M2 to M2.7.

    ``<invoke name=…>`` and ``<parameter name=…>`` in a tag.
    """

    name = "minimax_m2"
    wire = WireFormat(
        call=("<minimax:tool_call>\n", "\n</minimax:tool_call>"),
        payload=TaggedCall(
            call=('<invoke name="{name}">\n', "</invoke>"),
            argument=('<parameter name="{key}">', "</parameter>\n"),
            together=True,
        ),
        # Where the server's own prompt is missing: {tool => "f", args => {--path "a"}} between.
        also=(
            ("[TOOL_CALL]", "[/TOOL_CALL]"),
            # Claude's own, which leaks with its namespace on every tag.
            ("<antml:function_calls>", "</antml:function_calls>"),
            ("<antml:invoke name=", "</antml:invoke>"),
        ),
    )


class MinimaxM3(WireParadigm):
    """MiniMax M3.

    ``]<]minimax[>[<city>Paris]<]minimax[>[</city>``: elements behind a marker.
    """

    name = "minimax_m3"
    wire = WireFormat(
        call=("]<]minimax[>[<tool_call>\n", "\n]<]minimax[>[</tool_call>"),
        payload=TaggedCall(
            call=(']<]minimax[>[<invoke name="{name}">', "]<]minimax[>[</invoke>"),
            argument=("]<]minimax[>[<{key}>", "]<]minimax[>[</{key}>"),
            together=True,
        ),
    )


class Dots(WireParadigm):
    """rednote dots.

    ``<invoke name=…>`` and ``<parameter name=…>`` in a tag.
    """

    name = "dots"
    wire = WireFormat(
        call=("<dots_function_call>\n", "\n</dots_function_call>"),
        payload=TaggedCall(
            call=('<invoke name="{name}">\n', "</invoke>"),
            argument=('<parameter name="{key}">', "</parameter>\n"),
            together=True,
        ),
    )


class DeepseekV32(WireParadigm):
    """DeepSeek V3.2.

    ``<|DSML|invoke name=…>``: elements that say which arguments are strings.
    """

    name = "deepseek_v32"
    wire = WireFormat(
        call=("<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>"),
        payload=TaggedCall(
            call=('<｜DSML｜invoke name="{name}">\n', "</｜DSML｜invoke>"),
            argument=(
                '<｜DSML｜parameter name="{key}" string="{is_string}">',
                "</｜DSML｜parameter>\n",
            ),
            together=True,
        ),
        ends_thought=True,
    )


class DeepseekV4(WireParadigm):
    """DeepSeek V4 and V4.1, GigaChat 3.5.

    ``<|DSML|tool_calls>`` around the elements of DeepSeek V3.2.
    """

    name = "deepseek_v4"
    wire = WireFormat(
        call=("<｜DSML｜tool_calls>\n", "\n</｜DSML｜tool_calls>"),
        payload=DeepseekV32.wire.payload,
        also=(
            ("<｜DSML｜ calls>", "</｜DSML｜ calls>"),
            ("<｜GCML｜tool_calls>", "</｜GCML｜tool_calls>"),
        ),
        ends_thought=True,
    )


class Step3(WireParadigm):
    """Step 3.

    ``<steptml:invoke>`` elements between DeepSeek's tokens.
    """

    name = "step3"
    wire = WireFormat(
        section=("<｜tool_calls_begin｜>\n", "\n<｜tool_calls_end｜>"),
        call=("<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜>"),
        payload=TaggedCall(
            call=('<steptml:invoke name="{name}">\n', "</steptml:invoke>"),
            argument=('<steptml:parameter name="{key}">', "</steptml:parameter>\n"),
        ),
        also=(("<｜tool_call_begin｜>", "<｜tool_call_end｜>"),),
        dropped=("<｜tool_sep｜>",),
    )


class MuseGlimmer(WireParadigm):
    """Muse Glimmer.

    ``<atem:invoke>`` elements in messages with an addressee.
    """

    name = "muse_glimmer"
    wire = WireFormat(
        call=("<atem:function_calls>\n", "\n</atem:function_calls>"),
        payload=TaggedCall(
            call=('<atem:invoke name="{name}">\n', "</atem:invoke>"),
            argument=('<atem:parameter name="{key}">', "</atem:parameter>\n"),
            together=True,
        ),
        dropped=(
            "<|start|>assistant to={name}<|message|>",
            "<|start|>assistant<|message|>",
            " to={name}<|message|>",
            "<|message|>",
            "<|eom|>",
        ),
        asides=(" to=user<|message|>",),
    )


class KimiK3(WireParadigm):
    """Kimi K3.

    ``<|open|>call tool="f"<|sep|>…<|close|>call<|sep|>``: elements in three tokens.
    """

    name = "kimi_k3"
    wire = WireFormat(
        call=("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
        payload=TaggedCall(
            call=('<|open|>call tool="{name}" index="{number}"<|sep|>', "<|close|>call<|sep|>"),
            argument=(
                '<|open|>argument key="{key}" type="{type}"<|sep|>',
                "<|close|>argument<|sep|>",
            ),
            together=True,
            between="",
        ),
        # What a reply is written in; some prompts open its first part.
        dropped=(
            "<|open|>response<|sep|>",
            "<|close|>response<|sep|>",
            "<|close|>message<|sep|>",
        ),
    )
