"""Reading one Python string, in whatever pieces it comes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ...messages import Grade, Repair
from ..lenient import repairs as mend
from .escapes import WINDOW, Escapes, body_of, body_stop, decode, escape_begun, one_escape
from .names import OPENING_QUOTES
from .quotes import Verdict

__all__ = ["StringReader", "opening"]

F_STRING = Repair("f_string", Grade.GUESSED)  # its braces are left as they are
BYTES = Repair("bytes")
_OPENING = re.compile(r"""([rRbBuUfF]{0,2})(\"{3}|'{3}|\\?["']|[“‘`])""")
_OPENING_BEGUN = re.compile(r"""[rRbBuUfF]{0,2}(?:\"{1,2}|'{1,2}|\\)?\Z""")
_PREFIXES = frozenset(("", "r", "b", "u", "f", "rb", "br", "rf", "fr"))
_NESTED = re.compile(r"\\\\(?:\\(.)|(.))", re.DOTALL)
_NESTED_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}

Judge = Callable[[str, int, bool, bool], Verdict]


def opening(text: str, at: int, final: bool) -> tuple[str, str] | None:
    """The prefix and the quote that open a string at *at*, or None.

    The quote is empty where more text has to come first.
    """
    if not final and _OPENING_BEGUN.match(text, at):
        return "", ""
    found = _OPENING.match(text, at)
    return (found[1], found[2]) if found and found[1].lower() in _PREFIXES else None


class StringReader:
    """A string that *quote* opened behind *prefix*.

    The characters it stands for go to *say* as they come, and what is odd about it to *note*.
    *judge* decides whether a quote ends it.
    """

    def __init__(
        self,
        prefix: str,
        quote: str,
        judge: Judge,
        say: Callable[[str], None],
        note: Callable[[Repair], None],
    ) -> None:
        self.quote = quote
        self._judge = judge
        self._say = say
        self._note = note
        self._raw = "r" in prefix.lower()
        self._is_format = "f" in prefix.lower()
        self._long = len(quote) == 3
        self._closers = OPENING_QUOTES[quote[-1]]
        self._breaks = self._long  # have line breaks been accounted for?
        self._inner = 0
        self._escapes = Escapes()
        self.at = 0  # where reading stands
        self.closed = False
        if "b" in prefix.lower():
            note(BYTES)
        if quote in "“‘`":
            note(mend.QUOTE_STYLE)
        if quote[0] == "\\":
            note(mend.ESCAPED_JSON)

    @property
    def stop(self) -> Callable[[str], int] | None:
        """For the hot path: how much of a text goes on with the string, if that is easy to say."""
        if self._raw or self._is_format or self.quote[0] == "\\":
            return None
        return body_stop(self._closers, long=self._long, breaks=self._breaks)

    def decode(self, body: str) -> str:
        """The characters that a body stands for, which ``stop`` let pass."""
        return decode(body, self._escapes)

    def read(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*; return where reading stopped."""
        self.at = at
        while self.at < len(text) and not self.closed:
            stop = self._body(text, self.at)
            if stop == self.at:
                stop = self._special(text, self.at, final)
            if stop == self.at:
                break
            self.at = stop
        return self.at

    def _body(self, text: str, at: int) -> int:
        if self._raw or self.quote[0] == "\\":
            found = _plain(self._closers).match(text, at)
        else:
            body = body_of(self._closers, long=self._long, breaks=self._breaks)
            found = body.match(text, at, at + WINDOW)
        assert found is not None, "matches the empty string"
        if found.end() > at:
            self._tell(found[0])
        return found.end()

    def _tell(self, body: str) -> None:
        if self._is_format and "{" in body:
            self._note(F_STRING)
        if self._raw:
            self._say(body)
            return
        self._say(decode(body, self._escapes))
        for repair in self._escapes.repairs:
            self._note(repair)
        self._escapes.repairs.clear()

    def _special(self, text: str, at: int, final: bool) -> int:
        char = text[at]
        if char == "\\":
            return self._backslash(text, at, final)
        if char in "\r\n":
            return self._break(char, at)
        if self._long:
            return self._long_quote(text, at, final)
        if self.quote[0] == "\\":
            self._say(char)  # not escaped, so not the end
            return at + 1
        return self._candidate(text, at, at + 1, final)

    def _break(self, char: str, at: int) -> int:
        if not self._breaks:
            self._note(mend.CONTROL_CHARACTER)
        self._breaks = True
        self._say(char)
        return at + 1

    def _candidate(self, text: str, at: int, after: int, final: bool) -> int:
        """A quote that may end the string; it ends at *after*."""
        verdict = self._judge(text, after, final, self._inner == 0)
        if verdict is Verdict.WAIT:
            return at
        if verdict is Verdict.CLOSES:
            self.closed = True
            return after
        self._inner += 1
        self._note(mend.UNESCAPED_QUOTE)
        self._say(text[after - 1])
        return after

    def _long_quote(self, text: str, at: int, final: bool) -> int:
        """Three quotes end it; of four or five, the last three."""
        run = len(text[at : at + 5]) - len(text[at : at + 5].lstrip(text[at]))
        if run < 5 and at + run == len(text) and not final:
            return at
        if run < 3:
            self._say(text[at : at + run])
            return at + run
        if run > 3:
            self._note(mend.UNESCAPED_QUOTE)
            self._say(text[at : at + run - 3])
        self.closed = True
        return at + run

    def _backslash(self, text: str, at: int, final: bool) -> int:
        if self.quote[0] == "\\":
            return self._nested(text, at, final)
        if self._raw:
            if at + 1 == len(text) and not final:
                return at
            self._say(text[at : at + 2])
            return min(at + 2, len(text))
        return self._escape(text, at, final)

    def _escape(self, text: str, at: int, final: bool) -> int:
        if not final and escape_begun(text, at):
            return at
        end = one_escape(text, at)
        self._tell(text[at:end])
        return end

    def _nested(self, text: str, at: int, final: bool) -> int:
        """A backslash between escaped quotes: one of the quotes, or half of an escape."""
        if len(text) - at < 5 and not final:
            return at
        if text.startswith(self.quote, at):
            return self._candidate(text, at, at + 2, final)
        nested = _NESTED.match(text, at)
        if nested is None:
            return self._escape(text, at, final)
        self._note(mend.NESTED_ESCAPES)
        if nested[2]:
            self._say(_NESTED_LETTERS.get(nested[2], "\\" + nested[2]))
        else:
            self._say(nested[1])
        return nested.end()


@cache
def _plain(closers: str) -> re.Pattern[str]:
    return re.compile(rf"[^{re.escape(closers)}\\\r\n]*")
