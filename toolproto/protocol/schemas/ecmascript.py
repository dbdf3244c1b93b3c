r"""What an ECMAScript pattern is in the syntax of Rust's ``regex``, and how large it is there.

JSON Schema means ECMAScript: ``\d``, ``\w`` and ``\b`` are ASCII, ``\s`` and ``.`` know its spaces
and line ends, ``[`` and ``&&`` in a set are characters. No linear engine can look around or refer
back, and some patterns (``[]a]``, ``a{,3}``) mean different things to different engines: these are
``Unenforced``. Above stands ``patterns``, which compiles and runs them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = ["LONGEST", "Translated", "Unenforced", "translated"]

# Longer patterns exist, but none that a model could be told to follow.
LONGEST = 1_000
# States of the engine, as they are estimated here: compiling so many takes some 20 ms.
_MOST_STATES = 10_000
# States of what one byte of UTF-8 cannot tell, and of a property of Unicode.
_WIDE, _PROPERTY = 8, 500
_DIGIT, _WORD = "0-9", "0-9A-Za-z_"
_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SETS = {
    **{"d": f"[{_DIGIT}]", "w": f"[{_WORD}]", "s": f"[{_SPACE}]"},
    **{"D": f"[^{_DIGIT}]", "W": f"[^{_WORD}]", "S": f"[^{_SPACE}]"},
}
# ``\A``, ``\z`` and ``\Z`` are not ECMAScript's, which has no other meaning for them: they are how
# Python and pydantic write the ends.
_PLACES = {"b": r"(?-u:\b)", "A": r"\A", "z": r"\z", "Z": r"\z"}
_CONTROLS = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SPECIAL = frozenset("\\.+*?()|[]{}^$#&-~")
_GROUP = re.compile(r"\?(?::|P?<[^\W\d]\w{0,63}>)")
_COUNTS = re.compile(r"(\d{1,6})(,(\d{0,6}))?\}")
_PROPERTY_NAME = re.compile(r"\{[A-Za-z_=]{1,64}\}")
_CODE = re.compile(
    r"x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|c([A-Za-z])|(0)(?!\d)"
)
_LOW_HALF = re.compile(r"\\u([dD][c-fC-F][\da-fA-F]{2})")


class Unenforced(Exception):
    """A pattern that is not run, and why not."""


class Translated(NamedTuple):
    """A pattern in the engine's syntax."""

    rust: str
    states: int
    is_straight: bool


@lru_cache(maxsize=256)
def translated(pattern: str) -> Translated:
    """Return *pattern* in the engine's syntax, or raise Unenforced."""
    if len(pattern) > LONGEST:
        raise Unenforced(f"it is longer than {LONGEST:,} characters")
    return _Reader(pattern).read()


class _Reader:
    """Reads a pattern once, left to right, with a stack instead of recursion."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._rust: list[str] = []
        #: The states of each open group so far, and of the item that a quantifier would repeat.
        self._sums = [0]
        self._last = 0
        self._has_choice = not pattern.startswith("^")

    def read(self) -> Translated:
        while self._at < len(self._pattern):
            self._item(self._take())
        if len(self._sums) != 1:
            raise Unenforced("it is not written correctly")
        states = self._sums[0] + self._last
        self._bound(states)
        return Translated("".join(self._rust), states, not self._has_choice)

    def _take(self) -> str:
        if self._at >= len(self._pattern):
            raise Unenforced("it is not written correctly")
        self._at += 1
        return self._pattern[self._at - 1]

    def _takes(self, mark: str) -> bool:
        found = self._pattern.startswith(mark, self._at)
        self._at += len(mark) * found
        return found

    def _item(self, char: str) -> None:
        match char:
            case "(":
                self._open()
            case ")":
                self._close()
            case "|":
                self._has_choice = True
                self._add("|", 1, repeatable=False)
            case "*" | "+" | "?":
                self._repeat(char, 1 if char == "?" else 2)
            case "{":
                self._braces()
            case "[":
                self._set()
            case "\\":
                self._escape()
            case "^" | "$":
                self._add(char, 1, repeatable=False)
            case ".":
                self._add(r"[^\n\r\u2028\u2029]", _WIDE)
            case _:
                self._add_character(char)

    def _add(self, rust: str, states: int, *, repeatable: bool = True) -> None:
        self._sums[-1] += self._last
        self._last = states if repeatable else 0
        self._sums[-1] += 0 if repeatable else states
        self._rust.append(rust)

    def _add_character(self, char: str) -> None:
        self._add(_written(char), 1 if char.isascii() else 4)

    def _open(self) -> None:
        group = _GROUP.match(self._pattern, self._at)
        if group:
            self._at = group.end()
        elif self._pattern.startswith(("?=", "?!", "?<=", "?<!"), self._at):
            raise Unenforced("it looks ahead or behind")
        elif self._pattern.startswith("?", self._at):
            raise Unenforced("it sets flags, or refers to a group")
        self._add("(?:", 1, repeatable=False)
        self._sums.append(0)

    def _close(self) -> None:
        if len(self._sums) == 1:
            raise Unenforced("it is not written correctly")
        # A group that holds nothing is a state too: it may be repeated.
        states = self._sums.pop() + self._last + 1
        self._last = states
        self._rust.append(")")

    def _braces(self) -> None:
        if self._pattern.startswith(",", self._at):
            raise Unenforced("'{,' means one thing in Python and another in ECMAScript")
        counts = _COUNTS.match(self._pattern, self._at)
        if not counts:
            self._add_character("{")
            return
        self._at = counts.end()
        least, most = int(counts[1]), int(counts[3] or 0)
        self._has_choice |= counts[2] is not None and least != most
        self._repeat("{" + counts[0], max(least + 1, most), is_choice=False)

    def _repeat(self, written: str, times: int, *, is_choice: bool = True) -> None:
        if self._last == 0:
            raise Unenforced("it repeats something that cannot be repeated")
        self._has_choice |= is_choice
        lazy = "?" if self._takes("?") else ""
        self._sums[-1] += self._last * times + 1
        self._last = 0  # nor can this be repeated: "a++" means two things
        self._bound(self._sums[-1])
        self._rust.append(written + lazy)

    def _bound(self, states: int) -> None:
        if states > _MOST_STATES:
            raise Unenforced("it is too large with all of its repetitions")

    def _escape(self) -> None:
        char = self._take()
        if char in _SETS:
            self._add(_SETS[char], 1 if char in "dw" else _WIDE)
        elif char in _PLACES:
            self._add(_PLACES[char], 1, repeatable=False)
        elif char == "B":  # the engine's ASCII one is also found between the bytes of a character
            raise Unenforced("'\\B' is not known")
        elif char in "pP":
            self._add(self._property(char), _PROPERTY)
        elif char in "123456789k":
            raise Unenforced("it refers back to a group")
        else:
            self._add_character(self._escaped(char))

    def _property(self, char: str) -> str:
        name = _PROPERTY_NAME.match(self._pattern, self._at)
        if not name:
            raise Unenforced("it is not written correctly")
        self._at = name.end()
        return f"\\{char}{name[0]}"

    def _escaped(self, char: str) -> str:
        """Return the character that ``\\`` and *char*, with what follows, stand for."""
        if char in _CONTROLS:
            return _CONTROLS[char]
        code = _CODE.match(self._pattern, self._at - 1)
        if code:
            self._at = code.end()
            if code[4]:
                return chr(ord(code[4]) % 32)
            return self._character(int(next(each for each in code.groups() if each), 16))
        if char.isalnum() or not char.isascii():
            raise Unenforced(f"it escapes {char!r}, which means nothing in ECMAScript")
        return char

    def _character(self, point: int) -> str:
        if 0xD800 <= point < 0xDC00 and (low := _LOW_HALF.match(self._pattern, self._at)):
            self._at = low.end()
            point = 0x10000 + ((point - 0xD800) << 10) + int(low[1], 16) - 0xDC00
        if point > 0x10FFFF:
            raise Unenforced("it is not written correctly")
        return chr(point)

    def _set(self) -> None:
        negated = "^" if self._takes("^") else ""
        if self._takes("]"):
            raise Unenforced("'[]' means one thing in Python and another in ECMAScript")
        members: list[str] = []
        states = _WIDE if negated else 1
        while not self._takes("]"):
            start, start_states = self._member()
            states += start_states
            is_range = self._takes("-")
            if is_range and not self._pattern.startswith("]", self._at):
                end, end_states = self._member()
                states += end_states
                members.append(_range(start, end))
            else:
                members += [_written(start), r"\-" if is_range else ""]
        self._add(f"[{negated}{''.join(members)}]", states)

    def _member(self) -> tuple[str, int]:
        """Return a character of a set, or a set within it, and the states that it adds."""
        char = self._take()
        if char != "\\":
            return char, 0 if char.isascii() else _WIDE
        char = self._take()
        if char in _SETS:
            return _SETS[char], 0 if char in "dw" else _WIDE
        if char in "pP":
            return self._property(char), _PROPERTY
        found = "\b" if char == "b" else self._escaped(char)
        return found, 0 if found.isascii() else _WIDE


def _range(start: str, end: str) -> str:
    if len(start) > 1 or len(end) > 1:  # "[\w-.]": the hyphen is meant
        return rf"{_written(start)}\-{_written(end)}"
    if start > end:
        raise Unenforced("it is not written correctly")
    return f"{_written(start)}-{_written(end)}"


def _written(char: str) -> str:
    """Return *char* as the engine writes it; a set, which is longer, stays as it is."""
    if len(char) > 1:
        return char
    if "\ud800" <= char <= "\udfff":
        raise Unenforced("it holds half of a surrogate pair")
    return f"\\{char}" if char in _SPECIAL else char
