"""Regular expressions and formats of JSON Schema as grammar.

A pattern is read as ECMAScript means it, within what every engine can say: characters, classes,
groups, alternatives, counts, and anchors at its ends. ``None`` is the answer for any other.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .charset import Ranges, complement, of, union
from .ir import ANYTHING, EMPTY, NOTHING, Chars, Node, chars, either, joined, text, times

__all__ = ["FORMATS", "pattern_node"]

_LONGEST = 1000
_MOST_TIMES = 256
_DEEPEST = 24
_WORD = union(of("_"), ((48, 57), (65, 90), (97, 122)))
_SPACE = of(" \t\n\r\f\v")
_CLASSES: dict[str, Ranges] = {
    "d": ((48, 57),),
    "D": complement(((48, 57),)),
    "w": _WORD,
    "W": complement(_WORD),
    "s": _SPACE,
    "S": complement(_SPACE),
}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_DOT = complement(of("\n\r\u2028\u2029"))
_COUNTS = re.compile(r"\{(\d{1,5})(,(\d{0,5}))?\}")
_CODE = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")


class _Unsaid(Exception):
    """Syntax that not every engine has: looking around, references, word boundaries."""


@lru_cache(maxsize=512)
def pattern_node(pattern: str) -> Node | None:
    """The texts in which *pattern* is found; None where that cannot be said."""
    if len(pattern) > _LONGEST:
        return None
    try:
        return _Pattern(pattern).read()
    except _Unsaid:
        return None


class _Pattern:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._depth = 0

    def read(self) -> Node:
        options = [self._whole_branch()]
        while self._take("|"):
            options.append(self._whole_branch())
        if self._at < len(self._text):
            raise _Unsaid
        return either(options)

    def _whole_branch(self) -> Node:
        """A branch of the whole pattern: only there may anchors stand."""
        begins = self._take("^")
        inner = self._sequence()
        ends = self._take("$")
        if self._peek() not in ("", "|"):
            raise _Unsaid
        return joined(EMPTY if begins else ANYTHING, inner, EMPTY if ends else ANYTHING)

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._peek() not in ("", "|", ")", "$"):
            parts.append(self._repeated(self._atom()))
        return joined(*parts)

    def _atom(self) -> Node:
        character = self._next()
        match character:
            case "(":
                return self._group()
            case "[":
                return chars(self._set())
            case "\\":
                return chars(self._escape())
            case ".":
                return Chars(_DOT)
            case "*" | "+" | "?" | "^" | "{":
                raise _Unsaid
        return text(character)

    def _group(self) -> Node:
        self._depth += 1
        if self._take("?") and not self._take(":"):
            raise _Unsaid
        if self._depth > _DEEPEST:
            raise _Unsaid
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        if not self._take(")"):
            raise _Unsaid
        self._depth -= 1
        return either(options)

    def _repeated(self, atom: Node) -> Node:
        least, most = 1, 1
        counts = _COUNTS.match(self._text, self._at)
        if counts:
            self._at = counts.end()
            least = int(counts[1])
            most = least if counts[2] is None else int(counts[3]) if counts[3] else -1
        elif self._peek() in ("*", "+", "?"):
            least, most = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[self._next()]
        else:
            return atom
        self._take("?")  # how eagerly it is tried does not change what fits
        if max(least, most) > _MOST_TIMES or self._peek() in ("*", "+", "?", "{"):
            raise _Unsaid
        return times(atom, least, None if most < 0 else most)

    def _escape(self) -> Ranges:
        code = _CODE.match(self._text, self._at)
        if code:
            self._at = code.end()
            point = int(next(each for each in code.groups() if each), 16)
            return ((point, point),) if point <= 0x10FFFF else ()
        character = self._next()
        if character in _CLASSES:
            return _CLASSES[character]
        if character in _CONTROLS:
            return of(_CONTROLS[character])
        if character.isalnum():
            raise _Unsaid  # a boundary, a reference, a property of Unicode
        return of(character)

    def _set(self) -> Ranges:
        negated = self._take("^")
        found: Ranges = ()
        first = True
        while first or self._peek() != "]":
            first = False
            found = union(found, self._member())
        self._next()
        return complement(found) if negated else found

    def _member(self) -> Ranges:
        start = self._set_character()
        following = self._text[self._at : self._at + 2]
        if not following.startswith("-") or following in ("-", "-]"):
            return start
        self._next()
        end = self._set_character()
        if len(start) != 1 or len(end) != 1 or start[0][0] != start[0][1] or end[0][0] != end[0][1]:
            raise _Unsaid
        return ((start[0][0], end[0][0]),) if start <= end else ()

    def _set_character(self) -> Ranges:
        character = self._next()
        if character == "[":
            raise _Unsaid  # a set operation one day
        if character == "\\":
            return of("\b") if self._take("b") else self._escape()
        return of(character)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise _Unsaid
        self._at += 1
        return self._text[self._at - 1]

    def _take(self, mark: str) -> bool:
        if self._peek() != mark:
            return False
        self._at += 1
        return True


def _said(pattern: str) -> Node:
    found = pattern_node(pattern)
    assert found is not None and found is not NOTHING, "one of ours"
    return found


_LONG_MONTH = r"(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
_SHORT_MONTH = r"(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9])"
_DATE = rf"(?:19|20)[0-9]{{2}}-(?:{_LONG_MONTH}|{_SHORT_MONTH})"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?"
_ZONE = r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HEX = "[0-9a-fA-F]"

#: Formats whose texts are regular; any other is left to the model.
FORMATS: dict[str, Node] = {
    "date": _said(f"^{_DATE}$"),
    "time": _said(f"^{_TIME}{_ZONE}?$"),
    "date-time": _said(f"^{_DATE}T{_TIME}{_ZONE}?$"),
    "uuid": _said(f"^{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}$"),
    "ipv4": _said(rf"^{_BYTE}\.{_BYTE}\.{_BYTE}\.{_BYTE}$"),
    "email": _said(rf"^[A-Za-z0-9._%+-]{{1,64}}@{_LABEL}(?:\.{_LABEL}){{1,4}}$"),
}
