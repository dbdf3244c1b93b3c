"""The calls that a service sends as such, put together from their pieces.

Wires say in different ways which call a piece belongs to, and servers get it wrong: all calls have
the index 0, or none; an id or a name comes with every piece, or one id with two calls. So a piece
begins a call if it brings a name that the call before it cannot have, or an id beside a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..decoding.calls.names import offered
from ..decoding.calls.record import CallSetting
from ..decoding.calls.shape import CallShape
from ..decoding.contract import Limits
from ..decoding.reply.attempts import TOO_MANY_CALLS
from ..decoding.reply.events_out import EventsOut
from ..decoding.values.lenient import read_all
from ..decoding.values.strict import same_value
from ..events import Event, merge
from ..finish_reasons import cut_reason
from ..messages import CallProblem, IdFactory, NativePiece, Repair, ToolCall, random_id
from ..schemas.work import LEAST_VISITS, Work
from ..tools.check import check_call, meant
from ..tools.names import NameMatch
from ..tools.spec import ToolOffer
from .arguments import Arguments

__all__ = ["NativeCalls"]

# What harmony and Kimi leave behind a name: ``get_weather<|channel|>commentary``,
# ``functions.get_weather:0``.
_BEHIND_NAME = re.compile(r"(?:\s*<[|\uff5c].*|:\d{1,9})\Z", re.DOTALL)
# No tool has a longer name, and no more of one is kept.
_LONGEST_NAME = 512
_SHAPE = CallShape()


@dataclass(slots=True)
class _Call:
    """One call, as far as its pieces have come.

    *twin* is a call of the same tool under the same id, or number: it may be said once more. What
    *waits* are arguments of a call of which it is not known yet whether to tell.
    """

    number: int
    id: str = ""
    name: str = ""
    twin: _Call | None = None
    told: Arguments | None = None
    waits: list[Any] = field(default_factory=list)
    size: int = 0  # of what waits
    is_named_again: bool = False  # behind its whole arguments
    ended: ToolCall | None = None

    @property
    def is_begun(self) -> bool:
        """Have any of its arguments come?"""
        return bool(self.waits) or (self.told is not None and self.told.has_begun)

    @property
    def is_whole(self) -> bool:
        """Are its arguments complete, whatever may follow?"""
        if self.told is not None:
            return self.told.is_whole
        last = self.waits[-1] if self.waits else ""
        return not isinstance(last, str) or last.rstrip().endswith("}")

    @property
    def holding(self) -> bool:
        """Is something of it held back?"""
        return self.told is None or self.told.holding


class NativeCalls:
    """The calls of one answer to a request with *offer*.

    A call is told of once it is known which tool it means, and its arguments as they come. It ends
    with the answer, since more of it may come until then. It is rejected if no offered tool can be
    meant, and if its arguments are missing where the tool needs some, are no JSON object, or were
    given twice and differ. What else the schema demands is for the check of all calls, as it is
    with those that were written as text.
    """

    def __init__(
        self, offer: ToolOffer, *, ids: IdFactory = random_id, limits: Limits | None = None
    ) -> None:
        self._offer = offer
        self._out = EventsOut(ids)
        self._setting = CallSetting(_SHAPE, offered(offer), self._out, limits or Limits())
        self._work = Work(LEAST_VISITS)
        self._made: list[_Call] = []
        self._by_slot: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._lagging: set[int] = set()  # the calls of which something is held back
        self._is_full = False
        #: Was something told otherwise than it came?
        self.changed = False
        #: Did a piece lack its number or id, or say what is said only once? Was a value no text?
        self.loose = False

    def __bool__(self) -> bool:
        return bool(self._made)

    @property
    def holding(self) -> bool:
        """Is something that came held back?"""
        return bool(self._lagging)

    @property
    def count(self) -> int:
        """How many calls were told of: the number of the next one."""
        return self._out.calls_begun

    def take(self, pieces: Sequence[NativePiece]) -> list[Event]:
        """Read *pieces*; return what they bring."""
        for piece in pieces:
            told = self._only_more(piece)
            if told is not None:
                self._add(told, piece.arguments)
            else:
                self._take(piece)
        events = self._out.take()
        return merge(events) if len(events) > 1 else events

    def finish(self, reason: str | None = None) -> list[Event]:
        """Say that the answer is over: every call is whole, or is none."""
        self._out.cut = cut_reason(reason) is not None
        for call in self._made:
            self._end(call)
        self._lagging.clear()
        if self._is_full:
            self._out.rejected_text(*TOO_MANY_CALLS, "", 0)
        return merge(self._out.take())

    # -- which call a piece belongs to ----------------------------------------------------

    def _only_more(self, piece: NativePiece) -> _Call | None:
        """The call that is told of, and of which *piece* is only more, as most pieces are."""
        if piece.name or piece.id or piece.slot is None or not isinstance(piece.arguments, str):
            return None
        call = self._by_slot.get(piece.slot)
        return call if call is not None and call.told and not call.is_named_again else None

    def _take(self, piece: NativePiece) -> None:
        known = self._known(piece)
        if known is not None and self._goes_on(known, piece):
            call = known
            self.loose = self.loose or bool(piece.name or piece.id or self._is_new(piece.slot))
        elif len(self._made) < self._setting.limits.calls:
            call = self._begun(piece, known)
        else:
            self._is_full = True
            return
        self.loose = self.loose or piece.slot is None or not isinstance(piece.arguments, str)
        if piece.id:
            call.id = call.id or piece.id
            self._by_id[piece.id] = call
        if piece.slot is not None:
            self._by_slot[piece.slot] = call
        self._read(call, piece)

    def _known(self, piece: NativePiece) -> _Call | None:
        """The call that *piece* may go on with."""
        last = self._made[-1] if self._made else None
        by_id = self._by_id.get(piece.id) if piece.id else None
        if piece.slot is None:
            return by_id or last
        by_slot = self._by_slot.get(piece.slot)
        if by_slot is None:  # a number that no call has: it begins one if it can
            return None if piece.name else by_id or last
        return by_id if by_id is not None and piece.id != by_slot.id else by_slot

    def _is_new(self, slot: int | None) -> bool:
        return slot is not None and slot not in self._by_slot

    def _goes_on(self, call: _Call, piece: NativePiece) -> bool:
        """Is *piece* more of *call*, or does it begin another one?"""
        if not piece.name:  # some servers draw a new id for every piece
            return not call.is_named_again or _is_blank(piece.arguments)
        if piece.id and call.id and piece.id != call.id:
            return False
        if piece.name == call.name:
            # Behind whole arguments more of them are those of another call of the same tool.
            call.is_named_again = call.is_begun and call.is_whole
            return not call.is_named_again or _is_blank(piece.arguments)
        return not call.is_begun and self._goes_on_naming(call.name, piece.name)

    def _goes_on_naming(self, begun: str, more: str) -> bool:
        """Is *more* the rest of the name that is *begun*, or the name so far?"""
        if not begun or self._may_name(begun + more):
            return True
        if more.startswith(begun) and self._may_name(more):
            return True
        return self._meant(begun) is None and self._meant(more) is None

    def _may_name(self, begun: str) -> bool:
        return any(tool.name.startswith(begun) for tool in self._offer.tools)

    def _begun(self, piece: NativePiece, known: _Call | None) -> _Call:
        same = self._by_id.get(piece.id) if piece.id else known if piece.slot is not None else None
        twin = same if same is not None and piece.name in (same.name, "") else None
        self.loose = self.loose or not piece.id or piece.id in self._by_id or known is not None
        call = _Call(len(self._made), twin=twin)
        if known is not None and not piece.name:
            call.name = known.name
        self._made.append(call)
        return call

    # -- what is told of it ---------------------------------------------------------------

    def _read(self, call: _Call, piece: NativePiece) -> None:
        if call.told is None and piece.name and piece.name != call.name:
            joined = not piece.name.startswith(call.name) or self._may_name(call.name + piece.name)
            call.name = (call.name * joined + piece.name)[:_LONGEST_NAME]
        if call.told is None and (not _is_blank(piece.arguments) or self._is_sure(call.name)):
            self._tell(call)
        self._add(call, "" if piece.arguments is None else piece.arguments)

    def _add(self, call: _Call, more: Any) -> None:
        """More of its arguments, or all of them."""
        if call.told is not None:
            call.told.take(more)
            self.changed = self.changed or call.told.changed
        elif more != "" and call.size <= self._setting.limits.characters:
            call.waits.append(more)
            call.size += len(more) if isinstance(more, str) else 0
        (self._lagging.add if call.holding else self._lagging.discard)(call.number)

    def _is_sure(self, name: str) -> bool:
        """Is *name* that of a tool, and no other's beginning?"""
        return [tool.name for tool in self._offer.tools if tool.name.startswith(name)] == [name]

    def _tell(self, call: _Call) -> None:
        """Tell of *call*, unless nobody knows which tool it means, or whether it is said again."""
        found = None if call.twin else self._meant(call.name)
        if found is None:
            return
        tool = self._offer.get(found.name)
        repairs = (found.repair,) if found.repair else ()
        self.changed = self.changed or bool(repairs)
        call.told = Arguments(
            self._setting,
            self._out,
            found.name,
            call.id,
            repairs,
            may_be_empty=tool is None or not tool.required,
        )

    def _meant(self, name: str) -> NameMatch | None:
        """The tool that *name* means, give or take what was left behind it."""
        found = meant(name, self._offer, self._work)
        if found is None and (bare := _BEHIND_NAME.sub("", name)) != name:
            found = meant(bare, self._offer, self._work)
            found = found and NameMatch(found.name, Repair("name_markup", detail=name))
        return found

    # -- its end --------------------------------------------------------------------------

    def _end(self, call: _Call) -> None:
        if not call.name and not call.is_begun:
            return  # a number or an id, and nothing else
        twin, call.twin = call.twin, None
        if twin is not None and twin.ended and _is_said_again(call.waits, twin.ended):
            self.changed = True
            return
        if call.told is None:
            self._tell(call)
        if call.told is None:
            self._out.rejected(None, self._unknown(call))
            return
        for more in call.waits:
            call.told.take(more)
        ending: ToolCall | CallProblem = call.told.finish()
        if isinstance(ending, ToolCall) and not call.told.is_told:
            ending = check_call(ending, self._offer, work=self._work)
        self.changed = self.changed or call.told.changed
        if isinstance(ending, ToolCall):
            call.ended = ending
            self._out.completed(call.told.index, ending)
        else:
            self._out.rejected(call.told.index, ending)

    def _unknown(self, call: _Call) -> CallProblem:
        raw = "".join(more for more in call.waits if isinstance(more, str))
        checked = check_call(ToolCall(call.name, {}, call.id, raw), self._offer, work=self._work)
        assert isinstance(checked, CallProblem), "its tool is not known"
        return checked


def _is_blank(arguments: Any) -> bool:
    return arguments is None or (isinstance(arguments, str) and not arguments.strip())


def _is_said_again(waits: Sequence[Any], call: ToolCall) -> bool:
    """Are those arguments the ones of *call*?"""
    values = [more for more in waits if not isinstance(more, str)]
    if not values:
        reading = read_all("".join(waits)) if waits else None
        values = [reading.value] if reading else []
    return all(same_value(value, dict(call.arguments)) for value in values)
