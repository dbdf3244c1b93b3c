"""Answering a turn's commands with what was written down the first time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from ..errors import StoreError
from ..messages import Chunk, Message, ToolCall, ToolResult
from . import commands as cmd
from .commands import Command
from .records import Record, read_decision, read_error, read_result, read_review, read_usage

__all__ = ["UNKNOWN_OUTCOME", "Recall"]

UNKNOWN_OUTCOME = (
    "outcome unknown: this call was started, and the program ended before it was done. It may or "
    "may not have taken effect, and was not run again; find out before you repeat it"
)
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
    the records cannot be followed to.
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
        self._ahead = deque(each for each in told if each.kind != "ids")
        self._places = deque(at for at, each in enumerate(told) if each.kind != "ids")
        self._left: int | None = None
        self._misfit: StoreError | None = None
        self._is_idempotent = is_idempotent
        self._is_whole = is_whole
        self._lost = started
        self._last: float | None = None
        self._behind = 0.0
        self._retold = False
        self.reading = False
        self._chunks: Iterator[Chunk | None] | None = None
        self._open: dict[str, ToolCall] = {}
        self._message = Message("assistant", "")
        self.hooks = 0

    def answers(self, command: Command[Any]) -> bool:
        """Whether the answer to *command* is known; it may be that it failed."""
        match command:
            case cmd.Read():
                return self._chunks is not None
            case cmd.Open() | cmd.Close():
                self.reading = isinstance(command, cmd.Open)
            case cmd.Hook() if self.reading:
                return False  # how often depends on how the reply was cut
            case cmd.Hook() | cmd.Together() | cmd.Pause():
                self.hooks += 1
                return self._was_interrupted()
        if isinstance(command, cmd.Close):
            return self._chunks is not None
        if type(command) not in ANSWERS:
            return False
        self._check(command)
        if self._misfit and not isinstance(command, _QUIET):
            return True
        return bool(self._ahead)

    def answer(self, command: Command[Any]) -> Any:
        """The answer to *command*, or the error that was raised instead."""
        match command:
            case cmd.Read():
                assert self._chunks is not None
                return next(self._chunks)
            case cmd.Close():
                self._chunks = None
                return None
        if self._misfit and not self._ahead:
            misfit, self._misfit = self._misfit, None
            raise misfit
        return self._told(command, self._next())

    def compacted(self) -> bool:
        """Whether the compaction that is told now is known."""
        known = bool(self._ahead) and self._ahead[0].kind == "compacted"
        if known:
            self._pop()
        return known

    def continued(self, command: Command[Any], answer: Any) -> Any:
        """The *answer* to *command*; a clock goes on where it stood, whatever clock it is now."""
        if isinstance(command, cmd.Clock):
            if self._last is not None:
                self._behind, self._last = self._last - answer, None
            return answer + self._behind
        if isinstance(command, cmd.Open):
            self._retold = False
        return answer

    def left(self) -> int | None:
        """How many records were followed, told once, if the others could not be."""
        left, self._left = self._left, None
        return left

    def unknown(self, command: Command[Any]) -> ToolResult | None:
        """What to say of a call that was started and may not be run again."""
        if not isinstance(command, cmd.Settle):
            return None
        for call in self._open.values():
            if not self._is_idempotent(call) or not self._is_whole(call):
                return self._settled(ToolResult(call, UNKNOWN_OUTCOME, is_error=True))
        return None

    def again(self, command: Command[Any]) -> cmd.Invoke | None:
        """What is to be run again before *command* can be performed."""
        if isinstance(command, cmd.Invoke) and self._retold:
            self._check_whole(command.calls)
        if not isinstance(command, cmd.Settle) or not self._open:
            return None
        calls, self._open = tuple(self._open.values()), {}
        return cmd.Invoke(calls, self._message)

    def _was_interrupted(self) -> bool:
        """Whether the present hook was; what it raised itself it raises again."""
        first = self._ahead[0] if self._ahead else None
        return first is not None and first.kind == "failed" and first.data["hook"] == self.hooks

    def _next(self) -> Record:
        record = self._pop()
        if record.kind == "failed":
            raise read_error(record.data["error"])
        return record

    def _pop(self) -> Record:
        self._places.popleft()
        return self._ahead.popleft()

    def _check(self, command: Command[Any]) -> None:
        """Leave the records as they are if the next one cannot answer *command*."""
        kind = self._ahead[0].kind if self._ahead else ""
        expected = ANSWERS[type(command)]
        failed = kind == "failed" and not isinstance(command, _QUIET)
        if not kind or kind == expected or failed:
            return
        self._misfit = StoreError(
            f"the journal says {kind!r} where the turn asks for {expected!r}; "
            "the tools, hooks or limits are not what they were"
        )
        self._give_up()

    def _give_up(self) -> None:
        for each in self._ahead:
            if each.kind == "started":
                self._lost.update(each.data["ids"])
        self._left = self._places[0]
        self._ahead.clear()
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
                self._last = data["at"]
                return data["at"]
            case cmd.Today():
                return date.fromisoformat(data["date"])
            case cmd.Open():
                self._chunks, self._retold = _chunks(data), True
            case cmd.Ask():
                return read_decision(data)
            case cmd.Review():
                return read_review(data)
            case cmd.Invoke(calls, message):
                self._message = message
                if self._ahead and self._ahead[0].kind == "unstarted":
                    raise read_error(self._pop().data["error"])
                self._open = {call.id: call for call in calls if call.id in data["ids"]}
            case cmd.Settle():
                return self._settled(read_result(data))
        return None

    def _settled(self, result: ToolResult) -> ToolResult:
        return replace(result, call=self._open.pop(result.call.id, result.call))


def _chunks(data: Mapping[str, Any]) -> Iterator[Chunk | None]:
    """A whole reply as it was heard, then its end, or what broke it off."""
    for kind, text in data["parts"]:
        yield Chunk(text) if kind == "text" else Chunk(reasoning=text)
    if data["finish_reason"] or data["usage"]:
        usage = read_usage(data["usage"]) if data["usage"] else None
        yield Chunk(finish_reason=data["finish_reason"], usage=usage)
    if data["error"]:
        raise read_error(data["error"])
    yield None
