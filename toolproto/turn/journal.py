"""What a turn is told, written down as it is told, and told again.

:func:`journaled` stands between a turn and its driver and does no I/O either. Going forward it
passes commands on and has the answers written down: a call's start before it runs, its outcome
after. Given what was written of a turn that broke off, it answers from that first, so that the turn
comes to the same point in the same way, and then goes on for real. A call of which only the start
is known is not run again, unless its tool is idempotent: the model is told that nobody knows.

Hooks are not written down: they run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..errors import StoreError, TurnCancelled
from ..messages import Chunk, IdFactory, Message, ToolCall, Usage
from . import commands as cmd
from .commands import Command, Flow, Write
from .events import HistoryCompacted, TurnEnded
from .recall import Recall
from .records import (
    Record,
    write_decision,
    write_error,
    write_message,
    write_pending,
    write_result,
    write_review,
    write_usage,
)
from .setup import Conversation

__all__ = ["VERSION", "Journal", "journaled", "unpacked"]

#: Of the records; a newer one is refused.
VERSION = 1

T = TypeVar("T")
#: Records that wait for the next one that matters: a turn that loses them loses nothing.
_MINOR = frozenset({"clock", "today", "ids", "message", "compacted"})


@dataclass(slots=True)
class Journal:
    """Makes the records of one turn of *conversation*.

    *ids* is where ids of calls come from, *recall* what is known of the turn from an earlier time,
    *own* the user's message, which its beginning tells. *is_grave* says of a call whether its start
    must survive even a power cut.
    """

    conversation: Conversation
    ids: IdFactory
    recall: Recall
    own: Message | None = None
    is_grave: Callable[[ToolCall], bool] = lambda call: True
    broken: bool = False
    _waiting: list[Record] = field(default_factory=list)
    _parts: list[tuple[str, list[str]]] = field(default_factory=list)
    _usage: Usage | None = None
    _finish_reason: str | None = None
    _error: Exception | None = None

    def draw_id(self) -> str:
        """An id for a call: the one it had, or a fresh one."""
        if self.recall.ids:
            return str(self.recall.ids.popleft())
        id = self.ids()
        self._waiting.append(Record("ids", {"ids": [id]}))
        return id

    def before(self, command: Command[Any]) -> list[Record]:
        """What must be written before *command* is performed."""
        match command:
            case cmd.Invoke(calls):
                return self._due(Record("started", {"ids": [call.id for call in calls]}))
            case cmd.Emit(TurnEnded(result)):
                pending = self.conversation.pending
                told = {"status": result.status, "pending": pending and write_pending(pending)}
                return self._due(Record("ended", told))
            case cmd.Emit(HistoryCompacted(after=after)):
                self._due(Record("compacted", {"after": [write_message(each) for each in after]}))
        return []

    def after(self, command: Command[Any], answer: Any) -> list[Record]:
        """What must be written now that *command* was answered."""
        match command:
            case cmd.Read():
                self._heard(answer)
            case cmd.Close():
                return self._due(self._reply())
            case cmd.Clock():
                return self._due(Record("clock", {"at": answer}))
            case cmd.Today():
                return self._due(Record("today", {"date": answer.isoformat()}))
            case cmd.Append(message, position) if message is not self.own:
                told = {"message": write_message(message), "position": position}
                return self._due(Record("message", told))
            case cmd.Ask(request):
                told = {"id": request.call.id, "tool": request.call.name}
                return self._due(Record("decision", {**told, **write_decision(answer)}))
            case cmd.Review():
                return self._due(Record("review", write_review(answer)))
            case cmd.Settle():
                return self._due(Record("outcome", write_result(answer)))
        return []

    def failed(self, command: Command[Any], error: Exception) -> list[Record]:
        """What must be written now that *error* came instead of an answer."""
        match command:
            case cmd.Open() | cmd.Read():
                self._error = error  # part of the reply
                return []
            case cmd.Hook() | cmd.Together() | cmd.Pause() if not isinstance(error, TurnCancelled):
                return []  # it will fail again
        return self._due(Record("failed", {"hook": self.recall.hooks, "error": write_error(error)}))

    def _due(self, record: Record) -> list[Record]:
        """*record* with what waited for it in it; nothing, if it can wait itself."""
        if record.kind in _MINOR:
            self._waiting.append(record)
            return []
        before = [[each.kind, each.data] for each in self._waiting]
        self._waiting.clear()
        return [Record(record.kind, {**record.data, "before": before} if before else record.data)]

    def _heard(self, chunk: Chunk | None) -> None:
        if chunk is None:
            return
        for kind, text in (("reasoning", chunk.reasoning), ("text", chunk.text)):
            if text:
                if not self._parts or self._parts[-1][0] != kind:
                    self._parts.append((kind, []))
                self._parts[-1][1].append(text)
        if chunk.usage:
            self._usage = (self._usage or Usage()) + chunk.usage
        self._finish_reason = chunk.finish_reason or self._finish_reason

    def _reply(self) -> Record:
        told = {
            "parts": [[kind, "".join(texts)] for kind, texts in self._parts],
            "finish_reason": self._finish_reason,
            "usage": self._usage and write_usage(self._usage),
            "error": self._error and write_error(self._error),
        }
        self._parts, self._usage, self._finish_reason, self._error = [], None, None, None
        return Record("reply", told)


def unpacked(record: Record) -> Iterator[Record]:
    """What is in *record*: those that waited for it, then itself."""
    yield from (Record(kind, data) for kind, data in record.data.get("before", ()))
    data = {name: value for name, value in record.data.items() if name != "before"}
    yield Record(record.kind, data)


def journaled(flow: Flow[T], journal: Journal, beginning: Sequence[Record] = ()) -> Flow[T]:
    """*flow*, its answers written down; *beginning* is written before anything happens."""
    answer: Any = None
    failure: Exception | None = None
    if beginning:
        yield Write(tuple(beginning), durable=True)
    while True:
        try:
            command = flow.throw(failure) if failure is not None else flow.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        answer = failure = None
        try:
            answer = yield from _performed(command, journal)
        except Exception as error:
            failure = error


def _performed(command: Command[Any], journal: Journal) -> Flow[Any]:
    recall = journal.recall
    if not _is_own(command, journal) and recall.answers(command):
        return recall.answer(command)
    answer: Any = recall.unknown(command)
    if answer is None:
        if again := recall.again(command):
            yield again
        yield from _written(journal, journal.before(command), command)
        try:
            answer = yield command
        except StoreError:
            raise
        except Exception as error:
            yield from _written(journal, journal.failed(command, error), command)
            raise
    yield from _written(journal, journal.after(command, answer), command)
    return answer


def _is_grave(command: Command[Any], journal: Journal) -> bool:
    return isinstance(command, cmd.Invoke) and any(map(journal.is_grave, command.calls))


def _is_own(command: Command[Any], journal: Journal) -> bool:
    return isinstance(command, cmd.Append) and command.message is journal.own


def _written(journal: Journal, records: list[Record], command: Command[Any]) -> Flow[None]:
    """Have *records* written; after a write that failed there are no others."""
    if not records or journal.broken:
        return
    try:
        yield Write(tuple(records), durable=_is_grave(command, journal))
    except StoreError:
        journal.broken = True
        raise  # nothing may run, or be said to have been kept, that is not written down
