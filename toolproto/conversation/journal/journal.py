"""What a turn is told, written down as it is told, and told again.

:func:`journaled` stands between a turn and its driver and does no I/O either. Going forward it
passes commands on and has the answers written down: a call's start before it runs, its outcome
after. Given what was written of a turn that broke off, it answers from that first, so that the turn
comes to the same point in the same way, and then goes on for real. A call of which only the start
is known is not run again, unless its tool is idempotent: the model is told that nobody knows.

Hooks are not written down: they run again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...protocol.errors import StoreError, TurnCancelled
from ...protocol.events import CallCompleted
from ...protocol.messages import IdFactory, Message, ToolCall, random_id
from ..deciding.approvals import EarlierAnswer
from ..stores.base import Record
from ..turn import commands as cmd
from ..turn.commands import Command, Flow, Write
from ..turn.events import ApprovalAsked, HistoryCompacted, TurnEnded
from ..turn.setup import Conversation
from .decisions import write_answer, write_grants, write_loop, write_pending, write_review
from .errors import ending_of, write_ending, write_error
from .messages import write_message, write_outcome
from .packing import unpacked, with_before
from .replay import Recall
from .reply_record import HeardReply

__all__ = ["VERSION", "Journal", "journaled", "unpacked"]

#: Of the records; any other is refused. Version 1 was never released.
VERSION = 2

T = TypeVar("T")
#: What may take its time, or act on a reply: not before that is written. Between a reply and the
#: start of its calls there often is nothing of the kind, and one write has both.
_WAITS_FOR_THE_REPLY = frozenset({cmd.Open, cmd.Ask, cmd.Review, cmd.Hook, cmd.Together})
#: The only events that a journal takes note of.
_NOTED = frozenset({ApprovalAsked, CallCompleted, HistoryCompacted, TurnEnded})


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
    reply: HeardReply = field(default_factory=HeardReply)
    # What goes into the next record that matters: a turn that loses it loses nothing.
    _minor: list[Record] = field(default_factory=list)
    # What goes into the next write.
    _ready: list[Record] = field(default_factory=list)
    _drawn: set[str] = field(default_factory=set)
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
        self._minor.append(Record("ids", {"ids": [id]}))
        return id

    def before(self, command: Command[Any]) -> list[Record]:
        """What must be written before *command* is performed."""
        match command:
            case cmd.Invoke(calls):
                return self._due(Record("started", {"ids": [call.id for call in calls]}))
            case cmd.Emit(TurnEnded(result)):
                told = {"status": result.status, **write_ending(ending_of(result))}
                return self._due(Record("ended", {**told, **self._changes()}))
            case cmd.Emit(CallCompleted(call=call)):
                self.reply.arguments.append(call.arguments)
            case cmd.Emit(HistoryCompacted(after=after)) if not self.recall.compacted():
                told = {"after": [write_message(each) for each in after]}
                self._note(Record("compacted", told))
            case cmd.Emit(ApprovalAsked()):  # whoever watches may take as long as whoever decides
                return self._reply_due()
        return self._reply_due() if type(command) in _WAITS_FOR_THE_REPLY else []

    def after(self, command: Command[Any], answer: Any) -> list[Record]:
        """What must be written now that *command* was answered."""
        match command:
            case cmd.Close():
                self.reply.is_over = True
            case cmd.Clock():
                self._note(Record("clock", {"at": answer}))
            case cmd.Today():
                self._note(Record("today", {"date": answer.isoformat()}))
            case cmd.Append(message, position):
                told: dict[str, Any] = {"position": position, **write_message(message)}
                self._note(Record("message", told))
            case cmd.Ask(request):
                told = {"id": request.call.id, "tool": request.call.name}
                if request.concerns:  # for people: nothing reads them
                    told["concerns"] = [each.line for each in request.concerns]
                about = EarlierAnswer(answer, request.digest, request.asked, request.pin)
                return self._due(Record("decision", {**told, **write_answer(about)}))
            case cmd.Review():
                return self._due(Record("review", write_review(answer)))
            case cmd.Settle():
                return self._due(Record("outcome", write_outcome(answer)))
        return []

    def failed(self, command: Command[Any], error: Exception) -> list[Record]:
        """What must be written now that *error* came instead of an answer."""
        match command:
            case cmd.Open() | cmd.Read():
                self.reply.error = error  # part of the reply
                return []
            case cmd.Close():
                self.reply.error = error
                self.reply.is_over = True
                return []
            case cmd.Hook() if self.recall.reading:
                self.reply.chunks.pop()  # nobody heard it
                self.reply.error = error
                return []
            case cmd.Hook() | cmd.Together() | cmd.Pause() if not isinstance(error, TurnCancelled):
                return []  # it will fail again
            case cmd.CleanUp() | cmd.Compute():
                return []  # so will these
            case cmd.Invoke():
                return self._due(Record("unstarted", {"error": write_error(error)}))
        return self._due(Record("failed", {"hook": self.recall.hooks, "error": write_error(error)}))

    def _note(self, record: Record) -> None:
        self._take_reply()
        self._minor.append(record)

    def _due(self, record: Record) -> list[Record]:
        """*record*, and all that is to be written before it."""
        self._take_reply()
        self._pack(record)
        return self._all_ready()

    def _reply_due(self) -> list[Record]:
        """What was said, if it is not written yet."""
        self._take_reply()
        if any(each.kind == "reply" for each in self._minor):
            self._pack(self._minor.pop())
        return self._all_ready()

    def _take_reply(self) -> None:
        """Make a record of the reply that is over; its last calls may be known only then."""
        if self.reply.is_over:
            reply = self.reply.ended()
            # Redaction learns what is secret from the arguments that a record of its own has.
            self._pack(reply) if "arguments" in reply.data else self._minor.append(reply)

    def _pack(self, record: Record) -> None:
        """Have *record* ready, with what waited for it in it."""
        if self._minor:
            record = with_before(record, self._minor)
            self._minor.clear()
        self._ready += (*self.recall.left, record)
        self.recall.left.clear()

    def _all_ready(self) -> list[Record]:
        ready, self._ready = self._ready, []
        return ready

    def _changes(self) -> dict[str, Any]:
        """What else the turn leaves behind for those after it, where that has changed."""
        after = _settled(self.conversation)
        changes = {name: each for name, each in after.items() if each != self._before[name]}
        if pending := self.conversation.pending:
            changes["pending"] = write_pending(pending)
        return changes


def journaled(flow: Flow[T], journal: Journal, beginning: Sequence[Record] = ()) -> Flow[T]:
    """*flow*, its answers written down; *beginning* is written before anything happens."""
    answer: Any = None
    failure: Exception | None = None
    recall, heard = journal.recall, journal.reply.chunks
    if beginning:
        yield Write(tuple(beginning), durable=True)
    while True:
        try:
            command = flow.throw(failure) if failure is not None else flow.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        answer = failure = None
        hears = type(command) is cmd.Read and not recall.retells
        try:
            # Nearly all commands are these two, for every token: nothing else may be done then.
            if hears:
                heard.append(answer := (yield command))
            elif type(command) is cmd.Emit and type(command.event) not in _NOTED:
                yield command
            else:
                answer = yield from _performed(command, journal)
        except Exception as error:
            failure = error
            if hears:
                journal.failed(command, error)


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


def _settled(conversation: Conversation) -> dict[str, Any]:
    loop = write_loop(conversation.doom_loop.state())
    return {"granted": write_grants(conversation.granted), "loop": loop}


def _written(journal: Journal, records: list[Record], command: Command[Any]) -> Flow[None]:
    """Have *records* written; after a write that failed there are no others."""
    if not records or journal.broken:
        return
    try:
        yield Write(tuple(records), durable=_is_grave(command, journal))
    except StoreError:
        journal.broken = True
        raise  # nothing may run, or be said to have been kept, that is not written down
