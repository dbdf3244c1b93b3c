"""Calls with a line for each argument, and text that nothing in it can end but its own word."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol.decoding.reading import (
    check_cuts,
    check_limit,
    check_refused,
    check_returns_text,
    only,
    read_reply,
    repairs,
)
from toolproto.protocol.events import ArgumentsDelta, CallStarted, TextDelta
from toolproto.protocol.messages import Grade, ProblemKind, Repair, ToolCall
from toolproto.protocol.paradigms import ParsedResponse, get_paradigm
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

WRITE = ToolSpec(
    "write_file",
    "Write a file.",
    {"properties": {"path": {"type": "string"}, "content": {"type": "string"}}},
)
SEARCH = ToolSpec(
    "search",
    "Search.",
    {"properties": {"limit": {"type": "integer"}, "tags": {"type": "array"}}},
)
NOW = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
OFFER = ToolOffer((WRITE, SEARCH, NOW))


def read(reply: str) -> ParsedResponse:
    return read_reply("raw_block", reply, OFFER)


def block(text: str) -> str:
    return f'<<call write_file\npath = "a"\ncontent {text}\ncall>>'


TEXTS = [
    "",
    "one line",
    "two\nlines",
    "ends in a break\n",
    "ends in three\n\n\n",
    "\n",
    "\nbegins with one",
    "call>>",
    "<<call now\ncall>>",
    'say "hi" and \\n',
    "END",
    "a\nEND\nb\nEND1\nc",
    "  END  \nEND2 ",
    "a\r\nb\r",
    "\r",
    "\x00\x0b\u2028\ud800😀",
    "key = 1\nother <<END\n",
    "ENDING\nENDx",
]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_comes_back_as_it_is(text: str) -> None:
    call = ToolCall("write_file", {"content": text, "path": text})
    check_returns_text("raw_block", call, OFFER)


def test_text_is_handed_out_while_it_comes() -> None:
    decoder = get_paradigm("raw_block").decoder(OFFER)
    first = decoder.feed("<<call write_file\n")
    assert [event.name for event in first if isinstance(event, CallStarted)] == ["write_file"]
    told = decoder.feed('content <<END\nprint("a")\nprint(')
    assert "".join(e.text for e in told if isinstance(e, ArgumentsDelta)).endswith("print(")


def test_the_last_word_may_be_any() -> None:
    assert only(read(block("<<EOF\nEND\nEOF"))).arguments["content"] == "END"
    assert only(read(block("<<'EOF'\nx\nEOF"))).arguments["content"] == "x"
    assert only(read(block('= <<"EOF"\nx\nEOF'))).arguments["content"] == "x"


def test_a_block_without_a_line_is_empty() -> None:
    assert only(read(block("<<END\nEND"))).arguments["content"] == ""


def test_line_ends_of_windows_frame_a_text_as_any() -> None:
    reply = '<<call write_file\r\npath = "a"\r\ncontent <<END\r\nx\r\ny\r\nEND\r\ncall>>'
    assert only(read(reply)).arguments["content"] == "x\r\ny"


#: What stands behind ``=``, for an integer and for a string, and what it is read as.
VALUES: list[tuple[str, str, Any]] = [
    ("limit", "3", 3),
    ("limit", "3 ", 3),
    ("limit", "three", "three"),
    ("limit", "True", True),
    ("tags", '["a", "call>>"]', ["a", "call>>"]),
    ("tags", '[\n  "a",\n  {"b": 1}\n]', ["a", {"b": 1}]),
    ("tags", "[1, 2],", [1, 2]),
    ("tags", "[1, [2", [1, [2]]),
    ("path", "notes.txt", "notes.txt"),
    ("path", "3", "3"),
    ("path", "[a-z]+", "[a-z]+"),
    ("path", "'a b'", "a b"),
    ("path", '"a \\u00e9 \\ud83d\\ude00"', "a é 😀"),
    ("path", '"say "hi" to me"', 'say "hi" to me'),
    ("path", '"C:\\data\\x"', "C:\\data\\x"),
    ("path", '"a",', "a"),
    ("path", '"two\nlines"', "two\nlines"),
    ("path", "", ""),
    ("unknown", "3", 3),
]


@pytest.mark.parametrize(("key", "text", "value"), VALUES)
def test_a_value_is_json_or_what_the_schema_wants(key: str, text: str, value: Any) -> None:
    tool = "search" if key in ("limit", "tags") else "write_file"
    assert only(read(f"<<call {tool}\n{key} = {text}\ncall>>")).arguments == {key: value}


def test_departures_are_labelled() -> None:
    parsed = read("<<call write_file\npath: notes.txt\ncall>>")
    assert repairs(parsed) == ["odd_separator", "bare_string"]


def test_a_call_without_arguments_may_stand_in_one_line() -> None:
    assert only(read("<<call now call>>")).arguments == {}


def test_arguments_may_be_one_object() -> None:
    assert only(read('<<call search\n{"limit": 3}\ncall>>')).arguments == {"limit": 3}


def test_another_call_ends_one_without_its_closing_marker() -> None:
    parsed = read("<<call search\nlimit = 3\n<<call now\ncall>>")
    assert [call.name for call in parsed.calls] == ["search", "now"]


@pytest.mark.parametrize(
    "reply",
    [
        "I write <<call and then a name.",
        "cout <<call (x) << endl;",
        "<<call me maybe, she said.",
        "`<<call now call>>` asks for the time.",
        "> <<call now\n> call>>\n",
    ],
)
def test_talk_is_text(reply: str) -> None:
    parsed = read(reply)
    assert (parsed.calls, parsed.problems, parsed.text) == ([], [], reply)


BROKEN = [
    ("<<call write_file\njust some words\ncall>>", ProblemKind.MALFORMED),
    ('<<call write_file\npath = "a"\nimport os\ncall>>', ProblemKind.MALFORMED),
    ("<<call write_file\ncontent <<\nx\ncall>>", ProblemKind.MALFORMED),
    ('<<call search\ntags = ["1, 2\ncall>>', ProblemKind.MALFORMED),
    ('<<call search\ntags = [1, {"a"]\ncall>>', ProblemKind.MALFORMED),
    ('<<call search\ntags = {"a": 1, "a": 2}\ncall>>', ProblemKind.MALFORMED),
    ("<<call search\nlimit = 1\nlimit = 2\ncall>>", ProblemKind.MALFORMED),
    ("<<call search\ntags = " + "[" * 500 + "]" * 500 + "\ncall>>", ProblemKind.TOO_LARGE),
    ("<<call write_file\ncontent <<END\nabc\ncall>>", ProblemKind.TRUNCATED),
    ('<<call write_file\npath = "abc', ProblemKind.TRUNCATED),
    ("<<call search\ntags = [1, 2", ProblemKind.TRUNCATED),
]


@pytest.mark.parametrize(("reply", "kind"), BROKEN)
def test_a_broken_call_is_a_problem_and_nothing_of_it_is_text(
    reply: str, kind: ProblemKind
) -> None:
    check_refused(read(reply), kind)


def test_a_value_is_not_closed_by_a_marker_in_its_quotes() -> None:
    assert only(read('<<call write_file\npath = "call>>"\ncall>>')).arguments["path"] == "call>>"


def test_a_quote_that_is_missing_costs_only_its_line() -> None:
    parsed = read('<<call write_file\npath = "a\ncall>>\nBye.')
    assert only(parsed).arguments == {"path": "a"}
    assert repairs(parsed) == ["missing_quote"]


def test_a_call_beyond_the_limit_is_refused_wherever_it_was_cut() -> None:
    check_limit("raw_block", block("<<END\n" + "x" * 200 + "\nEND"), OFFER)


def test_cut_by_a_limit_even_a_whole_line_is_not_trusted() -> None:
    decoder = get_paradigm("raw_block").decoder(OFFER)
    events = [*decoder.feed("<<call search\nlimit = 10\n"), *decoder.finish("length")]
    [problem] = ParsedResponse("", tuple(events)).problems
    assert problem.kind is ProblemKind.TRUNCATED


def test_raw_text_and_span_are_the_reply_s_own() -> None:
    reply = "Sure.\n" + block('<<END\n"x"\nEND') + " Done."
    call = only(read(reply))
    assert reply[call.span.start : call.span.end] == call.raw
    assert call.raw.startswith("write_file\n")


def test_prose_around_calls_goes_out() -> None:
    parsed = read("A.\n<<call now\ncall>>\nB.")
    texts = [event.text for event in parsed.events if isinstance(event, TextDelta)]
    assert texts == ["A.\n", "\nB."]


@pytest.mark.parametrize("end", ["", "\n", "\nlimit = 3", '\nlimit = 3\nquery = "x"'])
def test_the_end_of_a_reply_ends_a_call_as_a_guess(end: str) -> None:
    call = only(read(f"<<call search{end}"))
    assert Repair("missing_closer", Grade.GUESSED) in call.repairs
    assert Repair("missing_closer") not in call.repairs


@pytest.mark.parametrize("lines", ['limit = 3\nquery = "x"\n', "limit <<END\n3\nEND\n", "{}\n"])
def test_a_call_that_is_cut_is_never_taken_for_whole(lines: str) -> None:
    check_cuts("raw_block", f"<<call search\n{lines}", len("<<call s"), OFFER)


def test_a_number_may_begin_with_zeros_where_the_schema_wants_one() -> None:
    call = only(read("<<call search\nlimit = 007\nquery = 007\ncall>>"))
    assert call.arguments == {"limit": 7, "query": "007"}
    assert Repair("number_form", Grade.GUESSED) in call.repairs


def test_a_name_is_the_same_wherever_its_escape_is_cut() -> None:
    assert only(read("<<call write\\_file\npath = 1\ncall>>")).name == "write_file"


def test_a_line_that_can_be_no_argument_is_known_before_it_ends() -> None:
    decoder = get_paradigm("raw_block").decoder(OFFER)
    parsed = ParsedResponse("", tuple(decoder.feed("<<call search\nno argument call>>")))
    assert [problem.kind for problem in parsed.problems] == [ProblemKind.MALFORMED]
