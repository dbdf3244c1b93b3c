"""Performing a turn from an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from types import CoroutineType
from typing import Any

from ...endpoints.base import AsyncEndpoint
from ...protocol.errors import TurnCancelled
from ...protocol.messages import Chunk, ToolCall
from ..deciding.approvals import Allow, ApprovalRequest, Decision, Review, decided, reviewed
from ..turn import commands as cmd
from ..turn.commands import Command, Flow
from ..turn.events import SessionEvent, StateChanged, ToolProgressed
from ..turn.flow import Turn
from ..turn.result import TurnResult
from .driver import PERFORM, Driver, raise_all
from .running_calls import AsyncJobs, awaited, unbroken

__all__ = ["AsyncDriver"]


class AsyncDriver(Driver):
    """Awaits *endpoint*; async tools run as tasks, plain functions in threads."""

    def __init__(self, endpoint: AsyncEndpoint, *shared: Any) -> None:
        super().__init__(*shared)
        self.endpoint = endpoint
        self._jobs: AsyncJobs
        self._reply = AsyncExitStack()
        self._chunks: AsyncIterator[Chunk]
        self._loop: asyncio.AbstractEventLoop
        self._waits: asyncio.Task[Any] | None = None
        self._woken = False

    @asynccontextmanager
    async def driving(
        self, turn: Turn, flow: Flow[TurnResult[Any]]
    ) -> AsyncIterator[AsyncIterator[SessionEvent]]:
        """The events of *flow*, which is performed as they are read; all is closed at the end."""
        self.begin(turn)
        self._loop, self._asking = asyncio.get_running_loop(), asyncio.Lock()
        self._jobs = AsyncJobs()
        async with AsyncExitStack() as stack:
            stack.callback(self.end)
            stack.push_async_callback(self._jobs.stop)
            stack.push_async_callback(self._close)
            if self.limits.seconds is not None:
                stack.callback(self._loop.call_later(self.limits.seconds, self._run_out).cancel)
            yield await stack.enter_async_context(aclosing(self._drive(turn, flow)))

    async def _drive(self, turn: Turn, flow: Flow[TurnResult[Any]]) -> AsyncGenerator[SessionEvent]:
        answer: Any = None
        failure: Exception | None = None
        while True:
            try:
                command = flow.throw(failure) if failure is not None else flow.send(answer)
            except StopIteration:
                break
            answer = failure = None
            try:
                if type(command) is cmd.Emit:
                    event = command.event
                    if type(event) is StateChanged:
                        self._notice(event)
                    elif self.spans is not None:
                        self.spans.hear(event)
                    if turn.stopped is None:
                        yield event
                else:
                    self._check_interruption(command)
                    answer = await self._perform(command)
                    while type(answer) is ToolProgressed:  # news, and no answer yet
                        if turn.stopped is None:
                            yield answer
                        self._check_interruption(command)
                        answer = await self._perform(command)
            except Exception as error:
                failure = self._failure(error, command)
            except BaseException as error:  # cancelled, or nobody reads on: end the turn quietly
                turn.stopped = error
                self.interrupt(TurnCancelled("the turn was left before its end"))
                failure = self._interrupted(command)
        self.result()

    async def _perform(self, command: Command[Any]) -> Any:
        self._waits = task = asyncio.current_task() if command.interruptible else None
        before = task.cancelling() if task else 0
        try:
            if type(command) is cmd.Read:  # a token: nearly every command is one
                return await anext(self._chunks, None)
            answer = getattr(self, PERFORM[type(command)])(command)
            return await answer if type(answer) is CoroutineType else answer
        except asyncio.CancelledError:
            if self._woken and task and task.cancelling() == before + 1:  # by us alone
                raise TurnCancelled("woken") from None  # _failure knows the reason
            raise
        finally:
            self._waits = None
            if self._woken and task is not None:
                self._woken = False
                task.uncancel()

    def _wake(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_here)

    def _wake_here(self) -> None:
        if self._waits and self._interruption and not self._woken:
            self._woken = self._waits.cancel()

    async def _open(self, command: cmd.Open) -> None:
        stream = self.endpoint.astream(command.request)
        chunks = aiter(await self._reply.enter_async_context(stream))
        self._chunks = chunks if self.spans is None else self.spans.aread(command.request, chunks)

    async def _close(self, command: cmd.Close | None = None) -> None:
        await self._reply.aclose()
        if self.spans is not None:
            self.spans.closed()

    def _invoke(self, command: cmd.Invoke) -> None:
        self._jobs.start([self._job(call, command.message) for call in command.calls])

    async def _settle(self, command: cmd.Settle) -> cmd.Outcome | ToolProgressed:
        return await self._jobs.next()

    async def _ask(self, command: cmd.Ask) -> Decision:
        async with self._asking:  # tools ask, too
            return decided(await awaited(self.approver(command.request)))

    async def _review(self, command: cmd.Review) -> Review:
        return reviewed(await awaited(self.reviewer(command.result)))

    async def _hook(self, command: cmd.Hook) -> Any:
        return await awaited(command.function(*command.arguments))

    async def _together(self, command: cmd.Together) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._failing(hook)) for hook in command.hooks]
        except BaseExceptionGroup as stopped:  # by what is no Exception: the first counts
            raise stopped.exceptions[0] from None
        raise_all([error for task in tasks if (error := task.result())])

    async def _failing(self, hook: cmd.Hook) -> Exception | None:
        """What *hook* raises: the others are to run to their end all the same."""
        try:
            await self._hook(hook)
        except Exception as error:
            return error
        return None

    async def _compute(self, command: cmd.Compute[Any]) -> Any:
        return await asyncio.to_thread(command.function)

    async def _clean_up(self, command: cmd.CleanUp) -> None:
        await awaited(command.function())

    async def _write(self, command: cmd.Write) -> None:
        assert self.log is not None
        await unbroken(partial(self.log.write, command.records, command.durable))

    def _progressed(self, news: ToolProgressed) -> None:
        self._jobs.tell(news)

    def _ask_for(self, call: ToolCall, question: str) -> bool:
        return bool(self._jobs.wait_for(partial(self._aask_for, call, question)))

    async def _aask_for(self, call: ToolCall, question: str) -> bool:
        return isinstance(await self._ask(cmd.Ask(self._question(call, question))), Allow)

    async def _adecide(self, request: ApprovalRequest) -> Decision:
        return await self._ask(cmd.Ask(request))
