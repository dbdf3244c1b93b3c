"""A session's journal as a tree of turns, and the way to add to it.

Turns follow one another; a turn that was run again, or begun with another message, stands beside
the first one, and *head* says which way the conversation goes. Nothing is ever taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...protocol.errors import SessionConflict, StoreError, ToolProtoError, UsageError
from ...protocol.messages import Message
from ..stores.base import Record, Store
from ..turn.settling import Verdict
from ..turn.setup import Terms
from .damage import told_if_damaged
from .errors import write_error
from .logged import LoggedTurn, beginning, begun, resuming
from .messages import write_message
from .read_conversation import conversation_of, unanswered
from .redacting import Redaction

__all__ = ["LoggedTurn", "SessionLog", "conversation_of"]


class SessionLog:
    """What *store* holds of the session *id*, and the way to add to it."""

    def __init__(self, store: Store, id: str, redact: Redaction | None = None) -> None:
        self.store = store
        self.id = id
        self.turns: dict[int, LoggedTurn] = {}
        self.head: int | None = None
        self.count = 0
        self.conflict: StoreError | None = None
        #: The paradigm and the model of the session, by name.
        self.led: dict[str, str] = {}
        self.redact = (redact or Redaction()).fresh()
        self._latest: LoggedTurn | None = None
        self._torn = False
        self._take_all(store.read(id))

    def write(self, records: Sequence[Record], durable: bool = False) -> None:
        """Add *records*; after a conflict nothing more is written."""
        if self.conflict:
            raise self.conflict
        if self._torn:
            raise StoreError("an earlier write did not finish, so nothing more is written")
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

    def begun_by(self, message_id: str) -> LoggedTurn | None:
        """Return the first turn that *message_id* began, or None."""
        if self.redact(message_id) != message_id:  # what is kept would not be found again
            raise UsageError("message_id looks like a secret and would be redacted; use another")
        turns = self.turns.values()
        return next((turn for turn in turns if turn.message_id == message_id), None)

    def beginning(
        self,
        message: Message,
        terms: Terms,
        parent: int | None,
        led: Mapping[str, str],
        message_id: str | None = None,
    ) -> Record:
        """The record of a turn that *message* begins; *led* is by which paradigm and model."""
        record = beginning(self._following, parent, message, terms, message_id)
        return record if led == self.led else Record("turn", {**record.data, "led": dict(led)})

    def resuming(self, verdicts: Mapping[str, Verdict], message_id: str | None = None) -> Record:
        """The record of a turn that goes on with what is pending."""
        return resuming(self._following, self.head, verdicts, message_id)

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
        turn = self.unfinished
        return turn if turn and turn.number == self.head else None

    @property
    def unfinished(self) -> LoggedTurn | None:
        """The last turn, if it broke off, whichever way the conversation went since."""
        return self._latest if self._latest and self._latest.status is None else None

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

    def close_unfinished(self, reviewed: bool = False) -> None:
        """End the last turn, if it broke off: every call that has no answer gets one.

        With *reviewed*, no result is shown that nobody has reviewed.
        """
        turn = self.unfinished
        if turn is None:
            return
        error = write_error(ToolProtoError("the program ended before the turn did"))
        records = [Record("ended", {"status": "error", "error": error})]
        if results := tuple(unanswered(self.way(turn.number), reviewed)):
            told = write_message(Message("user", "", results=results))
            records.insert(0, Record("message", {"position": -1, **told}))
        self.write(records)

    @property
    def _following(self) -> int:
        return max(self.turns, default=0) + 1

    def _take_all(self, records: Iterable[Record]) -> None:
        """Take what comes from a store, which may hold anything."""
        with told_if_damaged():
            for record in records:
                self._take(record)

    def _take(self, record: Record) -> None:
        self.count += 1
        if record.kind == "turn":
            self._begin(record.data)
        elif record.kind == "head":
            self.head = self._known(record.data["turn"])
        elif self._latest is not None:
            self._latest.add(record)

    def _begin(self, data: Mapping[str, Any]) -> None:
        turn = begun(data)
        parent = self._known(turn.parent)  # so that every way has an end
        turn.before = self.turns[parent] if parent is not None else None
        self.led = dict(data.get("led", self.led))
        if turn.number in self.turns:
            raise StoreError(f"the session is damaged: it has two turns {turn.number!r}")
        self.turns[turn.number] = self._latest = turn
        self.head = turn.number

    def _known(self, turn: int | None) -> int | None:
        if turn is not None and turn not in self.turns:
            raise StoreError(f"the session is damaged: it has no turn {turn!r}")
        return turn
