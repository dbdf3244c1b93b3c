"""JSON tokens out of text in pieces: whatever the pieces, the same tokens."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.decoding.families.json_tokens import JsonListener, JsonTokens, string_stop


class Heard(JsonListener):
    """Writes down what it is told; pieces of one string, or of one space, are joined."""

    def __init__(self, stop_at: str | None = None) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.places: list[tuple[str, int]] = []
        self.reader = JsonTokens(self)
        self._stop_at = stop_at

    def _hear(self, kind: str, text: str, at: int | None = None) -> None:
        if self.tokens and self.tokens[-1][0] == kind and kind in ("space", "part", "controls"):
            self.tokens[-1] = (kind, self.tokens[-1][1] + text)
        else:
            self.tokens.append((kind, text))
        if at is not None:
            self.places.append((kind, at))
        if text == self._stop_at:
            self.reader.stop()

    def fits(self, bracket: str) -> bool:
        return True

    def space(self, text: str) -> None:
        self._hear("space", text)

    def opened(self, bracket: str, at: int) -> None:
        self._hear("opened", bracket, at)

    def closed(self, bracket: str, at: int) -> None:
        self._hear("closed", bracket, at)

    def comma(self) -> None:
        self._hear("comma", ",")

    def colon(self) -> None:
        self._hear("colon", ":")

    def scalar(self, text: str, at: int) -> None:
        self._hear("scalar", text, at)

    def string_opened(self, quote: str, at: int) -> None:
        self._hear("quote", quote, at)

    def string_part(self, text: str) -> None:
        self._hear("part", text)

    def string_controls(self, text: str, at: int) -> None:
        self._hear("controls", text, at)

    def string_fault(self, text: str, at: int) -> None:
        self._hear("fault", text, at)

    def string_closed(self, at: int) -> None:
        self._hear("unquote", "", at)


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


COMMA, COLON, END = ("comma", ","), ("colon", ":"), ("unquote", "")
QUOTE = ("quote", '"')


def part(text: str) -> tuple[str, str]:
    return ("part", text)


def scalar(text: str) -> tuple[str, str]:
    return ("scalar", text)


TOKENS = [
    ("{}", [opened("{"), closed("}")]),
    ("[1, true]", [opened("["), scalar("1"), COMMA, ("space", " "), scalar("true"), closed("]")]),
    ('{"a":"b"}', [opened("{"), QUOTE, part("a"), END, COLON, QUOTE, part("b"), END, closed("}")]),
    ('""', [QUOTE, END]),
    (r'"a\"b\\"', [QUOTE, part(r"a\"b\\"), END]),
    (r'"\u00e9\n"', [QUOTE, part(r"\u00e9\n"), END]),
    ('"}]"', [QUOTE, part("}]"), END]),
    ('"a\nb"', [QUOTE, part("a"), ("controls", "\n"), part("b"), END]),
    (r'"a\db"', [QUOTE, part("a"), ("fault", r"\d"), part("b"), END]),
    (r'"\u12"', [QUOTE, ("fault", r"\u"), part("12"), END]),
    ("'a'", [("quote", "'"), part("a"), END]),
    ("“a”", [("quote", "“"), part("a"), END]),
    ("`a`", [("quote", "`"), part("a"), END]),
    ("['it's']", [opened("["), ("quote", "'"), part("it's"), END, closed("]")]),
    ("[it's]", [opened("["), scalar("it's"), closed("]")]),
    ("-1.5e3", [scalar("-1.5e3")]),
    ("NaN", [scalar("NaN")]),
    ('"open', [QUOTE, part("open")]),
    ('"open\\', [QUOTE, part("open"), ("fault", "\\")]),
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
layouts = st.sampled_from([None, 0, 2])


@given(value=values, ascii=st.booleans(), indent=layouts)
def test_the_tokens_of_valid_json_are_its_text(value, ascii, indent):
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    spelt = [token or '"' for _, token in heard(text)]
    assert "".join(spelt) == text


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


@given(value=values)
def test_a_faultless_string_has_neither_faults_nor_raw_controls(value):
    text = json.dumps(value)
    assert only("fault", text) + only("controls", text) == []


@given(text=st.text())
def test_what_is_between_the_quotes_is_the_string(text):
    inside = json.dumps(text)
    assert "".join(only("part", inside)) == inside[1:-1]


def test_places_are_where_tokens_begin():
    listener = Heard()
    listener.reader.feed(' {"a": 12, "b\n": []}', 0, True)
    assert listener.places == [
        ("opened", 1),
        ("quote", 2),
        ("unquote", 4),
        ("scalar", 7),
        ("quote", 11),
        ("controls", 13),
        ("unquote", 14),
        ("opened", 17),
        ("closed", 18),
        ("closed", 19),
    ]


def test_reading_begins_where_it_is_told_to():
    listener = Heard()
    assert listener.reader.feed('xx"a"', 2, True) == 5
    assert listener.tokens == [QUOTE, part("a"), END]


def test_a_listener_that_has_had_enough_hears_no_more():
    listener = Heard(stop_at="}")
    assert listener.reader.feed('{"a": 1} and {', 0, False) == 8
    assert listener.reader.stopped
    assert listener.tokens[-1] == closed("}")


def test_a_scalar_that_ends_at_a_stop_is_told_before_it():
    listener = Heard(stop_at="1")
    assert listener.reader.feed("[1]", 0, False) == 2
    assert listener.tokens == [opened("["), scalar("1")]


def test_after_resuming_reading_goes_on_between_two_values():
    listener = Heard()
    listener.reader.feed('{"a": "never closed', 0, False)
    listener.reader.resume()
    listener.tokens.clear()
    listener.reader.feed("{}", 0, True)
    assert listener.tokens == [opened("{"), closed("}")]


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


@pytest.mark.parametrize(
    "text, inside",
    [('"', True), ('"a', True), ('"a"', False), ("'a", False), ("{", False), ('{"a": "\\n', True)],
)
def test_it_says_whether_it_stands_inside_a_plain_string(text, inside):
    listener = Heard()
    listener.reader.feed(text, 0, False)
    assert listener.reader.in_plain_string is inside


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
