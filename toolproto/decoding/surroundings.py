"""Where does a call stand: in the open, or only shown?

Text that merely contains a call must not run it. What tells the two apart is Markdown and
grammar: a call in inline code, in a block quote or between quotation marks is being shown, and so
is one that a sentence flows into and out of again ("write <tool_code>…</tool_code> to get it").
Fences are the decoder's own affair, because only the end of the reply decides about them.
"""

from __future__ import annotations

import re
from enum import Enum, auto

__all__ = ["Standing", "Surroundings"]

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "„": "“",
           "»": "«", "”": "”", "『": "』"}  # fmt: skip
_OPEN_QUOTES = frozenset("“«「„『")
_CLOSE_QUOTES = frozenset("”»」』")
# Behind these a sentence goes on: what comes next belongs to it.
_FLOWING = frozenset(",(:;，、：")
_TAIL = 16
_ABBREVIATION = re.compile(r"(?:\b\w\.\s?\w\.|\b(?:eg|ex|resp|bzw|cf)\.)\s*\Z", re.IGNORECASE)


class Standing(Enum):
    """How a call stands in its surroundings, as far as the text before it tells."""

    PLAIN = auto()
    SHOWN = auto()  # in inline code, a block quote, a quotation or a table
    WOVEN = auto()  # behind a quotation mark or in the middle of a sentence: what follows decides


class Surroundings:
    """What the prose read so far says about the next thing to come."""

    def __init__(self) -> None:
        self.blank_line = True  # nothing but space since the line began, or since a call
        self.in_block_quote = False
        self._in_table = False
        self._quotations = 0  # quotation marks open on this line
        self._straight_open = False  # the kind that opens and closes alike
        self._code_run = 0  # length of the run of backticks that opened inline code
        self._tail = ""  # the last characters of the line

    def saw(self, text: str) -> None:
        """Take in prose that was read."""
        newline = text.rfind("\n")
        if newline >= 0:
            self.restart()
            text = text[newline + 1 :]
        words = text.strip()
        if words:
            if self.blank_line:
                self.in_block_quote = words[0] == ">"
                self._in_table = words[0] == "|"
            self.blank_line = False
            self._straight_open ^= words.count('"') % 2 == 1
            if not words.isascii():
                self._count_quotations(words)
        if text:
            self._tail = (self._tail + text)[-_TAIL:]

    def _count_quotations(self, words: str) -> None:
        for char in words:
            if char in _OPEN_QUOTES:
                self._quotations += 1
            elif char in _CLOSE_QUOTES:
                self._quotations = max(0, self._quotations - 1)

    def restart(self) -> None:
        """A line begins, or a call has ended: what stood before no longer counts."""
        self.blank_line = True
        self.in_block_quote = self._in_table = False
        self._quotations = self._code_run = 0
        self._straight_open = False
        self._tail = ""

    def saw_backticks(self, count: int) -> None:
        """Inline code opens, closes, or goes on over a run of another length."""
        if self._code_run == 0:
            self._code_run = count
        elif self._code_run == count:
            self._code_run = 0

    @property
    def in_code(self) -> bool:
        """Inside inline code?"""
        return self._code_run > 0

    @property
    def after_sentence(self) -> bool:
        """At the start of a line, or behind the end of a sentence, or of some tag."""
        return self.blank_line or self._tail.rstrip()[-1:] in set(".:!?。：！？*>]")

    @property
    def begins_something(self) -> bool:
        """Is this a place for a new thing, in the open?"""
        return self.after_sentence and not self.in_code and not self.in_block_quote

    def standing(self) -> Standing:
        """How a call that begins here stands."""
        if self.in_code or self.in_block_quote or self._in_table or self._quotations:
            return Standing.SHOWN
        last = self._tail.rstrip()[-1:]
        if self._straight_open or self._tail[-1:] in _QUOTES or last.isalnum() or last in _FLOWING:
            return Standing.WOVEN if last else Standing.PLAIN
        return Standing.WOVEN if _ABBREVIATION.search(self._tail) else Standing.PLAIN

    def closing_quote(self) -> str:
        """What would close the quotation that the call stands in, if it does."""
        return _QUOTES.get(self._tail[-1:], '"' if self._straight_open else "")
