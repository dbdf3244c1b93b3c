"""Turns that are written down, gone on with after a crash, run again and branched."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...protocol.errors import SessionConflict, UsageError
from ...protocol.messages import Message, ToolCall, new_id
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.tools.spec import ToolOffer
from ..deciding.answers import Verdict
from ..stores.base import Record
from ..turn.commands import Flow
from ..turn.flow import Turn
from ..turn.offering import on_terms
from ..turn.result import TurnResult
from ..turn.settling import Settling
from ..turn.setup import Conversation, Pending, Terms, TurnSetup
from .following import Copying
from .journal import Journal, journaled
from .log import SessionLog, conversation_of
from .redacting import Redaction, is_whole
from .replay import Recall
from .titles import title_of

__all__ = ["Begun", "Keeping", "check_exists", "open_keeping"]

Begun = tuple[Turn, Flow[TurnResult[Any]]]


def open_keeping(
    setup: TurnSetup, store: Any, id: str | None, workspace: str, redact: Redaction | None
) -> Keeping | None:
    """The session *id* of *store*, made if it is not there; None if none is to be kept."""
    if store is None:
        if id is not None:
            raise UsageError("only a session that is kept has an id: give it a store, too")
        return None
    # The stores bring a database with them, which most sessions do without.
    from ..stores import open_store

    opened = open_store(store)
    id = id or new_id("session")
    if opened.info(id) is None:
        opened.create(id, workspace=workspace) if workspace else opened.create(id)
    log = SessionLog(opened, id, redact or Redaction())
    return Keeping(setup, log, owns_store=isinstance(store, str | Path))


def check_exists(store: Any, id: str) -> None:
    """Raise UsageError if *store* has no session *id*."""
    from ..stores import open_store

    opened = open_store(store)
    try:
        if opened.info(id) is None:
            raise UsageError(f"the store has no session {id!r}; make it with store= and id=")
    finally:
        if opened is not store:
            opened.close()


@dataclass(slots=True)
class Keeping:
    """Begins the turns of a session that *log* keeps."""

    setup: TurnSetup
    log: SessionLog
    owns_store: bool = False
    nonce: str = ""
    #: The paradigms that turns were given, by name.
    given: dict[str, ToolContextDef] = field(default_factory=dict)

    def close(self) -> None:
        """Close the store, unless it is somebody else's."""
        if self.owns_store:
            self.log.store.close()

    @property
    def title(self) -> str:
        """What the session is called."""
        info = self.log.store.info(self.log.id)
        return info.title if info else ""

    @title.setter
    def title(self, title: str) -> None:
        self.log.store.rename(self.log.id, self.log.redact(title))

    @property
    def workspace(self) -> str:
        """What the session belongs to."""
        info = self.log.store.info(self.log.id)
        return info.workspace if info else ""

    @workspace.setter
    def workspace(self, workspace: str) -> None:
        self.log.store.assign(self.log.id, workspace)

    def current(self, conversation: Conversation) -> Conversation:
        """*conversation*, unless what was said last could not be written down."""
        return self.conversation() if self.log.look_again() else conversation

    def conversation(self) -> Conversation:
        """What was said up to the head."""
        return self._conversation(self.log.head)

    def known(
        self, conversation: Conversation, message_id: str
    ) -> tuple[Conversation, Begun] | None:
        """Return the turn that *message_id* began, to be continued or told again; None if none."""
        turn = self.log.begun_by(message_id)
        if turn is None:
            return None
        if turn is self.log.interrupted:
            return self.go_on()
        if (result := turn.result) is None:
            raise UsageError(f"turn {turn.number} broke off; switch({turn.number}) to continue it")
        retold = Turn(self.setup, conversation, turn.terms)
        return conversation, (retold, retold.retell(result))

    def run(
        self,
        conversation: Conversation,
        message: Message,
        terms: Terms,
        message_id: str | None = None,
    ) -> Begun:
        """A new turn behind the head."""
        if not self.log.turns and not self.title:
            self.title = title_of(self.log.redact(message.content))
        led = {"paradigm": self.setup.paradigm.name, "model": self.setup.model}
        if self.setup.prompt.system:
            led["system"] = self.setup.prompt.system
        if self.setup.guard.nonce:
            led["nonce"] = self.nonce
        beginning = self.log.beginning(message, terms, self.log.head, led, message_id)
        return self._begun(conversation, terms, message, {}, [beginning], ())

    def resume(
        self,
        conversation: Conversation,
        verdicts: Mapping[str, Verdict],
        message_id: str | None = None,
    ) -> Begun:
        """A turn that goes on with the pending one at the head."""
        assert conversation.pending is not None
        terms, beginning = conversation.pending.terms, self.log.resuming(verdicts, message_id)
        return self._begun(conversation, terms, None, verdicts, [beginning], ())

    def check_same(self, verdicts: Mapping[str, Verdict]) -> None:
        """Raise SessionConflict if the turn that broke off was told otherwise than *verdicts*."""
        turn = self.log.interrupted
        assert turn is not None
        for id, verdict in verdicts.items():
            if turn.verdicts.get(id) != verdict:
                raise SessionConflict(
                    f"call {id!r} was decided differently before; resume({{}}) keeps to that"
                )

    def go_on(self) -> tuple[Conversation, Begun]:
        """The turn that broke off, from its beginning: what is known of it is told again."""
        turn = self.log.interrupted
        assert turn is not None
        conversation = self._conversation(turn.parent, turn.number)
        pending = conversation.pending
        terms = pending.terms if pending and turn.is_resumed else turn.terms
        told = tuple(turn.told())
        begun = self._begun(conversation, terms, turn.message, turn.verdicts, [], told)
        return conversation, begun

    def go_back(self, number: int) -> Conversation:
        """Let the conversation go on where it stood before turn *number*."""
        turn = self.log.turns.get(number)
        if turn is None or turn.is_resumed:
            begun = [each.number for each in self.log.turns.values() if not each.is_resumed]
            raise UsageError(f"no message began turn {number}; the turns are {begun}")
        self.settle()
        self.log.move(turn.parent)
        return self.conversation()

    def go_to(self, number: int) -> Conversation:
        """Let the conversation go on behind turn *number*."""
        self.settle()
        self.log.move(number)
        return self.conversation()

    def following(self, number: int) -> list[int]:
        """The turns behind *number* on the conversation's way."""
        way = [turn.number for turn in self.log.way(self.log.head)]
        if number not in way:
            raise UsageError(
                f"turn {number} is not in the current conversation; its turns are {way}"
            )
        return way[way.index(number) + 1 :]

    def keep_following(self, turns: Sequence[int]) -> Conversation:
        """Let *turns* follow the head, too, as copies; they stay where they are."""
        moved = [self.log.turns[number] for number in turns]
        if moved and self.log.head is not None:
            base = len(conversation_of(self.log.way(moved[0].parent)).messages)
            shift = len(self.conversation().messages) - base
            number = max(self.log.turns) + 1
            copying = Copying(base, shift)
            self.log.write(list(copying.copies(moved, number, self.log.head)))
        return self.conversation()

    def check_movable(self, turns: Sequence[int]) -> None:
        """Raise UsageError if *turns* cannot follow another one."""
        list(Copying().copies([self.log.turns[number] for number in turns], 0, 0))

    def settle(self) -> None:
        """Close the turn that broke off, if there is one."""
        self.log.look_again()
        if self.log.interrupted:
            self.log.close_unfinished(self.setup.reviewed)

    def _begun(
        self,
        conversation: Conversation,
        terms: Terms,
        message: Message | None,
        verdicts: Mapping[str, Verdict],
        beginning: Sequence[Record],
        known: Sequence[Record],
    ) -> Begun:
        recall = Recall(known, self._is_idempotent, conversation.started, is_whole)
        conversation.begun = recall.begun
        if isinstance(terms.paradigm, str):  # of a paradigm only the name is kept
            terms = replace(terms, paradigm=self.given.get(terms.paradigm, terms.paradigm))
        setup = on_terms(self.setup, terms)
        journal = Journal(conversation, setup.paradigm.ids, recall, message, self._is_grave)
        paradigm = copy.copy(setup.paradigm)
        paradigm.ids = journal.draw_id
        turn = Turn(replace(setup, paradigm=paradigm), conversation, terms)
        flow = turn.resume(verdicts) if message is None else turn.run(message)
        return turn, journaled(flow, journal, beginning)

    def _conversation(self, turn: int | None, before: int | None = None) -> Conversation:
        conversation = conversation_of(self.log.way(turn), self.setup.limits.repeats)
        conversation.started |= (started := self.log.started(before))
        conversation.seen |= started
        if conversation.pending:
            conversation.pending = self._up_to_date(conversation, conversation.pending)
        return conversation

    def _up_to_date(self, conversation: Conversation, pending: Pending) -> Pending:
        """Return *pending* with questions that say what they are about.

        Those of an import or an older journal do not; they are asked as they are to be asked now.
        """
        settling = Settling.again(self.setup, conversation, ToolOffer(), pending)
        now = {each.call.id: each for each in settling.questions()}
        waiting = {
            id: request if request.pin else replace(now.get(id, request), reason=request.reason)
            for id, request in pending.waiting.items()
        }
        return replace(pending, waiting=waiting)

    def _is_grave(self, call: ToolCall) -> bool:
        """Whether running *call* twice would matter."""
        tool = self.setup.tools.get(call.name)
        return tool is None or not (tool.risk == "read" or tool.idempotent)

    def _is_idempotent(self, call: ToolCall) -> bool:
        tool = self.setup.tools.get(call.name)
        return tool is not None and tool.idempotent
