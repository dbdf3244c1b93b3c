"""JSON that we wrote ourselves, in pieces: what of it is known; and how far a string goes on."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import get_paradigm
from toolproto.protocol.decoding.argument_strings import GrowingJson
from toolproto.protocol.decoding.values.string_stops import (
    SPECIAL_IN_PIECE,
    SPECIAL_IN_STRING,
    quoted_stop,
    string_stop,
)
from toolproto.protocol.decoding.values.strings import QuotedString
from toolproto.testing import STANDARD_OFFER


def known(*pieces: str) -> Any:
    """What is known of a text that comes in *pieces*."""
    growing = GrowingJson()
    for piece in pieces:
        growing.feed(piece)
    return growing.known()


KNOWN = [
    ("", None),
    (" ", None),
    ("{", {}),
    ('{"a', {}),
    ('{"a": ', {}),
    ('{"a": "', {"a": ""}),
    ('{"a": "b\\', {"a": "b"}),
    (r'{"a": "b\u00', {"a": "b"}),
    (r'{"a": "\ud83d', {"a": ""}),
    (r'{"a": "\ud83d\ude00', {"a": "😀"}),
    ('{"a": "}]"', {"a": "}]"}),
    ('{"a": 12', {}),
    ('{"a": 12,', {"a": 12}),
    ('{"a": tru', {}),
    ('{"a": [1, true, "x', {"a": [1, True, "x"]}),
    ('{"a": [{"b": [', {"a": [{"b": []}]}),
    ('{"a": {}, "b": null}', {"a": {}, "b": None}),
    ('{"a": 1, "a": 2}', {"a": 2}),
]


@pytest.mark.parametrize("text, value", KNOWN, ids=[text for text, _ in KNOWN])
def test_so_much_is_known_of_a_text(text, value):
    assert known(text) == value


@pytest.mark.parametrize("text", [text for text, _ in KNOWN], ids=str)
def test_every_split_tells_the_same(text):
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            assert known(text[:first], text[first:second], text[second:]) == known(text)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(value=st.lists(values) | st.dictionaries(st.text(), values), ascii=st.booleans(),
       size=st.integers(1, 9))  # fmt: skip
def test_all_of_valid_json_is_known_in_the_end(value, ascii, size):
    text = json.dumps(value, ensure_ascii=ascii)
    assert known(*(text[at : at + size] for at in range(0, len(text), size))) == value


@given(
    text=st.text(st.sampled_from(list("{}[],:\"'“”‘’`\\u00e9dn \n<(1a")), max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=5),
)
def test_any_text_in_pieces_tells_the_same(text, cuts):
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in pairwise(places)]
    assert known(*pieces) == known(text)


def test_what_is_known_does_not_change_with_what_comes():
    growing = GrowingJson()
    growing.feed('{"a": [1, {"b": "x')
    before = growing.known()
    growing.feed('y"}, 2]}')
    assert before == {"a": [1, {"b": "x"}]}
    assert growing.known() == {"a": [1, {"b": "xy"}, 2]}


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


PIECES = st.text(st.sampled_from('\\\\\\"nu0aé,}]< \t\n/x'), max_size=12)


@pytest.mark.parametrize(
    "special, stop", [(SPECIAL_IN_PIECE, quoted_stop), (SPECIAL_IN_STRING, string_stop)]
)
@given(piece=PIECES)
def test_a_piece_without_anything_special_needs_no_look(special, stop, piece):
    if not special.search(piece):
        assert stop(piece) == len(piece)


@pytest.mark.parametrize("piece", [r"a\nb", r"\"x", r"\u00e9", r"\\\n", r"a\"\"b"])
def test_whole_escapes_are_nothing_special(piece):
    assert not SPECIAL_IN_PIECE.search(piece) and not SPECIAL_IN_STRING.search(piece)


@pytest.mark.parametrize("size", [7, 100_000])
def test_strings_without_a_sure_end_are_not_read_again_by_every_call(size: int) -> None:
    # Each of these calls looks for the end of its string in all that follows, and finds none.
    broken = '\n\n[{"name": "[{"Name": “Now", "Arguments": {}}]'

    def work(times: int) -> int:
        return _quotes_looked_at(broken * times, size)

    assert work(160) < 6 * work(40)  # four times as much, and not sixteen


def _quotes_looked_at(text: str, size: int) -> int:
    decoder, looked = get_paradigm("xlam").decoder(STANDARD_OFFER), 0

    def look(frame: FrameType, event: str, argument: object) -> None:
        nonlocal looked
        looked += event == "call" and frame.f_code is QuotedString._at_quote.__code__

    sys.setprofile(look)
    try:
        for at in range(0, len(text), size):
            decoder.feed(text[at : at + size])
        decoder.finish()
    finally:
        sys.setprofile(None)
    return looked
