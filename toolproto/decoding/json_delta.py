"""How much of a call's arguments is certain, while they are still being written?

:class:`ArgumentsText` hears the tokens of the arguments and hands out their text as JSON, as soon
as no later character can change what it means. Inside a string that is at once. A closing quote
is different: a model that forgets to escape one has not closed anything, so the quote and what
follows wait until the next string or container has begun. Past the first token that strict JSON
would not have, nothing more is handed out; :func:`remainder` then completes what was said so far
from the value that was read in the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .json_end import structural_tail
from .json_text import unescape

__all__ = ["ArgumentsText", "remainder"]

_SCALAR = re.compile(
    r"true|false|null|-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:[eE][-+]?[0-9]{1,3})?"
)
_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _COLON, _COMMA = range(6)
_VALUE_MAY_BEGIN = frozenset({_VALUE, _FIRST_VALUE})
_KEY_MAY_BEGIN = frozenset({_KEY, _FIRST_KEY})


class ArgumentsText:
    """The certain part of one arguments object. *known* are the keys its tool has, if told.

    Behind one of the keys *doubtful* nothing is certain: what has them may be no arguments.
    ``take()`` gives what became certain since the last time. Certainty always ends inside a
    string, or just behind an opened bracket.
    """

    __slots__ = (
        "_doubtful",
        "_expect",
        "_held",
        "_in_string",
        "_key",
        "_known",
        "_ready",
        "_stack",
        "_start",
        "_sure",
        "_tail",
        "live",
    )

    def __init__(
        self, start: int, known: frozenset[str] | None, doubtful: frozenset[str] = frozenset()
    ) -> None:
        self.live = True
        self._start = self._sure = start
        self._known = known
        self._doubtful = doubtful
        self._ready: list[str] = []
        self._held: list[str] = []
        self._stack: list[str] = []
        self._expect = _VALUE
        self._key: list[str] | None = None
        self._in_string = False  # a value, not a key
        self._tail = ""  # of that string: perhaps not part of it, if its closing quote is missing

    @property
    def in_value(self) -> bool:
        """Inside a string value whose text is certain as it comes."""
        return self._in_string and self.live and not self._tail

    @property
    def told(self) -> bool:
        """Has more become certain than that an object begins?"""
        return self._sure > self._start + 1

    def sure(self, end: int) -> int:
        """Where in the reply certainty ends, when all has been read up to *end*."""
        return end - len(self._tail) if self._in_string and self.live else self._sure

    def take(self) -> str:
        """What has become certain."""
        text = "".join(self._ready)
        self._ready = []
        return text

    def stop(self) -> None:
        """Hand out nothing more: what comes is not, or may not be, what strict JSON says."""
        self.live = False
        self._held = []

    def space(self, text: str) -> None:
        if text.strip(" \t\r\n"):
            self.stop()  # space to us, but not to JSON
        elif self.live:
            self._held.append(text)

    def opened(self, bracket: str, at: int) -> None:
        if self._begins_value():
            self._stack.append(bracket)
            self._expect = _FIRST_KEY if bracket == "{" else _FIRST_VALUE
            self._confirm(bracket, at + 1)

    def closed(self, bracket: str) -> None:
        if not self.live:
            return
        opener = "{" if bracket == "}" else "["
        empty = _FIRST_KEY if bracket == "}" else _FIRST_VALUE
        if not self._stack or self._stack[-1] != opener or self._expect not in (_COMMA, empty):
            self.stop()
            return
        self._stack.pop()
        self._expect = _COMMA
        self._held.append(bracket)

    def comma(self) -> None:
        if self.live and self._expect == _COMMA and self._stack:
            self._expect = _KEY if self._stack[-1] == "{" else _VALUE
            self._held.append(",")
        else:
            self.stop()

    def colon(self) -> None:
        if self.live and self._expect == _COLON:
            self._expect = _VALUE
            self._held.append(":")
        else:
            self.stop()

    def scalar(self, text: str) -> None:
        if not _SCALAR.fullmatch(text):
            self.stop()
        elif self._begins_value():
            self._expect = _COMMA
            self._held.append(text)

    def string_opened(self, quote: str, at: int) -> None:
        if not self.live:
            return
        if quote != '"':
            self.stop()
        elif self._expect in _KEY_MAY_BEGIN:
            self._key = []
            self._held.append('"')
        elif self._begins_value():
            self._in_string = True
            self._confirm('"', at + 1)

    def string_part(self, text: str) -> None:
        if self._key is not None:
            self._key.append(text)
        elif self.live:
            self._more(text)

    def string_controls(self, text: str, at: int) -> None:
        if self._key is not None:
            self.stop()
        elif self.live:
            self._more(text)

    def _more(self, text: str) -> None:
        """More of a string value: certain but for its tail."""
        text = self._tail + text
        self._tail = structural_tail(text)
        self._ready.append(_escaped(text[: len(text) - len(self._tail)]))

    def string_fault(self, at: int) -> None:
        if self.live and self._key is None:
            self._ready.append(_escaped(self._tail))
            self._sure = at
        self.stop()

    def string_closed(self, at: int) -> None:
        if not self.live:
            self._key = None
        elif self._key is None:
            self._in_string = False
            self._sure = at - len(self._tail)
            self._expect = _COMMA
            self._held += (_escaped(self._tail), '"')
            self._tail = ""
        else:
            key, self._key = "".join(self._key), None
            self._expect = _COLON
            self._held.append(f'{key}"')
            if len(self._stack) == 1 and self._is_odd(key):
                self.stop()  # perhaps not a key but the inside of a badly quoted string

    def _is_odd(self, key: str) -> bool:
        return key in self._doubtful if self._known is None else key not in self._known

    def _begins_value(self) -> bool:
        if self.live and self._expect in _VALUE_MAY_BEGIN:
            return True
        self.stop()
        return False

    def _confirm(self, text: str, sure: int) -> None:
        self._ready += self._held
        self._ready.append(text)
        self._held = []
        self._sure = sure


_CONTROL = re.compile(r"[\x00-\x1f]")


def _escaped(text: str) -> str:
    """*text* from inside a string, its control characters as JSON writes them."""
    return _CONTROL.sub(lambda found: json.dumps(found.group())[1:-1], text)


_SPACE = re.compile(r"\s*+")
_PREFIX_TOKEN = re.compile(
    r'"([^"\\]*+(?:(?=\\.)\\.[^"\\]*+)*+)("?)|([{}\[\]:,])|[^\s"{}\[\]:,]++|\s++', re.DOTALL
)


def remainder(prefix: str, value: Mapping[str, Any]) -> str | None:
    """What must follow *prefix*, the certain beginning of an object, for the whole to be *value*.

    None where *value* does not begin that way.
    """
    open_string, frames = _open_at_end(prefix, value)
    if frames is None:
        return None
    pieces: list[str] = []
    if open_string is not None:
        begun, whole = open_string
        rest = _rest_of_string(begun, whole) if isinstance(whole, str) else None
        if rest is None:
            return None
        pieces.append(rest)
    elif not frames and not prefix:
        return _dumps(value)
    for frame in reversed(frames):
        pieces += frame.rest()
    completed = "".join(pieces)
    return completed if _same(prefix + completed, value) else None


def _rest_of_string(begun: str, whole: str) -> str | None:
    """The rest of the string and its closing quote, as JSON; None if it begins otherwise."""
    if whole.startswith(begun):
        return _dumps(whole[len(begun) :])[1:]
    # The prefix may end between the two escapes that make one character.
    halves, all_halves = (text.encode("utf-16-le", "surrogatepass") for text in (begun, whole))
    if not all_halves.startswith(halves):
        return None
    return json.dumps(all_halves[len(halves) :].decode("utf-16-le", "surrogatepass"))[1:]


class _Frame:
    """A container that the prefix has opened, and how many of its members it has begun."""

    def __init__(self, value: Any, kind: str) -> None:
        self.value = value
        self.kind = kind
        self.begun: list[str] = []

    def fits(self) -> bool:
        return isinstance(self.value, Mapping if self.kind == "{" else list)

    def member(self, key: str) -> Any:
        """The member that begins here."""
        self.begun.append(key)
        if self.kind == "{":
            return self.value.get(key)
        position = len(self.begun) - 1
        return self.value[position] if position < len(self.value) else None

    def rest(self) -> Iterator[str]:
        """The members not begun yet, and the closing bracket."""
        comma = ", " if self.begun else ""
        for text in self._unbegun():
            yield comma + text
            comma = ", "
        yield "}" if self.kind == "{" else "]"

    def _unbegun(self) -> Iterator[str]:
        if self.kind == "[":
            return (_dumps(item) for item in self.value[len(self.begun) :])
        begun = set(self.begun)
        return (f"{_dumps(k)}: {_dumps(v)}" for k, v in self.value.items() if k not in begun)


def _open_at_end(prefix: str, value: Any) -> tuple[tuple[str, Any] | None, list[_Frame] | None]:
    """The string left open at the end of *prefix* (so far, and whole), and the frames."""
    frames: list[_Frame] = []
    current, key_next = value, False
    for token in _PREFIX_TOKEN.finditer(prefix):
        body, closed, mark = token.groups()
        if body is not None:
            text = unescape(body)
            if not closed:
                return (text, current), frames
            if key_next and frames:
                current, key_next = frames[-1].member(text), False
        elif mark in ("{", "["):
            frames.append(_Frame(current, mark))
            if not frames[-1].fits():
                return None, None
            key_next = mark == "{"
            if mark == "[" and not _closes_next(prefix, token.end()):
                current = frames[-1].member("")
        elif not frames:
            return None, None  # it goes on behind its end
        elif mark in ("}", "]"):
            frames.pop()
        elif mark == ",":
            key_next = frames[-1].kind == "{"
            if not key_next:
                current = frames[-1].member("")
    return None, frames


def _closes_next(prefix: str, at: int) -> bool:
    """Is the array that opens here empty, or is nothing known of its first item yet?"""
    after = _SPACE.match(prefix, at)
    return after is None or prefix[after.end() : after.end() + 1] in ("]", "")


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _same(text: str, value: Any) -> bool:
    try:
        return bool(json.JSONDecoder(strict=False).decode(text) == value)
    except (ValueError, RecursionError):
        return False
