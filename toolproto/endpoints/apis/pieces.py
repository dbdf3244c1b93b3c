"""What goes back to a client, piece by piece, whatever API it speaks.

These are a decoder's events, of which only calls go out that may be run: each has the name that it
is offered under, and an id of ours. A call is begun, given its arguments and completed before
anything else comes; white space between calls is no text. Exactly one :class:`Ended` or
:class:`Failed` comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from ...protocol.events import ArgumentsDelta, CallCompleted, CallStarted, ReasoningDelta, TextDelta
from ...protocol.messages import Usage

__all__ = ["Ended", "Failed", "Piece", "Reason", "joined"]

Reason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class Ended:
    """The answer is over; *stopped* if the backend says that a stop sequence ended it."""

    reason: Reason
    usage: Usage
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer cannot be given; *code* is for programs, *message* for people.

    *retry_after* is for how many seconds the upstream asked to be left alone. *detail* is for the
    log alone.
    """

    message: str
    code: str
    status: int = 502
    retry_after: float | None = None
    detail: str | None = field(default=None, compare=False)


Piece = TextDelta | ReasoningDelta | CallStarted | ArgumentsDelta | CallCompleted | Ended | Failed


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """*pieces* with neighbours of one kind as one: what came together goes out together."""
    if len(pieces) < 2:
        return list(pieces)
    whole: list[Piece] = []
    for _, run in groupby(pieces, _kind):
        first, *more = run
        if not more or not isinstance(first, TextDelta | ReasoningDelta | ArgumentsDelta):
            whole += (first, *more)
            continue
        text = "".join(each.text for each in (first, *more) if isinstance(each, type(first)))
        if isinstance(first, ArgumentsDelta):
            whole.append(ArgumentsDelta(first.index, text))
        else:
            whole.append(type(first)(text))
    return whole


def _kind(piece: Piece) -> tuple[type[Piece], int]:
    return type(piece), piece.index if isinstance(piece, ArgumentsDelta) else 0
