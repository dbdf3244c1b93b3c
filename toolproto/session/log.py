"""A session's journal as a tree of turns, and the conversation along one way through it.

Turns follow one another; a turn that was run again, or begun with another message, stands beside
the first one, and *head* says which way the conversation goes. Nothing is ever taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..approvals import Deny
from ..errors import SessionConflict, StoreError, UsageError
from ..messages import Message, ToolCall, ToolResult
from ..stores.base import Store
from ..tools.outcome import result_of
from ..turn.doom_loop import DoomLoop
from ..turn.journal import VERSION, unpacked
from ..turn.recall import UNKNOWN_OUTCOME
from ..turn.records import (
    Record,
    read_message,
    read_pending,
    read_result,
    read_terms,
    read_verdict,
    write_message,
    write_terms,
    write_verdict,
)
from ..turn.settling import Verdict
from ..turn.setup import Conversation, Terms
from .redacting import Redaction

__all__ = ["LoggedTurn", "SessionLog", "conversation_of"]

_NOT_RUN = "not run: the program ended before it was"


@dataclass(slots=True)
class LoggedTurn:
    """A turn of the journal. *status* is None if it broke off."""

    number: int
    parent: int | None
    message: Message | None
    terms: Terms
    verdicts: Mapping[str, Verdict]
    records: list[Record] = field(default_factory=list)
    status: str | None = None

    def told(self) -> Iterator[Record]:
        """What the turn was told, one by one."""
        return (each for record in self.records for each in unpacked(record))

    @property
    def is_resumed(self) -> bool:
        """Whether it goes on with a turn that was pending."""
        return self.message is None


class SessionLog:
    """What *store* holds of the session *id*, and the way to add to it."""

    def __init__(self, store: Store, id: str, redact: Redaction | None = None) -> None:
        self.store = store
        self.id = id
        self.turns: dict[int, LoggedTurn] = {}
        self.head: int | None = None
        self.count = 0
        self.conflict: StoreError | None = None
        self.redact = (redact or Redaction()).fresh()
        self._latest: LoggedTurn | None = None
        self._torn = False
        self._take_all(store.read(id))

    def write(self, records: Sequence[Record], durable: bool = False) -> None:
        """Add *records*; after a conflict nothing more is written."""
        if self.conflict:
            raise self.conflict
        if self._torn:
            raise StoreError("what was to be written before this was broken off, so this is not")
        kept = [self.redact.record(record) for record in records]
        try:
            self.store.append(self.id, kept, self.count, durable=durable)
        except SessionConflict as conflict:
            self.conflict = conflict
            raise
        except BaseException as error:
            self._torn = not isinstance(error, Exception)  # Ctrl-C: nobody knows how far it got
            raise
        for record in records:
            self._take(record)

    def look_again(self) -> bool:
        """Take what a write left behind that was broken off; whether there was one."""
        torn, self._torn = self._torn, False
        if torn:
            self._take_all(self.store.read(self.id, self.count))
        return torn

    def _take_all(self, records: Iterable[Record]) -> None:
        """Take what comes from a store, which may hold anything."""
        for record in records:
            try:
                self._take(record)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise StoreError(
                    f"record {self.count} of session {self.id!r} is damaged: {error!r}"
                ) from None

    def beginning(self, message: Message, terms: Terms, parent: int | None) -> Record:
        """The record of a turn that *message* begins."""
        told = {"message": write_message(message), "terms": write_terms(terms)}
        return self._beginning(parent, told)

    def resuming(self, verdicts: Mapping[str, Verdict]) -> Record:
        """The record of a turn that goes on with what is pending."""
        told = {id: write_verdict(verdict) for id, verdict in verdicts.items()}
        return self._beginning(self.head, {"verdicts": told})

    def move(self, turn: int | None) -> None:
        """Let the conversation go on behind *turn*."""
        if turn is not None and turn not in self.turns:
            raise UsageError(f"there is no turn {turn}; there are {sorted(self.turns)}")
        self.write([Record("head", {"turn": turn})])

    def way(self, turn: int | None) -> list[LoggedTurn]:
        """The turns from the first to *turn*."""
        way: list[LoggedTurn] = []
        while turn is not None:
            way.append(self.turns[turn])
            turn = way[-1].parent
        return way[::-1]

    @property
    def interrupted(self) -> LoggedTurn | None:
        """The turn at the head, if it broke off."""
        last = self.turns[self.head] if self.head is not None else None
        return last if last and last is self._latest and last.status is None else None

    def started(self, before: int | None = None) -> set[str]:
        """The ids of all calls that were ever started, whichever way the conversation went.

        With *before*, in the turns before that one: a call that waits in two branches runs once.
        """
        return {
            id
            for turn in self.turns.values()
            if before is None or turn.number < before
            for record in turn.records
            if record.kind == "started"
            for id in record.data["ids"]
        }

    def close_interrupted(self, repeats: int = 3) -> None:
        """End the turn that broke off: every call that has no answer gets one."""
        turn = self.interrupted
        assert turn is not None
        loop = conversation_of(self.way(turn.parent), repeats).doom_loop
        for record in turn.told():
            if record.kind == "message" and (calls := read_message(record.data["message"]).calls):
                loop.goes_on(calls)
        ended = {"status": "error", "pending": None, "loop": loop.state()}
        records = [Record("ended", ended)]
        if results := tuple(self._unanswered(turn)):
            told = {"message": write_message(Message("user", "", results=results))}
            records.insert(0, Record("message", {**told, "position": -1}))
        self.write(records)

    def _unanswered(self, turn: LoggedTurn) -> Iterator[ToolResult]:
        """What is known of the calls that *turn* left without a result."""
        pending = conversation_of(self.way(turn.parent)).pending
        known = dict(pending.results) if pending else {}
        for call in pending.calls if pending else ():
            if told := _told(call, turn.verdicts.get(call.id)):
                known[call.id] = told
        for record in turn.told():
            if record.kind == "outcome":
                result = read_result(record.data)
                known[result.call.id] = result
        conversation = conversation_of(self.way(turn.number))
        answered = {each.call.id for said in conversation.messages for each in said.results}
        for call in (call for said in conversation.messages for call in said.calls):
            if call.id not in answered:
                yield known.get(call.id) or _unknown(call, call.id in conversation.started)

    def _beginning(self, parent: int | None, told: Mapping[str, Any]) -> Record:
        number = max(self.turns, default=0) + 1
        return Record("turn", {"version": VERSION, "turn": number, "parent": parent, **told})

    def _take(self, record: Record) -> None:
        self.count += 1
        data = record.data
        match record.kind:
            case "turn":
                self._latest = self._begun(_read_turn(data))
                self.head = self._latest.number
            case "head":
                self.head = self._known(data["turn"])
            case "left" if self._latest is not None:
                _leave(self._latest, data["followed"])
            case _ if self._latest is not None:
                self._latest.records.append(record)
                if record.kind == "ended":
                    self._latest.status = data["status"]

    def _begun(self, turn: LoggedTurn) -> LoggedTurn:
        self._known(turn.parent)  # so that every way has an end
        if turn.number in self.turns:
            raise StoreError(f"the session is damaged: it has two turns {turn.number!r}")
        self.turns[turn.number] = turn
        return turn

    def _known(self, turn: int | None) -> int | None:
        if turn is not None and turn not in self.turns:
            raise StoreError(f"the session is damaged: it has no turn {turn!r}")
        return turn


def conversation_of(way: Iterable[LoggedTurn], repeats: int = 3) -> Conversation:
    """What was said and decided along *way*."""
    conversation = Conversation(doom_loop=DoomLoop(repeats))
    for turn in way:
        _retrace(turn, conversation)
    conversation.seen |= conversation.started
    return conversation


def _retrace(turn: LoggedTurn, conversation: Conversation) -> None:
    if turn.message is not None:
        conversation.messages.append(turn.message)
    conversation.pending = None
    for record in turn.records:
        for kind, data in record.data.get("before", ()):
            _replay(kind, data, conversation)
        _replay(record.kind, record.data, conversation)


def _replay(kind: str, data: Mapping[str, Any], conversation: Conversation) -> None:
    messages = conversation.messages
    match kind:
        case "message":
            position = data["position"] if data["position"] >= 0 else len(messages)
            message = read_message(data["message"])
            messages.insert(position, message)
            conversation.seen.update(call.id for call in message.calls)
        case "compacted":
            messages[:] = map(read_message, data["after"])
        case "started":
            conversation.started.update(data["ids"])
        case "ended":
            if data["pending"]:
                conversation.pending = read_pending(data["pending"])
            if "granted" in data:
                conversation.granted = set(data["granted"])
            if "loop" in data:
                conversation.doom_loop.restore(data["loop"])


def _leave(turn: LoggedTurn, followed: int) -> None:
    """Forget what could not be followed any more, but for which calls were started."""
    told = list(turn.told())
    started = [each for each in told[followed:] if each.kind == "started"]
    turn.records = told[:followed] + started


def _told(call: ToolCall, verdict: Verdict | None) -> ToolResult | None:
    """What somebody has said *call* comes to."""
    match verdict:
        case str() | ToolResult():
            return result_of(call, verdict)
        case Deny(reason):
            return ToolResult(call, f"not run: {reason}", is_error=True)
    return None


def _read_turn(data: Mapping[str, Any]) -> LoggedTurn:
    if data["version"] > VERSION:
        raise StoreError(
            f"the session was written by a newer toolproto (journal {data['version']}, "
            f"this one reads up to {VERSION}); upgrade it"
        )
    return LoggedTurn(
        data["turn"],
        data["parent"],
        read_message(data["message"]) if "message" in data else None,
        read_terms(data["terms"]) if "terms" in data else Terms(),
        {id: read_verdict(told) for id, told in data.get("verdicts", {}).items()},
    )


def _unknown(call: ToolCall, started: bool) -> ToolResult:
    return ToolResult(call, UNKNOWN_OUTCOME if started else _NOT_RUN, is_error=True)
