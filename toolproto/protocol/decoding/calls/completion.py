"""When is a call complete? With what closes it, or with the first character that decides.

What closes a call is its closing marker, or the bracket of the list or object around it. Until that
comes the call waits here; the next call, anything that is neither a call nor a closer, and the end
of the reply complete it too, with a repair that says what is missing.
"""

from __future__ import annotations

from dataclasses import replace

from ...messages import CallProblem, ProblemKind, Repair, ToolCall
from .sink import CallSink


class UntilClosed:
    """Hands calls on to *out*; the last one waits for `close`."""

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
