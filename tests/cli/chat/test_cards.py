"""Calls as cards, and what arguments cannot do to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.amount import together
from toolproto import ToolCall
from toolproto.cli.chat.cards import Card
from toolproto.cli.chat.folding import fold, one_line
from toolproto.protocol.messages import Grade, Repair

from .hostile import HOSTILE, obeyed
from .people import Paper


def rows(card: Card, width: int = 60) -> list[str]:
    paper = Paper(width)
    paper.screen.show(card)
    return paper.text.rstrip("\n").split("\n")


def test_a_card_says_which_tool_with_what_and_why():
    call = ToolCall("write_file", {"path": "notes.txt", "content": "milk\neggs\n", "mode": 420})
    assert rows(Card(call, "write", "write_file changes something")) == [
        "╭─ write_file · write",
        '│ path     "notes.txt"',
        "│ content  text, 2 lines, 10 characters",
        "│   ┆ milk",
        "│   ┆ eggs",
        "│   ┆",
        "│ mode     420",
        "╰─ write_file changes something",
    ]


def test_text_that_is_quoted_is_told_from_a_value():
    shown = rows(Card(ToolCall("f", {"a": "3", "b": 3, "c": None, "d": "null", "e": []})))
    assert shown[1:-1] == ['│ a  "3"', "│ b  3", "│ c  null", '│ d  "null"', "│ e  []"]


def test_a_long_argument_is_folded_until_it_is_asked_for():
    call = ToolCall("f", {"text": "\n".join(map(str, range(100))), "path": "x"})
    folded, whole = Card(call), Card(call, whole=True)
    assert "│   ┆ … folded" in rows(folded) and '│ path  "x"' in rows(folded)
    assert folded.is_folded(60) and not whole.is_folded(60)
    assert [row for row in rows(whole) if row.startswith("│   ┆")] == [
        f"│   ┆ {number}" for number in range(100)
    ]


def test_one_long_argument_does_not_push_the_others_out_of_sight():
    call = ToolCall("f", {"a": "x\n" * 10_000, "b": ["y" * 500] * 9, "target": "/etc/passwd"})
    shown = rows(Card(call))
    assert len(shown) < 30 and '│ target  "/etc/passwd"' in shown


def test_many_arguments_are_counted():
    card = Card(ToolCall("f", {f"a{n}": n for n in range(100)}))
    assert card.is_folded(60) and rows(card)[-2] == "│ … 80 more arguments"


def test_what_was_mended_is_said_in_a_line_each():
    repairs = (Repair("quote_style"), Repair("wrapped", Grade.GUESSED, "in a\nfence"))
    shown = rows(Card(ToolCall("f", {}, repairs=repairs + (Repair("x"),) * 10)))
    assert shown[1:3] == ["│ ~ quote_style (lossless)", "│ ~ wrapped (guessed): in a fence"]
    assert shown[-2] == "│ ~ and 6 more repairs"


IMITATIONS = [
    "x\n╰─ reads a file\nrun it? [y]es · [a]lways · [e]dit · [n]o > y\n╭─ other · read",
    'x\npath  "/tmp/harmless"',
    'x\n│ path  "/tmp/harmless"',
    "a" * 56 + "╰─ done",
    "漢" * 25 + "run it? [y]es",
    "́" * 200 + "run it? [y]es",
    "👩‍👩‍👧" * 30 + "run it?",
    "\t" * 40 + "run it?",
    *HOSTILE.values(),
]


@pytest.mark.parametrize("place", ["value", "key", "nested", "name", "repair", "reason"])
@together(text=IMITATIONS, width=[24, 60])
def test_no_text_leaves_its_place_in_the_card(text, place, width):
    call = {
        "value": lambda: ToolCall("f", {"a": text}),
        "key": lambda: ToolCall("f", {text: 1}),
        "nested": lambda: ToolCall("f", {"a": [{text: text}] * 5}),
        "name": lambda: ToolCall(text, {"a": 1}),
        "repair": lambda: ToolCall("f", {}, repairs=(Repair("r", Grade.GUESSED, text),)),
        "reason": lambda: ToolCall("f", {}),
    }[place]()
    reason = text if place == "reason" else "why"
    first, *shown = rows(Card(call, "write", reason, whole=True), width)
    end = next(at for at, row in enumerate(shown) if row.startswith("╰─"))
    assert first.startswith("╭─ ") and all(row.startswith("│ ") for row in shown[:end])
    assert all(row.startswith("   ") or not row for row in shown[end + 1 :])
    assert obeyed("".join([first, *shown])) == []
    if place in ("value", "nested"):
        inner = [row for row in shown[:end] if not row.startswith("│ a  ")]
        assert all(row.startswith(("│   ┆", "│     ")) for row in inner)


def cells(row: str) -> int:
    """The width of *row* on the terminal that is least kind to it."""
    return sum(1 if char < "\u0300" else 2 for char in row)


@given(st.text(max_size=200), st.integers(2, 40))
def test_a_folded_row_fits_whatever_the_terminal_thinks_of_its_characters(text, width):
    folded = list(fold(text, width))
    assert all(cells(row) <= width for row in folded)
    assert "".join(folded) == text.replace("\t", "    ").replace("\n", "")


def test_one_line_is_one_line():
    assert one_line("a\n b\tc") == "a b c"
    assert one_line("x" * 300, 10) == "x" * 10 + "…"
    assert one_line("\x1b[31m\u202e") == "⟨U+001B⟩[31m⟨U+202E⟩"
