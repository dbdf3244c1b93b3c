"""One turn as a session's journal has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...protocol.errors import StoreError
from ...protocol.messages import Message
from ..stores.base import Record
from ..turn.result import TurnResult
from ..turn.settling import Verdict
from ..turn.setup import Terms
from .damage import told_if_damaged
from .decisions import read_pending, read_terms, read_verdict, write_terms, write_verdict
from .journal import VERSION
from .messages import read_message, write_message
from .packing import unpacked
from .read_result import recounted

__all__ = ["LoggedTurn", "beginning", "begun", "resuming"]

#: What nearly every turn has, and is not written.
_USUAL = Terms()
_NO_VERDICTS: dict[str, Verdict] = {}


@dataclass(slots=True)
class LoggedTurn:
    """A turn of the journal. *status* is None if it broke off; *imported*: a file says so."""

    number: int
    parent: int | None
    message: Message | None
    terms: Terms
    verdicts: Mapping[str, Verdict]
    records: list[Record] = field(default_factory=list)
    status: str | None = None
    imported: bool = False
    #: The id of the message, or of the decisions, that began it; None if it was sent without one.
    message_id: str | None = None
    #: The turn behind which it stands.
    before: LoggedTurn | None = field(default=None, repr=False, compare=False)

    @property
    def is_resumed(self) -> bool:
        """Whether it goes on with a turn that was pending."""
        return self.message is None

    @property
    @told_if_damaged()
    def result(self) -> TurnResult[Any] | None:
        """What came of it, as far as that is kept; None if it broke off.

        A structured answer is plain JSON here: of its type only the schema is kept.
        """
        earlier = self.before.half_answered if self.before else frozenset[str]()
        told = recounted(self.message, self.verdicts, list(self.told()), earlier)
        if told is None or told.status != "completed" or self.terms.output is None:
            return told
        return replace(told, partial_output=self.terms.output.read_back(told.partial_text))

    @property
    @told_if_damaged()
    def half_answered(self) -> frozenset[str]:
        """The calls that have their results though others of the same reply wait.

        The results stand in the turn that goes on; the calls are this one's.
        """
        ended = next((each.data for each in self.records if each.kind == "ended"), {})
        return frozenset(read_pending(ended["pending"]).results if ended.get("pending") else ())

    def told(self) -> Iterator[Record]:
        """What the turn was told, one by one."""
        return (each for record in self.records for each in unpacked(record))

    def add(self, record: Record) -> None:
        """Take in *record*, which is about this turn."""
        if record.kind == "left":
            self._leave(record.data["followed"])
            return
        self.records.append(record)
        if record.kind == "ended":
            self.status = record.data["status"]

    def _leave(self, followed: int) -> None:
        """Forget what could not be followed any more, but for which calls were started."""
        told = list(self.told())
        started = [each for each in told[followed:] if each.kind == "started"]
        self.records = told[:followed] + started


def beginning(
    number: int,
    parent: int | None,
    message: Message,
    terms: Terms,
    message_id: str | None = None,
) -> Record:
    """The record of a turn that *message* begins."""
    told = {**_numbered(number, parent, message_id), "message": write_message(message)}
    return Record("turn", told if terms == _USUAL else {**told, "terms": write_terms(terms)})


def resuming(
    number: int,
    parent: int | None,
    verdicts: Mapping[str, Verdict],
    message_id: str | None = None,
) -> Record:
    """The record of a turn that goes on with what is pending behind *parent*."""
    told = {id: write_verdict(verdict) for id, verdict in verdicts.items()}
    return Record("turn", {**_numbered(number, parent, message_id), "verdicts": told})


def _numbered(number: int, parent: int | None, message_id: str | None) -> dict[str, Any]:
    told = {"version": VERSION, "turn": number, "parent": parent}
    return told if message_id is None else {**told, "message_id": message_id}


def begun(data: Mapping[str, Any]) -> LoggedTurn:
    """The turn of which the first record says *data*; another version's is refused."""
    if data["version"] > VERSION:
        raise StoreError(
            f"the session was written by a newer toolproto (journal {data['version']}, "
            f"this one reads {VERSION}); upgrade it"
        )
    if data["version"] < VERSION:
        raise StoreError(
            f"the session was written before toolproto was released (journal {data['version']}, "
            f"this one reads {VERSION}); it cannot be read any more"
        )
    return LoggedTurn(
        data["turn"],
        data["parent"],
        read_message(data["message"]) if "message" in data else None,
        read_terms(data["terms"]) if "terms" in data else _USUAL,
        _verdicts(data["verdicts"]) if "verdicts" in data else _NO_VERDICTS,
        imported=bool(data.get("imported")),
        message_id=data.get("message_id"),
    )


def _verdicts(told: Mapping[str, Any]) -> dict[str, Verdict]:
    return {id: read_verdict(each) for id, each in told.items()}
