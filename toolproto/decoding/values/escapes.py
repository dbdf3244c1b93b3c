r"""What the backslashes in a string's body stand for, JSON's own and those of Python.

An escape that nobody defines (``\d``, ``\.``) comes from code or a pattern whose backslash
the model forgot to double, so the backslash stays.
"""

from __future__ import annotations

import json
import re

from ...messages import Repair
from . import repairs as mend
from .state import State

__all__ = ["plain_unescape", "unescape"]

_read_string = json.JSONDecoder(strict=False).raw_decode
_decode = json.JSONDecoder(strict=False).decode
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_control = re.compile(r"[\x00-\x1f]").search
_plain_apostrophe = re.compile(r"(?<!\\)'").search
_ESCAPE = re.compile(
    r"""\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
    |u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}
    |u[0-9a-fA-F]{0,3}\Z|.)""",
    re.VERBOSE | re.DOTALL,
)
_SIMPLE = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_TOLERATED = {
    "'": ("'", mend.ESCAPED_APOSTROPHE),
    "`": ("`", mend.ESCAPED_APOSTROPHE),
    "_": ("_", mend.ESCAPED_UNDERSCORE),
}


def plain_unescape(body: str) -> str:
    """Decode what stands between two quotes; an escape JSON does not have loses its backslash."""
    if "\\" not in body:
        return body
    try:
        return str(_decode(f'"{body}"'))
    except ValueError:
        return _ESCAPED.sub(r"\1", body)


def unescape(state: State, body: str, quote: str = '"', *, cut: bool = False) -> str:
    """The text a body stands for; every oddity in it is noted on *state*.

    *quote* is what the string was opened with. *cut* says that the text ended inside the
    body, so that half an escape at its end is dropped and not taken for two characters.
    """
    if _control(body):
        state.note(mend.CONTROL_CHARACTER)
    if "\\" not in body:
        return body
    try:
        value, end = _read_string(f'"{body}"')
        if end == len(body) + 2:  # else an inner quote, which only the slow way passes over
            return str(value)
    except ValueError:
        pass
    unescaper = _Unescaper(body, quote, cut)
    value = _ESCAPE.sub(unescaper, body)
    for repair in unescaper.repairs:
        state.note(repair)
    return value


class _Unescaper:
    """One body's escapes, character by character."""

    def __init__(self, body: str, quote: str, cut: bool) -> None:
        self.repairs: dict[Repair, None] = {}  # as an ordered set
        self.quote = quote
        self.cut = cut
        # Python writes 'a', and "a" only around apostrophes; JSON's \x41 is code misquoted.
        self.is_python = quote == "'" or ("'" in body and '"' not in body)
        # Who escapes apostrophes needlessly escapes them all; 'it\'s' among others is code.
        self.means_backslash = quote == '"' and _plain_apostrophe(body) is not None

    def __call__(self, match: re.Match[str]) -> str:
        escape = match[0]
        letter = escape[1]
        if letter == "u" and len(escape) < 6:
            return "" if self.cut else self._unknown(escape)
        if len(escape) == 2:
            return self._short(letter)
        if letter in "xU":
            return self._python(escape)
        return _utf16(escape)

    def _short(self, letter: str) -> str:
        if letter in _SIMPLE:
            return _SIMPLE[letter]
        if letter not in _TOLERATED or (letter == "'" and self.means_backslash):
            return self._unknown("\\" + letter)
        character, repair = _TOLERATED[letter]
        if letter != self.quote:  # where it is the string's own quote, escaping it is right
            self.repairs[repair] = None
        return character

    def _python(self, escape: str) -> str:
        code = int(escape[2:], 16)
        if not self.is_python or code > 0x10FFFF:
            return self._unknown(escape)
        if self.quote != "'":
            self.repairs[mend.HEX_ESCAPE] = None
        return chr(code)

    def _unknown(self, escape: str) -> str:
        self.repairs[mend.INVALID_ESCAPE] = None
        return escape


def _utf16(escape: str) -> str:
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    high, low = int(escape[2:6], 16), int(escape[8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00)))
