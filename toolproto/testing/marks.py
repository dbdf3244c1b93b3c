"""The pieces of text in which a reader's decisions hide: a paradigm's own markers, and others'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..protocol.messages import ToolCall, ToolResult
from ..protocol.paradigms.base import ToolContextDef
from ..protocol.paradigms.wire import WireParadigm
from ..protocol.tools.spec import ToolOffer

__all__ = ["MARKS", "marks_of"]

#: Markers of many forms, halves of them, and what stands inside and around calls.
MARKS = [
    "<tool_code>", "</tool_code>", "<tool_code", "< tool_code >", "</tool_", '<tool_code a="b">',
    "<tool_result>", '<tool_result name="x">', "</tool_result>", "<think>", "</think>",
    "<thinking>", "<|im_start|>", "<|im_end|>", "<|im_start|>assistant", "<|im_start|>user",
    "[INST]", "[/INST]", "\n\nHuman:",
    '{"tool_calls": [', '{"tool_calls": ', '{"tool_call_result": ', '{"name": ', '"get_weather"',
    ', "arguments": ', '{"city": "Oslo"}', '{"city": "Os', "lo", '"}', "}}", "]}", "}", "]", "{",
    "[", '{"name": "get_weather", "arguments": {"city": "Oslo"}}', "{'name': 'get_weather', ",
    "'arguments': {'city': 'Oslo'}}", '"', "'", "\\", '\\"', "\\n", "\\u00e9", "\\ud83d", "\\ude00",
    "\\d", "```", "```json\n", "\n```\n", "~~~\n", "`", "> ", "\n", "\n\n", " ", ", ", "; ", ":",
    ".", "True", "None", "3", "3.5", "-", "NaN", "1e999", "x", "é", "😀", "\u2028", "\x00",
    "\ud800",
    '{"function": {"name": "now", "arguments": "{}"}}', '"id": "a", ', '"type": "function", ',
    '{"name": "write_file", "arguments": {"path": "a", "content": "', "print(\"hi\")", "I say ",
    "to do it", "\"<tool_code>", "“", "”", "//", "/*", "(1, 2)", "\t",
    "<tool_call>", "</tool_call>", "<function=get_weather>", "</function>", "<parameter=city>",
    "</parameter>", '<invoke name="now">', "</invoke>", "<arg_key>city</arg_key>", "<arg_value>",
    "</arg_value>", "<get_weather>", "</get_weather>", "<city>", "</city>", "[get_weather(city=",
    "get_weather(", ")", ")]", "city=", "'Oslo'", "now()", "[TOOL_CALLS]", "[ARGS]", "<|call|>",
    "<\uff5ctool▁call▁begin\uff5c>", "<\uff5ctool▁sep\uff5c>", "<|tool_call_begin|>",
    "functions.now:0", "Action: ", "\nAction Input: ", "\nObservation: ", "```yaml\n",
    "tool: now\n", "<![CDATA[", "]]>", "&amp;", "<<call now\n", ">>>now\n", "call:now{",
    "<escape>", "\r\n", "get\\_weather",
]  # fmt: skip

_WORDS = ("alpha", "beta", "gamma")


def marks_of(paradigm: ToolContextDef, offer: ToolOffer) -> list[str]:
    """What *paradigm* writes around names and values, its declared markers, and half of each.

    Found by writing a call and a result and looking at what is not theirs, so it holds for
    a paradigm that declares nothing, too.
    """
    whole = dict.fromkeys((*_declared(paradigm), *_written(paradigm, offer)))
    halves = (mark[: len(mark) // 2 + 1] for mark in whole if len(mark) > 2)
    return list(dict.fromkeys((*whole, *halves)))


def _declared(paradigm: ToolContextDef) -> Iterator[str]:
    if isinstance(paradigm, WireParadigm):
        wire = paradigm.wire
        pairs = (wire.call, wire.section, *wire.also, (*wire.dropped, *wire.results))
        yield from (mark for pair in pairs for mark in pair if mark)


def _written(paradigm: ToolContextDef, offer: ToolOffer) -> Iterator[str]:
    name, key, value = _WORDS
    call = ToolCall(name, {key: value}, "call_1")
    texts = (
        paradigm.encode_calls([call, call]),
        paradigm.encode_results([ToolResult(call, value)]),
    )
    pattern = "|".join((*_WORDS, "call_1"))
    for text in texts:
        yield from (piece for piece in re.split(pattern, text) if piece)
    yield from paradigm.stop(offer)
