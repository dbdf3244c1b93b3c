"""A session's journal as a tree of turns, and the conversation along one way through it.

Turns follow one another; a turn that was run again, or begun with another message, stands beside
the first one, and *head* says which way the conversation goes. Nothing is ever taken back.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..approvals import Allow
from ..errors import SessionConflict, StoreError, UsageError
from ..messages import Message, ToolCall, ToolResult
from ..stores.base import Store
from ..turn.doom_loop import LONGEST_PERIOD, DoomLoop
from ..turn.journal import VERSION, unpacked
from ..turn.recall import UNKNOWN_OUTCOME
from ..turn.records import (
    Record,
    read_decision,
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
        self.redact = redact or Redaction()
        self._latest: LoggedTurn | None = None
        with uncollected():
            for record in store.read(id):
                self._take(record)

    def write(self, records: Sequence[Record], durable: bool = False) -> None:
        """Add *records*; after a conflict nothing more is written."""
        if self.conflict:
            raise self.conflict
        kept = [Record(record.kind, self.redact(record.data)) for record in records]
        try:
            self.store.append(self.id, kept, self.count, durable=durable)
        except SessionConflict as conflict:
            self.conflict = conflict
            raise
        for record in records:
            self._take(record)

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

    def close_interrupted(self) -> None:
        """End the turn that broke off: every call that has no answer gets one."""
        turn = self.interrupted
        assert turn is not None
        records = [Record("ended", {"status": "error", "pending": None})]
        if results := tuple(self._unanswered(turn)):
            told = {"message": write_message(Message("user", "", results=results))}
            records.insert(0, Record("message", {**told, "position": -1}))
        self.write(records)

    def _unanswered(self, turn: LoggedTurn) -> Iterator[ToolResult]:
        """What is known of the calls that *turn* left without a result."""
        pending = conversation_of(self.way(turn.parent)).pending
        known = dict(pending.results) if pending else {}
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
                self._latest = self.turns[data["turn"]] = _read_turn(data)
                self.head = data["turn"]
            case "head":
                self.head = data["turn"]
            case _ if self._latest is not None:
                self._latest.records.append(record)
                if record.kind == "ended":
                    self._latest.status = data["status"]


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector away while much is read: it would look through it all again and again.

    Nothing of it is garbage, and two thirds of the time of opening a long session were spent so.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def conversation_of(way: Iterable[LoggedTurn], repeats: int = 3) -> Conversation:
    """What was said and decided along *way*."""
    conversation = Conversation(doom_loop=DoomLoop(repeats))
    with uncollected():
        for turn in way:
            _retrace(turn, conversation)
    rounds = [message.calls for message in conversation.messages if message.calls]
    conversation.seen = {call.id for calls in rounds for call in calls}
    for calls in rounds[-LONGEST_PERIOD * repeats :]:
        conversation.doom_loop.goes_on(calls)
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
            messages.insert(position, read_message(data["message"]))
        case "compacted":
            messages[:] = map(read_message, data["after"])
        case "started":
            conversation.started.update(data["ids"])
        case "decision":
            decision = read_decision(data)
            if isinstance(decision, Allow) and decision.always and data.get("tool"):
                conversation.granted.add(data["tool"])
        case "ended" if data["pending"]:
            conversation.pending = read_pending(data["pending"])


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
