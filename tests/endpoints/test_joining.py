"""Chunks that were heard together say the same in fewer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.endpoints.joining import together
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.messages import Chunk, NativePiece, Usage

TEXTS = st.sampled_from(["", "a", " b"])
PIECES = st.builds(
    NativePiece,
    st.sampled_from([None, 0, 1]),
    st.sampled_from(["", "c1"]),
    st.sampled_from(["", "f"]),
    st.sampled_from(["", '{"a"', ": 1}", {"a": 1}, None]),
)
CHUNKS = st.lists(
    st.builds(Chunk, TEXTS)
    | st.builds(Chunk, TEXTS, TEXTS)
    | st.builds(Chunk, calls=st.lists(PIECES, max_size=2).map(tuple))
    | st.builds(Chunk, TEXTS, finish_reason=st.just("stop"), usage=st.just(Usage(1, 2))),
    max_size=12,
)


def said(chunks):
    """All that *chunks* say, in order, whatever their borders."""
    told = []
    for chunk in chunks:
        told += [("text", sign) for sign in chunk.text]
        told += [("thought", sign) for sign in chunk.reasoning]
        for piece in chunk.calls:
            if piece.id or piece.name or not isinstance(piece.arguments, str):
                told.append(("piece", piece.slot, piece.id, piece.name))
            if isinstance(piece.arguments, str):
                told += [("argument", piece.slot, sign) for sign in piece.arguments]
            else:
                told.append(("value", piece.slot, piece.arguments))
        told += [("end", chunk.finish_reason, chunk.usage)] if chunk.finish_reason else []
    return told


@given(CHUNKS)
def test_they_say_the_same_and_are_no_more(chunks):
    joined = list(together(chunks))
    assert said(joined) == said(chunks) and len(joined) <= len(chunks)
    assert list(together(joined)) == joined


def test_texts_are_one_and_so_are_the_arguments_of_a_call():
    pieces = [NativePiece(0, "c1", "f", '{"a"'), NativePiece(0, arguments=": 1}")]
    chunks = [Chunk("It "), Chunk("is"), *(Chunk(calls=(each,)) for each in pieces)]
    whole = Chunk(calls=(NativePiece(0, "c1", "f", '{"a": 1}'),))
    assert list(together(chunks)) == [Chunk("It is"), whole]


def test_what_came_before_an_error_is_not_lost():
    def broken():
        yield Chunk("It ")
        yield Chunk("is")
        raise EndpointError("gone")

    heard = []
    with pytest.raises(EndpointError, match="gone"):
        for chunk in together(broken()):
            heard.append(chunk)
    assert heard == [Chunk("It is")]
