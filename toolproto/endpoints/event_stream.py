"""Frames of ``application/vnd.amazon.eventstream``, the binary streams of AWS.

A message is its length, that of its headers, a checksum of both, the headers, the payload, and a
checksum of all. See "Amazon event stream encoding" in the documentation of Amazon Transcribe.
"""

from __future__ import annotations

import struct
from zlib import crc32

from ..errors import WireError
from .frames import MAX_FRAME, Frame

__all__ = ["EventStream"]

_PRELUDE = struct.Struct(">III")
_CHECKSUM = struct.Struct(">I")
_LEAST = _PRELUDE.size + _CHECKSUM.size
#: How many bytes the value of a header has, by its type: booleans, integers, a time, an id.
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
#: Types whose value has its length before it: bytes and text.
_LONG = (6, 7)
#: What a message is called, by its kind.
_NAMED_BY = {"event": ":event-type", "exception": ":exception-type", "error": ":error-code"}


class EventStream:
    """Frames named by the event, or by the exception, that a message is."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes, /) -> list[Frame]:
        """The frames that *data* completes."""
        self._held += data
        frames: list[Frame] = []
        at = 0
        while (length := self._length(at)) and len(self._held) - at >= length:
            frames.append(_frame(bytes(self._held[at : at + length])))
            at += length
        del self._held[:at]
        return frames

    def finish(self) -> list[Frame]:
        """Half a message is none."""
        return []

    def _length(self, at: int) -> int:
        """How long the message is that begins *at*; 0 until that is known."""
        if len(self._held) - at < _PRELUDE.size:
            return 0
        length, headers, checksum = _PRELUDE.unpack_from(self._held, at)
        if checksum != crc32(self._held[at : at + 8]) or headers > length - _LEAST:
            raise WireError("the answer is not an event stream of AWS; check the address")
        if length > MAX_FRAME:
            raise WireError(f"a message of the reply is longer than {MAX_FRAME} bytes")
        return int(length)


def _frame(message: bytes) -> Frame:
    end = len(message) - _CHECKSUM.size
    if _CHECKSUM.unpack_from(message, end)[0] != crc32(message[:end]):
        raise WireError("a message of the reply was damaged on its way")
    split = _PRELUDE.size + _PRELUDE.unpack_from(message)[1]
    headers = _headers(message[_PRELUDE.size : split])
    name = headers.get(_NAMED_BY.get(headers.get(":message-type", "event"), ""), "")
    return Frame(name, message[split:end].decode("utf-8", "replace"))


def _headers(data: bytes) -> dict[str, str]:
    """The headers that are text."""
    headers: dict[str, str] = {}
    at = 0
    try:
        while at < len(data):
            name = data[at + 1 : at + 1 + data[at]].decode("utf-8", "replace")
            at += 1 + data[at]
            kind, size, at = data[at], _SIZES.get(data[at], 0), at + 1
            if kind in _LONG:
                size, at = int.from_bytes(data[at : at + 2]), at + 2
                headers[name] = data[at : at + size].decode("utf-8", "replace")
            elif kind not in _SIZES:
                raise WireError(f"a header of the reply has the unknown type {kind}")
            at += size
    except IndexError:
        raise WireError("a header of the reply is cut off") from None
    return headers
