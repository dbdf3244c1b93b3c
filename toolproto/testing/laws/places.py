"""The law of where a call stands: one that is only shown is never taken for a plain one."""

from __future__ import annotations

from collections.abc import Iterable

from ...protocol.decoding.markers import Marker
from ...protocol.messages import ToolCall
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.parsed import ParsedResponse
from ...protocol.tools.spec import ToolOffer
from ..contexts import CallContext
from .asking import asked, read_in_pieces
from .broken import LawBroken, shown
from .comparison import call_line

__all__ = ["place"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

#: As much of a written call as may be its first special token.
_TOKEN = 40


def place(
    paradigm: ToolContextDef,
    context: CallContext,
    call: ToolCall,
    offer: ToolOffer,
    *,
    size: int | None = None,
) -> None:
    """Law 16: in *context*, *call* is text or reasoning, or, where that is allowed, doubted.

    The reply is read in pieces of *size* characters, or whole.
    """
    written = asked("place", paradigm, "encode_call", call)
    if (context.talk and _begins_specially(written)) or _in_its_own_fence(written, context):
        return
    reply = context.around(written)
    step = size or max(1, len(reply))
    pieces = [reply[at : at + step] for at in range(0, len(reply), step)]
    read = ParsedResponse(reply, tuple(read_in_pieces(paradigm, pieces, offer)))
    for each in _taken(read.calls, context):
        raise LawBroken(
            "place",
            f"{call_line(each)} is read {'' if context.shown else 'without a doubt '}out of"
            f" {shown(reply)}, where it is only shown ({context.kind})",
            "look at the place of a call before reading it, as decoding/reply/place.py does",
        )


def _taken(calls: Iterable[ToolCall], context: CallContext) -> list[ToolCall]:
    """The calls that should not have been read, or not without a doubt of their place."""
    return [call for call in calls if context.shown or not call.place]


def _in_its_own_fence(written: str, context: CallContext) -> bool:
    """Is the form itself a code fence? Nothing can be said about one inside other code."""
    return written.startswith("```") and ("`" in context.template or "~~~" in context.template)


def _begins_specially(written: str) -> bool:
    """Does a call begin with a special token? Nobody says one, so words around it prove nothing."""
    return Marker(written.lstrip()[:_TOKEN]).is_special
