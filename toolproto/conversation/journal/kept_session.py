"""What a store adds to a session: it has a name and turns, which branch, and outlives a crash."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

from ...protocol.errors import UsageError
from ...protocol.messages import ChatRequest, Message
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.tools.answer import AnswerForm
from ..deciding.answers import Verdict
from ..turn.flow import Turn
from ..turn.offering import on_terms
from ..turn.result import TurnResult
from ..turn.setup import Conversation, Terms, TurnSetup
from ..turn.undoing import undone
from .keeping import Begun, Keeping
from .log import LoggedTurn
from .remembered import Remembered
from .titles import title_of, title_request

__all__ = ["KeptSession", "checked_message_id"]

#: Characters of the id of a message.
_LONGEST_ID = 200


class _NotKept(UsageError, AttributeError):
    """What only a kept session has was asked of another: to ``hasattr``, it is not there."""


class KeptSession(ABC):
    """The members of a session that need its store; without one, most raise UsageError.

    :mod:`toolproto.conversation.session.base` makes the fields and leads the conversation.
    """

    _setup: TurnSetup
    _conversation: Conversation
    _keeping: Keeping | None  # None: the session is in memory alone
    _remembered: Remembered  # the turns of one that is
    _forms: list[AnswerForm]  # of which a turn that is run again may need one
    _own_id: str  # of a session that is in memory alone
    _given: dict[str, ToolContextDef]  # the paradigms that turns were given, by name
    _auto_title: bool
    _busy: threading.Lock

    @property
    @abstractmethod
    def result(self) -> TurnResult[Any] | None:
        """The result of the last turn, once it is over."""

    @property
    def interrupted(self) -> bool:
        """Whether the last turn broke off; ``resume({})`` continues it, ``send`` drops it."""
        return self._keeping is not None and self._keeping.log.interrupted is not None

    @property
    def id(self) -> str:
        """The name under which the store keeps the session; random if it is in memory alone."""
        return self._keeping.log.id if self._keeping else self._own_id

    @property
    def title(self) -> str:
        """The title of the session: the beginning of its first message, until it is set."""
        return self._kept.title

    @title.setter
    def title(self, title: str) -> None:
        self._kept.title = title

    @property
    def workspace(self) -> str:
        """The workspace of the session; sessions can be listed by workspace."""
        return self._kept.workspace

    @workspace.setter
    def workspace(self, workspace: str) -> None:
        self._kept.workspace = workspace

    @property
    def turns(self) -> tuple[LoggedTurn, ...]:
        """Every turn, including those on other branches."""
        return tuple(self._kept.log.turns.values())

    @property
    def way(self) -> tuple[LoggedTurn, ...]:
        """The turns of the current branch, from the first to the last."""
        log = self._kept.log
        return tuple(log.way(log.head))

    def switch(self, turn: int) -> None:
        """Continue the conversation after *turn*, on whatever branch it is."""
        with self._one_at_a_time():
            self._conversation = self._kept.go_to(turn)

    def undo(self, turn: int | None = None) -> list[str]:
        """Restore the files that the last turn, or *turn*, changed, and return their paths.

        A file that was changed again since then is left alone, and a UsageError says so. The model
        is not told; tell it in the next message if that matters.
        """
        with self._one_at_a_time():
            if turn is None and self._keeping is None:
                result = self.result
            else:
                log = self._kept.log
                number = log.head if turn is None else turn
                if number is not None and number not in log.turns:
                    raise UsageError(f"there is no turn {turn}; there are {sorted(log.turns)}")
                result = log.turns[number].result if number is not None else None
            if result is None:
                raise UsageError("there is no turn that has ended, so nothing to undo")
            return undone(self._setup.tools, result.calls)

    # -- for the two kinds of session ----------------------------------------------------

    @property
    def _kept(self) -> Keeping:
        if self._keeping is None:
            raise _NotKept("this session is not kept; give it a store, such as 'memory:'")
        return self._keeping

    def to_run_again(self, turn: int | None, terms: Mapping[str, Any]) -> tuple[Message, Any, Any]:
        """Return what began *turn*, its terms below *terms*, and the form of its answer.

        By default it is the last one on the way. What :meth:`rerun` sends, for a program that wants
        the events.
        """
        number, message, of = self._found(turn)
        again: Any = {each.name: getattr(of, each.name) for each in fields(Terms)}
        output = again.pop("output")
        # Of a type only the schema is kept; this program may have said what it is.
        output = next((form for form in self._forms if form == output), output)
        again["paradigm"] = self._given.get(again["paradigm"], again["paradigm"])
        again |= terms
        if "keep_following" not in terms and (left := self._behind(number)):
            raise UsageError(
                f"turns stand behind turn {number} ({', '.join(map(str, left))}): "
                "keep_following=True lets them follow the new one, False leaves them out"
            )
        again["beside"] = number
        return replace(message, id=""), again, output

    def _found(self, turn: int | None) -> tuple[int, Message, Terms]:
        """The number, the message and the terms of *turn*, by default of the last one."""
        if self._keeping is None:
            number = len(self._remembered.turns) if turn is None else turn
            return number, *self._remembered.turn(number)
        log = self._keeping.log
        if turn is None:
            begun = [each.number for each in log.way(log.head) if each.message]
            turn = begun[-1] if begun else 0
        found = log.turns.get(turn)
        if found is None or found.message is None:
            begun = [each.number for each in log.turns.values() if each.message]
            raise UsageError(f"there is no turn {turn} to run again; there are {begun}")
        return turn, found.message, found.terms

    def _behind(self, turn: int) -> list[int]:
        """The turns behind *turn* that a message began, where it is on the way."""
        if self._keeping is None:
            return self._remembered.following(turn)
        way = [each.number for each in self.way if each.message]
        return way[way.index(turn) + 1 :] if turn in way else []

    def _go_to(self, terms: Mapping[str, Any]) -> list[int]:
        """Go where a turn on *terms* begins; the turns that are to follow it."""
        beside, after = terms.get("beside"), terms.get("after")
        number = after if beside is None else beside
        if number is None:
            return []
        if after is not None and beside is not None:
            raise UsageError("a turn begins beside another or after one, not both")
        following: list[int] = []
        if self._keeping is None:
            following = self._remembered.following(number) if terms.get("keep_following") else []
            self._remembered.leave(number if beside is None else number - 1)
        else:
            if terms.get("keep_following") and (beside is None or self._behind(number)):
                self._keeping.settle()
                following = self._keeping.following(number)
                self._keeping.check_movable(following)
            go = self._keeping.go_to if beside is None else self._keeping.go_back
            self._conversation = go(number)
        return following

    def _settle(self, following: list[int]) -> None:
        """Let *following* follow the turn that has just ended, if it came to an answer."""
        status = self.result.status if self.result else "error"
        if self._keeping is None:
            kept = following if status == "completed" else []
            self._remembered.settle(status in ("completed", "pending"), kept)
        elif following and status == "completed":
            self._conversation = self._keeping.keep_following(following)

    def _wants_title(self) -> ChatRequest | None:
        """What to ask for a title, if one is to be found: after a turn that has an answer."""
        result, keeping = self.result, self._keeping
        if not self._auto_title or keeping is None or not result or result.status != "completed":
            return None
        said = self._conversation.messages
        first = next((each.content for each in said if each.role == "user"), "")
        if keeping.title != title_of(keeping.log.redact(first)):
            return None  # somebody, or the model, has found one
        return title_request(self._setup, said)

    def _take_title(self, title: str) -> None:
        """Call the session as the model said, unless somebody has named it meanwhile."""
        if title and self._wants_title():
            self._kept.title = title

    def _known(self, message_id: str | None) -> Begun | None:
        """Return the turn that *message_id* began before: its result, or the rest of it."""
        if message_id is None:
            return None
        known = self._kept.known(self._conversation, checked_message_id(message_id))
        if known is None:
            return None
        self._conversation, begun = known
        return begun

    def _run(self, message: Message, terms: Terms, message_id: str | None) -> Begun:
        if self._keeping is None:
            self._remembered.begins(message, terms)
            turn = Turn(on_terms(self._setup, terms), self._conversation, terms)
            return turn, turn.run(message)
        if self.interrupted:
            self._keeping.settle()
            self._conversation = self._keeping.conversation()
        return self._keeping.run(self._conversation, message, terms, message_id)

    def _resume(self, verdicts: Mapping[str, Verdict], message_id: str | None) -> Begun:
        if self._keeping is not None:
            return self._keeping.resume(self._conversation, verdicts, message_id)
        assert self._conversation.pending is not None
        terms = self._conversation.pending.terms
        turn = Turn(on_terms(self._setup, terms), self._conversation, terms)
        return turn, turn.resume(verdicts)

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise UsageError("a turn is running; wait for it, cancel() it, or use another session")
        try:
            if self._keeping:
                self._conversation = self._keeping.current(self._conversation)
            yield
        finally:
            self._busy.release()


def checked_message_id(id: object) -> str:
    """Return *id*; raise UsageError if no message may have it."""
    if not isinstance(id, str) or not 0 < len(id) <= _LONGEST_ID:
        raise UsageError(f"message_id={id!r:.200}: expected text of 1 to {_LONGEST_ID} characters")
    return id
