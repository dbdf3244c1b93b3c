"""What goes out, without the breaks that were put into what came in.

The guard breaks whatever could begin something in a client's text (``guard/neutralise.py``). A
model that writes such a text again, into a file perhaps, writes the break with it. It did its work
when the reply was read: what leaves is as it was before. A run of breaks may come in two pieces,
and in arguments as escapes; the end of a piece waits for the next where that matters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..events import ArgumentsDelta, CallCompleted, TextDelta
from ..guard.neutralise import BREAK, restore
from ..masking.unmasker import with_texts
from .pieces import Piece

__all__ = ["Restored"]

_WRITTEN = "\\u2063"
_ESCAPE = re.compile(r"\\(u2063|.)", re.DOTALL)


class Restored:
    """Passes the pieces of one answer on."""

    def __init__(self) -> None:
        #: The last piece of text or arguments, with what of it has to wait.
        self._waiting: TextDelta | ArgumentsDelta | None = None

    def passed(self, pieces: Sequence[Piece]) -> list[Piece]:
        """What of *pieces*, and of what waited, goes out now."""
        out: list[Piece] = []
        for piece in pieces:
            waiting = self._waiting
            if waiting is not None and not _goes_on(waiting, piece):
                self._waiting = None
                out += _written(waiting, restore(waiting.text))
            match piece:
                case TextDelta() | ArgumentsDelta():
                    out += self._restored(piece)
                case CallCompleted(index, call):
                    arguments = with_texts(call.arguments, restore)
                    out.append(CallCompleted(index, replace(call, arguments=arguments)))
                case _:
                    out.append(piece)
        return out

    def _restored(self, piece: TextDelta | ArgumentsDelta) -> list[Piece]:
        text = piece.text if self._waiting is None else self._waiting.text + piece.text
        self._waiting, half = None, ""
        if isinstance(piece, ArgumentsDelta) and "\\" in text:
            text, half = _cut(text)
            text = _ESCAPE.sub(_unescaped, text)
        whole = text.rstrip(BREAK)
        if kept := text[len(whole) :] + half:
            self._waiting = replace(piece, text=kept)
        return _written(piece, restore(whole) if BREAK in whole else whole)


def _goes_on(waiting: Piece, piece: Piece) -> bool:
    if isinstance(waiting, ArgumentsDelta):
        return isinstance(piece, ArgumentsDelta) and piece.index == waiting.index
    return isinstance(piece, TextDelta)


def _written(piece: TextDelta | ArgumentsDelta, text: str) -> list[Piece]:
    return [replace(piece, text=text)] if text else []


def _cut(text: str) -> tuple[str, str]:
    """*text*, and what may be the first half of an escape at its end."""
    at = text.rfind("\\")
    before = text[:at]
    is_escaped = (len(before) - len(before.rstrip("\\"))) % 2
    if not is_escaped and len(text) - at < len(_WRITTEN) and _WRITTEN.startswith(text[at:]):
        return before, text[at:]
    return text, ""


def _unescaped(found: re.Match[str]) -> str:
    return BREAK if found[1] == "u2063" else found[0]
