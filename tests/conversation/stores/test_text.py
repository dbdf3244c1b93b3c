"""Records as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.conversation.stores import Record
from toolproto.conversation.stores.text import folded, readable, unwritten, written
from toolproto.protocol.errors import StoreError, UsageError

# Halves of surrogate pairs one after the other are one character to JSON: not here.
texts = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(["\ud800", "x\udfff"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=15,
)
contents = st.dictionaries(texts, values, max_size=4)


@given(st.lists(contents, max_size=5))
def test_what_is_written_can_be_read(many):
    rows = [written(Record("x", content)) for content in many]
    assert unwritten([(row.kind, row.data) for row in rows]) == [Record("x", c) for c in many]


@given(contents)
def test_what_is_written_fits_into_a_database(content):
    row = written(Record("x", content))
    for text in row:
        assert "\0" not in text
        text.encode()


@given(texts, texts, texts)
def test_every_text_is_found_by_itself_in_any_case(before, text, after):
    row = written(Record("x", {"deep": [before, {"text": text}, after]}))
    for search in (text, text.lower(), text.upper().lower(), text.casefold()):
        if folded(search) == folded(text):
            assert folded(search) in row.search


@given(st.text())
def test_readable_text_is_left_alone(text):
    once = readable(text)
    assert readable(once) == once
    assert len(once) <= len(text)


def test_nothing_written_is_nothing_read():
    assert unwritten([]) == []


@pytest.mark.parametrize(
    "rows",
    [
        ["{}", "{"],
        ["{}", "[]"],
        ['{"a":"', '"}'],
        ["{},{}", "{}"],
        ["{}", None],
        ["{}", b"{}"],
        [""],
    ],
    ids=repr,
)
def test_a_damaged_text_is_noticed_among_others(rows):
    with pytest.raises(StoreError, match="'kind'"):
        unwritten([("kind", row) for row in rows])


@pytest.mark.parametrize("depth, fits", [(98, True), (101, False), (100_000, False)])
def test_a_record_may_be_nested_so_deep(depth, fits):
    inner: object = []
    for _ in range(depth):
        inner = [inner]
    if fits:
        assert json.loads(written(Record("x", {"a": inner})).data) == {"a": inner}
    else:
        with pytest.raises(UsageError, match="'x'"):
            written(Record("x", {"a": inner}))


def test_brackets_in_a_text_are_no_depth():
    text = "[{" * 10_000
    assert unwritten([("x", written(Record("x", {"a": text})).data)]) == [Record("x", {"a": text})]


@pytest.mark.parametrize("kind", ["", "k" * 101, "a\0", "\ud800"], ids=repr)
def test_a_kind_is_a_short_word(kind):
    with pytest.raises(UsageError, match="kind"):
        written(Record(kind, {}))


def test_an_error_does_not_repeat_what_is_long():
    with pytest.raises(UsageError) as caught:
        written(Record("x", {"a": 10**5000}))
    assert len(str(caught.value)) < 300
