"""Everything toolproto raises.

::

    ToolProtoError
    ├── UsageError      the program misused the library: raised at once, names the remedy
    ├── CallError       a CallProblem, for callers who asked for exceptions
    └── ToolFailed      a tool's own way of telling the model that it could not do it

What the *model* gets wrong is not raised: it is a
:class:`~toolproto.messages.CallProblem`, because the loop answers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .messages import CallProblem

__all__ = ["CallError", "ToolFailed", "ToolProtoError", "UsageError"]


class ToolProtoError(Exception):
    """Base class of every error toolproto raises."""


class UsageError(ToolProtoError):
    """The program asked for something that cannot work."""


class CallError(ToolProtoError):
    """A problem with a call, raised because the caller asked for exceptions."""

    def __init__(self, problem: CallProblem) -> None:
        super().__init__(f"{problem.kind.value}: {problem.message}")
        self.problem = problem


class ToolFailed(ToolProtoError):
    """Raised inside a tool: its message goes to the model as an error result."""
