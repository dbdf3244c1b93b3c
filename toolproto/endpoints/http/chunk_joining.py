"""Chunks of an HTTP/1.1 answer that came together, as one.

A service sends each token in a chunk of its own, and what httpx does with a chunk costs more than
what we do with a token. So the bodies of whole chunks that lie next to each other are read here, to
be handed on past httpx, or to it as one chunk. What does not look as it should is left as it is,
from there to the end of the answer: saying what is wrong with it is not our business.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ChunkJoiner", "Joined"]

_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n", re.IGNORECASE)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})\r\n")
#: What is kept of a head, or of a chunk of which the end is missing: more is no token.
_MOST_KEPT = 64 * 1024


class Joined(NamedTuple):
    """What came of an answer, in this order: its head, bodies of chunks, and what is left as is."""

    head: bytes = b""
    body: bytes = b""
    rest: bytes = b""

    def framed(self) -> bytes:
        """All of it as a service would send it."""
        body = self.body
        return (
            b"%b%x\r\n%b\r\n%b" % (self.head, len(body), body, self.rest)
            if body
            else (self.head + self.rest)
        )


class ChunkJoiner:
    """Bytes of answers in, the same answers out."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Another answer comes."""
        self._kept = b""
        self._in_head = True
        #: Whether all is left as it is until the next answer.
        self.is_through = False

    def feed(self, data: bytes) -> Joined:
        """What can be handed on now that *data* came, nothing at all perhaps; b"" is the end."""
        if self.is_through:
            return Joined(rest=data)
        text, self._kept = self._kept + data, b""
        if not data or len(text) > _MOST_KEPT:
            return Joined(rest=self._through(text))
        if not self._in_head:
            return self._joined(text, 0, b"")
        end = text.find(b"\r\n\r\n")
        if end < 0:
            self._kept = text
            return Joined()
        if _CHUNKED.search(text, 0, end + 2) is None or text.startswith(b"HTTP/1.1 1"):
            return Joined(rest=self._through(text))
        self._in_head = False
        return self._joined(text, end + 4, text[: end + 4])

    def _joined(self, text: bytes, at: int, head: bytes) -> Joined:
        """The chunks of *text* from *at* on, behind *head*."""
        pieces: list[bytes] = []
        rest = b""
        while (size := _SIZE.match(text, at)) is not None:
            begin, length = size.end(), int(size[1], 16)
            end = begin + length
            if not length or (len(text) >= end + 2 and text[end : end + 2] != b"\r\n"):
                rest = self._through(text[at:])  # the last one, or none
                break
            if len(text) < end + 2:
                break
            pieces.append(text[begin:end])
            at = end + 2
        else:
            if b"\n" in text[at:] or len(text) - at > 16:
                rest = self._through(text[at:])
        if not self.is_through:
            self._kept = text[at:]
        return Joined(head, b"".join(pieces), rest)

    def _through(self, text: bytes) -> bytes:
        self.is_through = True
        return text
