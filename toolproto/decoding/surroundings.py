"""Where does a call stand: in the open, or only shown?

Text that merely contains a call must not run it. What tells the two apart is Markdown and
grammar: a call in inline code, in a block quote or between quotation marks is being shown, and so
is one that a sentence flows into and out of again ("write <tool_code>…</tool_code> to get it").
Fences are the decoder's own affair, because only the end of the reply decides about them.
"""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["Standing", "Surroundings"]

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "„": "“"}


class Standing(Enum):
    """How a call stands in its surroundings, as far as the text before it tells."""

    PLAIN = auto()
    SHOWN = auto()  # in inline code or a block quote
    WOVEN = auto()  # behind a quotation mark or in the middle of a sentence: what follows decides


class Surroundings:
    """What the prose read so far says about the next thing to come."""

    def __init__(self) -> None:
        self.blank_line = True  # nothing but space since the line began, or since a call
        self.in_block_quote = False
        self._code_run = 0  # length of the run of backticks that opened inline code
        self._last = ""  # the last character
        self._last_word = ""  # the last character that is not a space

    def saw(self, text: str) -> None:
        """Take in prose that was read."""
        newline = text.rfind("\n")
        if newline >= 0:
            self.restart()
            self._last = "\n"
            text = text[newline + 1 :]
        if text:
            self._last = text[-1]
            words = text.strip()
            if words:
                self.in_block_quote = self.in_block_quote or (self.blank_line and words[0] == ">")
                self.blank_line = False
                self._last_word = words[-1]

    def restart(self) -> None:
        """A line begins, or a call has ended: what stood before no longer counts."""
        self.blank_line = True
        self.in_block_quote = False
        self._code_run = 0
        self._last = self._last_word = ""

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
        """At the start of a line, or behind the end of a sentence."""
        return self.blank_line or self._last_word in ".:!?。：！？*"

    def standing(self) -> Standing:
        """How a call that begins here stands."""
        if self.in_code or self.in_block_quote:
            return Standing.SHOWN
        if self._last in _QUOTES or self._last_word.isalnum() or self._last_word in (",", "("):
            return Standing.WOVEN if self._last else Standing.PLAIN
        return Standing.PLAIN

    def closing_quote(self) -> str:
        """What would close the quotation mark directly before the call, if one stands there."""
        return _QUOTES.get(self._last, "")
