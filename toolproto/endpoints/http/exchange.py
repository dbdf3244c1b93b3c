"""Sending one request and reading its reply, without the waiting.

The two streams, sync and async, do the waiting and tell an :class:`HttpExchange` what happened; it
says what to hand on, until when to wait, and whether to try again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple, Protocol

from ...protocol.errors import EndpointError, EndpointTimeout
from ...protocol.messages import Chunk
from ...protocol.secrets import Redactor
from ..apis.dialect import Dialect
from ..joining import together
from .refusals import tools_refused
from .reply_reader import MAX_SHOWN, HttpReplyReader, refusal, reply_in
from .retries import Phase, Retries
from .timeouts import Deadlines, Timeouts

__all__ = ["HttpExchange", "Service"]

#: Seconds that may pass between the finish reason and the end of the stream. What comes in it is
#: the token counts at most: no reply is lost, or delayed for long, by a server that never hangs up.
TAIL = 1.0
#: Seconds and bytes for the body of a refusal.
REFUSAL_WAIT = 5.0
REFUSAL_SIZE = 64 * 1024
#: Times that one request is sent with less of its schemas: without what is blamed, then of all.
_MOST_RESENT = 2


class WithTools(NamedTuple):
    """What becomes of a request that offers tools.

    *on_none* is called when the service says that it has none. *again* gives what to send instead
    if it refused their schemas. *names* leads from the names that it was sent to the program's own,
    where they differ.
    """

    on_none: Callable[[EndpointError], None]
    again: Callable[[EndpointError], bytes | None]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Service:
    """Everything an endpoint knows about the service behind it. Its repr shows no secrets.

    *joins* is whether tokens that came together are one chunk. *with_tools* is what there is to do
    if the request offers tools; None if it does not.
    """

    url: str = field(repr=False)
    shown: str
    headers: Mapping[str, str] = field(repr=False)
    dialect: Dialect
    redact: Redactor
    timeouts: Timeouts
    retries: Retries
    random: Random = field(repr=False)
    joins: bool = False
    with_tools: WithTools | None = field(default=None, repr=False)
    has_key: bool = True
    key_variable: str = ""

    def key_hint(self, error: EndpointError) -> str:
        """What to do about an *error* that is about the key; nothing for any other."""
        if error.status not in (401, 403):
            return ""
        if not self.has_key:
            where = (
                f"in the environment variable {self.key_variable}"
                if self.key_variable
                else ("as api_key")
            )
            return f"; no key was sent: give one {where}"
        if error.status == 401 and self.key_variable:
            return f"; check the key in the environment variable {self.key_variable}"
        return ""


class Progress(Protocol):
    """What a connection knows of the present request."""

    @property
    def fresh(self) -> bool:
        """Whether the request had to make the connection."""

    @property
    def sent(self) -> bool:
        """Whether the request is on its way."""


class HttpExchange:
    """One request, from the first attempt to the last chunk."""

    def __init__(self, service: Service, content: bytes, now: float) -> None:
        self._service = service
        #: What is sent.
        self.content = content
        self._resent = 0
        self._is_due_again = False
        self._deadlines = Deadlines(service.timeouts, now)
        self._offered = service.with_tools is not None
        self._reader = HttpReplyReader(service.dialect, self._offered)
        self._phase = Phase.CONNECTING
        self._made = 0
        self._pieces = 0
        self._refused: list[bytes] = []

    @property
    def known(self) -> bool:
        """Whether the reply is complete, whatever becomes of the connection."""
        return self._reader.reason is not None or self._reader.ended

    @property
    def ended(self) -> bool:
        """Whether the service has said that nothing follows."""
        return self._reader.ended

    def begin(self, now: float) -> float | None:
        """An attempt begins; the seconds a new connection may take."""
        self._made += 1
        self._phase = Phase.CONNECTING
        self._pieces = 0
        self._reader = HttpReplyReader(self._service.dialect, self._offered)
        self._deadlines.start(now)
        return self._deadlines.connect(now)

    def answered(self, status: int, now: float) -> bool:
        """A status came; whether a reply follows, and not a refusal."""
        self._phase = Phase.ANSWERED
        if 200 <= status < 300:
            return True
        self._deadlines.tail(now, REFUSAL_WAIT)
        self._refused.clear()
        return False

    def refused(self, data: bytes) -> bool:
        """A piece of a refusal's body came; whether more of it is wanted."""
        self._refused.append(data)
        return bool(data) and sum(map(len, self._refused)) < REFUSAL_SIZE

    def refuse(self, status: int, headers: Mapping[str, str], wall: float) -> Iterator[Chunk]:
        """The reply that the refusal tells of; raised as an error if it tells of none."""
        error = refusal(status, headers, b"".join(self._refused)[:REFUSAL_SIZE], wall)
        chunk = reply_in(error) if self._offered else None
        if chunk is None:
            raise error
        yield replace(chunk, finish_reason=None)
        yield replace(chunk, text="")

    def understood(self, error: EndpointError) -> EndpointError:
        """*error*, or that tools were refused if that is what it says.

        A service that has begun to answer has not refused anything.
        """
        with_tools = self._service.with_tools
        if with_tools is None or self._reader.pieces or type(error) is not EndpointError:
            return error
        refused = tools_refused(error)
        if refused is None:
            return error
        if refused.remembered:
            with_tools.on_none(refused)
        elif refused.by_schema and self._resent < _MOST_RESENT:
            again = with_tools.again(refused)
            self._is_due_again = again is not None
            self.content = again or self.content
            self._resent += 1
        return refused

    def wait(self, now: float) -> float:
        """When the wait that begins now must be over.

        A pause is counted from here, not from the last token: what the caller does between two
        chunks takes none of the service's time.
        """
        if self._reader.pieces != self._pieces:
            self._pieces = self._reader.pieces
            self._phase = Phase.OUTPUT
            self._deadlines.token(now)
        if self.known:
            self._deadlines.tail(now, TAIL)
        return self._deadlines.at

    def take(self, data: bytes) -> Iterator[Chunk]:
        """The chunks in *data*."""
        chunks = self._named(self._reader.feed(data))
        return together(chunks) if self._service.joins else chunks

    def finish(self) -> Iterator[Chunk]:
        """The connection has nothing more: the chunks that end the reply."""
        return self._named(self._reader.finish())

    def _named(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        with_tools = self._service.with_tools
        if with_tools is None or not with_tools.names:
            return chunks
        return (_renamed(chunk, with_tools.names) for chunk in chunks)

    def overdue(self) -> EndpointTimeout:
        """The present wait took too long."""
        return self._deadlines.error()

    def retry_in(self, error: EndpointError, line: Progress, now: float) -> float | None:
        """Seconds until the next attempt, or None when *error* is the outcome."""
        if self._reader.pieces:
            self._phase = Phase.OUTPUT
        elif line.sent:
            self._phase = max(self._phase, Phase.WAITING)
        left = self._deadlines.left(now)
        if self._is_due_again and left > 0:
            self._is_due_again = False
            self._made -= 1
            return 0.0
        if self._went_stale(error, line) and left > 0:
            self._made -= 1
            return 0.0
        retries, random = self._service.retries, self._service.random
        return retries.delay(error, self._phase, self._made, left, random)

    def worded(self, error: EndpointError) -> EndpointError:
        """*error* as the caller gets it: it says which service, and holds no secrets."""
        redact = self._service.redact
        hint = self._service.key_hint(error)
        error.args = (redact(f"{self._service.shown}: {error}{hint}"),)
        error.body = redact(error.body)[:MAX_SHOWN]
        return error

    def _went_stale(self, error: EndpointError, line: Progress) -> bool:
        """Whether a kept connection was closed by the service just as it was used again."""
        return self._phase is Phase.WAITING and not line.fresh and type(error) is EndpointError


def _renamed(chunk: Chunk, names: Mapping[str, str]) -> Chunk:
    """Return *chunk* with the program's own *names* in the calls that it begins."""
    if not any(piece.name in names for piece in chunk.calls):
        return chunk
    calls = [replace(piece, name=names.get(piece.name, piece.name)) for piece in chunk.calls]
    return replace(chunk, calls=tuple(calls))
