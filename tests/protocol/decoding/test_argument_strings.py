"""String arguments, decoded while they are still being written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolproto import (
    ArgumentsDelta,
    ArgumentStrings,
    StringDelta,
    ToolCall,
    ToolOffer,
    ToolSpec,
    get_paradigm,
)

Path = tuple[str | int, ...]


def strings(value: Any, path: Path = ()) -> dict[Path, str]:
    """Every string in *value* that has characters, by its path."""
    match value:
        case str():
            return {path: value} if value else {}
        case dict():
            members: Iterable[tuple[str | int, Any]] = value.items()
        case list():
            members = enumerate(value)
        case _:
            return {}
    return {p: s for key, inner in members for p, s in strings(inner, (*path, key)).items()}


def joined(pieces: Iterable[str]) -> dict[Path, str]:
    """The deltas of all *pieces*, joined by their paths."""
    reader = ArgumentStrings()
    texts: dict[Path, str] = defaultdict(str)
    for piece in pieces:
        for delta in reader.feed(piece):
            texts[delta.path] += delta.text
    return dict(texts)


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


characters = st.characters() | st.sampled_from(list('"\\{}[]:,/é😀\n\x00\ud83d\ude00'))
texts = st.text(characters, max_size=8)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(texts, values, max_size=4)


@given(
    value=objects, ascii=st.booleans(), indent=st.sampled_from([None, 2]), size=st.integers(1, 9)
)
@example(value={"a": "😀"}, ascii=True, indent=None, size=1)
@example(value={"a": ["\ude00", {"b": "\ud83d"}]}, ascii=True, indent=None, size=5)
def test_joined_deltas_are_the_decoded_strings(value, ascii, indent, size):
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    assert joined(pieces(text, size)) == strings(json.loads(text))


@given(value=objects, ascii=st.booleans(), cuts=st.lists(st.integers(0, 200), max_size=6))
def test_no_chunking_changes_them(value, ascii, cuts):
    text = json.dumps(value, ensure_ascii=ascii)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    assert joined(text[a:b] for a, b in pairwise(places)) == joined([text])


@given(value=objects)
def test_deltas_come_in_the_order_of_the_text(value):
    text = json.dumps(value)
    reader = ArgumentStrings()
    paths = [delta.path for piece in pieces(text, 3) for delta in reader.feed(piece)]
    assert list(dict.fromkeys(paths)) == list(strings(json.loads(text)))


PATHS = [
    ('{"a": "x"}', {("a",): "x"}),
    ('{"a": {"b": "x"}}', {("a", "b"): "x"}),
    ('{"a": ["x", "y"]}', {("a", 0): "x", ("a", 1): "y"}),
    ('{"a": [1, {"b": "x"}, [[], "y"]]}', {("a", 1, "b"): "x", ("a", 2, 1): "y"}),
    ('{"a": 1, "b": "x", "c": null, "d": "y"}', {("b",): "x", ("d",): "y"}),
    ('{"a": {}, "b": "x"}', {("b",): "x"}),
    ('{"a": [], "b": "x"}', {("b",): "x"}),
    ('{"a": [{"b": 1}], "c": "x"}', {("c",): "x"}),
    ('{"a": [{}, "x"]}', {("a", 1): "x"}),
    ('{"a": [[], "x"]}', {("a", 1): "x"}),
    ('{"": "x"}', {("",): "x"}),
    (r'{"\u00e9\"": "x"}', {('é"',): "x"}),
    ('{"a": ""}', {}),
    ("{}", {}),
]


@pytest.mark.parametrize("text, expected", PATHS)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_string_is_known_by_its_path(text, expected, size):
    assert joined(pieces(text, size)) == expected


#: Pieces of one string, and what each of them adds.
WAITING = [
    (["a", "b"], ["a", "b"]),
    (["a\\", "nb"], ["a", "\nb"]),
    (["\\u", "00", "e9"], ["", "", "é"]),
    (["\\ud83d", "\\ude00"], ["", "😀"]),
    (["\\ud8", "3d\\u", "de00"], ["", "", "😀"]),
    (["x\\ud83d", "y"], ["x", "\ud83dy"]),
    (["\\ud83d", "\\ud83d", "\\ude00"], ["", "\ud83d", "😀"]),
    (["\\ude00"], ["\ude00"]),
    (["\\\\", "ud83d"], ["\\", "ud83d"]),
    (["\\\\ud83d"], ["\\ud83d"]),
    (["\\\\ud83d", "\\\\ude00"], ["\\ud83d", "\\ude00"]),
    (["é😀"], ["é😀"]),
    (["\\/\\b\\f"], ["/\b\f"]),
]


@pytest.mark.parametrize("raw, added", WAITING)
def test_a_piece_is_told_as_soon_as_it_is_whole(raw, added):
    reader = ArgumentStrings()
    reader.feed('{"a": "')
    told = [reader.feed(piece) for piece in raw]
    assert ["".join(delta.text for delta in deltas) for deltas in told] == added


@pytest.mark.parametrize("raw, added", WAITING)
def test_at_its_closing_quote_a_string_is_complete(raw, added):
    text = "".join(raw)
    assert joined(['{"a": "', *raw, '"}']) == {("a",): json.loads(f'"{text}"')}


def test_half_a_pair_at_the_end_of_a_string_is_told_when_it_closes():
    reader = ArgumentStrings()
    assert reader.feed('{"a": "\\ud83d') == []
    assert reader.feed('"') == [StringDelta(("a",), "\ud83d")]


def test_half_a_pair_does_not_leak_into_the_next_string():
    assert joined(['{"a": "\\ud83d", "b": "\\ude00"}']) == {("a",): "\ud83d", ("b",): "\ude00"}


def test_every_piece_of_plain_text_is_told_at_once():
    reader = ArgumentStrings()
    reader.feed('{"content": "')
    assert reader.feed("print(1)") == [StringDelta(("content",), "print(1)")]


def test_raw_line_breaks_are_characters_too():
    assert joined(['{"a": "one\n', 'two\t"}']) == {("a",): "one\ntwo\t"}


@given(text=st.text(st.sampled_from(list("{}[]:,\"'\\u0d8 \n1a")), max_size=40))
def test_whatever_is_fed_there_is_no_exception_and_no_chunking_changes_it(text):
    assert joined(text) == joined([text])


CALL = ToolCall("write", {"path": "a.py", "content": 'print("é😀")\n' * 30, "tags": ["x", "\\"]})
OFFER = ToolOffer(
    (
        ToolSpec(
            "write",
            "",
            {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "content": {"type": "string"},
                    "tags": {"type": "array"},
                },
            },
        ),
    )
)


@pytest.mark.parametrize("size", [1, 4, 4000])
@pytest.mark.parametrize("paradigm", ["json_strict", "xml_tag"])
def test_the_deltas_of_a_call_are_its_strings(paradigm, size):
    made = get_paradigm(paradigm)
    decoder = made.decoder(OFFER)
    events = [e for piece in pieces(made.encode_call(CALL), size) for e in decoder.feed(piece)]
    events += decoder.finish()
    told = joined(event.text for event in events if isinstance(event, ArgumentsDelta))
    assert told == strings(CALL.arguments)
