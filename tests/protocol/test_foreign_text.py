"""Strangers' text: nothing hidden in it, and every escape read as what it means."""

from __future__ import annotations

import json
import re
from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.foreign_text import (
    ESCAPE,
    PERCENT,
    as_seen,
    decoded,
    unescaped,
    unquoted,
    visible,
    without_hidden,
)

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


@pytest.mark.parametrize("text", ["user\u202etxt", "a\u3164b\U000e0041", "می‌خواهم", "\x1b\x00x"])
def test_what_is_hidden_can_be_left_out_instead(text):
    kept = without_hidden(text)
    assert visible(kept) == kept and set(kept) < set(text)


def test_what_parts_words_still_parts_them_where_it_was_hidden():
    assert without_hidden("a\u2028b\u2800c ❤️\n") == "a\nb c ❤️\n"


def test_what_is_compared_has_no_sign_that_nobody_sees():
    assert as_seen("p\u00ada\u200dy\u3164p\ufe0fa\U000e0061l") == "paypal"


MEANT = [
    ("\\u0061\\x62\\\\", "ab\\"),
    ("\\ud83d\\ude00", "😀"),
    ("\\ud83d", "\ufffd"),
    ("r\\m \\'x\\'", "rm 'x'"),
    ("a\\nb\\bc", "a\nb c"),
    ("un\\\r\n   read", "unread"),
    ("&lt;&#x2e;&commat;&nosuch;&#00046;", "<.@&nosuch;."),
    ("%61%C3%A9%E2%82%AC", "aé€"),
    ("50%decided, 3%E9 %", "50%decided, 3%E9 %"),
    ("ｍ𝐦 ﬁ", "mm fi"),
    ("e\u034f\u0301", "é"),
]


@pytest.mark.parametrize("text, meant", MEANT)
def test_escapes_are_read_as_what_they_mean(text, meant):
    assert decoded(text) == meant


def test_an_escaped_line_end_may_be_one():
    assert re.sub(ESCAPE, partial(unescaped, line_end="\n"), "John\\\n  Smith") == "John\nSmith"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_json_and_a_url_escape_is_read_back(text):
    written = json.dumps(text)[1:-1]
    assert re.sub(ESCAPE, unescaped, written) == text
    assert re.sub(PERCENT, unquoted, quote(text, safe="")) == text


@given(st.text(st.sampled_from("\\&%;#ux0dD8fFaé\ud800\u200b")))
def test_nothing_unseen_and_no_half_character_is_left_in_what_is_meant(text):
    assert not set(decoded(text)) & {"\ud800", "\u200b"}
