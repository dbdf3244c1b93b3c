"""What a running tool may know about the conversation that called it.

A tool that wants it takes a parameter annotated :class:`ToolContext`; the model never hears of
that parameter::

    @tool(risk="write")
    def clear(folder: str, context: ToolContext) -> str:
        if not context.ask(f"Delete everything in {folder}?"):
            raise ToolFailed("the user wants to keep it")
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..messages import Message, ToolCall

__all__ = ["Cancellation", "ToolContext", "running_context"]

_LONGEST_PROGRESS = 500


class Cancellation(Protocol):
    """Set once nobody waits for the tool any more: the turn was stopped, or its time is up."""

    def is_set(self) -> bool:
        """Whether the tool should stop."""
        ...

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set, *timeout* seconds at most; whether it is."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The call for which a tool was started, and ways to answer while it runs.

    *session* is the ChatSession or AsyncChatSession, *message* the assistant message that contains
    the call. Tools run in their own thread or task: an async tool is simply cancelled; a plain
    function that works for long should look at *cancelled* now and then.
    """

    session: Any
    message: Message
    call: ToolCall
    cancelled: Cancellation
    _ask: Callable[[str], bool] = field(repr=False)
    _aask: Callable[[str], Awaitable[bool]] = field(repr=False)
    _adecide: Callable[[Any], Awaitable[Any]] | None = field(default=None, repr=False)
    _progress: Callable[[float, float | None, str], object] | None = field(default=None, repr=False)

    @property
    def call_id(self) -> str:
        """The id of the call."""
        return self.call.id

    def ask(self, question: str) -> bool:
        """Ask the session's approver *question* and wait: for tools that are plain functions.

        If the call was given up, the answer is no.
        """
        return not self.cancelled.is_set() and self._ask(question)

    async def aask(self, question: str) -> bool:
        """Ask the session's approver *question*: for async tools."""
        return not self.cancelled.is_set() and await self._aask(question)

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report how far the call is: *done* of *total*, in the tool's own unit.

        May be called from any thread, and never waits: if reports come faster than they are read,
        only the last one is kept.
        """
        if self._progress is not None and not self.cancelled.is_set():
            self._progress(done, total, message[:_LONGEST_PROGRESS])

    async def adecide(self, request: Any) -> Any:
        """The answer of the session's approver to an ApprovalRequest that the tool made.

        None if nobody can be asked any more.
        """
        if self._adecide is None or self.cancelled.is_set():
            return None
        return await self._adecide(request)


#: Of the call that runs here, for functions whose parameters are all the model's.
running_context: ContextVar[ToolContext | None] = ContextVar("running_context", default=None)
