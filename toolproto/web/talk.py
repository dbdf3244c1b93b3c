"""One session while somebody looks at it: its turn, its events, and what is decided about it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

from ..conversation.deciding.answers import Verdict
from ..conversation.journal.log import LoggedTurn
from ..conversation.session import AsyncChatSession
from ..protocol.errors import SessionConflict, StoreError, ToolProtoError, UsageError
from ..protocol.messages import Message
from .events import EventLog
from .opening import OpenedSession
from .seen import Seen
from .telling import event_told, turns_told, waiting_told

__all__ = ["Talk"]

_log = logging.getLogger("toolproto.web")

Stream = AbstractAsyncContextManager[Any]
#: Turns that are told at once; earlier ones are asked for.
_TURNS = 40
#: Seconds that a model may take to find a title.
_TITLE = 60.0


class Talk:
    """A session, opened by *make* when it is needed, and led by one turn at a time."""

    def __init__(self, id: str, make: Callable[[Seen], OpenedSession], pace: float) -> None:
        self.id = id
        self.seen = Seen()
        self.log = EventLog(pace)
        self._make = make
        self._opened: OpenedSession | None = None
        self._opening = asyncio.Lock()
        self._turn: asyncio.Task[None] | None = None
        self._begun_at = 0  # the last event before the turn that runs
        self._before = 0  # the last turn before it
        self._queued: dict[str, Verdict] = {}

    @property
    def is_running(self) -> bool:
        """Whether a turn runs."""
        return self._turn is not None and not self._turn.done()

    async def opened(self) -> OpenedSession:
        """The session; read from the store the first time."""
        async with self._opening:
            if self._opened is None:
                self._opened = await asyncio.to_thread(self._make, self.seen)
            return self._opened

    async def reopen(self) -> None:
        """Read the session from the store again, with what was chosen since."""
        self.check_idle()
        async with self._opening:
            self._opened = None
        self.log.publish({"event": "changed"})

    # -- what is done --------------------------------------------------------------------

    async def send(self, said: str | Message, **terms: Any) -> None:
        """Begin a turn that says *said*, on *terms*: in place of a turn, or behind one."""
        session = (await self.opened()).session
        beside, after = terms.get("beside"), terms.get("after")
        if beside is not None:
            parent = _numbered(session, beside).parent
        else:
            parent = _head(session) if after is None else _numbered(session, after).number
        text = said if isinstance(said, str) else said.content
        told = {"event": "begun", "text": text, "parent": parent, "resumed": False}
        await self._start(lambda: session.stream(said, **terms), told)

    async def rerun(self, turn: int, **terms: Any) -> None:
        """Run *turn* again on its terms and *terms*; what came of it first is kept beside it."""
        session = (await self.opened()).session
        message, again, output = await asyncio.to_thread(session.to_run_again, turn, terms)
        await self.send(message, output=output, **again)

    async def decide(self, verdicts: Mapping[str, Verdict]) -> None:
        """Go on with what *verdicts* say of calls that wait; when the turn that runs has ended."""
        session = (await self.opened()).session
        waiting = {request.call.id for request in session.pending}
        if unknown := sorted(verdicts.keys() - waiting):
            raise UsageError(f"no call {unknown[0]!r} waits; somebody may have decided about it")
        if self.is_running:
            self._queued |= verdicts
            return
        told = {"event": "begun", "text": "", "parent": _head(session), "resumed": True}
        await self._start(lambda: session.stream_resumed(verdicts), told)

    async def go_on(self) -> None:
        """Go on with a turn that broke off."""
        session = (await self.opened()).session
        if not session.interrupted:
            raise UsageError("no turn broke off, so there is nothing to continue")
        last = session.turns[-1]
        text = last.message.content if last.message else ""
        told = {"event": "begun", "text": text, "parent": last.parent, "resumed": last.is_resumed}
        self._before = last.number - 1
        await self._start(lambda: session.stream_resumed({}), told, last.number - 1)

    async def switch(self, turn: int) -> None:
        """Let the conversation go on behind *turn*."""
        self.check_idle()
        session = (await self.opened()).session
        await asyncio.to_thread(session.switch, turn)
        self.log.publish({"event": "changed"})

    async def undo(self, turn: int) -> list[str]:
        """Put back the files that *turn* changed; their paths."""
        self.check_idle()
        session = (await self.opened()).session
        try:
            return await asyncio.to_thread(session.undo, turn)
        finally:  # some may be back though others could not be put back
            self.log.publish({"event": "files"})

    async def make_title(self) -> str:
        """Have the model find a title; the title."""
        self.check_idle()
        session = (await self.opened()).session
        if not session.messages:
            raise UsageError("nothing was said yet, so there is no title to find")
        try:
            async with asyncio.timeout(_TITLE):
                title = await session.make_title()
        except TimeoutError:
            raise UsageError(f"the model found no title in {_TITLE:.0f} seconds") from None
        self.log.publish({"event": "renamed", "title": title})
        return title

    async def cancel(self) -> None:
        """Stop the turn that runs, if there is one, and wait until it has stopped."""
        self._queued.clear()
        if self.is_running and self._opened and self._turn:
            self._opened.session.cancel()
            await asyncio.wait([self._turn], timeout=10)

    async def close(self) -> None:
        """Stop, and let the viewers go."""
        await self.cancel()
        self.log.close()
        if self._opened:
            await self._opened.session.aclose()

    # -- what is told --------------------------------------------------------------------

    async def told(self, before: int | None = None) -> dict[str, Any]:
        """The session as it is now: the last turns, or those before turn *before*.

        ``after`` is the event from which a viewer has to read on.
        """
        opened = await self.opened()
        session = opened.session
        way = [turn for turn in session.way if not self.is_running or turn.number <= self._before]
        if before is not None:
            way = [turn for turn in way if turn.number < before]
        shown = way[-_TURNS:]
        after = self._begun_at if self.is_running else self.log.last
        return {
            "turns": turns_told(shown, session.turns),
            "earlier": len(way) - len(shown),
            "waiting": [] if self.is_running else _waiting(opened),
            "running": self.is_running,
            "interrupted": not self.is_running and session.interrupted,
            "after": self.log.id(max(after, self.log.first - 1)),
        }

    # -- one turn ------------------------------------------------------------------------

    def check_idle(self) -> None:
        """Raise SessionConflict while a turn runs."""
        if self.is_running:
            raise SessionConflict("a turn is running; wait for its end, or cancel it")

    async def _start(
        self, begin: Callable[[], Stream], told: Mapping[str, Any], before: int | None = None
    ) -> None:
        """Run what *begin* gives in the background; what cannot begin is raised here."""
        self.check_idle()
        opened = await self.opened()
        self.check_idle()
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        numbers = [turn.number for turn in opened.session.turns]
        self._before = max(numbers, default=0) if before is None else before
        self._turn = asyncio.create_task(self._run(opened, begin, told, started))
        try:
            await asyncio.shield(started)
        except (SessionConflict, StoreError):
            self._opened = None  # somebody else has written: read it again
            raise

    async def _run(
        self,
        opened: OpenedSession,
        begin: Callable[[], Stream],
        told: Mapping[str, Any],
        started: asyncio.Future[None],
    ) -> None:
        try:
            async with begin() as events:
                self.log.forget()
                self._begun_at = self.log.last
                self.log.publish(told)
                started.set_result(None)
                async for event in events:
                    self.log.publish(event_told(event))
        except ToolProtoError as error:
            self._failed(error, started)
        except Exception as error:
            _log.exception("a turn failed because of an error in toolproto")
            self._failed(UsageError(f"an error inside the server: {type(error).__name__}"), started)
        finally:
            if not started.done():
                started.cancel()
            self._settled(opened)

    def _failed(self, error: ToolProtoError, started: asyncio.Future[None]) -> None:
        if started.done():
            self.log.publish({"event": "failed", "error": str(error)})
        else:
            started.set_exception(error)

    def _settled(self, opened: OpenedSession) -> None:
        """Tell how the turn stands in the journal, which is what a reload would show."""
        session = opened.session
        self._turn = None
        made = [turn for turn in session.way if turn.number > self._before]
        waiting = _waiting(opened)
        self.log.publish(
            {"event": "settled", "turns": turns_told(made, session.turns), "waiting": waiting}
        )
        queued, self._queued = self._queued, {}
        left = {id: each for id, each in queued.items() if id in _ids(waiting)}
        if left:
            self._next = asyncio.ensure_future(self._decide_later(left))

    async def _decide_later(self, verdicts: Mapping[str, Verdict]) -> None:
        with suppress(ToolProtoError):  # decided by somebody else meanwhile
            await self.decide(verdicts)


def _waiting(opened: OpenedSession) -> list[dict[str, Any]]:
    return waiting_told(opened.session.pending, opened.tools, opened.always())


def _ids(waiting: list[dict[str, Any]]) -> set[str]:
    return {each["call"]["id"] for each in waiting}


def _head(session: AsyncChatSession) -> int | None:
    return session.way[-1].number if session.way else None


def _numbered(session: AsyncChatSession, number: int) -> LoggedTurn:
    found = next((turn for turn in session.turns if turn.number == number), None)
    if found is None:
        raise UsageError(f"there is no turn {number}")
    return found
