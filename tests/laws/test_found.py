"""Texts that once broke a law, found by fuzzing or by reading; they never may again."""

from __future__ import annotations

import time

import pytest

from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm
from toolproto.testing import STANDARD_OFFER, laws
from toolproto.testing.laws.asking import read_in_pieces
from toolproto.testing.laws.comparison import same_events

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
    "Read whole, a label that is indented was not seen.\n\n    ### Instruction: y",
    'Hello {name\n<tool_code>{"name": "now"}</tool_code>',
    '{"a": 1, "b": <tool_code>{"name": "now"}</tool_code>',
    "`" * 100 + "<tool_code>{}</tool_code>" + "`" * 100,
]


#: Those that only one paradigm, or a few, read wrongly.
FOUND_IN = [
    # The whole call again where its arguments were due was handed out as the arguments.
    *(
        (name, f'{opener}{{"name": "{tool}", "arguments": {{"a": "b"}}}}')
        for tool in ("get_weather", "now", "no_such_tool")
        for name, opener in [
            ("bfcl_concise_xml", f"<functions><function={tool}>"),
            ("bfcl_concise_xml_tagged", f'<function name="{tool}'),
            ("bfcl_verbose_xml", f'<function name="{tool}<params>'),
            ("bfcl_verbose_xml_tagged", f'<function name="{tool}'),
            ("deepseek_v3", f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{tool}"),
            ("dots", f'<invoke name="{tool}'),
            ("function_tag", f"<function={tool}>"),
            ("minicpm5", f'<function name="{tool}'),
            ("minimax_m2", f"<minimax:tool_call><invoke={tool}>"),
            ("mistral_v11", f"[TOOL_CALLS]{tool}[ARGS]"),
            ("react", f"Action: {tool}\nAction Input:"),
        ]
    ),
    ("function_tag", '<function=get_weather{"arguments":{"":""},"name":"get_weather"}'),
    ("function_tag", '<function=now{"a":"b","arguments":{"":""},"name":"now"}'),
    ("kimi_k3", '<|open|>call tool="get_weather<|s|>{"name":"get_weather","arguments":{"":""}}'),
    # A line break, told once behind another, was told at once before the last line as well.
    ("raw_block", "<<call write_file\npath = a\ncontent <<END\na\n\nb\nEND\ncall>>"),
    ("raw_block", "<<call write_file\npath = a\ncontent <<END\na\n\nb\n"),
    # The next argument was looked for in text that had gone out already.
    (
        "minimax_m2",
        '<minimax:tool_call>\n<invoke name="write_file">\n<parameter na"\n<think>\n\n“<invoke>'
        '\n<parameter name="path">a</parameter>\n<parameter name="content">x</parameter>'
        "\n</invoke>",
    ),
    # Behind arguments in a fence that is not closed, reading stood still until more text came.
    (
        "deepseek_v3",
        "\t<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        '{"city": "Oslo"}\n``x`<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜too',
    ),
    # One member was handed out, another read.
    ("hermes", '{"name": "now", "args": {"": ""}, "arguments": {"": "2"}}'),
    ("hermes", '{"name": "now", "args": {"a": "1"}, "arguments": {"b": "2"}}'),
    ("hermes", '{"arguments": {"a": ""}, "function": {"name": "now", "arguments": {"a": "2"}}}'),
    ("command_r", '{"tool_name":"g","args":{"":""},"parameters":{"":"`"}}'),
    ("apertus", '{"name":"get_weather","city":{"":""}}'),
    ("apertus", '{"city":{"":""},"name":"get_weather"}'),
    ("apertus", '{"name":"w","":{"":""},"arguments":{"":"2"}}'),
    # Text to be read again stood behind text that had been read.
    ("bfcl_concise_xml", '<functions><function=e>{s"}n"}\n'),
    ("deepseek_v32", '<｜DSML｜function_calls><｜L｜invoke name="e">{""n"}n"}\n'),
    # A closing marker of two tags had not come whole.
    (
        "bfcl_verbose_xml_tagged",
        "<TOOLCALL><functions><function></function>o</functions></TOOLCALL>",
    ),
    # Read whole, an object that is no call went on behind the marker of one.
    (
        "nemotron",
        '{"s": |tool_calls|>|tool_call:begin|>|tool_call:name|>get_weather|tool_call:args|>'
        '{"city": "{}[]"}|tool_call:end|>|calls|>{"tool_call": {"name": "get_weather", "arguments":'
        ' {"city": "it\'s"}}}｜tool▁calls▁begin｜>｜tool▁call▁begin｜>function｜tool▁sep｜>'
        "get_weather\n``<TOOLCALL>{",
    ),
    # A second call was made out of the first one's tag.
    ("bfcl_verbose_xml", '<functions><function=get_weather>{"city": "Oslo"}'),
    # Behind odd space, or much of it, a call was one only if the reply was cut there.
    *(
        (name, f"{above}{space}now()\nok")
        for name in ("bfcl_python", "pythonic")
        for above in ("", "So.\n\n")
        for space in (*"\x0b\x0c\x1c\x1e\x85\xa0\u2028\u3000", "\r" * 401)
    ),
    # Read whole, odd space between arguments was not told of.
    ("bfcl_python_tagged", '<TOOLCALL>[get_weather(city="Oslo"\x0b)]</TOOLCALL>'),
    ("lfm2", '[get_weather(\x0bcity="Oslo")]'),
    # Of a marker with a backslash or a space in it the beginning was taken for text.
    ("functiongemma", "<end\\_function\\_call> x"),
    ("mistral_v11", "</s > x"),
    # Brackets are passed over that certainly open no list of calls.
    *(
        (name, f"See {call} there.\n{call}")
        for name in ("bfcl_python", "pythonic")
        for call in (
            '[ [{"now" ()}]',
            '[\\"now\\" ()]',
            "[get\\_weather(city='Oslo')]",
            "[`now`()]",
            "[now\t()]",
        )
    ),
    # Prose was looked at in the middle of a run of backticks, which then were two.
    (
        "functiongemma",
        's{""```\n```{"e": "get_weather", "id": "nnts": {"city": "it\'s", "unit": [[], {"a": 1}]},'
        ' "name": "get_weather", "calls": [{"description": "get_weather", "input": {"city":'
        ' "</tool_code>", "unit": [[], {"a": 1}]}, "arguments": {"city": "xn```n", "unit": [[],'
        '{"city": "xn```"<start_function_call>call:now{}<end_function_call>',
    ),
    ("gemma4", '<|tool_call>call:getweather{{""{""""}}t<'),
]


@pytest.mark.parametrize("name", CLOSELY)
@pytest.mark.parametrize("text", FOUND, ids=lambda text: text[:24])
def test_a_text_that_broke_a_law_keeps_them_all(name: str, text: str) -> None:
    _keeps_all(name, text)


@pytest.mark.parametrize(("name", "text"), FOUND_IN)
def test_what_broke_a_law_in_one_paradigm_keeps_them_all(name: str, text: str) -> None:
    _keeps_all(name, text)


def _keeps_all(name: str, text: str) -> None:
    paradigm = get_paradigm(name)
    laws.totality(paradigm, text, STANDARD_OFFER)
    laws.chunking(paradigm, text, range(len(text)), STANDARD_OFFER)
    # The same law for each single cut, without reading the whole text again for each.
    whole = read_in_pieces(paradigm, [text], STANDARD_OFFER)
    for cut in range(len(text)):
        split = read_in_pieces(paradigm, [text[:cut], text[cut:]], STANDARD_OFFER)
        assert same_events(whole, split), f"cut at {cut}: {text!r}"
    laws.streamed_arguments(paradigm, text, STANDARD_OFFER)
    laws.lossless(paradigm, text, STANDARD_OFFER)


@pytest.mark.parametrize("begun", ['{"', '{"a"b'])
def test_a_key_that_does_not_end_takes_linear_work(begun: str) -> None:
    # It was looked at from its beginning for each piece that came of it.
    laws.linearity(
        get_paradigm("fenced_json"),
        lambda size: f"```json\n{begun}{'1. ' * (size // 3)}",
        STANDARD_OFFER,
        clock=time.process_time,
        size=9_000,
    )


def test_a_key_that_is_too_long_is_refused_wherever_it_is_cut() -> None:
    reply = f'<tool_call>\n{{"{"x y{" * 6_000}": {{"name": "now"}}}}\n</tool_call>\nSo.'
    laws.chunking(get_paradigm("hermes"), reply, range(0, len(reply), 501), STANDARD_OFFER)


@pytest.mark.parametrize("inner", ["<think>", "hm\n<think>", "\n<thinking>", "so.\n\n[THINK]"])
@pytest.mark.parametrize("name", CLOSELY)
def test_a_second_end_of_a_thought_doubts_the_calls_before_it(name: str, inner: str) -> None:
    paradigm, call = get_paradigm(name), ToolCall("get_weather", {"city": "Oslo"})
    closer = inner.split("\n")[-1].replace("<", "</").replace("[", "[/")
    reply = f"<think>{inner}no{closer}\n{paradigm.encode_call(call)}\n</think>\nNo."
    calls = paradigm.parse_response(reply, STANDARD_OFFER).calls
    assert [call.place for call in calls] == ["thinking"]
    laws.chunking(paradigm, reply, range(len(reply)), STANDARD_OFFER)
