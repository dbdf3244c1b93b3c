"""Frames out of bytes, however the bytes are sliced."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patience import PATIENCE
from toolproto.endpoints.apis.frames import MAX_FRAME, Frame, JsonLines, ServerSentEvents
from toolproto.protocol.errors import WireError


def read(frames, *pieces):
    found = [frame for piece in pieces for frame in frames.feed(piece)]
    return found + frames.finish()


EVENTS = [
    (b"data: one\n\ndata: two\n\n", [("", "one"), ("", "two")]),
    (b"data:one\n\n", [("", "one")]),
    (b"data:  two spaces\n\n", [("", " two spaces")]),
    (b"data: one\r\n\r\ndata: two\r\n\r\n", [("", "one"), ("", "two")]),
    (b"data: one\r\rdata: two\r\r", [("", "one"), ("", "two")]),
    (b"data: one\r\n\ndata: two\n\r\n", [("", "one"), ("", "two")]),
    (b"event: ping\ndata: {}\n\n", [("ping", "{}")]),
    (b"event: lost\n\ndata: x\n\n", [("", "x")]),
    (b": a comment\n\n: another\n\ndata: x\n\n", [("", "x")]),
    (b"data: a\ndata: b\ndata\ndata: c\n\n", [("", "a\nb\n\nc")]),
    (b"id: 7\nretry: 10\nunknown: x\nnonsense\ndata: x\n\n", [("", "x")]),
    (b"\xef\xbb\xbfdata: after a mark\n\n", [("", "after a mark")]),
    (b"\n\n\n\ndata: x\n\n\n\n", [("", "x")]),
    (b"data: not ended", [("", "not ended")]),
    (b"data: half ended\n", [("", "half ended")]),
    (b'error: {"message": "x"}\n\n', [("error", '{"message": "x"}')]),
    (b"data: \xff\xfe\xf0\x9f\n\n", [("", "\ufffd\ufffd\ufffd")]),
    ("data: 世界 🌍 \u2028 \x0b\x85\n\n".encode(), [("", "世界 🌍 \u2028 \x0b\x85")]),
    (b"", []),
    (b":\n\n", []),
    (b"data: a\n\ndata: \n\n", [("", "a"), ("", "")]),
]


@pytest.mark.parametrize("text, frames", EVENTS)
def test_events_are_read_whole_and_byte_by_byte(text, frames):
    expected = [Frame(*each) for each in frames]
    assert read(ServerSentEvents(), text) == expected
    assert read(ServerSentEvents(), *(text[at : at + 1] for at in range(len(text)))) == expected


ALPHABET = [
    b"data: x",
    b"data:",
    b"event: e",
    b":c",
    b"\n",
    b"\r",
    b"\n\n",
    b"\xc3",
    b"\xa9",
    b"\xef",
    b"\xef\xbb\xbf",
    b"data: x\n\n",
]


@given(st.lists(st.sampled_from(ALPHABET)).map(b"".join), st.data())
def test_any_slicing_gives_the_same_events(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(ServerSentEvents(), *pieces) == read(ServerSentEvents(), text)


def test_an_event_is_given_as_soon_as_its_last_byte_is_there():
    events = ServerSentEvents()
    assert events.feed(b"data: one\r\n") == []
    assert events.feed(b"\r") == [Frame("", "one")]
    assert events.feed(b"\ndata: two\n\n") == [Frame("", "two")]


def test_the_short_way_for_one_event_does_not_swallow_what_came_before():
    events = ServerSentEvents()
    assert events.feed(b": hello\n\n") == []
    assert events.feed(b"event: e\n") == []
    assert events.feed(b"data: x\n\n") == [Frame("e", "x")]
    assert events.feed(b"data: a\n") == []
    assert events.feed(b"data: b\n\n") == [Frame("", "a\nb")]
    assert events.feed(b"xx") == []
    assert events.feed(b"data: c\n\n") == []
    assert events.feed(b"data: d\r\r") == [Frame("", "d")]
    assert events.feed(b"data: e\n\n") == [Frame("", "e")]
    assert events.feed(b"\ndata: f\n\n") == [Frame("", "f")]


def test_a_byte_order_mark_counts_only_before_the_first_event():
    events = ServerSentEvents()
    assert events.feed(b"data: a\n\n") == [Frame("", "a")]
    assert events.feed(b"\xef\xbb\xbfdata: b\n\n") == []
    assert events.feed(b"data: c\n\n") == [Frame("", "c")]


def test_json_lines_skip_what_is_blank():
    text = b'{"a": 1}\r\n\r\n  \n{"b": "\xe4\xb8\x96"}\n{"c": 3}'
    expected = [Frame("", each) for each in ('{"a": 1}', '{"b": "世"}', '{"c": 3}')]
    assert read(JsonLines(), text) == expected
    assert read(JsonLines(), *(text[at : at + 1] for at in range(len(text)))) == expected


@pytest.mark.parametrize("frames", [ServerSentEvents, JsonLines])
def test_a_line_without_end_is_refused(frames):
    reader = frames()
    with pytest.raises(WireError, match="longer than"):
        for _ in range(MAX_FRAME // 65536 + 1):
            reader.feed(b"x" * 65536)


@pytest.mark.parametrize("line", [b"data: " + b"x" * 1000 + b"\n", b"data\n" * 300])
def test_an_event_without_end_is_refused(monkeypatch, line):
    # A million lines are the same as fifty thousand.
    monkeypatch.setattr("toolproto.endpoints.apis.frames.MAX_FRAME", 200_000)
    reader = ServerSentEvents()
    with pytest.raises(WireError, match="longer than 200000 "):
        for _ in range(200_000):
            reader.feed(line)


def test_a_long_line_in_single_bytes_is_read_in_linear_time():
    reader = ServerSentEvents()
    began = time.monotonic()
    for _ in range(300_000):
        reader.feed(b"x")
    assert time.monotonic() - began < PATIENCE
