"""The text of a reading: readable, and another one for every other reading."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.events import CallCompleted, CallRejected, ReasoningDelta, TextDelta
from toolproto.protocol.messages import CallProblem, Grade, ProblemKind, Repair, Span, ToolCall
from toolproto.protocol.paradigms import ParsedResponse
from toolproto.testing.reading_text import reading_text, visible

any_text = st.text(st.characters()) | st.sampled_from(["\ud800", "\r", "\x00", " ", "⟨U+0041⟩"])


def seen(line: str) -> str:
    """What :func:`visible` was given."""
    return re.sub(r"⟨U\+([0-9A-F]+)⟩", lambda code: chr(int(code[1], 16)), line)


@given(any_text)
def test_a_line_shows_every_character_and_loses_none(text):
    shown = visible(text)
    assert shown.isprintable()
    assert not shown.endswith(" ")
    assert seen(shown) == text


@given(any_text, any_text)
def test_two_replies_have_two_texts(one, other):
    texts = [
        reading_text(ParsedResponse(text, (TextDelta(text, Span(0, len(text))),)))
        for text in (one, other)
    ]
    assert (texts[0] == texts[1]) is (one == other)


VALUES = [1, 1.0, True, "1", "true", None, "null", [], {}, "", "a\nb", "a\\nb", {"a": [1]}, ["a"]]


def test_values_that_look_alike_are_told_apart():
    texts = {reading_text(parsed({"key": value})) for value in VALUES}
    assert len(texts) == len(VALUES)


def parsed(arguments: dict[str, object]) -> ParsedResponse:
    return ParsedResponse("x", (CallCompleted(0, ToolCall("f", arguments, "call_1")),))


def test_everything_that_was_read_is_said():
    call = ToolCall(
        "write file",
        {"path": "a.py", "con tent": "x = 1\n\ty\n", "n": {"deep": ["word " * 20]}},
        "call_1",
        "CALL",
        Span(5, 9),
        (Repair("other_keys"), Repair("missing_marker", Grade.GUESSED, "hermes\n")),
    )
    problem = CallProblem(
        ProblemKind.UNKNOWN_TOOL, "nobody offers it", "BAD", Span(10, 13), "nw", ("now",)
    )
    events = (
        ReasoningDelta("Hm.", Span(0, 3)),
        TextDelta("\n ", Span(3, 5)),
        CallCompleted(0, call),
        CallRejected(1, problem),
    )
    assert reading_text(ParsedResponse("Hm.\n CALL+BAD", events)) == EXPECTED


EXPECTED = """\
call "write file" call_1
  path: "a.py"
  "con tent":
    | x = 1
    | ⟨U+0009⟩y
    |
  n: {
    "deep": [
      "word word word word word word word word word word word word word word word word word word\
 word word "
    ]
  }
  repair lossless other_keys
  repair guessed missing_marker "hermes\\n"

problem unknown_tool nw
  | nobody offers it
  suggestion now

text
  |
  | ⟨U+0020⟩

reasoning
  | Hm.

segments
  reasoning | Hm.
  text      |
            | ⟨U+0020⟩
  call      | CALL
  markup    | +
  problem   | BAD
"""
