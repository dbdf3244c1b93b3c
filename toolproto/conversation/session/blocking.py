"""Performing a turn by waiting for the world."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import Any

from ...endpoints.base import Abortable, Endpoint
from ...protocol.errors import TurnCancelled, UsageError
from ...protocol.messages import Chunk, ToolCall
from ..deciding.approvals import Allow, ApprovalRequest, Decision, Review, decided, reviewed
from ..turn import commands as cmd
from ..turn.commands import Flow
from ..turn.events import SessionEvent, StateChanged, ToolProgressed
from ..turn.flow import Turn
from ..turn.result import TurnResult
from .driver import PERFORM, Driver, raise_all
from .running_calls import Jobs, in_thread

__all__ = ["BlockingDriver"]


#: Seconds that a hook has before the next one starts beside it. One that waits for nothing is done
#: by then, as on an event loop: what such hooks append stands in the order of the hooks.
_HEAD_START = 0.1


class BlockingDriver(Driver):
    """Reads *endpoint* in the thread of the caller; tools run in threads of their own."""

    def __init__(self, endpoint: Endpoint, *shared: Any) -> None:
        super().__init__(*shared)
        self.endpoint = endpoint
        self._jobs = Jobs()
        self._reply = ExitStack()
        self._chunks: Iterator[Chunk] = iter(())
        self._asking = threading.Lock()

    @contextmanager
    def driving(self, turn: Turn, flow: Flow[TurnResult[Any]]) -> Iterator[Iterator[SessionEvent]]:
        """The events of *flow*, which is performed as they are read; all is closed at the end."""
        self.begin(turn)
        with ExitStack() as stack:
            stack.callback(self.end)
            stack.callback(self._jobs.stop)
            stack.callback(self._close)
            if self.limits.seconds is not None:
                timer = threading.Timer(
                    min(self.limits.seconds, threading.TIMEOUT_MAX), self._run_out
                )
                timer.daemon = True
                timer.start()
                stack.callback(timer.join)
                stack.callback(timer.cancel)
            yield stack.enter_context(closing(self._drive(turn, flow)))

    def _drive(self, turn: Turn, flow: Flow[TurnResult[Any]]) -> Generator[SessionEvent]:
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
                elif type(command) is cmd.Read and self._interruption is None:
                    answer = next(self._chunks, None)  # a token: nearly every command is one
                else:
                    self._check_interruption(command)
                    answer = getattr(self, PERFORM[type(command)])(command)
                    while type(answer) is ToolProgressed:  # news, and no answer yet
                        if turn.stopped is None:
                            yield answer
                        self._check_interruption(command)
                        answer = getattr(self, PERFORM[type(command)])(command)
            except Exception as error:
                failure = self._failure(error, command)
            except BaseException as error:  # Ctrl-C, or nobody reads on: end the turn quietly
                turn.stopped = error
                self.interrupt(TurnCancelled("the turn was left before its end"))
                failure = self._interrupted(command)
        self.result()

    def _wake(self) -> None:
        self._jobs.wake()
        if isinstance(self._chunks, Abortable):
            self._chunks.abort()

    def _open(self, command: cmd.Open) -> None:
        chunks = iter(self._reply.enter_context(self.endpoint.stream(command.request)))
        self._chunks = chunks if self.spans is None else self.spans.read(command.request, chunks)

    def _read(self, command: cmd.Read) -> Chunk | None:
        return next(self._chunks, None)

    def _close(self, command: cmd.Close | None = None) -> None:
        self._chunks = iter(())
        self._reply.close()
        if self.spans is not None:
            self.spans.closed()

    def _invoke(self, command: cmd.Invoke) -> None:
        self._jobs.start([self._job(call, command.message) for call in command.calls])

    def _settle(self, command: cmd.Settle) -> cmd.Outcome | ToolProgressed:
        while (outcome := self._jobs.next()) is None:
            self._check_interruption(command)
        return outcome

    def _ask(self, command: cmd.Ask) -> Decision:
        with self._asking:  # tools ask, too, from their threads
            return decided(_plain(self.approver(command.request), "the approver"))

    def _review(self, command: cmd.Review) -> Review:
        return reviewed(_plain(self.reviewer(command.result), "the reviewer"))

    def _hook(self, command: cmd.Hook) -> Any:
        # Any callable will do, and not every one has a name.
        name = getattr(command.function, "__name__", repr(command.function))
        return _plain(command.function(*command.arguments), f"hook {name}")

    def _together(self, command: cmd.Together) -> None:
        if len(command.hooks) == 1:
            self._hook(command.hooks[0])
            return
        running: list[Future[Any]] = []
        for hook in command.hooks:
            running.append(in_thread(partial(self._hook, hook)))
            wait(running[-1:], _HEAD_START)
        errors: list[Exception] = []
        for each in running:
            try:
                each.result()
            except Exception as error:
                errors.append(error)
        raise_all(errors)

    def _clean_up(self, command: cmd.CleanUp) -> None:
        _plain(command.function(), "a clean-up")

    def _compute(self, command: cmd.Compute[Any]) -> Any:
        return command.function()

    def _write(self, command: cmd.Write) -> None:
        assert self.log is not None
        self.log.write(command.records, command.durable)

    def _progressed(self, news: ToolProgressed) -> None:
        self._jobs.tell(news)

    def _ask_for(self, call: ToolCall, question: str) -> bool:
        return isinstance(self._ask(cmd.Ask(self._question(call, question))), Allow)

    async def _aask_for(self, call: ToolCall, question: str) -> bool:
        return self._ask_for(call, question)

    async def _adecide(self, request: ApprovalRequest) -> Decision:
        return self._ask(cmd.Ask(request))


def _plain(value: Any, what: str) -> Any:
    """*value*, unless it would have to be awaited."""
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise UsageError(f"{what} is async; use an AsyncChatSession")
    return value
