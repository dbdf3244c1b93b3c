"""Where the calls of a reply are told of, as the readers of calls see it.

What becomes of them there, whether they wait or turn out to be merely shown, is no concern of who
reads them.
"""

from __future__ import annotations

from dataclasses import replace
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


class UntilClosed:
    """Hands calls on to *out*, each when it is known how it ends: with its closer, or the next one.

    The closer is a marker, or the bracket of a list, which stands behind what the call consists of.
    """

    __slots__ = ("_last", "_out", "arguments", "new_id")

    def __init__(self, out: CallSink) -> None:
        self._out = out
        self._last: tuple[int, ToolCall] | None = None  # that came to its end, but for the closer
        self.new_id, self.arguments = out.new_id, out.arguments

    @property
    def cut(self) -> bool:
        """Was the reply ended by a limit?"""
        return self._out.cut

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What every call from here on departs in."""
        return self._out.repairs

    @repairs.setter
    def repairs(self, repairs: tuple[Repair, ...]) -> None:
        self._out.repairs = repairs

    @property
    def rereads(self) -> int:
        """How many strings were read again to a nearer end."""
        return self._out.rereads

    @rereads.setter
    def rereads(self, rereads: int) -> None:
        self._out.rereads = rereads

    def started(self, name: str, id: str) -> int:
        """Tell of the next call: the one before is over."""
        self.close()
        return self._out.started(name, id)

    def completed(self, index: int, call: ToolCall) -> None:
        """The call is whole, but its closer is still to come."""
        self.close()
        self._last = index, call

    def rejected(self, index: int | None, problem: CallProblem) -> None:
        """Tell that the call cannot be used."""
        self.close()
        self._out.rejected(index, problem)

    def rejected_text(self, kind: ProblemKind, message: str, raw: str, start: int) -> None:
        """Tell that *raw* was to be a call."""
        self.close()
        self._out.rejected_text(kind, message, raw, start)

    def amend(self, repair: Repair) -> None:
        """The call that is still to be closed departs from the form in this, too."""
        if self._last is not None:
            index, call = self._last
            if all(each.name != repair.name for each in call.repairs):
                self._last = index, replace(call, repairs=(*call.repairs, repair))

    def close(self, *repairs: Repair) -> None:
        """The last call, if it is not yet told of, is closed, and departs in *repairs*."""
        for repair in repairs:
            self.amend(repair)
        if self._last is not None:
            last, self._last = self._last, None
            self._out.completed(*last)
