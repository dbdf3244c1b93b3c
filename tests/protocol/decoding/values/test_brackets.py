"""Where brackets close, in one piece and in many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.decoding.values.brackets import Brackets

JSON = [
    ('{"a": [1, "]}"]} and more', '{"a": [1, "]}"]}'),
    (r'["\"]", "\\"] b', r'["\"]", "\\"]'),
    ("[[[]]]]", "[[[]]]"),
    ("[1, (2]", "[1, (2]"),  # other brackets are text
    ("[it's]", "[it's]"),
    ("]", ""),
    ("[1", "[1"),
    ('["a', '["a'),
]


def read(brackets: Brackets, text: str, size: int = 1000) -> str:
    """What *brackets* read of *text*, in pieces of *size*, up to where it first stops."""
    done = ""
    for start in range(0, len(text), size):
        piece = text[start : start + size]
        end = brackets.run(piece, 0)
        done += piece[:end]
        if end < len(piece) or brackets.closed:
            break
    return done


@pytest.mark.parametrize("text, whole", JSON)
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_a_value_is_read_to_its_last_bracket(text, whole, size):
    assert read(Brackets(), text, size) == whole


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_a_letter_before_an_apostrophe_makes_it_no_quote(size):
    assert read(Brackets("()", "\"'"), "(don't) x')", size) == "(don't)"
    assert read(Brackets("()", "\"'"), "( ') x') y", size) == "( ') x')"


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_an_open_string_ends_with_all_of_its_quote(size):
    brackets = Brackets("()", "\"'", depth=1, quote='"""')
    assert read(brackets, 'a") "" \\""") """) b', size) == 'a") "" \\""") """)'


def test_it_stops_where_it_was_told_to_and_goes_on_when_that_is_passed():
    brackets, text = Brackets(stops="<", breaks="\n"), '[1 < 2, "a < b\nc"]'
    assert text[(at := brackets.run(text, 0)) :] == '< 2, "a < b\nc"]'
    assert text[(at := brackets.run(text, at, passing=True)) :] == '\nc"]'
    assert brackets.run(text, at, passing=True) == len(text)
    assert brackets.closed


def test_it_tells_what_is_due():
    brackets = Brackets()
    brackets.run('{"a": [{"b": "x', 0)
    assert (brackets.due, brackets.depth, brackets.quote) == ("}]}", 3, '"')


@given(st.text("[]{}()\"'\\a\n<"), st.lists(st.integers(1, 5)))
def test_pieces_make_no_difference(text, sizes):
    def all_of(pieces: list[str]) -> tuple[int, int, str, str]:
        brackets = Brackets("()[]{}", "\"'", depth=1)
        for piece in pieces:
            at = brackets.run(piece, 0)
            while at < len(piece):
                at = brackets.run(piece, at, passing=True)
        return brackets.depth, brackets.deepest, brackets.quote, brackets.due

    pieces, at = [], 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    assert all_of([*pieces, text[at:]]) == all_of([text])
