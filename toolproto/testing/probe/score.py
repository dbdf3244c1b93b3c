"""What a reply gets right, held against what was due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from ...protocol.decoding.contract import heard
from ...protocol.events import merge
from ...protocol.finish_reasons import cut_reason
from ...protocol.messages import Chunk, Grade, ToolCall
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.parsed import ParsedResponse
from ...protocol.tools.check import check_call
from ...protocol.tools.spec import ToolOffer
from .cases import Case, DueCall
from .matching import arguments_match, contains

__all__ = ["Marks", "mark", "read_reply"]

#: More calls than this in one reply are not compared one by one; no case is due so many.
_MOST_CALLS = 4


@dataclass(frozen=True, slots=True)
class Marks:
    """What was right in one case; None where the case does not ask.

    *well_formed*: a call was due, one could be read, and nothing that could not. *right_tool*: the
    tools that were due were called, no other, none too often. *right_arguments*: and their
    arguments were right. *sure*: and nothing in them had to be guessed.
    *needless*: no call was due, and there was one, or what looked like one. *used_result*: the
    answer says what the tool gave back.
    """

    well_formed: bool | None = None
    right_tool: bool | None = None
    right_arguments: bool | None = None
    sure: bool | None = None
    needless: bool | None = None
    used_result: bool | None = None

    @property
    def holds_back(self) -> bool | None:
        """Whether it called nothing where nothing was due."""
        return None if self.needless is None else not self.needless

    @property
    def right(self) -> bool:
        """Whether it called as it should, or did not where it should not."""
        return bool(self.right_arguments) if self.needless is None else not self.needless


def mark(case: Case, reply: ParsedResponse, answer: ParsedResponse | None = None) -> Marks:
    """The marks of *reply*; *answer* is what came once the result was told."""
    if not case.calls:
        return Marks(needless=bool(reply.calls or reply.problems))
    made = [_as_it_would_run(call, case.offer) for call in reply.calls]
    named = sorted(call.name for call in made) == sorted(due.name for due in case.calls)
    right = named and _fits(case.calls, made, case.offer)
    return Marks(
        well_formed=bool(reply.calls) and not reply.problems,
        right_tool=named,
        right_arguments=right,
        sure=right and all(call.grade in (None, Grade.LOSSLESS) for call in made),
        used_result=contains(answer.text, case.answer) if answer else None,
    )


def read_reply(
    paradigm: ToolContextDef, offer: ToolOffer, said: Chunk, finish_reason: str | None
) -> ParsedResponse:
    """What was *said*, read as a session reads it: a call that the reply was cut in is none."""
    decoder = paradigm.decoder(offer)
    cut = cut_reason(finish_reason)
    return ParsedResponse(said.text, tuple(merge([*heard(decoder, said), *decoder.finish(cut)])))


def _as_it_would_run(call: ToolCall, offer: ToolOffer) -> ToolCall:
    """*call* with its name and values mended as a session mends them; as it is, if refused."""
    checked = check_call(call, offer)
    return checked if isinstance(checked, ToolCall) else call


def _fits(due: Sequence[DueCall], made: Sequence[ToolCall], offer: ToolOffer) -> bool:
    if len(made) > _MOST_CALLS:
        return False
    return any(
        all(_is_due(each, call, offer) for each, call in zip(due, order, strict=True))
        for order in permutations(made)
    )


def _is_due(due: DueCall, call: ToolCall, offer: ToolOffer) -> bool:
    tool = offer.get(due.name)
    return (
        tool is not None
        and call.name == due.name
        and arguments_match(due.arguments, call.arguments, tool)
    )
