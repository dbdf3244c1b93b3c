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
from .events import HistoryCompacted
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


class Recall:
    """The answers in *records*, in the order they were given.

    *is_idempotent* says of a call whether it may run again when nobody knows whether it ran.
    *started* gets the ids of calls that the records cannot be followed to.
    """

    def __init__(
        self,
        records: Iterable[Record],
        is_idempotent: Callable[[ToolCall], bool],
        started: set[str],
    ) -> None:
        told = list(records)
        self.ids = deque(id for each in told if each.kind == "ids" for id in each.data["ids"])
        self._ahead = deque(each for each in told if each.kind != "ids")
        self._is_idempotent = is_idempotent
        self._lost = started
        self._chunks: Iterator[Chunk | None] | None = None
        self._open: dict[str, ToolCall] = {}
        self._message = Message("assistant", "")
        self.hooks = 0

    def answers(self, command: Command[Any]) -> bool:
        """Whether the answer to *command* is known; it may be that it failed."""
        match command:
            case cmd.Read() | cmd.Close():
                return self._chunks is not None
            case cmd.Emit(HistoryCompacted()):
                if self._ahead and self._ahead[0].kind == "compacted":
                    self._ahead.popleft()
                return False
            case cmd.Hook() | cmd.Together() | cmd.Pause():
                self.hooks += 1
                return self._was_interrupted()
        return bool(self._ahead) and type(command) in ANSWERS

    def answer(self, command: Command[Any]) -> Any:
        """The answer to *command*, or the error that was raised instead."""
        match command:
            case cmd.Read():
                assert self._chunks is not None
                return next(self._chunks)
            case cmd.Close():
                self._chunks = None
                return None
        return self._told(command, self._next(command))

    def unknown(self, command: Command[Any]) -> ToolResult | None:
        """What to say of a call that was started and may not be run again."""
        if not isinstance(command, cmd.Settle):
            return None
        for call in self._open.values():
            if not self._is_idempotent(call):
                return self._settled(ToolResult(call, UNKNOWN_OUTCOME, is_error=True))
        return None

    def again(self, command: Command[Any]) -> cmd.Invoke | None:
        """What is to be run again before *command* can be performed."""
        if not isinstance(command, cmd.Settle) or not self._open:
            return None
        calls, self._open = tuple(self._open.values()), {}
        return cmd.Invoke(calls, self._message)

    def _was_interrupted(self) -> bool:
        """Whether the present hook was; what it raised itself it raises again."""
        first = self._ahead[0] if self._ahead else None
        return first is not None and first.kind == "failed" and first.data["hook"] == self.hooks

    def _next(self, command: Command[Any]) -> Record:
        record = self._ahead.popleft()
        kind = ANSWERS.get(type(command), "failed")
        if record.kind == "failed":
            raise read_error(record.data["error"])
        if record.kind != kind:
            self._give_up(record)
            raise StoreError(
                f"the journal says {record.kind!r} where the turn asks for {kind!r}; "
                "the tools, hooks or limits are not what they were"
            )
        return record

    def _give_up(self, record: Record) -> None:
        for each in (record, *self._ahead):
            if each.kind == "started":
                self._lost.update(each.data["ids"])
        self._ahead.clear()

    def _told(self, command: Command[Any], record: Record) -> Any:
        data = record.data
        match command:
            case cmd.Clock():
                return data["at"]
            case cmd.Today():
                return date.fromisoformat(data["date"])
            case cmd.Open():
                self._chunks = _chunks(data)
            case cmd.Ask():
                return read_decision(data)
            case cmd.Review():
                return read_review(data)
            case cmd.Invoke(calls, message):
                self._message = message
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
