"""One response that is being made out of what its answers bring, whole or streamed."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Sequence

from starlette.responses import Response

from ...endpoints.apis.asked import Asked
from ...endpoints.apis.pieces import Failed, Piece
from ...endpoints.apis.serving.api import Answer, Api, ApiFault, Stamp, StreamWriter, collected
from ..bridge.exchange import Exchange
from ..bridge.failures import fault_headers, fault_of
from .feed import Came, Feed
from .log import log_line
from .record import RequestRecord
from .streamed import AsciiJson, ClosingStream

__all__ = ["Responding", "refused", "rescued_header", "turned_away"]

_LONGEST_PATH = 200


class Responding:
    """One response that is being made.

    A *writer* that *has_begun* goes on with a stream of which something went out already.
    """

    def __init__(
        self,
        api: Api,
        asked: Asked,
        exchanges: list[Exchange],
        feed: Feed,
        record: RequestRecord,
        silence: float,
        writer: StreamWriter | None = None,
        has_begun: bool = False,
    ) -> None:
        self._api = api
        self._asked = asked
        self._exchanges = exchanges
        self._feed = feed
        self._record = record
        self._stamp = Stamp(secrets.token_hex(12), int(time.time()))
        self._silence = silence
        self._writer, self._has_begun = writer, has_begun
        self._outcome = "left"
        self._failed: Failed | None = None

    async def whole(self) -> Response:
        """A response in one piece."""
        pieces: list[list[Piece]] = [[] for _ in self._exchanges]
        try:
            while not self._feed.is_over:
                for choice, more in (await self._feed.next()).items():
                    pieces[choice] += more
            answers = [collected(each) for each in pieces]
            failed = next((each for each in answers if isinstance(each, Failed)), None)
            self._told(failed)
        finally:
            await self.close()
        if failed is not None:
            return refused(self._api, fault_of(failed), failed.retry_after)
        whole = [answer for answer in answers if isinstance(answer, Answer)]
        told = self._api.whole(self._asked, whole, self._stamp)
        return AsciiJson(told, headers=rescued_header(self._exchanges))

    async def streamed(self) -> Response:
        """A stream; what fails before anything came is an error with its own status."""
        try:
            first = await self._feed.next()
        except BaseException:
            await self.close()
            raise
        failed = _failure(first)
        if failed is not None:
            self._told(failed)
            await self.close()
            return refused(self._api, fault_of(failed), failed.retry_after)
        headers = {
            "cache-control": "no-cache",
            "x-accel-buffering": "no",
            **rescued_header(self._exchanges),
        }
        written, close = self._written(first), self.close
        return ClosingStream(written, close, headers=headers, media_type=self._api.media_type)

    async def frames(self) -> AsyncIterator[str]:
        """The rest of a stream of which something went out already."""
        async for frames in self._written({}):
            yield frames

    async def close(self) -> None:
        """Leave the backends, and write down what became of the request."""
        await self._feed.close()
        status = None if self._outcome == "left" else 200
        self._record.end(self._outcome, self._exchanges, status=status, fault=self._failed)

    async def _written(self, came: Came) -> AsyncIterator[str]:
        writer, now = self._writer or self._api.writer(self._asked, self._stamp), time.monotonic
        written, begun = now(), [] if self._has_begun else writer.begin()
        while True:
            more = [
                frame
                for choice, pieces in came.items()
                for piece in pieces
                for frame in writer.write(choice, piece)
            ]
            if (ended := self._end(writer, came)) is not None:
                if self._failed is None:
                    yield "".join([*begun, *more, *ended])
                    return
                # Google's SDK reads an error only in a chunk of its own.
                for frame in ("".join([*begun, *more]), *ended):
                    if frame:
                        yield frame
                return
            # Nothing came, or what came is not shown to this client, a thought perhaps.
            if not more and now() - written >= self._silence:
                more = [self._api.keep_alive]
            if frames := "".join([*begun, *more]):
                yield frames
                written, begun = now(), []
            came = await self._feed.next()

    def _end(self, writer: StreamWriter, came: Came) -> list[str] | None:
        """What comes after *came*, if that was the last; None if it was not."""
        if failed := _failure(came):
            self._told(failed)
            return writer.fail(fault_of(failed))
        if not self._feed.is_over:
            return None
        self._told(None)
        return writer.end()

    def _told(self, failed: Failed | None) -> None:
        self._failed = failed
        self._outcome = "failed" if failed else "answered"


def _failure(came: Came) -> Failed | None:
    # An answer that failed says nothing after that.
    last = (pieces[-1] for pieces in came.values())
    return next((piece for piece in last if isinstance(piece, Failed)), None)


def rescued_header(exchanges: Sequence[Exchange]) -> dict[str, str]:
    """The header that says how answers were rescued that a backend with tools gave; or none."""
    names = dict.fromkeys(name for each in exchanges for name in each.rescued)
    return {"x-toolproto-rescued": ", ".join(names)} if names else {}


def refused(api: Api, fault: ApiFault, retry_after: float | None = None) -> Response:
    """The response that tells *fault*, in the words of *api*."""
    return AsciiJson(api.error(fault), fault.status, fault_headers(fault, retry_after))


def turned_away(
    api: Api, path: str, fault: ApiFault | Failed, retry_after: float | None = None
) -> Response:
    """The same of a request at *path* of which no record is kept: it gets a line in the log."""
    told = fault_of(fault) if isinstance(fault, Failed) else fault
    log_line(
        path=path[:_LONGEST_PATH],
        outcome="failed" if told.status >= 500 else "refused",
        status=told.status,
        reason=told.code,
        detail=fault.detail if isinstance(fault, Failed) else None,
    )
    return refused(api, told, retry_after)
