"""What reaches a terminal is text, and nothing hidden in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.foreign_text import visible

HIDDEN = [
    ("\x1b[2J", "⟨U+001B⟩[2J"),  # clears the screen
    ("\x1b]52;c;cm0gLXJm\x07", "⟨U+001B⟩]52;c;cm0gLXJm⟨U+0007⟩"),  # writes to the clipboard
    ("safe\rrm -rf /", "safe⟨U+000D⟩rm -rf /"),
    ("a\x9bb", "a⟨U+009B⟩b"),  # the same as ESC [ in one character
    ("user\u202etxt.exe", "user⟨U+202E⟩txt.exe"),
    ("pay\u200bpal", "pay⟨U+200B⟩pal"),
    ("pay\u200dpal", "pay⟨U+200D⟩pal"),
    ("\ufeffx", "⟨U+FEFF⟩x"),
    ("line\u2028line", "line⟨U+2028⟩line"),
    ("\U000e0041\U000e0042", "⟨U+E0041⟩⟨U+E0042⟩"),  # tags spell words nobody sees
    ("a\U000e0101", "a⟨U+E0101⟩"),
    ("\u3164=1", "⟨U+3164⟩=1"),
    ("\ud800", "⟨U+D800⟩"),
    ("\x00", "⟨U+0000⟩"),
]
PLAIN = ["", "plain", "two\nlines\tand a tab", "née 日本語 عربى", "👨‍👩‍👧 ❤️", "می‌خواهم", "10 000"]


@pytest.mark.parametrize("text, shown", HIDDEN)
def test_a_hidden_character_is_written_out(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("text", PLAIN)
def test_what_people_write_stays_as_it_is(text):
    assert visible(text) == text


@given(st.text(st.characters()))
def test_nothing_a_terminal_obeys_is_left(text):
    shown = visible(text)
    assert not {char for char in shown if ord(char) < 32 or 127 <= ord(char) < 160} - {"\n", "\t"}
    shown.encode("utf-8")
