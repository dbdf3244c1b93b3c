"""What models leave out of JSON, or forget to escape in it, and what is made of that."""

from __future__ import annotations

import pytest

from toolproto import Grade, ProblemKind, ToolCall, ToolOffer, ToolSpec, get_paradigm
from toolproto.testing.laws import read_in_pieces


def tool(name: str, **properties: str) -> ToolSpec:
    members = {key: {"type": kind} for key, kind in properties.items()}
    return ToolSpec(name, f"Does {name}.", {"type": "object", "properties": members})


OFFER = ToolOffer(
    (
        tool("search", query="string", count="integer"),
        tool("add", a="number", b="number"),
        tool("weather", city="string"),
        tool("write", path="string", content="string"),
    )
)
ADD = ToolCall("add", {"a": 3, "b": 4})
PARIS = ToolCall("weather", {"city": "Paris"})


def read(name: str, text: str):
    """*text* read whole, and the same in single characters."""
    paradigm = get_paradigm(name)
    parsed = paradigm.parse_response(text, OFFER)
    assert read_in_pieces(paradigm, text, OFFER) == list(parsed.events)
    return parsed


def guessed(name: str, text: str) -> list[ToolCall]:
    """The calls of *text*, of which the first must be labelled as guessed."""
    parsed = read(name, text)
    assert not parsed.problems
    assert parsed.calls[0].grade is Grade.GUESSED
    return parsed.calls


@pytest.mark.parametrize(
    "end", [",", ", ", ', "', ', "cou', ', "count', ', "count"', ', "count" ', ', "count":']
)
@pytest.mark.parametrize("behind", ["", "</tool_call>"])
def test_a_reply_that_ends_in_a_key_is_cut_short(end, behind):
    text = f'<tool_call>\n{{"name": "search", "arguments": {{"query": "pizza"{end}{behind}'
    parsed = read("hermes", text)
    assert not parsed.calls
    if not behind:
        assert [problem.kind for problem in parsed.problems] == [ProblemKind.TRUNCATED]


def test_a_call_behind_one_that_ends_in_a_key_is_read():
    cut = '<tool_call>{"name": "search", "arguments": {"query": "pizza", "</tool_call>\n'
    call = '<tool_call>{"name": "add", "arguments": {"a": 3, "b": 4}}</tool_call>'
    assert read("hermes", cut + call).calls == [ADD]


def test_quoted_words_at_the_end_of_a_string_are_no_key():
    text = '<tool_call>\n{"name": "search", "arguments": {"query": "say "a", "b"'
    assert guessed("hermes", text)[0].arguments == {"query": 'say "a", "b'}


NUMBER_LAST = {
    "harmony": "<|channel|>commentary to=functions.add <|constrain|>json<|message|>{}<|call|>",
    "kimi_k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0"
    "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    "deepseek_v31": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{}"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "functionary_v31": "<function=add>{}</function>",
    "hermes": '<tool_call>{{"name": "add", "arguments": {}</tool_call>',
}


@pytest.mark.parametrize("name", NUMBER_LAST)
def test_a_marker_ends_a_number_that_lacks_its_closer(name):
    text = NUMBER_LAST[name].format('{"a": 3, "b": 4')
    assert guessed(name, text) == [ADD]
    parsed = read(name, text[: text.index("4") + 1])
    assert not parsed.calls
    assert [problem.kind for problem in parsed.problems] == [ProblemKind.TRUNCATED]


FENCED = '```json\n{"name": "weather", "arguments": {"city": "Paris"}\n```'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fenced_json", FENCED),
        ("fenced_json", f"{FENCED}\nIt is said to be warm."),
        ("hermes", f"<tool_call>\n{FENCED}\n</tool_call>"),
        (
            "deepseek_v3",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n"
            '```json\n{"city": "Paris"\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        ),
    ],
)
def test_a_closing_fence_ends_a_call_that_lacks_its_closer(name, text):
    assert guessed(name, text) == [PARIS]


@pytest.mark.parametrize("content", ["a\n```\nb", "say `x`\n```sh\nls\n```\n"])
def test_a_fence_in_a_string_is_part_of_it(content):
    call = f'{{"name": "write", "arguments": {{"path": "p", "content": "{content}"}}'
    assert guessed("fenced_json", f"```json\n{call}\n```")[0].arguments["content"] == content


@pytest.mark.parametrize("lost", [", ", ",\n  ", "\n  "])
@pytest.mark.parametrize("name", ["llama3_json", "xlam", "fenced_json", "bfcl_json", "hermes"])
def test_a_name_ends_where_its_quote_was_lost(name, lost):
    call = f'{{"name": "add{lost}"arguments": {{"a": 3, "b": 4}}}}'
    around = {
        "xlam": "[%s]",
        "bfcl_json": "[%s]",
        "fenced_json": "```json\n%s\n```",
        "hermes": "<tool_call>\n%s\n</tool_call>",
    }
    assert guessed(name, around.get(name, "%s") % call) == [ADD]


@pytest.mark.parametrize(
    "content",
    [
        '{\n  "name": "demo",\n  "x": []\n}\n',
        '{\n  "private": true,\n  "scripts": {\n    "test": "a"\n  }\n}',
        '{\n  "name": "demo",\n  "scripts": {"test": "a"},\n  "arguments": []\n}\n',
        '[\n  {\n    "name": "demo"\n  }\n]',
    ],
)
def test_json_that_nobody_escaped_stays_in_its_string(content):
    arguments = f'{{"path": "p.json", "content": "{content}"}}'
    expected = ToolCall("write", {"path": "p.json", "content": content})
    head = "<|channel|>commentary to=functions.write <|constrain|>json<|message|>"
    assert guessed("harmony", f"{head}{arguments}<|call|>") == [expected]
    call = f'{{"name": "write", "arguments": {arguments}}}'
    assert guessed("hermes", f"<tool_call>\n{call}\n</tool_call>") == [expected]
    assert guessed("llama3_json", call.replace("arguments", "parameters", 1)) == [expected]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        (r"C:\Users\tom\notes.txt", r"C:\Users\tom\notes.txt"),
        (r"C:\Users\\tom\new", r"C:\Users\tom\new"),
        (r"d:\Users\utils\u0041", r"d:\Users\utils\u0041"),
        (r"^\d+\n", "^\\d+\n"),
    ],
)
def test_the_backslashes_of_a_windows_path_are_kept(written, path):
    call = f'{{"name": "write", "arguments": {{"path": "{written}", "content": ""}}}}'
    assert guessed("hermes", f"<tool_call>\n{call}\n</tool_call>")[0].arguments["path"] == path


def test_a_valid_escape_behind_a_drive_is_one():
    text = r'<tool_call>{"name": "write", "arguments": {"path": "C:\temp"}}</tool_call>'
    assert read("hermes", text).calls == [ToolCall("write", {"path": "C:\temp"})]
