"""Running tool calls at the same time, each with its own time.

Two versions of one thing: :class:`Jobs` for threads, :class:`AsyncJobs` for an event loop. A call
always ends in a result. When its time is up, or nobody waits any more, an async tool is cancelled
and a plain function is left to itself: its ``ToolContext.cancelled`` is set, what it returns is
dropped, and its thread cannot keep the process alive.
"""

from __future__ import annotations

import asyncio
import contextvars
import copy
import inspect
import logging
import queue
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...endpoints.tracing import TracedSpan
from ...protocol.errors import ToolFailed, UsageError
from ...protocol.messages import CallProblem, ToolCall, ToolResult
from ...protocol.tools.context import ToolContext, running_context
from ...protocol.tools.define import Tool
from ...protocol.tools.outcome import error_result, result_of
from ..turn.commands import Outcome
from ..turn.events import ToolProgressed

__all__ = ["AsyncJobs", "Jobs", "ToolJob", "awaited", "in_thread", "unbroken"]

#: Calls of one step that run at the same time; the others wait for their turn.
AT_ONCE = 16
#: Seconds that a cancelled async tool gets to put itself in order.
GRACE = 5.0
#: Characters of a traceback that are kept: its end, where the tool's own lines are.
_LONGEST_TRACE = 8_000
_log = logging.getLogger("toolproto.tools")


@dataclass(slots=True)
class ToolJob:
    """A call to be run; *tool* is None if it was taken away after the call was offered it.

    *hidden* takes private values out of what is logged. *traced* begins its span
    if the program traces.
    """

    call: ToolCall
    tool: Tool | None
    context: ToolContext
    cancelled: threading.Event
    seconds: float | None
    hidden: Callable[[str], str] | None = None
    traced: Callable[[ToolCall], TracedSpan] | None = None
    deadline: float = field(default=float("inf"), init=False)
    _started: float | None = field(default=None, init=False)
    _clock: float = field(default=0.0, init=False)
    # Taken when the call is started, since it was approved as it is then. And the tool gets its
    # own copy: what it does to it must not change the conversation.
    _arguments: dict[str, Any] = field(init=False)
    _cancel: Callable[[], object] | None = field(default=None, init=False)
    _span: TracedSpan | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._arguments = copy.deepcopy(dict(self.call.arguments))

    def start_clock(self) -> None:
        """From now on its time runs."""
        self._started, self._clock = time.time(), time.monotonic()
        self.deadline = self._clock + (self.seconds or float("inf"))
        self._span = self.traced(self.call) if self.traced is not None else None

    def outcome(self, result: ToolResult) -> Outcome:
        """*result*, which has just come, and how long that took."""
        if self._span is not None:
            kind = result.metadata.get("exception", "tool_error") if result.is_error else None
            self._span.end(None if kind is None else str(kind))
        return Outcome(result, self._started, time.monotonic() - self._clock)

    def begin(self) -> Any:
        """Call the function; what it returns, which may have to be awaited."""
        if self.tool is None or self.tool.function is None:
            raise ToolFailed("this tool is not there any more")
        running_context.set(self.context)
        if self._span is not None:
            self._span.adopt()
        bound = self.tool.bind(self._arguments, self.context)
        if isinstance(bound, CallProblem):
            raise ToolFailed(bound.message)
        return self.tool.function(**bound)

    def attempt(self) -> Any:
        """Call the function in this thread: its result, or what has to be awaited for it."""
        try:
            value = self.begin()
            return value if inspect.isawaitable(value) else result_of(self.call, value)
        except BaseException as error:  # a tool that calls sys.exit() has failed, no more
            return self.failed(error)

    def run(self) -> ToolResult:
        """Run to the end in this thread, in a loop of its own if the tool is async."""
        value = self.attempt()
        if isinstance(value, ToolResult):
            return value
        try:
            return result_of(self.call, asyncio.run(self._awaited(value)))
        except BaseException as error:
            return self.failed(error)

    def failed(self, error: BaseException) -> ToolResult:
        """What is said of a call that raised *error*; the model hears its words alone.

        Where it was raised is logged, and kept for the program in ``metadata["traceback"]``.
        """
        result = error_result(self.call, error)
        if isinstance(error, ToolFailed):  # the tool's own way to say no
            return result
        trace = "".join(traceback.format_exception(error))[-_LONGEST_TRACE:]
        if self.hidden is None:
            _log.warning("tool %s failed", self.call.name, exc_info=error)
        else:
            _log.warning("tool %s failed\n%s", self.call.name, self.hidden(trace))
        return replace(result, metadata={**result.metadata, "traceback": trace})

    def give_up(self) -> None:
        """Nobody waits any more: cancel it if it can be, else let it know."""
        self.cancelled.set()
        if self._span is not None:
            self._span.end("cancelled")
        if self._cancel:
            with suppress(RuntimeError):  # its loop is closed: it has just ended
                self._cancel()

    def timed_out(self) -> ToolResult:
        """What is said of a call that took too long."""
        if self._span is not None:
            self._span.end("TimeoutError")
        self.give_up()
        late = f"it took longer than {self.seconds:g} seconds and was given up"
        return ToolResult(self.call, late, is_error=True, metadata={"exception": "TimeoutError"})

    async def _awaited(self, value: Any) -> Any:
        task = asyncio.current_task()
        assert task is not None
        self._cancel = partial(asyncio.get_running_loop().call_soon_threadsafe, task.cancel)
        if self.cancelled.is_set():  # before anybody could cancel the task
            task.cancel()
        return await value


class Jobs:
    """Calls that run in threads."""

    def __init__(self) -> None:
        self._waiting: deque[ToolJob] = deque()
        self._running: dict[str, ToolJob] = {}
        # What is done; the id of a call that has news; None for a wake-up.
        self._done: queue.SimpleQueue[Outcome | str | None] = queue.SimpleQueue()
        self._news = _News()

    def start(self, jobs: Iterable[ToolJob]) -> None:
        """Start *jobs*, as many at once as may be."""
        self._waiting += jobs
        self._fill()

    def tell(self, news: ToolProgressed) -> None:
        """A call got further; from any thread."""
        if news.call.id in self._running and self._news.put(news):
            self._done.put(news.call.id)

    def next(self) -> Outcome | ToolProgressed | None:
        """What comes next: an outcome, or news of a call; None if :meth:`wake` was called."""
        while True:
            first = min(self._running.values(), key=lambda job: job.deadline)
            try:
                wait = max(first.deadline - time.monotonic(), 0)
                outcome = self._done.get(timeout=min(wait, threading.TIMEOUT_MAX))
            except queue.Empty:
                outcome = first.outcome(first.timed_out())
            if outcome is None:
                return None
            if isinstance(outcome, str):
                if news := self._news.take(outcome):
                    return news
                continue
            if self._running.pop(outcome.result.call.id, None):  # not one that was given up
                self._fill()
                return outcome

    def wake(self) -> None:
        """Make the pending or the following :meth:`next` return None; from any thread."""
        self._done.put(None)

    def stop(self) -> None:
        """Give up whatever still runs, and forget what waits."""
        self._waiting.clear()
        for job in self._running.values():
            job.give_up()
        self._running.clear()
        self._done, self._news = queue.SimpleQueue(), _News()

    def _fill(self) -> None:
        while self._waiting and len(self._running) < AT_ONCE:
            job = self._waiting.popleft()
            job.start_clock()
            self._running[job.call.id] = job
            in_thread(partial(_hand_in, job, self._done))


class _News:
    """The last news of each call that nobody has seen yet: a flood of them is one at a time."""

    def __init__(self) -> None:
        self._last: dict[str, ToolProgressed] = {}
        self._lock = threading.Lock()

    def put(self, news: ToolProgressed) -> bool:
        """Whether somebody has to be told that there are news of the call."""
        with self._lock:  # or the last would wait for a sign that the one before has used up
            unseen = news.call.id in self._last
            self._last[news.call.id] = news
        return not unseen

    def take(self, id: str) -> ToolProgressed | None:
        """The news of the call *id*, once."""
        with self._lock:
            return self._last.pop(id, None)


class AsyncJobs:
    """Calls that run as tasks; plain functions run in threads."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._jobs: dict[str, ToolJob] = {}
        self._room = asyncio.Semaphore(AT_ONCE)
        self._done: asyncio.Queue[Outcome | str] = asyncio.Queue()
        self._news = _News()

    def start(self, jobs: Iterable[ToolJob]) -> None:
        """Start *jobs*, as many at once as may be."""
        for job in jobs:
            self._jobs[job.call.id] = job
            self._keep(asyncio.create_task(self._settle(job)))

    def wait_for(self, question: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """What *question* comes to on the loop, for a tool that waits in its thread."""
        if threading.get_ident() == self._thread:
            raise UsageError("ask() would stop the event loop; an async tool awaits aask()")
        return asyncio.run_coroutine_threadsafe(self._kept(question), self._loop).result()

    async def _kept(self, question: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        task = asyncio.current_task()
        assert task is not None
        self._keep(task)
        return await question()

    def _keep(self, task: asyncio.Task[Any]) -> None:
        """Let *task* end with the jobs at the latest."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def tell(self, news: ToolProgressed) -> None:
        """A call got further; from any thread."""
        if news.call.id in self._jobs and self._news.put(news):
            with suppress(RuntimeError):  # the loop is closed: nobody watches any more
                self._loop.call_soon_threadsafe(self._done.put_nowait, news.call.id)

    async def next(self) -> Outcome | ToolProgressed:
        """What comes next: an outcome, or news of a call."""
        while True:
            outcome = await self._done.get()
            if isinstance(outcome, Outcome):
                return outcome
            if news := self._news.take(outcome):
                return news

    async def stop(self) -> None:
        """Give up whatever still runs, and wait until it has noticed."""
        for job in self._jobs.values():
            job.give_up()
        self._jobs.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE)
        self._done, self._news = asyncio.Queue(), _News()

    async def _settle(self, job: ToolJob) -> None:
        done = self._done
        async with self._room:
            job.start_clock()
            done.put_nowait(job.outcome(await self._result(job)))
            self._jobs.pop(job.call.id, None)

    async def _result(self, job: ToolJob) -> ToolResult:
        limit = asyncio.timeout(job.seconds)
        try:
            async with limit:
                return result_of(job.call, await _value(job))
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task and task.cancelling():
                raise
            return job.failed(error)  # the tool's own, not ours
        except TimeoutError as error:
            return job.timed_out() if limit.expired() else job.failed(error)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            return job.failed(error)


def in_thread(function: Callable[[], Any]) -> Future[Any]:
    """Run *function* in a thread of its own that does not keep the process alive."""
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()  # from now on nobody can cancel it
    context = contextvars.copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(function))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="toolproto-tool", daemon=True).start()
    return future


async def awaited(value: Any) -> Any:
    """*value*, or what it comes to if it has to be awaited."""
    return await value if inspect.isawaitable(value) else value


async def unbroken(function: Callable[[], Any]) -> Any:
    """Run *function* in a thread to its end, even if the waiting task is cancelled meanwhile."""
    running = asyncio.wrap_future(in_thread(function))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


def _hand_in(job: ToolJob, done: queue.SimpleQueue[Outcome | str | None]) -> None:
    done.put(job.outcome(job.run()))


async def _value(job: ToolJob) -> Any:
    if job.tool is not None and job.tool.is_async:
        return await job.begin()
    # Nothing is raised across the future: asyncio's futures take no StopIteration, and what ends a
    # thread (KeyboardInterrupt, GeneratorExit) must not end the loop.
    return await awaited(await asyncio.wrap_future(in_thread(job.attempt)))
