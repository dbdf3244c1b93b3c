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
from ..events import CallCompleted
from ..messages import Chunk, IdFactory, Message, ToolCall, Usage, random_id
from . import commands as cmd
from .commands import Command, Flow, Write
from .events import HistoryCompacted, TurnEnded
from .recall import Recall
from .records import (
    Record,
    write_call,
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
    _drawn: set[str] = field(default_factory=set)
    _left: list[Record] = field(default_factory=list)
    _chunks: list[Chunk] = field(default_factory=list)
    _arguments: list[Any] = field(default_factory=list)
    _error: Exception | None = None
    _before: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._before = _settled(self.conversation)

    def draw_id(self) -> str:
        """An id for a call: the one it had, or a fresh one."""
        if self.recall.ids:
            return str(self.recall.ids.popleft())
        id = self.ids()
        # A factory that repeats itself: whoever asked would try again and again, and in the end
        # make one up that is not written down.
        if id in self.conversation.seen or id in self._drawn:
            id = random_id()
        self._drawn.add(id)
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
                return self._due(Record("ended", {**told, **self._changes()}))
            case cmd.Emit(CallCompleted(call=call)):
                self._arguments.append(write_call(call)["arguments"])
            case cmd.Emit(HistoryCompacted(after=after)) if not self.recall.compacted():
                self._due(Record("compacted", {"after": [write_message(each) for each in after]}))
        return []

    def after(self, command: Command[Any], answer: Any) -> list[Record]:
        """What must be written now that *command* was answered."""
        match command:
            case cmd.Read() if answer is not None:
                self._chunks.append(answer)
            case cmd.Close():
                return self._due(self._reply())
            case cmd.Clock():
                return self._due(Record("clock", {"at": answer}))
            case cmd.Today():
                return self._due(Record("today", {"date": answer.isoformat()}))
            case cmd.Append(message, position):
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
            case cmd.Close():
                self._error = error
                return self._due(self._reply())
            case cmd.Hook() if self.recall.reading:
                self._chunks.pop()  # nobody heard it
                self._error = error
                return []
            case cmd.Hook() | cmd.Together() | cmd.Pause() if not isinstance(error, TurnCancelled):
                return []  # it will fail again
            case cmd.CleanUp():
                return []  # so will this
            case cmd.Invoke():
                return self._due(Record("unstarted", {"error": write_error(error)}))
        return self._due(Record("failed", {"hook": self.recall.hooks, "error": write_error(error)}))

    def _due(self, record: Record) -> list[Record]:
        """*record* with what waited for it in it; nothing, if it can wait itself."""
        if (followed := self.recall.left()) is not None:
            self._left.append(Record("left", {"followed": followed}))
        if record.kind in _MINOR:
            self._waiting.append(record)
            return []
        before = [[each.kind, each.data] for each in self._waiting]
        packed = Record(record.kind, {**record.data, "before": before} if before else record.data)
        due = [*self._left, packed]
        self._waiting.clear()
        self._left.clear()
        return due

    def _reply(self) -> Record:
        usages = [chunk.usage for chunk in self._chunks if chunk.usage]
        reasons = [chunk.finish_reason for chunk in self._chunks if chunk.finish_reason]
        told = {
            "parts": [[kind, "".join(texts)] for kind, texts in _runs(self._chunks)],
            "finish_reason": reasons[-1] if reasons else None,
            "usage": write_usage(sum(usages, Usage())) if usages else None,
            "error": self._error and write_error(self._error),
            # So that what is secret in them can be taken out of the text; not kept itself.
            "arguments": self._arguments,
        }
        self._chunks, self._arguments, self._error = [], [], None
        return Record("reply", told)

    def _changes(self) -> dict[str, Any]:
        """What else the turn leaves behind for those after it, where that has changed."""
        after = _settled(self.conversation)
        return {name: each for name, each in after.items() if each != self._before[name]}


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
    if _is_own(command, journal):
        journal.own = None  # said again, it is a message like any other
        return (yield command)
    if recall.answers(command):
        return recall.answer(command)
    answer: Any = recall.unknown(command)
    if answer is None:
        if again := recall.again(command):
            yield again
        yield from _written(journal, journal.before(command), command)
        try:
            answer = recall.continued(command, (yield command))
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


def _runs(chunks: Sequence[Chunk]) -> Iterator[tuple[str, list[str]]]:
    """What *chunks* say, in order, as long as it is of one kind."""
    run: tuple[str, list[str]] | None = None
    for chunk in chunks:
        for kind, text in (("reasoning", chunk.reasoning), ("text", chunk.text)):
            if text and run is not None and run[0] == kind:
                run[1].append(text)
            elif text:
                if run is not None:
                    yield run
                run = (kind, [text])
    if run is not None:
        yield run


def _settled(conversation: Conversation) -> dict[str, Any]:
    return {"granted": sorted(conversation.granted), "loop": conversation.doom_loop.state()}


def _written(journal: Journal, records: list[Record], command: Command[Any]) -> Flow[None]:
    """Have *records* written; after a write that failed there are no others."""
    if not records or journal.broken:
        return
    try:
        yield Write(tuple(records), durable=_is_grave(command, journal))
    except StoreError:
        journal.broken = True
        raise  # nothing may run, or be said to have been kept, that is not written down
