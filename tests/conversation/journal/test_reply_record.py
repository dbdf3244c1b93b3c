"""A reply is the same record however it came, and is read from it as it was heard."""

from __future__ import annotations

import pytest

from toolproto import Chunk, NativePiece, get_paradigm, merge
from toolproto.conversation.journal.reply_record import HeardReply, chunks_of
from toolproto.protocol.decoding.contract import heard
from toolproto.protocol.native import NativeTools
from toolproto.testing import STANDARD_OFFER

ARGUMENTS = '{"city": "Oslo"}'


def streamed(size: int) -> list[Chunk | None]:
    """A thought, words and two calls, the arguments of the first in pieces of *size*."""
    cut = [ARGUMENTS[at : at + size] for at in range(0, len(ARGUMENTS), size)]
    second = NativePiece(1, "b", "get_weather", {"city": "Rome"})
    return [
        Chunk(reasoning="Two "), Chunk(reasoning="cities."), Chunk("I look."),
        Chunk(calls=(NativePiece(0, "a", "get_weather"),)),
        *(Chunk(calls=(NativePiece(0, arguments=each),)) for each in cut),
        Chunk(calls=(second,)), Chunk(finish_reason="tool_calls"), None,
    ]  # fmt: skip


def record(chunks):
    return HeardReply(list(chunks)).ended()


def read(chunks):
    decoder = NativeTools(get_paradigm("xml_tag")).decoder(STANDARD_OFFER)
    told = [event for chunk in chunks if chunk for event in heard(decoder, chunk)]
    return merge([*told, *decoder.finish("tool_calls")])


def test_native_calls_are_kept_whole_however_they_were_cut():
    kept = record(streamed(1))
    assert kept == record(streamed(5)) == record(streamed(100))
    assert kept.data["parts"] == [
        "reasoning", "Two cities.", "text", "I look.", "calls", [
            {"slot": 0, "id": "a", "name": "get_weather", "arguments": ARGUMENTS},
            {"slot": 1, "id": "b", "name": "get_weather", "arguments": {"city": "Rome"}},
        ],
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 7, 100])
def test_native_calls_are_read_from_the_record_as_they_were_heard(size):
    chunks = streamed(size)
    assert read(chunks_of(record(chunks).data)) == read(chunks)


def test_pieces_that_may_begin_a_call_are_not_joined():
    pieces = [
        NativePiece(0, "a", "f", "{}"), NativePiece(0, "b", "", "{}"),
        NativePiece(0, "", "f", "{}"), NativePiece(None, "", "", "{}"),
        NativePiece(0, "", "", {"a": 1}), NativePiece(0, "", "", "{"),
    ]  # fmt: skip
    kept = record([Chunk(calls=(piece,)) for piece in pieces])
    assert [chunk.calls for chunk in chunks_of(kept.data) if chunk] == [tuple(pieces)]
