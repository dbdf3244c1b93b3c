"""Where does a Markdown code fence begin and end?"""

from __future__ import annotations

import re

from .patterns import Pattern
from .scanner import MORE, NO

__all__ = ["FENCE", "CodeFence"]

#: A fence's first line, its run of characters in group 1. Longer runs are somebody's drawing.
FENCE = Pattern(r"(`{3,64}+|~{3,64}+)([^`\n]{0,80}+)\n")


class CodeFence:
    """An open fence. *run* are the characters it was opened with; *in_line* if a line is begun."""

    def __init__(self, run: str, *, in_line: bool = False) -> None:
        self.holds_call = False
        self._line_begins = not in_line
        char, count = re.escape(run[0]), len(run)
        self._closes = Pattern(rf"{char}{{{count},64}}+(?!{char})")
        self._closes_line = Pattern(rf"[ \t]{{0,8}}{char}{{{count},64}}+[ \t]{{0,8}}(?=\n|\Z)")

    def closes(self, text: str, at: int, final: bool) -> int:
        """Where the run that closes the fence at *at* ends, or NO, or MORE."""
        if not final and self._closes.may_change(text, at):
            return MORE
        found = self._closes.match(text, at)
        return found.end() if found else NO

    def code(self, text: str, at: int, final: bool) -> tuple[int, bool]:
        """How far the text from *at* is certainly code or its end, and whether it is the end."""
        if self._line_begins:
            if not final and self._closes_line.may_change(text, at):
                return at, False
            found = self._closes_line.match(text, at)
            if found:
                return found.end(), True
        newline = text.find("\n", at)
        self._line_begins = newline >= 0
        return (newline + 1 if newline >= 0 else len(text)), False
