"""JSON tokens out of text in pieces: whatever the pieces, the same tokens."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.decoding.families.json_tokens import JsonListener, JsonTokens, string_stop


class Heard(JsonListener):
    """Writes down what it is told; pieces of one string are joined."""

    def __init__(self) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.reader = JsonTokens(self)

    def _hear(self, kind: str, text: str) -> None:
        if self.tokens and self.tokens[-1][0] == kind == "part":
            self.tokens[-1] = (kind, self.tokens[-1][1] + text)
        else:
            self.tokens.append((kind, text))

    def opened(self, bracket: str) -> None:
        self._hear("opened", bracket)

    def closed(self, bracket: str) -> None:
        self._hear("closed", bracket)

    def comma(self) -> None:
        self._hear("comma", ",")

    def scalar(self, text: str) -> None:
        self._hear("scalar", text)

    def string_opened(self) -> None:
        self._hear("quote", '"')

    def string_part(self, text: str) -> None:
        self._hear("part", text)

    def string_closed(self) -> None:
        self._hear("unquote", "")


def heard(*pieces: str) -> list[tuple[str, str]]:
    """The tokens of a text that comes in *pieces*."""
    listener = Heard()
    unread = ""
    for piece in pieces:
        unread += piece
        unread = unread[listener.reader.feed(unread, 0, False) :]
    listener.reader.feed(unread, 0, True)
    return listener.tokens


def only(kind: str, text: str) -> list[str]:
    return [token for name, token in heard(text) if name == kind]


def opened(bracket: str) -> tuple[str, str]:
    return ("opened", bracket)


def closed(bracket: str) -> tuple[str, str]:
    return ("closed", bracket)


COMMA, END = ("comma", ","), ("unquote", "")
QUOTE = ("quote", '"')


def part(text: str) -> tuple[str, str]:
    return ("part", text)


def scalar(text: str) -> tuple[str, str]:
    return ("scalar", text)


TOKENS = [
    ("{}", [opened("{"), closed("}")]),
    ("[1, true]", [opened("["), scalar("1"), COMMA, scalar("true"), closed("]")]),
    ('{"a":"b"}', [opened("{"), QUOTE, part("a"), END, QUOTE, part("b"), END, closed("}")]),
    ('""', [QUOTE, END]),
    (r'"a\"b\\"', [QUOTE, part(r"a\"b\\"), END]),
    (r'"\u00e9\n"', [QUOTE, part(r"\u00e9\n"), END]),
    ('"}]"', [QUOTE, part("}]"), END]),
    ('"a\nb"', [QUOTE, part("a\nb"), END]),
    (r'"a\db"', [QUOTE, part(r"a\db"), END]),
    (r'"\u12"', [QUOTE, part(r"\u12"), END]),
    ("-1.5e3", [scalar("-1.5e3")]),
    ("1 2", [scalar("1"), scalar("2")]),
    ('"open', [QUOTE, part("open")]),
    ('"open\\', [QUOTE, part("open\\")]),
    ("", []),
]


@pytest.mark.parametrize("text, tokens", TOKENS, ids=[text for text, _ in TOKENS])
def test_a_text_is_cut_into_these_tokens(text, tokens):
    assert heard(text) == tokens


@pytest.mark.parametrize("text", [text for text, _ in TOKENS], ids=str)
def test_every_split_gives_the_same_tokens(text):
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            assert heard(text[:first], text[first:second], text[second:]) == heard(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(value=values, ascii=st.booleans(), size=st.integers(1, 9))
def test_valid_json_in_pieces_gives_the_same_tokens(value, ascii, size):
    text = json.dumps(value, ensure_ascii=ascii)
    assert heard(*(text[at : at + size] for at in range(0, len(text), size))) == heard(text)


@given(
    text=st.text(st.sampled_from(list("{}[],:\"'“”‘’`\\u00e9dn \n<(1a")), max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=5),
)
def test_any_text_in_pieces_gives_the_same_tokens(text, cuts):
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in pairwise(places)]
    assert heard(*pieces) == heard(text)


@given(text=st.text())
def test_what_is_between_the_quotes_is_the_string(text):
    inside = json.dumps(text)
    assert "".join(only("part", inside)) == inside[1:-1]


@pytest.mark.parametrize("piece", ["\\", "\\u", "\\u0", "\\u00e"])
def test_a_begun_escape_waits_for_its_rest(piece):
    listener = Heard()
    text = f'"ab{piece}'
    assert listener.reader.feed(text, 0, False) == 3
    assert listener.tokens == [QUOTE, part("ab")]


def test_no_more_than_an_escape_is_left_unread():
    listener = Heard()
    text = '{"a": "b' + "c" * 1000
    assert listener.reader.feed(text, 0, False) == len(text)


STRING_STOPS = [
    ("abc", 3),
    ("", 0),
    (r"a\n", 3),
    (r"a\u00e9b", 8),
    ("a\\", 1),
    ("a\\u0", 1),
    ("a\\u00e", 1),
    ('a"', -1),
    ("a\n", -1),
    (r"a\d", -1),
    ("a\\u0x", -1),
    (r"a\\", 3),
    ("é😀", 2),
]


@pytest.mark.parametrize("text, stop", STRING_STOPS)
def test_how_far_a_text_goes_on_with_a_string(text, stop):
    assert string_stop(text) == stop


@given(text=st.text(), cut=st.integers(0, 100))
def test_a_string_cut_anywhere_leaves_an_escape_or_what_may_be_structure(text, cut):
    inside = json.dumps(text)[1:-1][:cut]
    rest = inside[string_stop(inside) :]
    assert rest[:1] in ("", "\\", ",", "}", "]")
    assert len(rest) <= 80
