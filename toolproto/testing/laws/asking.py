"""Asking a paradigm for something, so that an exception of its own breaks a law with a reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...protocol.events import Event, merge
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.parsed import ParsedResponse
from ...protocol.tools.spec import ToolOffer
from .broken import LawBroken, shown

__all__ = ["asked", "read_in_pieces", "read_whole"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it


def asked(law: str, paradigm: ToolContextDef, method: str, *arguments: Any) -> Any:
    """What *method* of *paradigm* gives for *arguments*; if it raises, *law* is broken."""
    try:
        return getattr(paradigm, method)(*arguments)
    except Exception as error:
        given = ", ".join(shown(argument) for argument in arguments)
        raise LawBroken(
            law,
            f"{method}({given}) raises {error!r}",
            f"{type(paradigm).__name__}.{method} must take any call, result, problem and offer",
        ) from error


def read_in_pieces(
    paradigm: ToolContextDef, pieces: Iterable[str], offer: ToolOffer, reason: str | None = None
) -> list[Event]:
    """The merged events of a reply that came in *pieces*; an exception breaks totality."""
    read: list[str] = []
    try:
        decoder = paradigm.decoder(offer)
        events: list[Event] = []
        for piece in pieces:
            read.append(piece)
            events += decoder.feed(piece)
        return merge([*events, *decoder.finish(reason)])
    except Exception as error:
        raise LawBroken(
            "totality",
            f"{shown(''.join(read))} raises {error!r}",
            "turn the model's mistakes into CallRejected",
        ) from error


def read_whole(paradigm: ToolContextDef, text: str, offer: ToolOffer) -> ParsedResponse:
    """What *text* says, read in one piece."""
    return ParsedResponse(text, tuple(read_in_pieces(paradigm, [text], offer)))
