"""Everything toolproto raises.

::

    ToolProtoError
    ├── UsageError           the program misused the library: raised at once, names the remedy
    ├── EndpointError        the service failed: its status and what it said
    │   ├── EndpointTimeout  it took longer than it may
    │   ├── ToolsRefused     it takes no tools of its own, or cannot use these
    │   └── WireError        what came is not what such a service sends
    ├── TurnCancelled        somebody stopped the turn
    │   └── TurnTimeout      its time ran out
    ├── LimitReached         the model went on and on: requests, re-asks, the same calls again
    ├── StoreError           a session could not be read or written
    │   ├── SessionConflict  somebody else writes to the same session
    │   └── StoreFull        more waits to be done than there is room for: come again later
    ├── McpError             an MCP server cannot be started, or does not answer as one
    ├── ToolFailed           a tool's own way of telling the model that it could not do it
    └── CallError            a CallProblem, for callers who asked for exceptions

What the *model* gets wrong is not raised: it is a
:class:`~toolproto.protocol.messages.CallProblem`, because the loop answers it.
"""

from __future__ import annotations

import copyreg
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .messages import CallProblem

__all__ = [
    "CallError",
    "EndpointError",
    "EndpointTimeout",
    "LimitReached",
    "McpError",
    "SessionConflict",
    "StoreError",
    "StoreFull",
    "ToolFailed",
    "ToolProtoError",
    "ToolsRefused",
    "TurnCancelled",
    "TurnTimeout",
    "UsageError",
    "WireError",
]


class ToolProtoError(Exception):
    """Base class of every error toolproto raises."""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default an exception is made again from its message, and some of these take more.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class UsageError(ToolProtoError):
    """The program asked for something that cannot work."""


class EndpointError(ToolProtoError):
    """The service behind an endpoint failed, or could not be reached.

    *status* is its HTTP status, None if there was no answer; *body* is the beginning of its answer;
    *retry_after* is how many seconds it asked to wait.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        body: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body = body
        self.retry_after = retry_after


class EndpointTimeout(EndpointError):
    """The service took too long: to connect, to begin, to continue, or in all."""


class ToolsRefused(EndpointError):
    """The service refused a request because of its tools, and may take it without them.

    *remembered* is whether it has no tools at all, and is not offered any for some minutes. It is
    False where only this request was wrong: a schema (*by_schema*), a choice, a call that could not
    be read.
    """

    remembered = False
    by_schema = False


class WireError(EndpointError):
    """The service sent garbage, a broken frame or an incomplete reply."""


class TurnCancelled(ToolProtoError):
    """Somebody stopped the turn."""


class TurnTimeout(TurnCancelled):
    """The turn was stopped because its time ran out."""


class LimitReached(ToolProtoError):
    """The turn was stopped because the model did not come to an end."""

    def __init__(self, message: str, limit: Literal["requests", "reasks", "repetition"]) -> None:
        super().__init__(message)
        self.limit = limit


class StoreError(ToolProtoError):
    """A session could not be read or written; nothing was half written."""


class SessionConflict(StoreError):
    """Somebody else has written to the session since it was opened; open it again."""


class StoreFull(StoreError):
    """More waits to be done than there is room for: come again later."""


class McpError(ToolProtoError):
    """An MCP server cannot be started or reached, or does not answer as one does."""


class CallError(ToolProtoError):
    """A problem with a call, raised because the caller asked for exceptions."""

    def __init__(self, problem: CallProblem) -> None:
        super().__init__(f"{problem.kind.value}: {problem.message}")
        self.problem = problem


class ToolFailed(ToolProtoError):
    """Raised inside a tool: its message goes to the model as an error result."""
