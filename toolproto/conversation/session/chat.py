"""ChatSession and AsyncChatSession: a conversation with tools, for a program to hold."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Self, TypeVar, Unpack, overload

from ...endpoints.base import AsyncEndpoint, Endpoint
from ...endpoints.function import as_async_endpoint, as_endpoint
from ...protocol.errors import UsageError
from ...protocol.messages import ChatRequest
from ...protocol.tools.answer import answer_form
from ..deciding.answers import Verdict
from ..journal.titles import TitleReply, title_request
from ..turn.events import SessionEvent
from ..turn.result import TurnResult
from .asynchronous import AsyncDriver
from .base import SessionBase
from .blocking import BlockingDriver
from .opening import aopen_sources, open_sources
from .options import Said, TurnTerms
from .partial import PartialAnswer
from .running_calls import in_thread, unbroken
from .spoken import Spoken

__all__ = ["AsyncChatSession", "ChatSession"]

_log = logging.getLogger("toolproto")
#: How long a session that is closed waits for its title.
_TITLE_SECONDS = 30.0
T = TypeVar("T")


def _inserted(terms: TurnTerms) -> TurnTerms:
    if terms.get("after") is None:
        raise UsageError("insert() needs after=, the number of the turn before the new one")
    return {**terms, "keep_following": True}


class ChatSession(SessionBase[Endpoint]):
    """A conversation with the model behind *endpoint*, one turn at a time.

    *endpoint* is an Endpoint, or a function from a ChatRequest to text. Tools run in threads of
    their own; approver, reviewer and hooks are called in the thread of the caller. Several
    ``on_after_request`` hooks run at the same time, each in a thread of its own.
    """

    _driver: BlockingDriver

    def _drive_with(self, endpoint: Endpoint | Callable[..., Any]) -> None:
        self._endpoint = as_endpoint(endpoint)
        self._driver = BlockingDriver(self._endpoint, *self._shared())
        self._titling: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and the sources of tools that the session opened.

        A running turn continues to its end; for a title that is being found this waits, but not
        for more than half a minute.
        """
        if self._titling:
            wait([self._titling], _TITLE_SECONDS)
        super().close()

    @overload
    def send(
        self, message: Said, /, *, message_id: str | None = None, **terms: Unpack[TurnTerms]
    ) -> TurnResult: ...
    @overload
    def send(
        self,
        message: Said,
        /,
        *,
        output: type[T],
        message_id: str | None = None,
        **terms: Unpack[TurnTerms],
    ) -> TurnResult[T]: ...
    @overload
    def send(
        self,
        message: Said,
        /,
        *,
        output: Any,
        message_id: str | None = None,
        **terms: Unpack[TurnTerms],
    ) -> TurnResult[Any]: ...
    def send(
        self,
        message: Said,
        /,
        *,
        output: Any = None,
        message_id: str | None = None,
        **terms: Unpack[TurnTerms],
    ) -> TurnResult[Any]:
        """Run a whole turn.

        *output* is the form of the answer, which is then in ``result.output``: a pydantic model, a
        dataclass, a TypedDict, any other type, or a JSON Schema. If an answer does not fit, the
        model is asked again, at most ``limits.reasks`` times.

        With *message_id*, a kept session does not answer the same message twice: sent again under
        its id, it gives the result of the first time, or continues the turn if that broke off.

        It raises only for the program's own mistakes (UsageError) and if a kept session cannot be
        written to (StoreError; SessionConflict if somebody else has written to it); then nothing
        was sent.
        """
        with self.stream(message, output=output, message_id=message_id, **terms) as events:
            for _ in events:
                pass
        return self._driver.result()

    @contextmanager
    def stream(
        self,
        message: Said,
        /,
        *,
        output: Any = None,
        message_id: str | None = None,
        **terms: Unpack[TurnTerms],
    ) -> Iterator[Iterator[SessionEvent]]:
        """Run a turn and give its events; leaving the block early cancels the turn."""
        open_sources(self.tools)
        with (
            self._turn(message, terms, output, message_id) as begun,
            self._driver.driving(*begun) as events,
        ):
            yield events
        if request := self._wants_title():
            self._titling = in_thread(partial(self._find_title, request))

    def stream_text(self, message: Said, /, **terms: Unpack[TurnTerms]) -> Generator[str]:
        """Run a turn and give its text: everything that a person should read, piece by piece.

        An empty line separates what the model says before and after calls. An error is raised after
        the last piece, as by ``TurnResult.text``; closing the generator cancels the turn.
        Afterwards :attr:`result` has everything else.
        """
        spoken = Spoken()
        with self.stream(message, **terms) as events:
            for event in events:
                if text := spoken.hear(event):
                    yield text
        self._driver.result().text  # noqa: B018 (raises what went wrong)

    def stream_output(
        self, message: Said, /, *, output: Any, **terms: Unpack[TurnTerms]
    ) -> Generator[Any]:
        """Run a turn and give its structured answer while it is written: what is known so far.

        All values except the last are plain JSON, without the parts that have not arrived yet, and
        are not checked; the last value is ``result.output``. If something goes wrong, an error is
        raised.
        """
        form = answer_form(output)
        partial = PartialAnswer(frozenset(self.tools), form.wrapped)
        with self.stream(message, output=form, **terms) as events:
            for event in events:
                if (known := partial.hear(event)) is not None:
                    yield known
        yield self._driver.result().output

    def rerun(self, turn: int | None = None, **terms: Unpack[TurnTerms]) -> TurnResult[Any]:
        """Run the last *turn* again, or an earlier one; a store keeps the old version as well.

        If turns stand behind it, *keep_following* has to say whether they follow the new one; they
        do so if that has an answer. Without a store, turns are counted from 1.
        """
        message, again, output = self.to_run_again(turn, terms)
        result: TurnResult[Any] = self.send(message, output=output, **again)
        return result

    def insert(self, message: Said, /, **terms: Unpack[TurnTerms]) -> TurnResult:
        """Run a turn after the turn *after*; the turns that followed it now follow the new one.

        In a store this makes a branch: the conversation as it was is kept as well, and if the new
        turn has no answer, nothing follows it. Without a store all is then as it was before.
        """
        result: TurnResult = self.send(message, **_inserted(terms))
        return result

    def make_title(self) -> str:
        """Let the model find a title for the session."""
        self.title = self._told_title(title_request(self._setup, self.messages)) or self.title
        return self.title

    def _find_title(self, request: ChatRequest) -> None:
        try:
            self._take_title(self._told_title(request, self._busy.locked))
        except Exception:
            _log.info("no title could be found", exc_info=True)

    def _told_title(self, request: ChatRequest, is_late: Callable[[], bool] = bool) -> str:
        """Return the model's answer to *request*; nothing if it *is_late*."""
        reply = TitleReply(self._setup)
        with self._counting(reply), self.endpoint.stream(request) as chunks:
            for chunk in chunks:
                if is_late():  # a turn has begun: after it there is another time
                    return ""
                if reply.hear(chunk):
                    break
        return reply.title()

    def resume(
        self, verdicts: Mapping[str, Verdict], *, message_id: str | None = None
    ) -> TurnResult[Any]:
        """Continue a pending turn, with a decision or a result from elsewhere for each call id.

        *message_id* is for decisions what it is for a message in :meth:`send`.
        """
        with self.stream_resumed(verdicts, message_id=message_id) as events:
            for _ in events:
                pass
        return self._driver.result()

    @contextmanager
    def stream_resumed(
        self, verdicts: Mapping[str, Verdict], *, message_id: str | None = None
    ) -> Iterator[Iterator[SessionEvent]]:
        """Like :meth:`resume`, but gives the events."""
        open_sources(self.tools)
        with (
            self._resumed_turn(verdicts, message_id) as begun,
            self._driver.driving(*begun) as events,
        ):
            yield events


class AsyncChatSession(SessionBase[AsyncEndpoint]):
    """A conversation with the model behind *endpoint*, one turn at a time.

    Like :class:`ChatSession`, but asynchronous, with the same options. *endpoint* is an
    AsyncEndpoint, or a function, async or not. Async tools run as tasks, plain functions in
    threads; approver, reviewer and hooks may be async. Cancelling the task that runs a turn
    cancels the turn.
    """

    _driver: AsyncDriver

    def _drive_with(self, endpoint: AsyncEndpoint | Callable[..., Any]) -> None:
        self._endpoint = as_async_endpoint(endpoint)
        self._driver = AsyncDriver(self._endpoint, *self._shared())
        self._titling: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close like a :class:`ChatSession`, without keeping the event loop waiting."""
        if self._titling:
            await asyncio.wait([self._titling], timeout=_TITLE_SECONDS)
            self._titling.cancel()
        await unbroken(self.close)

    @overload
    async def send(
        self, message: Said, /, *, message_id: str | None = None, **terms: Unpack[TurnTerms]
    ) -> TurnResult: ...
    @overload
    async def send(
        self,
        message: Said,
        /,
        *,
        output: type[T],
        message_id: str | None = None,
        **terms: Unpack[TurnTerms],
    ) -> TurnResult[T]: ...
    @overload
    async def send(
        self,
        message: Said,
        /,
        *,
        output: Any,
        message_id: str | None = None,
        **terms: Unpack[TurnTerms],
    ) -> TurnResult[Any]: ...
    async def send(
        self,
        message: Said,
        /,
        *,
        output: Any = None,
        message_id: str | None = None,
        **terms: Unpack[TurnTerms],
    ) -> TurnResult[Any]:
        """Run a whole turn.

        *output* is the form of the answer, which is then in ``result.output``: a pydantic model, a
        dataclass, a TypedDict, any other type, or a JSON Schema. If an answer does not fit, the
        model is asked again, at most ``limits.reasks`` times.

        With *message_id*, a kept session does not answer the same message twice: sent again under
        its id, it gives the result of the first time, or continues the turn if that broke off.

        It raises only for the program's own mistakes (UsageError) and if a kept session cannot be
        written to (StoreError; SessionConflict if somebody else has written to it); then nothing
        was sent.
        """
        async with self.stream(message, output=output, message_id=message_id, **terms) as events:
            async for _ in events:
                pass
        return self._driver.result()

    @asynccontextmanager
    async def stream(
        self,
        message: Said,
        /,
        *,
        output: Any = None,
        message_id: str | None = None,
        **terms: Unpack[TurnTerms],
    ) -> AsyncIterator[AsyncIterator[SessionEvent]]:
        """Run a turn and give its events; leaving the block early cancels the turn."""
        await aopen_sources(self.tools)
        if self._titling:
            self._titling.cancel()
        with self._turn(message, terms, output, message_id) as begun:
            async with self._driver.driving(*begun) as events:
                yield events
        if request := self._wants_title():
            self._titling = asyncio.create_task(self._find_title(request))

    async def stream_text(
        self, message: Said, /, **terms: Unpack[TurnTerms]
    ) -> AsyncGenerator[str]:
        """Run a turn and give its text: everything that a person should read, piece by piece.

        Like :meth:`ChatSession.stream_text`, but asynchronous. If a loop may be left early, put
        ``contextlib.aclosing`` around the generator: then the turn is cancelled at once.
        """
        spoken = Spoken()
        async with self.stream(message, **terms) as events:
            async for event in events:
                if text := spoken.hear(event):
                    yield text
        self._driver.result().text  # noqa: B018 (raises what went wrong)

    async def stream_output(
        self, message: Said, /, *, output: Any, **terms: Unpack[TurnTerms]
    ) -> AsyncGenerator[Any]:
        """Run a turn and give its structured answer while it is written: what is known so far.

        Like :meth:`ChatSession.stream_output`, but asynchronous.
        """
        form = answer_form(output)
        partial = PartialAnswer(frozenset(self.tools), form.wrapped)
        async with self.stream(message, output=form, **terms) as events:
            async for event in events:
                if (known := partial.hear(event)) is not None:
                    yield known
        yield self._driver.result().output

    async def rerun(self, turn: int | None = None, **terms: Unpack[TurnTerms]) -> TurnResult[Any]:
        """Run the last *turn* again, or an earlier one; a store keeps the old version as well.

        If turns stand behind it, *keep_following* has to say whether they follow the new one; they
        do so if that has an answer. Without a store, turns are counted from 1.
        """
        message, again, output = self.to_run_again(turn, terms)
        result: TurnResult[Any] = await self.send(message, output=output, **again)
        return result

    async def insert(self, message: Said, /, **terms: Unpack[TurnTerms]) -> TurnResult:
        """Run a turn after the turn *after*; the turns that followed it now follow the new one.

        In a store this makes a branch: the conversation as it was is kept as well, and if the new
        turn has no answer, nothing follows it. Without a store all is then as it was before.
        """
        result: TurnResult = await self.send(message, **_inserted(terms))
        return result

    async def make_title(self) -> str:
        """Let the model find a title for the session."""
        self.title = await self._told_title(title_request(self._setup, self.messages)) or self.title
        return self.title

    async def _find_title(self, request: ChatRequest) -> None:
        try:
            await unbroken(partial(self._take_title, await self._told_title(request)))
        except Exception:
            _log.info("no title could be found", exc_info=True)

    async def _told_title(self, request: ChatRequest) -> str:
        """Return the model's answer to *request*."""
        reply = TitleReply(self._setup)
        with self._counting(reply):
            async with self.endpoint.astream(request) as chunks:
                async for chunk in chunks:
                    if reply.hear(chunk):
                        break
        return reply.title()

    async def resume(
        self, verdicts: Mapping[str, Verdict], *, message_id: str | None = None
    ) -> TurnResult[Any]:
        """Continue a pending turn, with a decision or a result from elsewhere for each call id.

        *message_id* is for decisions what it is for a message in :meth:`send`.
        """
        async with self.stream_resumed(verdicts, message_id=message_id) as events:
            async for _ in events:
                pass
        return self._driver.result()

    @asynccontextmanager
    async def stream_resumed(
        self, verdicts: Mapping[str, Verdict], *, message_id: str | None = None
    ) -> AsyncIterator[AsyncIterator[SessionEvent]]:
        """Like :meth:`resume`, but gives the events."""
        await aopen_sources(self.tools)
        with self._resumed_turn(verdicts, message_id) as begun:
            async with self._driver.driving(*begun) as events:
                yield events
