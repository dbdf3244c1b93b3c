"""The calls of one reply on their way out: which leave, under which id, and how soon.

A call of a tool that is not on offer, or not on these terms, never leaves. Arguments go out as they
are read, unless something has to be known of the whole call first: nothing streams, or the tool is
strict. Then they are checked, and mended where the schema leaves no doubt. Arguments that went out
as they were read are compared with the whole call in the end: a decoder that gave out something
else (law 4 is for finding such) must not get a tool run with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any

from ...endpoints.apis.asked import Asked
from ...endpoints.apis.pieces import Piece
from ...protocol.events import ArgumentsDelta, CallCompleted, CallStarted
from ...protocol.messages import CallProblem, Grade, Repair, ToolCall
from ...protocol.schemas.work import LEAST_VISITS, Work
from ...protocol.tools.check import check_call, meant
from ...protocol.tools.names import fold
from ...protocol.tools.spec import ToolOffer
from .watching import Watch

__all__ = ["IN_SENTENCE", "OutgoingCalls", "new_id", "work_of_request"]

#: Calls that are read out of one reply. Checking one may take a while, and no client has so many
#: tools run at once: a model that goes on has lost its way.
_MOST_CALLS = 128
#: Letters of a name that are worth a guess.
_LEAST_OF_NAME = 3
#: The place of a call that has words before it on its line.
IN_SENTENCE = "sentence"


def work_of_request() -> Work:
    """What checking all that a model writes for one request may cost: a twentieth of a second.

    All answers to it share this, and all replies of each: the schemas are the client's.
    """
    return Work(LEAST_VISITS)


def new_id() -> str:
    """An id for a call; the model's own would come again in the next turn."""
    return f"call_{token_hex(12)}"


@dataclass(slots=True)
class _Open:
    """A call of which a part went out: its number and id, and its arguments so far."""

    index: int
    id: str
    written: list[str] = field(default_factory=list)
    #: What they say, once the call went out as a whole one.
    told: Mapping[str, Any] | None = None


@dataclass(slots=True)
class OutgoingCalls:
    """The calls of a reply to *asked*; *live* ones go out while they are written."""

    asked: Asked
    live: bool
    watch: Watch = field(default_factory=Watch)
    ids: Callable[[], str] = new_id
    #: Whether they leave under the ids that the service gave them: it knows its calls by those.
    keeps_ids: bool = False
    #: What checking may cost, shared with all that is checked for the same request.
    work: Work = field(default_factory=work_of_request)
    names: list[str] = field(default_factory=list)
    problems: list[CallProblem] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    #: Why the rest of a call cannot follow of which a part went out already.
    half_out: str | None = None
    is_last_whole: bool = False
    #: How many were read to their end, usable or not.
    seen: int = 0
    #: Whether the last thing in the reply is a call in the middle of a sentence.
    ends_sentence: bool = False
    _open: dict[int, _Open] = field(default_factory=dict)
    #: The name and id of a service's own call whose arguments have not begun. If they turn out to
    #: be none, the call can still be asked for again.
    _waiting: dict[int, tuple[str, str]] = field(default_factory=dict)
    #: Calls that what follows may show to be only shown: they wait for the end of the reply.
    _unsettled: dict[int, ToolCall | None] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many have begun to go out."""
        return len(self.names)

    @property
    def is_over(self) -> bool:
        """Whether nothing that follows in the reply could be sent."""
        return self.is_broken or (self.is_enough and self.is_last_whole)

    @property
    def is_broken(self) -> bool:
        """Whether a call cannot be completed that has begun to go out, or there are too many."""
        return self.half_out is not None or self.seen >= _MOST_CALLS

    @property
    def has_begun(self) -> bool:
        """Whether a part of a call went out."""
        return bool(self.names)

    @property
    def is_enough(self) -> bool:
        """Whether the client wants no more calls."""
        return self.count > 0 and not self.asked.offer.parallel

    def start(self, index: int, name: str, id: str = "", *, unsettled: bool = False) -> list[Piece]:
        """A call has begun in the reply; one that is *unsettled* waits for the reply's end."""
        self.is_last_whole = False
        if unsettled:
            self._unsettled[index] = None
            return []
        known = self._leaving(name)
        if not self.live or known is None or known in self.asked.strict:
            return []
        if self.asked.whole_calls:  # nothing is on the wire before it is whole, and checked
            return []
        if not self.watch.may_leave_early(known) or self._waiting or self.has_open:
            return []
        if self.keeps_ids:
            self._waiting[index] = (known, id)
            return []
        return [self._opened(index, known, id)]

    def _opened(self, index: int, name: str, id: str) -> CallStarted:
        begun = self._begun(name, id)
        self._open[index] = _Open(begun.index, begun.id)
        return begun

    def close(self) -> list[Piece]:
        """Something else comes: a call whose arguments are all there is told of as whole.

        Services with tools do not say where one ends; the next one, or words, show it.
        """
        closed: list[Piece] = []
        for opened in self._open.values():
            if opened.told is None and (arguments := _object("".join(opened.written))) is not None:
                opened.told = arguments
                call = ToolCall(self.names[opened.index], arguments, opened.id)
                closed.append(CallCompleted(opened.index, call))
        return closed

    @property
    def has_open(self) -> bool:
        """Whether a call has begun to go out, and not ended."""
        return any(opened.told is None for opened in self._open.values())

    def add(self, more: ArgumentsDelta) -> list[Piece]:
        """More of its arguments."""
        begun: list[Piece] = []
        if more.index in self._waiting:
            begun.append(self._opened(more.index, *self._waiting.pop(more.index)))
        opened = self._open.get(more.index)
        if opened is None:
            return []
        if opened.told is not None:
            opened.written.append(more.text)
            return []
        opened.written.append(more.text)
        # The calls before it were sent, nearly always: its number is the same.
        told = more if more.index == opened.index else ArgumentsDelta(opened.index, more.text)
        return [*begun, told]

    def complete(self, index: int, call: ToolCall) -> list[Piece]:
        """It is whole."""
        self.seen += 1
        if index in self._unsettled and not call.doubt:
            self._unsettled[index] = call
            return []
        self.is_last_whole = call.grade is not Grade.TRUNCATED
        self._waiting.pop(index, None)
        opened = self._open.pop(index, None)
        call = self.watch.followed(call)
        if opened is None and (problem := self.watch.doubted(call)):
            self.problems.append(problem)
            self.ends_sentence = call.place == IN_SENTENCE
            return []
        if opened is None:
            return self._checked(call) if self.is_last_whole and not self.is_enough else []
        if not self.is_last_whole:
            self.half_out = "the model wrote a tool call and left a part of it out"
        elif not _is_same(opened.written, call.arguments):
            self.half_out = "the end of the model's tool call does not fit its beginning"
        elif call.is_echoed:
            self.half_out = "the model repeated a tool call that appears in a tool's result"
        elif problem := self.watch.refused(call):
            self.half_out = problem.message
        else:
            self._note(call)
            if opened.told is not None:
                return []
            name = self.names[opened.index]
            return [CallCompleted(opened.index, replace(call, name=name, id=opened.id))]
        return []

    def doubt(self, index: int, place: str) -> None:
        """What follows shows that its *place* is doubtful, which matters if it still waits."""
        call = self._unsettled.pop(index, None)
        if call is not None and (problem := self.watch.doubted(replace(call, place=place))):
            self.problems.append(problem)

    def settle(self) -> list[Piece]:
        """The reply is over: the calls that waited for that go out."""
        waiting, self._unsettled = list(self._unsettled.values()), {}
        calls = (self.watch.followed(call) for call in waiting if call is not None)
        return [piece for call in calls for piece in self._settled(call)]

    def _settled(self, call: ToolCall) -> list[Piece]:
        if problem := self.watch.doubted(call):
            self.problems.append(problem)
            return []
        is_whole = call.grade is not Grade.TRUNCATED
        return self._checked(call) if is_whole and not self.is_enough else []

    def reject(self, index: int, problem: CallProblem) -> None:
        """It cannot be used."""
        self.seen += 1
        self.is_last_whole = False
        self.problems.append(problem)
        self._waiting.pop(index, None)
        if self._open.pop(index, None) is not None:
            self.half_out = f"the model wrote a tool call that cannot be used: {problem.message}"

    def _leaving(self, name: str) -> str | None:
        """The tool on offer that *name* means, if a call of it may leave now."""
        offer = self.asked.offer
        if self.is_enough:
            return None
        name = _offered(name, self.asked)
        match = meant(name, offer, self.work)
        if match is None:
            return _partly_named(name, offer)
        return match.name if offer.choice in ("auto", "required", match.name) else None

    def _checked(self, call: ToolCall) -> list[Piece]:
        call = replace(call, name=_offered(call.name, self.asked))
        if (named := _partly_named(call.name, self.asked.offer)) is not None:
            repair = Repair("name_near", Grade.GUESSED, call.name)
            call = replace(call, name=named, repairs=(*call.repairs, repair))
        checked = check_call(call, self.asked.offer, near_names=True, work=self.work)
        if not isinstance(checked, CallProblem):
            checked = self.watch.refused(checked) or checked
        if isinstance(checked, CallProblem):
            self.problems.append(checked)
            return []
        self._note(checked)
        begun = self._begun(checked.name, checked.id)
        written = ArgumentsDelta(begun.index, json.dumps(checked.arguments))
        return [begun, written, CallCompleted(begun.index, replace(checked, id=begun.id))]

    def _begun(self, name: str, id: str) -> CallStarted:
        self.names.append(name)
        return CallStarted(self.count - 1, name, id if self.keeps_ids and id else self.ids())

    def _note(self, call: ToolCall) -> None:
        self.repairs += (repair.name for repair in call.repairs)


def _offered(name: str, asked: Asked) -> str:
    """The name under which a tool is offered that its client calls *name*; else *name* itself.

    The user may have named the tool as the client knows it, and the model writes what it read.
    """
    if not asked.tools or name in asked.offer.names:
        return name
    named = [offered for offered, tool in asked.tools.items() if tool.name == name]
    return named[0] if len(named) == 1 else name


def _partly_named(name: str, offer: ToolOffer) -> str | None:
    """The one tool that may be called, if *name* is no tool but a part of its name, or the reverse.

    A client that streams objects calls the tool ``PartialUser``, and the model sees that its schema
    describes a ``User``.
    """
    only = offer.choice if len(offer.tools) > 1 else next(iter(offer.names), "")
    demanded = offer.choice in ("required", only) and only in offer.names
    if not demanded or name in offer.names:
        return None
    written, wanted = fold(name), fold(only)
    is_part = len(written) >= _LEAST_OF_NAME and (written in wanted or wanted in written)
    return only if is_part else None


def _object(written: str) -> Mapping[str, Any] | None:
    """Return the JSON object in *written*; None if it is none, or not a whole one."""
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _is_same(written: Sequence[str], arguments: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads("".join(written)) == arguments)
    except (ValueError, RecursionError):
        return False
