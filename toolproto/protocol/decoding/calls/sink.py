"""What takes the calls of a reply, as the readers of calls see it.

Whether they go out at once or turn out to be merely shown is no concern of those readers.
"""

from __future__ import annotations

from typing import Protocol

from ...messages import CallProblem, ProblemKind, Repair, ToolCall


class CallSink(Protocol):
    """Takes calls in the order in which they begin: started, arguments, completed or rejected."""

    repairs: tuple[Repair, ...]  # what every call from here on departs in
    rereads: int  # strings that were read again to a nearer end

    @property
    def cut(self) -> bool:
        """Was the reply ended by a limit? What waits for more text lacks it then."""
        ...

    def new_id(self, wanted: str = "") -> str:
        """Return an id that no call before has, *wanted* if it is one."""
        ...

    def started(self, name: str, id: str) -> int:
        """Tell of a call; return its index, which the other events about it carry."""
        ...

    def arguments(self, index: int, text: str) -> None:
        """Tell more of its arguments, as JSON."""
        ...

    def completed(self, index: int, call: ToolCall) -> None:
        """Tell that it is whole."""
        ...

    def rejected(self, index: int | None, problem: CallProblem) -> None:
        """Tell that it cannot be used; it has no *index* if it was not told of before."""
        ...

    def rejected_text(self, kind: ProblemKind, message: str, raw: str, start: int) -> None:
        """Tell that *raw*, which begins at *start* in the reply, was to be a call."""
        ...
