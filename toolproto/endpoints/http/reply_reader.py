"""Reading one reply: bytes in, pieces of text out, and at the end why it ended.

Nothing here waits. The finish reason and the token counts, wherever the service sends them, are
kept for the last chunk.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from ...protocol.errors import EndpointError, WireError
from ...protocol.messages import Chunk, Usage
from ..apis.dialect import END, Dialect, load, words_of_error
from ..apis.frames import MAX_FRAME, Frame, JsonLines
from ..apis.tool_refusals import failed_generation

__all__ = ["MAX_SHOWN", "HttpReplyReader", "read_retry_after", "refusal", "reply_in"]

#: Characters of a service's own words that an error keeps.
MAX_SHOWN = 2000
_SPACE = b" \t\r\n"
#: What the lines of an event stream begin with.
_FIELDS = (b":", b"data", b"event", b"id", b"retry", b"error")
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


class HttpReplyReader:
    """The reply to one request, read as it arrives.

    If tools were *offered*, an error in it that holds what the model wrote for a call is a reply
    (:func:`~toolproto.endpoints.apis.tool_refusals.failed_generation`).
    """

    def __init__(self, dialect: Dialect, offered: bool = False) -> None:
        self._dialect = dialect
        self._offered = offered
        self._frames = dialect.frames()
        self._began = b""
        self._whole: list[bytes] | None = None
        self._size = 0
        self._usage: Usage | None = None
        self._last = ""  # the block that said why the reply ended
        self._has_frames = False
        #: Why the reply ended, as soon as it is known.
        self.reason: str | None = None
        #: Whether the service has said that nothing follows.
        self.ended = False
        #: How many pieces of the reply were handed on.
        self.pieces = 0

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """The pieces of text that *data* completes; what comes before an error is not lost."""
        if not self._began:
            data = self._begin(data)
        if self._whole is not None:
            self._keep(data)
            return iter(())
        return self._read(self._frames.feed(data))

    def finish(self) -> Iterator[Chunk]:
        """What was left, and the last chunk; WireError for a reply that was broken off."""
        if self._whole is not None:
            yield from self._read_whole(b"".join(self._whole))
        elif not (self.reason or self.ended):
            yield from self._read(self._frames.finish())
        reason = self.reason or (self._dialect.end_reason if self.ended else None)
        if reason is None:
            raise WireError(self._why_unfinished(), body=self._beginning())
        yield Chunk(finish_reason=reason, usage=self._usage, raw=self._last)

    def _why_unfinished(self) -> str:
        if self._has_frames or not self._began or self._began.startswith(_FIELDS):
            return "the reply ended without a finish reason"
        # A PDF, a picture, a greeting: somebody else answers at this address.
        seen = self._began[:40].decode("utf-8", "replace")
        return f"the answer is not a chat reply (it begins with {seen!r}); check the address"

    def _begin(self, data: bytes) -> bytes:
        """*data* from its first visible byte, which tells what kind of reply this is."""
        data = data.lstrip(_SPACE)
        self._began = data[:MAX_SHOWN]
        first = data[:1]
        if first == b"<":
            raise WireError("the service answered with a page, not a reply", body=self._beginning())
        # An event stream begins with a field's name or a colon. Some gateways ignore that a stream
        # was asked for and send one JSON value, often under the content type of a stream.
        if first in (b"{", b"[", b'"') and self._dialect.frames is not JsonLines:
            self._whole = []
        return data

    def _keep(self, data: bytes) -> None:
        assert self._whole is not None
        self._size += len(data)
        if self._size > MAX_FRAME:
            raise WireError(f"the reply is one JSON value of more than {MAX_FRAME} bytes")
        self._whole.append(data)

    def _read_whole(self, body: bytes) -> Iterator[Chunk]:
        try:
            chunk = self._dialect.read_whole(load(body.decode("utf-8", "replace")))
        except EndpointError as error:
            chunk = self._instead(error)
        self.ended = True
        self._note(chunk, "")
        if chunk.text or chunk.reasoning or chunk.calls:
            yield Chunk(chunk.text, chunk.reasoning, calls=chunk.calls)

    def _read(self, frames: list[Frame]) -> Iterator[Chunk]:
        for frame in frames:
            self._has_frames = True
            try:
                chunk = self._dialect.read(frame)
            except EndpointError as error:
                chunk = self._instead(error)
            if chunk is END:
                self.ended = True
                return
            if chunk is None:
                continue
            if chunk.finish_reason or chunk.usage:
                self._note(chunk, frame.data)
                chunk = Chunk(chunk.text, chunk.reasoning, calls=chunk.calls)
            if chunk.text or chunk.reasoning or chunk.calls:
                self.pieces += 1
                # The dialect has just made it. A copy would take ten times as long, for each token.
                object.__setattr__(chunk, "raw", frame.data)
                yield chunk

    def _instead(self, error: EndpointError) -> Chunk:
        """What the model wrote, if *error* says that it cannot be read as a call."""
        chunk = reply_in(error) if self._offered else None
        if chunk is None:
            raise error
        self.ended = True
        return chunk

    def _note(self, chunk: Chunk, raw: str) -> None:
        if chunk.finish_reason and not self.reason:
            self.reason, self._last = chunk.finish_reason, raw
        if chunk.usage:
            # Counts come in several frames, each with what is known by then: the later one wins.
            old, new = self._usage or Usage(), chunk.usage
            self._usage = Usage(
                new.input_tokens or old.input_tokens, new.output_tokens or old.output_tokens
            )

    def _beginning(self) -> str:
        return self._began.decode("utf-8", "replace")


def refusal(status: int, headers: Mapping[str, str], body: bytes, wall: float) -> EndpointError:
    """The error of an answer that is no reply, in the service's words where it has any.

    *wall* is the time of day in seconds since the epoch: ``Retry-After`` may be a date.
    """
    text = body.decode("utf-8", "replace")
    try:
        words = words_of_error(json.loads(text))
    except (ValueError, RecursionError):
        words = " ".join(text.split())
    name = HTTPStatus(status).phrase if status in set(HTTPStatus) else "an unknown status"
    message = f"answered {status} {name}" + (f": {words[:300]}" if words else "")
    asked = read_retry_after(headers, wall)
    return EndpointError(message, status=status, body=text, retry_after=asked)


def reply_in(error: EndpointError) -> Chunk | None:
    """Return the reply that a service gave up, and told in *error*; None for any other error.

    It ends with ``tool_calls``: a call was meant, so that words without one are no answer.
    """
    written = failed_generation(error.body)
    return Chunk(written, finish_reason="tool_calls") if written else None


def read_retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """The seconds a service asks to be left alone; None for none, and for nonsense."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        # A pattern, because float() takes "inf", "nan" and "1e999", too.
        number = _SECONDS.fullmatch(headers.get(name, "").strip())
        if number:
            return float(number[0]) * unit
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, date.timestamp() - wall)
    except (ValueError, OverflowError, OSError):
        return None
