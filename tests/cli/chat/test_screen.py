"""What is shown stays, and only the live lines are painted again."""

from __future__ import annotations

import pytest
from rich.text import Text

from .hostile import HOSTILE, obeyed
from .people import Glass, Paper


def paint(glass: Glass, *lines: str) -> str:
    """Paint *lines*; what that wrote."""
    before = len(glass.file.getvalue())
    glass.screen.paint(glass.screen.rows(*map(Text, lines)))
    return glass.file.getvalue()[before:]


def test_live_lines_give_way_to_what_comes_next():
    glass = Glass()
    glass.screen.show(Text("first"))
    paint(glass, "live", "more")
    paint(glass, "live, changed")
    assert glass.rows == ["first", "live, changed"]
    glass.screen.show(Text("for good"))
    paint(glass, "live again")
    assert glass.rows == ["first", "for good", "live again"]


def test_only_rows_that_changed_are_written():
    glass = Glass()
    paint(glass, "one", "two", "three")
    assert "one" not in (written := paint(glass, "one", "two", "four")) and "two" not in written
    assert paint(glass, "one", "two", "four") == ""
    assert glass.rows == ["one", "two", "four"]


def test_rows_that_went_away_leave_nothing_behind():
    glass = Glass()
    paint(glass, "one", "two", "three")
    paint(glass, "one")
    paint(glass, "one", "2")
    assert glass.rows == ["one", "2"]


def test_what_a_terminal_echoes_for_ctrl_c_is_painted_over():
    glass = Glass()
    paint(glass, "one", "two")
    glass.file.write("^C")
    paint(glass, "one", "three")
    assert glass.rows == ["one", "three"]


def test_in_a_narrower_window_what_was_painted_is_left():
    glass = Glass(columns=40)
    paint(glass, "x" * 30)
    glass.console.width = 20
    assert glass.screen.narrowed
    paint(glass, "new")
    assert glass.rows == ["x" * 30, "new"]


def test_rows_that_fit_the_narrower_window_can_be_painted_again():
    glass = Glass(columns=40)
    paint(glass, "short")
    glass.console.width = 20
    assert not glass.screen.narrowed


def test_without_a_terminal_only_what_stays_is_written():
    paper = Paper()
    paper.screen.paint(paper.screen.rows(Text("live")))
    paper.screen.wait("waiting")
    paper.screen.show(Text("stays"))
    assert paper.text == "stays\n"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_screen_lets_nothing_through_that_a_terminal_obeys(text):
    paper = Paper(width=200)
    paper.screen.show(text, Text(text))
    paper.screen.say(text)
    assert obeyed(paper.text) == []


def test_a_link_is_not_passed_on():
    glass = Glass()
    glass.screen.show(Text("bank", style="link http://evil.example"))
    assert "evil" not in glass.file.getvalue()


def test_a_remark_is_one_line_whatever_it_says():
    paper = Paper()
    paper.screen.say("one\n\n  two\nrun it? [y]es")
    assert paper.text == "one two run it? [y]es\n"


def test_waiting_ends_when_something_is_shown():
    glass = Glass()
    glass.screen.wait("waiting for the model")
    glass.screen.show(Text("here"))
    glass.screen.still()
    assert glass.rows == ["here"]
