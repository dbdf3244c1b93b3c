"""Text for APIs that give it blocks of its own: one of nothing but white space is left out.

Models put line ends before a call and between two. Shown as a block, they are an empty bubble in
some clients, and services refuse them when the conversation goes on.
"""

from __future__ import annotations

from ....protocol.events import ReasoningDelta, TextDelta
from ..pieces import Piece

__all__ = ["TextRuns"]


class TextRuns:
    """Holds back the white space a run of text begins with, until more than that follows."""

    def __init__(self) -> None:
        self._blanks: list[str] = []
        self._is_shown = False

    def passed(self, piece: Piece) -> list[Piece]:
        """What of *piece*, and of what was held back, goes on now."""
        match piece:
            case TextDelta("") | ReasoningDelta(""):
                return []
            case TextDelta(text):
                return self._text(text)
        self._is_shown = False
        self._blanks.clear()
        return [piece]

    def _text(self, text: str) -> list[Piece]:
        self._blanks.append(text)
        if not self._is_shown and not text.strip():
            return []
        self._is_shown = True
        run = "".join(self._blanks)
        self._blanks.clear()
        return [TextDelta(run)]
