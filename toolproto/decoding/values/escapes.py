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

__all__ = ["CODE_POINT", "SIMPLE", "SURROGATE_PAIR", "code_point", "plain_unescape", "unescape"]

_read_string = json.JSONDecoder(strict=False).raw_decode
_decode = json.JSONDecoder(strict=False).decode
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_control = re.compile(r"[\x00-\x1f]").search
_plain_apostrophe = re.compile(r"(?<!\\)'").search
_HEX = "[0-9a-fA-F]"
#: Behind a backslash, what JSON writes for one character beyond the first plane.
SURROGATE_PAIR = rf"u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
#: The same for any character by its number, in JSON and in Python.
CODE_POINT = rf"{SURROGATE_PAIR}|u{_HEX}{{4}}|U{_HEX}{{8}}|x{_HEX}{{2}}"
_ESCAPE = re.compile(rf"\\(?:{CODE_POINT}|u{_HEX}{{0,3}}\Z|.)", re.DOTALL)
#: What a letter behind a backslash stands for in JSON.
SIMPLE = {
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
        return code_point(escape) or ""

    def _short(self, letter: str) -> str:
        if letter in SIMPLE:
            return SIMPLE[letter]
        if letter not in _TOLERATED or (letter == "'" and self.means_backslash):
            return self._unknown("\\" + letter)
        character, repair = _TOLERATED[letter]
        if letter != self.quote:  # where it is the string's own quote, escaping it is right
            self.repairs[repair] = None
        return character

    def _python(self, escape: str) -> str:
        character = code_point(escape) if self.is_python else None
        if character is None:
            return self._unknown(escape)
        if self.quote != "'":
            self.repairs[mend.HEX_ESCAPE] = None
        return character

    def _unknown(self, escape: str) -> str:
        self.repairs[mend.INVALID_ESCAPE] = None
        return escape


def code_point(escape: str) -> str | None:
    """The character that an escape by its number stands for; None if there is none."""
    if len(escape) == 12:
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00)))
    code = int(escape[2:], 16)
    return chr(code) if code <= 0x10FFFF else None
