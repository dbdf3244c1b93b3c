"""Chunks that are joined are the answer they were."""

from __future__ import annotations

import h11
from hypothesis import given
from hypothesis import strategies as st

from toolproto.endpoints.http.chunk_joining import ChunkJoiner

HEADS = [
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nServer: x\r\nTransfer-Encoding:chunked\r\nA: b\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n\r\n",
]
ENDS = [
    b"0\r\n\r\n",
    b"0\r\nx: y\r\n\r\n",
    b"",
    b"0\r\n",
    b"zz\r\n",
    b"5\r\nab",
    b"-1\r\n",
    b"3;x=y\r\nabc\r\n",
]


def read(pieces: list[bytes]) -> tuple[int | None, bytes, str]:
    """Status, body and end of an answer that comes in *pieces*, as h11 reads it."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    connection.send(h11.EndOfMessage())
    status, body = None, b""
    try:
        for piece in pieces:
            connection.receive_data(piece)
            while (event := connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                match event:
                    case h11.Response():
                        status = event.status_code
                    case h11.Data():
                        body += bytes(event.data)
                    case h11.EndOfMessage() | h11.ConnectionClosed():
                        return status, body, type(event).__name__
    except h11.RemoteProtocolError:
        return status, b"", "broken"
    return status, body, "open"


def joined(pieces: list[bytes]) -> list[bytes]:
    joiner = ChunkJoiner()
    found = [joiner.feed(piece).framed() for piece in pieces]
    return [*filter(None, found), b""]


def chunk(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(body), body)


@given(
    st.sampled_from(HEADS),
    st.lists(st.binary(min_size=1, max_size=40) | st.sampled_from([b"\r\n", b"0\r\n\r\n"])),
    st.sampled_from(ENDS),
    st.lists(st.integers(1, 60), min_size=1),
)
def test_it_is_the_same_answer_however_it_was_cut(head, bodies, end, sizes):
    text = head + b"".join(map(chunk, bodies)) + end
    pieces, at = [], 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    assert read(joined([*pieces, b""])) == read([*pieces, b""])


def test_chunks_that_came_together_are_one():
    tokens = [b"data: %d\n\n" % number for number in range(5)]
    head, body = joined([HEADS[0], b"".join(map(chunk, tokens)), b""])[:2]
    assert (head, body) == (HEADS[0], chunk(b"".join(tokens)))


def test_a_chunk_that_never_ends_is_not_kept_for_ever():
    joiner = ChunkJoiner()
    sent = HEADS[0] + b"ffffff\r\n"
    out = b"".join(joiner.feed(piece).framed() for piece in (sent, *[b"x" * 1000] * 100))
    assert len(out) > 50_000
