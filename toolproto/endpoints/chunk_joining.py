"""Chunks of an HTTP/1.1 answer that came together, as one.

A service sends each token in a chunk of its own, and what httpx does with a chunk costs more than
what we do with a token. So before httpx sees them, whole chunks that lie next to each other become
one that holds the same bytes. What does not look as it should is handed on as it is, from there to
the end of the answer: saying what is wrong with it is not our business.
"""

from __future__ import annotations

import re

__all__ = ["ChunkJoiner"]

_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n", re.IGNORECASE)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})\r\n")
#: What is kept of a head, or of a chunk of which the end is missing: more is no token.
_MOST_KEPT = 64 * 1024


class ChunkJoiner:
    """Bytes of answers in, the same answers out."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Another answer comes."""
        self._kept = b""
        self._in_head = True
        self._is_through = False  # whether all is handed on until the next answer

    def feed(self, data: bytes) -> bytes:
        """What can be handed on now that *data* came, nothing at all perhaps; b"" is the end."""
        if self._is_through:
            return data
        text, self._kept = self._kept + data, b""
        if not data or len(text) > _MOST_KEPT:
            return self._through(text)
        if not self._in_head:
            return self._joined(text)
        end = text.find(b"\r\n\r\n")
        if end < 0:
            self._kept = text
            return b""
        if _CHUNKED.search(text, 0, end + 2) is None or text.startswith(b"HTTP/1.1 1"):
            return self._through(text)
        self._in_head = False
        return text[: end + 4] + self._joined(text[end + 4 :])

    def _joined(self, text: bytes) -> bytes:
        pieces: list[bytes] = []
        at = 0
        while (size := _SIZE.match(text, at)) is not None:
            begin, length = size.end(), int(size[1], 16)
            end = begin + length
            if not length or (len(text) >= end + 2 and text[end : end + 2] != b"\r\n"):
                return _chunk(pieces) + self._through(text[at:])  # the last one, or none
            if len(text) < end + 2:
                break
            pieces.append(text[begin:end])
            at = end + 2
        else:
            if b"\n" in text[at:] or len(text) - at > 16:
                return _chunk(pieces) + self._through(text[at:])
        self._kept = text[at:]
        return _chunk(pieces)

    def _through(self, text: bytes) -> bytes:
        self._is_through = True
        return text


def _chunk(pieces: list[bytes]) -> bytes:
    body = b"".join(pieces)
    return b"%x\r\n%b\r\n" % (len(body), body) if body else b""
