"""Reading a reply over HTTP by waiting for it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from threading import Event, Lock
from typing import Self

from ...protocol.errors import EndpointError
from ...protocol.messages import Chunk
from .alarm import Alarm
from .exchange import HttpExchange, Service
from .http import Line, Lines

__all__ = ["HttpStream"]

#: Seconds for the last bytes of a reply that is complete: usually they are there already, and
#: having read them the connection can be used again.
DRAIN = 0.05
_ABORTED = "the request was aborted"


class HttpStream:
    """The chunks of one reply; what ``HttpEndpoint.stream`` gives.

    :meth:`abort` may be called from any thread, at any moment. A name being looked up, or a
    connection being made, cannot be interrupted: then it takes effect when that is over, after
    ``Timeouts.connect`` at the latest.
    """

    def __init__(self, service: Service, lines: Lines, content: bytes) -> None:
        self._service = service
        self._lines = lines
        self._content = content
        self._chunks = self._run()
        self._lock = Lock()
        self._line: Line | None = None
        self._aborted = Event()
        self._overdue = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        if self._aborted.is_set():
            raise self._abortion()
        return next(self._chunks)

    def abort(self) -> None:
        """End the request: the pending and every later ``next`` raises EndpointError."""
        self._aborted.set()
        self._cut()

    def close(self) -> None:
        """End the request and give back all it held."""
        self._chunks.close()

    def _run(self) -> Generator[Chunk]:
        exchange = HttpExchange(self._service, self._content, time.monotonic())
        alarm = Alarm(self._ring)
        try:
            while (delay := (yield from self._attempt(exchange, alarm))) is not None:
                if self._aborted.wait(delay):
                    raise self._abortion()
        finally:
            alarm.stop()

    def _attempt(
        self, exchange: HttpExchange, alarm: Alarm
    ) -> Generator[Chunk, None, float | None]:
        """One attempt's chunks; then the seconds until the next one, or None after the last."""
        line = self._take_line()
        try:
            yield from self._reply(line, exchange, alarm)
            return None
        except EndpointError as error:
            failure = exchange.understood(self._true_reason(error, exchange))
            delay = exchange.retry_in(failure, line, time.monotonic())
        finally:
            alarm.rest()
            self._put_back(line, exchange.known and self._drained(line, alarm))
        # Raised out here, so that no error of a lower layer hangs on it.
        if self._aborted.is_set():
            raise self._abortion()
        if delay is None or self._overdue:
            raise exchange.worded(failure)
        return delay

    def _reply(self, line: Line, exchange: HttpExchange, alarm: Alarm) -> Iterator[Chunk]:
        connect = exchange.begin(time.monotonic())
        alarm.set(exchange.wait(time.monotonic()))
        service = self._service
        status, headers = line.send(service.url, service.headers, exchange.content, connect)
        if not exchange.answered(status, time.monotonic()):
            yield from self._refusal(line, exchange, alarm, status, headers)
            return
        try:
            yield from self._text(line, exchange, alarm)
        except EndpointError:
            if not exchange.known or self._aborted.is_set():
                raise
        yield from exchange.finish()

    def _text(self, line: Line, exchange: HttpExchange, alarm: Alarm) -> Iterator[Chunk]:
        while not exchange.ended:
            alarm.set(exchange.wait(time.monotonic()))
            data = line.read()
            alarm.rest()
            if not data:
                return
            yield from exchange.take(data)

    def _refusal(
        self,
        line: Line,
        exchange: HttpExchange,
        alarm: Alarm,
        status: int,
        headers: Mapping[str, str],
    ) -> Iterator[Chunk]:
        alarm.set(exchange.wait(time.monotonic()))
        with suppress(EndpointError):  # a refusal is one, however much of its text came
            while exchange.refused(line.read()):
                pass
        yield from exchange.refuse(status, headers, time.time())

    def _drained(self, line: Line, alarm: Alarm) -> bool:
        """Whether the body came to its end, now that the reply has."""
        if not line.whole:
            alarm.set(time.monotonic() + DRAIN)
            with suppress(EndpointError):
                line.read()
        return line.whole

    def _true_reason(self, error: EndpointError, exchange: HttpExchange) -> EndpointError:
        """Why the connection broke, if it was the alarm that broke it."""
        return exchange.overdue() if self._overdue and error.status is None else error

    def _abortion(self) -> EndpointError:
        return EndpointError(f"{self._service.shown}: {_ABORTED}")

    def _ring(self) -> None:
        self._overdue = True
        self._cut()

    def _take_line(self) -> Line:
        line = self._lines.take()
        with self._lock:
            self._line = line
        if self._aborted.is_set():
            line.cut()
        return line

    def _put_back(self, line: Line, whole: bool) -> None:
        with self._lock:
            self._line = None
        if whole and not self._aborted.is_set():
            self._lines.give(line)
        else:
            line.close()

    def _cut(self) -> None:
        with self._lock:
            if self._line is not None:
                self._line.cut()
