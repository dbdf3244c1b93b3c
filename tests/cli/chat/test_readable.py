"""Text in pieces, made visible."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolproto.cli.chat.readable import Readable
from toolproto.protocol.foreign_text import visible

TEXT = st.text(st.sampled_from("ab \n\r\t\u200d\u200c\u202e\x1b👨👩é\ufe0f"), max_size=40)


def shown(pieces: list[str]) -> str:
    readable = Readable()
    return "".join(map(readable.feed, pieces)) + readable.finish()


@given(TEXT, st.data())
def test_any_cut_shows_the_same(text, data):
    at = data.draw(st.integers(0, len(text)))
    assert shown([text[:at], text[at:]]) == shown([text]) == shown(list(text))


@given(TEXT)
def test_it_is_what_the_whole_would_look_like(text):
    assert shown([text]) == visible(text.replace("\r\n", "\n"))


def test_a_joined_emoji_stays_whole_when_its_tokens_do_not():
    assert shown(["👨", "\u200d", "👩"]) == "👨\u200d👩"


def test_a_return_that_would_overwrite_the_line_is_seen():
    assert shown(["safe", "\r", "evil"]) == "safe⟨U+000D⟩evil"
    assert shown(["line\r", "\nline"]) == "line\nline"
