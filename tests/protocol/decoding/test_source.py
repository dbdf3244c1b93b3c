"""An answer about text of which more may come is final, or it is waited for."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.decoding.families import line_values, pairs, yaml_calls, yaml_lines
from toolproto.protocol.decoding.markers import Marker
from toolproto.protocol.decoding.patterns import Pattern
from toolproto.protocol.decoding.source import Pull, Source, begun_at_end
from toolproto.protocol.paradigms.declared_payloads import phrase
from toolproto.protocol.paradigms.line_payloads import BRACES, LINES, TOKENS

ENDS = (Marker("<tool_call|>"), Marker("```"), Marker("call>>"))
WAIT = object()
Question = Callable[[Source], Pull[Any]]


def answer(question: Question, text: str, *, final: bool = False) -> object:
    """What *question* answers at the beginning of *text*, and how far it read; or WAIT."""
    source = Source(ENDS)
    source.text, source.final = text, final
    asking = question(source)
    try:
        next(asking)
    except StopIteration as stop:
        told = stop.value
        if isinstance(told, re.Match):
            told = (told.group(), told.groups())
        return told, source.at
    return WAIT


def _taking(pattern: Pattern) -> Question:
    return lambda source: source.take(pattern)


QUESTIONS: dict[str, tuple[Question, list[str]]] = {
    "peek": (lambda source: source.peek(2), ["a", "b"]),
    "spaces": (lambda source: source.spaces(4), [" ", "a", "\n"]),
    "stands": (lambda source: source.stands("\nEND"), ["\n", "E", "ND", "x"]),
    "at_end": (
        lambda source: source.at_end(),
        ["<", "tool", "_", "\\_", "call", "|", "｜", ">", ">>", "`", " ", "TOOL"],
    ),
    "line_ends": (line_values.line_ends, ["\r", "\n", "`", "``", "call", ">>", "x"]),
    "yaml quote": (
        yaml_lines.quote_ends,
        ['"', " ", "\t", "#", "\r", "\n", "`", ",", "call", ">>", "x"],
    ),
    "last line": (
        lambda source: pairs._last_line(source, "\nEND"),
        ["\n", "END", "E", " ", "\r", "x"],
    ),
    "yaml line": (
        lambda source: yaml_lines.read_line(source, 0),
        ["-", "- ", " ", "key", ":", '"k"', "'k'", '"', "\\", "\r", "\n", "a b", "#"],
    ),
    "yaml header": (
        _taking(yaml_calls._HEADER),
        ["|", ">", "+", "-", "2", " ", "#c", "\r", "\n", "x"],
    ),
}
_YAML = [
    " ",
    "\t",
    "-",
    "---",
    "...",
    ".",
    "#",
    "\r",
    "\n",
    "x",
    "k",
    "k l",
    ":",
    '"',
    "'",
    "\\",
    "|",
    "+",
    "2",
]
ALPHABETS = {
    pairs: ["key", " ", "=", ":", "<<", "-", '"', "'", "END", "\\", "\r", "\n", "x", "(", ")", "_"],
    line_values: ["\\", "u", "00", "e", "9", "n", '"', " ", ",", "\r", "\n", "x"],
    yaml_calls: _YAML,
    yaml_lines: _YAML,
}
for _module, _letters in ALPHABETS.items():
    for _name, _pattern in vars(_module).items():
        if isinstance(_pattern, Pattern):
            key = f"{_module.__name__.rpartition('.')[2]}.{_name}"
            QUESTIONS[key] = (_taking(_pattern), _letters)

PHRASE = phrase(("DO ", " WITH "), "!", ("", " is "), ";", "and", "")
IN_BRACES = ["call", ":", " ", "get", "_", "\\", "{", "<", "escape>", '"', "|", ">", "}", ",", "="]
PHRASES = ["DO", " ", "f", "g\\_h", "WITH", "is", "\n", ";", "and", "!", '"', "x"]
for _like, _letters in (
    (LINES, ALPHABETS[pairs]),
    (BRACES, IN_BRACES),
    (TOKENS, [*IN_BRACES, "<end_function_call>", "<tool_call"]),
    (PHRASE, PHRASES),
):
    for _field in fields(_like):
        _pattern = getattr(_like, _field.name)
        if isinstance(_pattern, Pattern):
            key = f"{_letters[0]} {_field.name}"
            QUESTIONS[key] = (_taking(_pattern), _letters)


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_other_than_wait_survives_any_longer_text(name: str) -> None:
    question, letters = QUESTIONS[name]
    dice = random.Random(name)
    for _ in range(400):
        text = "".join(dice.choices(letters, k=dice.randint(0, 8)))
        whole = answer(question, text, final=True)
        assert whole is not WAIT
        for end in range(len(text) + 1):
            early = answer(question, text[:end])
            assert early is WAIT or early == whole, text[:end]


@given(st.text("ab", min_size=1, max_size=5), st.text("abc", max_size=8), st.text("abc"))
def test_what_may_begin_a_literal_is_kept_back(literal: str, text: str, more: str) -> None:
    kept = begun_at_end(literal, text)
    assert literal.startswith(text[len(text) - kept :])
    found = (text + more).find(literal)
    assert found < 0 or found >= len(text) - kept or literal in text


def test_no_text_is_given_twice_or_left_out_before_a_literal() -> None:
    text, given_out = "one\nEN two\nEND", ""
    source = Source()
    reading = source.up_to("\nEND")
    for end in range(len(text) + 1):
        source.text = text[:end]
        while True:
            try:
                next(reading)
                break
            except StopIteration as stop:
                given_out += stop.value
                if not stop.value:
                    break
                reading = source.up_to("\nEND")
    assert given_out == "one\nEN two"
    assert source.text[source.at :] == "\nEND"
