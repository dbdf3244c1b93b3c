r"""What the inside of a Python string stands for, piece by piece.

Python's own escapes are all read. A backslash before anything else stands for itself, as in
Python; only ``\_`` is the Markdown that some models write everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ...messages import ProblemKind, Repair
from ..lenient import repairs as mend
from ..strict import Refused

__all__ = ["WINDOW", "Escapes", "body_of", "body_stop", "decode", "escape_begun", "one_escape"]

WINDOW = 4096  # characters that are matched at a time

_HIGH = r"[dD][89abAB][0-9a-fA-F]{2}"
_LOW = r"[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(
    rf"""\\(?:u{_HIGH}\\u{_LOW}|u[0-9a-fA-F]{{4}}|U[0-9a-fA-F]{{8}}|x[0-9a-fA-F]{{2}}
    |[0-7]{{1,3}}|\r\n|.)""",
    re.VERBOSE | re.DOTALL,
)
# What may turn out to be a longer escape when more text has come.
_BEGUN = re.compile(
    rf"""\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{{0,3}}|U[0-9a-fA-F]{{0,7}}|[0-7]{{1,2}}|\r
    |u{_HIGH}(?:\\(?:u[0-9a-fA-F]{{0,3}})?)?)?\Z""",
    re.VERBOSE,
)
# Escapes that need no second look, so that long code goes through at once.
_SURE = rf"""(?:[^xuUN0-7_\r]|x[0-9a-fA-F]{{2}}|u(?!{_HIGH})[0-9a-fA-F]{{4}}|u{_HIGH}\\u{_LOW})"""
_SIMPLE = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\n": "",
}


class Escapes:
    """Decodes the escapes of one string; ``repairs`` are those that no Python has."""

    def __init__(self) -> None:
        self.repairs: list[Repair] = []

    def __call__(self, match: re.Match[str]) -> str:
        escape = match[0]
        letter = escape[1]
        if letter in "xuU" and len(escape) > 2:
            return self._character(escape)
        if letter in "01234567":
            return chr(int(escape[1:], 8))
        if escape == "\\\r\n":
            return ""
        if letter == "N":
            message = "\\N{...} in a string is not read; write the character itself"
            raise Refused(ProblemKind.MALFORMED, message)
        return self._short(letter)

    def _short(self, letter: str) -> str:
        if letter == "_":
            self.repairs.append(mend.ESCAPED_UNDERSCORE)
            return "_"
        if letter in "xuU":
            self.repairs.append(mend.INVALID_ESCAPE)
        return _SIMPLE.get(letter, "\\" + letter)

    def _character(self, escape: str) -> str:
        if len(escape) == 12:  # what JSON writes for one character beyond the first plane
            high, low = int(escape[2:6], 16), int(escape[8:], 16)
            return chr(0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00)))
        code = int(escape[2:], 16)
        if code > 0x10FFFF:
            self.repairs.append(mend.INVALID_ESCAPE)
            return escape
        return chr(code)


def decode(body: str, escapes: Callable[[re.Match[str]], str]) -> str:
    """The characters *body* stands for; it ends with no half of an escape."""
    return _ESCAPE.sub(escapes, body) if "\\" in body else body


def one_escape(text: str, at: int) -> int:
    """Where the escape ends that begins at *at*."""
    escape = _ESCAPE.match(text, at)
    return escape.end() if escape else len(text)


def escape_begun(text: str, at: int) -> bool:
    """Is all the text from *at* on the beginning of an escape?"""
    return len(text) - at < 12 and _BEGUN.match(text, at) is not None


@cache
def body_of(closers: str, *, long: bool, breaks: bool) -> re.Pattern[str]:
    """What certainly goes on with a string that one of *closers* ends.

    *long* says that three of them do; *breaks* whether line breaks are nothing to look at. To
    be matched against few characters at a time: each escape costs memory until the end.
    """
    other = "" if breaks else r"\r\n"
    quote = re.escape(closers)
    plain = rf"[^{quote}\\{other}]*"
    lone = rf"|[{quote}](?=[^{quote}])" if long else ""
    return re.compile(rf"{plain}(?:(?:\\{_SURE}{lone}){plain})*")


@cache
def body_stop(closers: str, *, long: bool, breaks: bool) -> Callable[[str], int]:
    """The same for the hot path: how much of a text goes on with it, -1 if it has to be read."""
    body = body_of(closers, long=long, breaks=breaks).match

    def stop(text: str) -> int:
        if len(text) > WINDOW:
            return -1
        found = body(text)
        assert found is not None, "matches the empty string"
        end = found.end()
        if end == len(text) or escape_begun(text, end):
            return end
        return end if long and text[end:] in closers else -1

    return stop
