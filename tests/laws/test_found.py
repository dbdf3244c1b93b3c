"""Texts that once broke a law, found by fuzzing or by reading; they never may again."""

from __future__ import annotations

import pytest

from toolproto.paradigms import get_paradigm
from toolproto.testing import STANDARD_OFFER, laws

from . import CLOSELY

FOUND = [
    '{"name""x""arguments":{"":""],"":""',
    '<\u2028tool_code>{"name": "now"}</tool_code>',
    '{"plan": "lt up", "tool_calls": [{"name": "now", "arguments": {}}]}',
    '{"tool_calls": <tool_code>]<tool_code>',
    "{\"name\": \"get_weather\", \"arguments\": 'arguments': {'city': 'Oslo'}}",
    '<tool_code>{"name": "now", "arguments": {}}</tool_code>> {"tool_calls": [{"name": "now"}]}',
    '{"name": "write_file", "arguments": {"path": "a", "content": "x\'a\': {\'city\': \'O\'}}',
    "{'name': 'get_weather', .~~~\n+{\"name\": \"now\", \"arguments\": {}}\"'x': {'a': 'b'}}",
    'A{"tool_calls": [{"x": y {"tool_calls": [{"name": "now", "arguments": {"a": "b"}}]}z{"name',
    '}{"tool_calls": 3.5\\n //print("hi")<tool_code a="b">',
    ':<|im_start|>{"tool_calls": [{"name": "now", "arguments": {}}]}}}',
    '{"city": "Oslo"}None{"tool_calls": [I say [\n\n”</tool_code>//.<tool_code>{"name": "now"}',
    '{"a": "b", "tool_calls": null} <tool_code>{"name": "now"}</tool_code>',
    '<tool_code>{"arguments": {"a": "b"}}, "name": "now"}</tool_code>',
    '<tool_code>{"arguments": {"a": "b"}} {"name": "now", "arguments": {}}</tool_code>',
    '{"a": 1, x\n\n\n\nHuman: <tool_code>{"name": "now"}</tool_code>',
    '{"a": 1, x\n \n\t\n\n### Instruction: y <tool_code>{"name": "now"}</tool_code>',
    '<tool_code>{"tool_calls": [lo{"tool_calls": []}"type": "function", "<tool_code>]',
    'Hello {name\n<tool_code>{"name": "now"}</tool_code>',
    '{"a": 1, "b": <tool_code>{"name": "now"}</tool_code>',
    "`" * 100 + "<tool_code>{}</tool_code>" + "`" * 100,
]


@pytest.mark.parametrize("name", CLOSELY)
@pytest.mark.parametrize("text", FOUND, ids=lambda text: text[:24])
def test_a_text_that_broke_a_law_keeps_them_all(name: str, text: str) -> None:
    paradigm = get_paradigm(name)
    laws.totality(paradigm, text, STANDARD_OFFER)
    laws.chunking(paradigm, text, range(len(text)), STANDARD_OFFER)
    for cut in range(len(text)):
        laws.chunking(paradigm, text, [cut], STANDARD_OFFER)
    laws.streamed_arguments(paradigm, text, STANDARD_OFFER)
    laws.lossless(paradigm, text, STANDARD_OFFER)
