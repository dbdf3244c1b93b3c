"""Calls in YAML: what is one, what its scalars mean, and what is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol.decoding.reading import (
    check_cuts,
    check_limit,
    check_returns_text,
    only,
    read_reply,
    repairs,
)
from toolproto.protocol.events import ArgumentsDelta, CallStarted
from toolproto.protocol.messages import Grade, ProblemKind, Repair, ToolCall
from toolproto.protocol.paradigms import ParsedResponse, get_paradigm
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

WRITE = ToolSpec(
    "write_file",
    "Write a file.",
    {
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path"],
    },
)
SEARCH = ToolSpec(
    "search",
    "Search.",
    {
        "properties": {
            "limit": {"type": "integer"},
            "exact": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "where": {"type": "object", "properties": {"version": {"type": "string"}}},
            "note": {"type": ["string", "null"]},
            "level": {"enum": [1, 2]},
        }
    },
)
NOW = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
OFFER = ToolOffer((WRITE, SEARCH, NOW))


def read(yaml: str) -> ParsedResponse:
    return read_reply("yaml_block", f"```yaml\n{yaml}\n```", OFFER)


def arguments(yaml: str) -> Any:
    return only(read(yaml)).arguments


TEXTS = [
    "",
    "one line",
    "two\nlines",
    "two\nlines\n",
    "ends in two\n\n",
    "\n",
    "\nbegins with a break",
    "  begins\nindented",
    "a\n\n\nb\n  c\n   \nd",
    "a\n   ",
    "a\n    \n",
    "```\n```yaml\ntool: now\n```\n",
    "---\n- a: b\n# c",
    "\ttab\n\ttab",
    "a\r\nb\r\n",
    "\r\n\r",
    'say "hi" \\ \\n # no comment',
    "no",
    "3.10",
    "\x00\x0b\x85\u2028\ud800😀",
]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_comes_back_as_it_is(text: str) -> None:
    for key in ("path", "content", "any key: # at all"):
        call = ToolCall("write_file", {key: text, "other": [text, {"a": text}]})
        check_returns_text("yaml_block", call, OFFER)


def test_text_is_handed_out_while_it_comes() -> None:
    decoder = get_paradigm("yaml_block").decoder(OFFER)
    first = decoder.feed("```yaml\ntool: write_file\narguments:\n")
    assert [event.name for event in first if isinstance(event, CallStarted)] == ["write_file"]
    told = decoder.feed("  content: |\n    import os\n    impo")
    assert "".join(e.text for e in told if isinstance(e, ArgumentsDelta)).endswith("os\\nimpo")


#: Blocks below ``content:``, and the text they hold.
BLOCKS = [
    ("|\n    a\n    b", "a\nb\n"),
    ("|-\n    a\n    b\n", "a\nb"),
    ("|+\n    a\n\n", "a\n\n\n"),
    ("|\n    a\n\n\n", "a\n"),
    ("|\n\n    a", "\na\n"),
    ("|2\n      a\n    b", "  a\nb\n"),
    ("|-2\n     a", " a"),
    ("| # a comment\n    a", "a\n"),
    ("|\n        a\n          b", "a\n  b\n"),
    ("|", ""),
    (">\n    one\n    two\n\n    three", "one two\nthree\n"),
    (">-\n    one\n      more\n    two", "one\n  more\ntwo"),
    (">\n    a\n\n\n    b", "a\n\nb\n"),
    ("|\n    ```\n    ---", "```\n---\n"),
    ("|\n    a: b\n    - c", "a: b\n- c\n"),
]


@pytest.mark.parametrize(("block", "text"), BLOCKS)
def test_a_block_is_text_without_its_margin(block: str, text: str) -> None:
    yaml = f"tool: write_file\narguments:\n  content: {block}\n  path: x"
    assert arguments(yaml) == {"content": text, "path": "x"}


#: Scalars, by the schema of their argument.
SCALARS: list[tuple[str, str, Any]] = [
    ("path", "notes.txt", "notes.txt"),
    ("path", "no", "no"),
    ("path", "3.10", "3.10"),
    ("path", "null", "null"),
    ("path", "", ""),
    ("path", "[a-z]+", "[a-z]+"),
    ("path", "issue #5: a, b", "issue #5: a, b"),
    ("path", "a # comment", "a"),
    ("path", "'it''s # here'", "it's # here"),
    ("path", '"a\\tb \\u00e9" # c', "a\tb é"),
    ("path", '"say "hi" now"', 'say "hi" now'),
    ("path", '"\\d+"', "\\d+"),
    ("path", "two\n    lines", "two lines"),
    ("path", "*anchor", "*anchor"),
    ("path", "!!python/object:os.system x", "!!python/object:os.system x"),
    ("limit", "3", 3),
    ("limit", "three", "three"),
    ("limit", "~", None),
    ("limit", "+5", 5),
    ("limit", "0x1F", 31),
    ("limit", "1_000", 1000),
    ("limit", "'5'", "5"),
    ("exact", "no", False),
    ("exact", "True", True),
    ("note", "null", None),
    ("note", "12", "12"),
    ("level", "2", 2),
    ("tags", "\n  - 1.0\n  - no", ["1.0", "no"]),
    ("tags", "\n    - a\n    -\n    - 'b'", ["a", "", "b"]),
    ("tags", '["a", "b"] # two', ["a", "b"]),
    ("tags", '[\n    "a",\n    "b"\n  ]', ["a", "b"]),
    ("where", "\n    version: 3.10\n    deep:\n      - x: 1\n        y: 2", None),
    ("unknown", "2024-01-01", "2024-01-01"),
    ("unknown", "1e3", 1000.0),
    ("unknown", "1_000", "1_000"),
    ("unknown", "(1, 2)", "(1, 2)"),
    ("unknown", "`ls`", "`ls`"),
    ("unknown", "yes", "yes"),
]


@pytest.mark.parametrize(("key", "text", "value"), SCALARS)
def test_a_scalar_means_what_the_schema_says(key: str, text: str, value: Any) -> None:
    tool = "write_file" if key == "path" else "search"
    value = {"version": "3.10", "deep": [{"x": 1, "y": 2}]} if key == "where" else value
    assert arguments(f"tool: {tool}\narguments:\n  {key}: {text}") == {key: value}


#: Other ways to write the same call, and how they depart.
SPELLINGS = [
    ("tool: search\narguments:\n  limit: 3", []),
    ("  tool: search\n  arguments:\n    limit: 3", []),
    ("tool: search\n\n# how many?\narguments:\n\n  limit: 3\n", []),
    ('"tool": "search"\n"arguments": {"limit": 3}', []),
    ("arguments:\n  limit: 3\ntool: search", []),
    ("  arguments:\n    limit: 3\n  tool: search", []),
    ("- tool: search\n  arguments:\n    limit: 3", []),
    ("---\ntool: search\narguments:\n  limit: 3\n...", []),
    ("name: search\nargs:\n  limit: 3", ["name_key", "arguments_key"]),
    ("tool: search\nlimit: 3", ["flattened_arguments"]),
    ("tool: search\narguments: '{\"limit\": 3}'", ["arguments_string"]),
    ("type: function\nfunction:\n  name: search\n  arguments:\n    limit: 3",
     ["nested_call", "name_key"]),
    ("tool_calls:\n- tool: search\n  arguments:\n    limit: 3", []),
    ("tool: search\r\narguments:\r\n  limit: 3\r", []),
]  # fmt: skip


@pytest.mark.parametrize(("yaml", "names"), SPELLINGS)
def test_a_call_is_read_in_every_spelling(yaml: str, names: list[str]) -> None:
    assert arguments(yaml) == {"limit": 3}
    assert repairs(read(yaml)) == names


def test_arguments_may_be_left_out() -> None:
    assert arguments("tool: now") == {}
    assert arguments("tool: now\narguments:") == {}
    assert arguments("name: now") == {}


def test_several_calls_stand_in_a_list_or_in_documents() -> None:
    listed = read("- tool: now\n- tool: search\n  arguments:\n    limit: 1\n- tool: now")
    assert [call.name for call in listed.calls] == ["now", "search", "now"]
    apart = read("tool: now\n---\ntool: search\n---\ntool: now")
    assert [call.name for call in apart.calls] == ["now", "search", "now"]
    shifted = read("  - tool: now\n  - tool: search\n    arguments:\n      limit: 1")
    assert [call.name for call in shifted.calls] == ["now", "search"]


def test_an_unknown_tool_is_called_only_with_arguments() -> None:
    assert [call.name for call in read("tool: rocket\narguments: {}").calls] == ["rocket"]
    assert read("tool: rocket\nsize: 3").calls == []


NO_CALLS = [
    "version: 3\nservices:\n  web: x",
    "name: shop\nversion: 1",
    "name: write_file\ndescription: Writes a file.",
    "- apples\n- pears",
    "just words",
    "tool: [hammer]",
    "{a: 1",
    "- - - -",
    "&a tool: now",
    "? tool\n: now",
    "id: 3",
    "arguments:\n  limit: 3",
    "",
]


@pytest.mark.parametrize("yaml", NO_CALLS)
def test_other_yaml_is_text(yaml: str) -> None:
    parsed = read(yaml)
    assert (parsed.calls, parsed.problems) == ([], [])
    assert parsed.text == f"```yaml\n{yaml}\n```"


BROKEN = [
    ("tool: search\narguments:\n    limit: 3\n   exact: no", ProblemKind.MALFORMED),
    ("tool: search\narguments:\n  limit: 3\n  words", ProblemKind.MALFORMED),
    ("tool: search\narguments: 3", ProblemKind.MALFORMED),
    ("tool: search\narguments:\n  - limit", ProblemKind.MALFORMED),
    ("tool: search\narguments:\n  limit: 1\n  limit: 2", ProblemKind.MALFORMED),
    ("tool: search\narguments:\n  where:\n    a: 1\n    a: 2", ProblemKind.MALFORMED),
    ('tool: search\narguments:\n  tags: ["1, 2', ProblemKind.MALFORMED),
    ("tool: search\narguments:\n  tags: [1] 2", ProblemKind.MALFORMED),
    ("tool: search\narguments:\n  where: " + "[" * 200 + "]" * 200, ProblemKind.TOO_LARGE),
    ("tool: search\narguments:\n  where:\n   " + " -" * 200 + " x", ProblemKind.TOO_LARGE),
    ("tool: now\n---\nversion: 3", ProblemKind.MALFORMED),
    ("- tool: now\n- words", ProblemKind.MALFORMED),
    ("tool: search\narguments:\n" + " " * 2000 + "limit: 3", ProblemKind.MALFORMED),
    ("tool: search\narguments:\n  " + "k" * 5000 + ": 3", ProblemKind.MALFORMED),
]


@pytest.mark.parametrize(("yaml", "kind"), BROKEN)
def test_a_broken_call_is_a_problem_and_nothing_of_it_is_text(yaml: str, kind: ProblemKind) -> None:
    parsed = read(yaml)
    assert [problem.kind for problem in parsed.problems] == [kind]
    assert parsed.text == ""


def test_a_quote_that_is_missing_costs_only_its_line() -> None:
    yaml = 'tool: write_file\narguments:\n  path: "notes.txt'
    assert arguments(yaml) == {"path": "notes.txt"}
    assert repairs(read(yaml)) == ["missing_quote"]


@pytest.mark.parametrize("value", ["|\n    imp", "|\r\n\r", '"imp', "[1, 2"])
def test_a_reply_that_ends_in_a_value_is_cut_short(value: str) -> None:
    reply = f"```yaml\ntool: search\narguments:\n  note: {value}"
    [problem] = get_paradigm("yaml_block").parse_response(reply, OFFER).problems
    assert problem.kind is ProblemKind.TRUNCATED


def test_a_missing_fence_is_mended_between_values() -> None:
    reply = "```yaml\ntool: search\narguments:\n  limit: 3"
    [call] = get_paradigm("yaml_block").parse_response(reply, OFFER).calls
    assert call.arguments == {"limit": 3}
    assert call.repairs == (Repair("missing_closer", Grade.GUESSED),)


def test_a_call_beyond_the_limit_is_refused_wherever_it_was_cut() -> None:
    yaml = "tool: write_file\narguments:\n  content: |\n    " + "x\n    " * 100
    check_limit("yaml_block", f"```yaml\n{yaml}\n```", OFFER)


def test_raw_text_and_span_are_the_reply_s_own() -> None:
    parsed = read("- tool: now\n- tool: search\n  arguments:\n    limit: 3")
    for call in parsed.calls:
        assert parsed.raw[call.span.start : call.span.end] == call.raw
    assert parsed.calls[1].raw.startswith("- tool: search")


def test_a_call_that_is_cut_is_never_taken_for_whole() -> None:
    whole = "```yaml\ntool: search\narguments:\n  limit: 3\n  note: |\n    x\n  tags: [1]\n"
    check_cuts("yaml_block", whole + "`", len("```yaml\ntool: search\narguments:\n"), OFFER)


def test_a_number_may_begin_with_zeros_where_the_schema_wants_one() -> None:
    yaml = "tool: search\narguments:\n  limit: 007\n  query: 007"
    [call] = read(yaml).calls
    assert call.arguments == {"limit": 7, "query": "007"}
    assert call.repairs == (Repair("number_form", Grade.GUESSED),)


def test_a_name_is_read_without_the_escapes_of_markdown() -> None:
    [call] = read("tool: write\\_file\narguments:\n  path: x").calls
    assert call.name == "write_file"


def test_a_document_may_end_where_the_reply_does() -> None:
    reply = "```yaml\ntool: search\narguments:\n  limit: 3\n---"
    [call] = get_paradigm("yaml_block").parse_response(reply, OFFER).calls
    assert call.arguments == {"limit": 3}


@pytest.mark.parametrize("line", [" note: x", "note: x", "no key", "  - x"])
def test_a_line_out_of_place_does_not_end_a_call(line: str) -> None:
    parsed = read(f"- tool: search\n  arguments:\n    limit: 3\n{line}")
    assert [problem.kind for problem in parsed.problems] == [ProblemKind.MALFORMED]
    assert parsed.calls == []


@pytest.mark.parametrize(
    "lines",
    [
        "tool: now\narguments: {}\ntool: search",
        "tool: search\narguments:\n  limit: 1\nexact: no",
        "tool: search\nargs:\n  limit: 1\narguments:\n  exact: no",
    ],
)
def test_nothing_that_a_call_says_beside_the_point_is_dropped(lines: str) -> None:
    parsed = read(lines)
    assert [problem.kind for problem in parsed.problems] == [ProblemKind.MALFORMED]
