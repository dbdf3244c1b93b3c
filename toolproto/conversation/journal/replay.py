"""Answering a turn's commands with what was written down the first time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from ...protocol.errors import StoreError
from ...protocol.messages import Chunk, Message, ToolCall, ToolResult
from ..deciding.approvals import Allow, ApprovalRequest, Deny
from ..stores.base import Record
from ..turn import commands as cmd
from ..turn.call_results import UNKNOWN_OUTCOME
from ..turn.commands import Command, Outcome
from .decisions import read_answer, read_review
from .errors import read_error
from .messages import read_outcome
from .reply_record import chunks_of

__all__ = ["Recall"]

#: Which record answers which command.
ANSWERS: dict[type[Command[Any]], str] = {
    cmd.Clock: "clock",
    cmd.Today: "today",
    cmd.Append: "message",
    cmd.Open: "reply",
    cmd.Ask: "decision",
    cmd.Review: "review",
    cmd.Invoke: "started",
    cmd.Settle: "outcome",
}
#: Where nothing may be raised: a journal that does not fit is told at the next other command.
_QUIET = (cmd.Clock, cmd.Today, cmd.Append)


class Recall:
    """The answers in *records*, in the order they were given.

    *is_idempotent* says of a call whether it may run again when nobody knows whether it ran,
    *is_whole* whether its arguments were kept as they were. *started* gets the ids of calls that
    the records cannot be followed to; what is to be written of that is in ``left``.
    """

    def __init__(
        self,
        records: Iterable[Record],
        is_idempotent: Callable[[ToolCall], bool],
        started: set[str],
        is_whole: Callable[[ToolCall], bool] = lambda call: True,
    ) -> None:
        told = list(records)
        self.ids = deque(id for each in told if each.kind == "ids" for id in each.data["ids"])
        #: Calls that were run: decided about as their tools were at that time.
        self.begun = set(_begun(told))
        self._ahead = deque((at, each) for at, each in enumerate(told) if each.kind != "ids")
        self.left: list[Record] = []
        self._misfit: StoreError | None = None
        self._is_idempotent = is_idempotent
        self._is_whole = is_whole
        self._lost = started
        self._clock = _Clock()
        # When thoughts of the present reply began and ended: told before it, and asked for in it.
        self._thoughts: deque[float] = deque()
        self._retold = False
        self.reading = False
        self._chunks: Iterator[Chunk | None] | None = None
        self._open: dict[str, ToolCall] = {}
        self._message = Message("assistant", "")
        self.hooks = 0

    @property
    def retells(self) -> bool:
        """Whether the present reply is one that was heard before."""
        return self._chunks is not None

    def answers(self, command: Command[Any]) -> bool:
        """Whether the answer to *command* is known; it may be that it failed.

        Raises StoreError, once, if the records do not fit the turn; they are left, then.
        """
        match command:
            case cmd.Read():
                return self.retells
            case cmd.Clock() if self.retells:
                return bool(self._thoughts)
            case cmd.TakesTools():  # what was asked in the paradigm says nothing of it
                return bool(self._ahead)
            case cmd.Close():
                self.reading = False
                return self.retells
            case cmd.Hook() if self.reading:
                return False  # how often depends on how the reply was cut
            case cmd.Hook() | cmd.Together() | cmd.Pause():
                self.hooks += 1
                return self._was_interrupted()
            case cmd.Open():
                self.reading = True
                self._thoughts.clear()
        return type(command) in ANSWERS and self._fits(command)

    def answer(self, command: Command[Any]) -> Any:
        """The answer to *command*, or the error that was raised instead."""
        match command:
            case cmd.TakesTools():
                return self._pop().data["native"] if self._next == "native" else None
            case cmd.Read():
                assert self._chunks is not None
                return next(self._chunks)
            case cmd.Clock() if self.retells:
                return self._clock.told(self._thoughts.popleft())
            case cmd.Close():
                self._chunks = None
                return None
            case cmd.Ask(request) if not self._has_answer(request):
                return Allow()  # it was run
        record = self._pop()
        if record.kind == "failed":
            raise read_error(record.data["error"])
        return self._told(command, record)

    def compacted(self) -> bool:
        """Whether the compaction that is told now is known."""
        known = self._next == "compacted"
        if known:
            self._pop()
        return known

    def continued(self, command: Command[Any], answer: Any) -> Any:
        """The *answer* to *command*; a clock goes on where it stood, whatever clock it is now."""
        match command:
            case cmd.Clock():
                return self._clock.continued(answer)
            case cmd.Open():
                self._retold = False
        return answer

    def unknown(self, command: Command[Any]) -> Outcome | None:
        """What to say of a call that was started and may not be run again."""
        if not isinstance(command, cmd.Settle):
            return None
        for call in self._open.values():
            if not self._is_idempotent(call) or not self._is_whole(call):
                return self._settled(Outcome(ToolResult(call, UNKNOWN_OUTCOME, is_error=True)))
        return None

    def again(self, command: Command[Any]) -> cmd.Invoke | None:
        """What is to be run again before *command* can be performed."""
        if isinstance(command, cmd.Invoke) and self._retold:
            self._check_whole(command.calls)
        if not isinstance(command, cmd.Settle) or not self._open:
            return None
        calls, self._open = tuple(self._open.values()), {}
        return cmd.Invoke(calls, self._message)

    @property
    def _next(self) -> str:
        """Of which kind the next record is; empty if there is none."""
        return self._ahead[0][1].kind if self._ahead else ""

    def _pop(self) -> Record:
        return self._ahead.popleft()[1]

    def _was_interrupted(self) -> bool:
        """Whether the present hook was; what it raised itself it raises again."""
        return self._next == "failed" and self._ahead[0][1].data["hook"] == self.hooks

    def _fits(self, command: Command[Any]) -> bool:
        """Whether the next record answers *command*; one that cannot is left, with all others."""
        expected, is_quiet = ANSWERS[type(command)], isinstance(command, _QUIET)
        # How often a turn looks at the clock is its own business.
        if expected == "clock" and self._next != "clock":
            return False
        while self._next == "clock" and expected != "clock":
            self._thoughts.append(self._clock.told(self._pop().data["at"]))
        if not isinstance(command, cmd.Ask):
            self._skip_answers()
        elif self._misfit is None and not self._has_answer(command.request):
            # Nobody was asked: it was let run then, or somebody is to be asked now.
            return command.request.call.id in self.begun
        if not self._is_answer(command) and (is_quiet or self._next != "failed"):
            self._misfit = StoreError(
                f"the journal says {self._next!r} where the turn asks for {expected!r}; "
                "the tools, hooks or limits have changed"
            )
            self._leave()
        if self._misfit and not is_quiet:
            misfit, self._misfit = self._misfit, None
            raise misfit
        return bool(self._ahead)

    def _has_answer(self, request: ApprovalRequest) -> bool:
        """Return True if the next record answers *request*, after bringing that to the front.

        Where tools have changed, calls may be asked about in another order than at that time.
        """
        found = next((each for each in self._ahead if _answers(each[1], request)), None)
        if found is None:
            return self._next == "failed"
        self._ahead.remove(found)
        self._ahead.appendleft(found)
        return True

    def _is_answer(self, command: Command[Any]) -> bool:
        """Return True if the next record answers *command*, or if there is none."""
        if isinstance(command, cmd.Invoke) and self._next == "started":
            return {call.id for call in command.calls} == {*self._ahead[0][1].data["ids"]}
        return self._next in ("", ANSWERS[type(command)])

    def _skip_answers(self) -> None:
        """Pass over answers to what nobody asks any more; a no is none of them."""
        while self._next == "decision" and not isinstance(
            read_answer(self._ahead[0][1].data).decision, Deny
        ):
            self._pop()

    def end(self) -> None:
        """Leave what is still ahead at the end of the turn, if there is a call that was run."""
        if any(each.kind == "started" for _, each in self._ahead):
            self._leave()

    def _leave(self) -> None:
        self.left.append(Record("left", {"followed": self._ahead[0][0]}))
        for _, each in self._ahead:
            if each.kind == "started":
                self._lost.update(each.data["ids"])
        self._ahead.clear()
        self.begun.clear()
        self.ids.clear()

    def _check_whole(self, calls: Iterable[ToolCall]) -> None:
        for call in calls:
            if not self._is_whole(call):
                raise StoreError(
                    f"the call of {call.name!r} cannot be run any more: "
                    "its arguments were redacted when they were written down"
                )

    def _told(self, command: Command[Any], record: Record) -> Any:
        data = record.data
        match command:
            case cmd.Clock():
                return self._clock.told(data["at"])
            case cmd.Today():
                return date.fromisoformat(data["date"])
            case cmd.Open():
                self._chunks, self._retold = chunks_of(data), True
            case cmd.Ask():
                answer = read_answer(data)
                return answer if answer.pin else answer.decision
            case cmd.Review():
                return read_review(data)
            case cmd.Invoke(calls, message):
                self._message = message
                if self._next == "unstarted":
                    raise read_error(self._pop().data["error"])
                self._open = {call.id: call for call in calls if call.id in data["ids"]}
            case cmd.Settle():
                return self._settled(read_outcome(data))
        return None

    def _settled(self, outcome: Outcome) -> Outcome:
        result = outcome.result
        known = replace(result, call=self._open.pop(result.call.id, result.call))
        return replace(outcome, result=known)


def _answers(record: Record, request: ApprovalRequest) -> bool:
    """Whether *record* is the answer to *request*, or to what it was then."""
    if record.kind != "decision":
        return False
    told = record.data
    is_loop = any(kind == "loop" for kind, *_ in told.get("asked", ()))
    same_kind = "asked" not in told or is_loop == (request.kind == "loop")
    return bool(told.get("id") == request.call.id and same_kind)


def _begun(told: Sequence[Record]) -> Iterator[str]:
    for at, each in enumerate(told):
        if each.kind == "started" and not (told[at + 1 :] and told[at + 1].kind == "unstarted"):
            yield from each.data["ids"]


class _Clock:
    """Goes on from the last time that was told, however long ago that is by the present clock."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._behind = 0.0

    def told(self, at: float) -> float:
        self._last = at
        return at

    def continued(self, now: float) -> float:
        if self._last is not None:
            self._behind, self._last = self._last - now, None
        return now + self._behind
