"""What goes back to a client, piece by piece, whatever API it speaks.

A call is begun, given its arguments and ended before anything else comes; white space between
calls is no text. Exactly one :class:`Ended` or :class:`Failed` comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from ..messages import Usage

__all__ = [
    "ArgumentsPiece",
    "CallBegun",
    "CallEnded",
    "Ended",
    "Failed",
    "Piece",
    "Text",
    "Thought",
    "joined",
]

Reason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class Text:
    """More of what a person should read."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """More of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class CallBegun:
    """A call of a tool on offer; *index* counts from 0 in each answer."""

    index: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ArgumentsPiece:
    """More of the arguments, as JSON text."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class CallEnded:
    """The arguments are whole: joined, they are a JSON object."""

    index: int


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


Piece = Text | Thought | CallBegun | ArgumentsPiece | CallEnded | Ended | Failed


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """*pieces* with neighbours of one kind as one: what came together goes out together."""
    whole: list[Piece] = []
    for _, run in groupby(pieces, _kind):
        first, *more = run
        if more and isinstance(first, Text | Thought | ArgumentsPiece):
            texts = (each.text for each in (first, *more) if isinstance(each, type(first)))
            whole.append(replace(first, text="".join(texts)))
        else:
            whole += (first, *more)
    return whole


def _kind(piece: Piece) -> tuple[type[Piece], int]:
    return type(piece), piece.index if isinstance(piece, ArgumentsPiece) else 0
