"""Where does a thought end?"""

from __future__ import annotations

from .scanner import MORE, NO, MarkerSet

__all__ = ["Thought"]


class Thought:
    """An open thought. *ends* are the tags that close one."""

    def __init__(self, ends: MarkerSet) -> None:
        self._ends = ends
        self._last = ""
        self.over = False

    def feed(self, text: str, at: int, final: bool) -> int:
        """How far the text from *at* is certainly thought, or, once ``over``, its closing tag."""
        found = self._ends.begins.search(text, at)
        stop = found.start() if found else len(text)
        if stop > at:
            return self._think(text, stop)
        number, end = self._ends.at(text, at, final)
        named = number >= 0 and self._last == "`"  # `</think>` ends nothing
        if number == MORE or (named and end == len(text) and not final):
            return at
        if number == NO or (named and text[end : end + 1] == "`"):
            return self._think(text, max(end, at + 1))
        self.over = True
        return end

    def _think(self, text: str, stop: int) -> int:
        self._last = text[stop - 1]
        return stop
