"""How much of a call's arguments is certain, while they are still being written?

:class:`ArgumentsText` takes the text of the arguments as long as it is strict JSON, and hands it
out as soon as no later character can change what it means. Inside a string that is at once. A
closing quote is different: a model that forgets to escape one has not closed anything, so the quote
and what follows wait until the next string or container has begun. Past the first token that
strict JSON would not have, nothing more is handed out; :func:`remainder` then completes what was
said so far from the value that was read in the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .json_tokens import structural_tail

__all__ = ["NO_ARGUMENTS", "ArgumentsText", "remainder"]


class ArgumentsText:
    """How far the text of one arguments object is certain; it begins at *start* of its call's text.

    *known* are the keys its tool has, if told. Behind one of the keys *doubtful* nothing is
    certain: what has them may be no arguments. Certainty always ends inside a string, or just
    behind an opened bracket.
    """

    __slots__ = (
        "_doubtful",
        "_in_string",
        "_known",
        "_respelled",
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
        self._in_string = False  # a value, not a key
        self._tail = ""  # of that string: perhaps not part of it, if its closing quote is missing
        # Where something stands that is handed out as another spelling, or not at all.
        self._respelled: dict[int, str] = {}

    @property
    def in_value(self) -> bool:
        """Inside a string value whose text is certain as it comes."""
        return self._in_string and self.live and not self._tail

    @property
    def told(self) -> bool:
        """Has more become certain than that an object begins?"""
        return self._sure > self._start + 1

    def sure(self, end: int) -> int:
        """Where certainty ends, when all has been read up to *end*."""
        return end - len(self._tail) if self._in_string and self.live else self._sure

    def as_json(self, text: str, start: int) -> str:
        """The certain *text* that begins at *start*, as JSON."""
        if not self._respelled:
            return text
        chars = enumerate(text, start)
        return "".join([self._respelled.pop(place, char) for place, char in chars])

    def stop(self) -> None:
        """Nothing more is certain: what comes is not, or may not be, what strict JSON says."""
        self.live = False

    def confirm(self, sure: int) -> None:
        """All is certain up to *sure*."""
        if self.live:
            self._sure = sure

    def begin_string(self, sure: int) -> None:
        """A string value begins behind its quote, at *sure*."""
        self._in_string = self.live
        self.confirm(sure)

    def more(self, text: str) -> None:
        """More of a string value: certain but for its tail."""
        if self.live:
            self._tail = structural_tail(self._tail + text)

    def controls(self, text: str, at: int) -> None:
        """More of a string value, at *at*: characters that JSON would have escaped."""
        if self.live:
            self._respelled |= {at + i: json.dumps(char)[1:-1] for i, char in enumerate(text)}
        self.more(text)

    def leave_out(self, at: int) -> None:
        """A bracket that closes nothing stands at *at*."""
        if self.live:
            self._respelled[at] = ""

    def fault(self, at: int) -> None:
        """In a string, at *at*, stands an escape that JSON does not have."""
        if self._in_string:
            self.confirm(at)
        self.stop()

    def end_string(self, at: int) -> None:
        """A string value ends at *at*, perhaps."""
        if self.live:
            self._in_string = False
            self._sure = at - len(self._tail)
            self._tail = ""

    def check_key(self, key: str) -> None:
        """A key of the arguments themselves; an odd one may be inside a badly quoted string."""
        if key in self._doubtful if self._known is None else key not in self._known:
            self.stop()


#: Where none are being read.
NO_ARGUMENTS = ArgumentsText(0, None)
NO_ARGUMENTS.stop()


# -- what is missing ----------------------------------------------------------------------

_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*("?)|[{}\[\]]', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}
_dumps = json.JSONEncoder(ensure_ascii=False).encode
# An object is its members as they were written, so that the open one is the last.
_partial = json.JSONDecoder(strict=False, object_pairs_hook=tuple).decode
_lenient = json.JSONDecoder(strict=False).decode


def remainder(prefix: str, value: Mapping[str, Any]) -> str | None:
    """What must follow *prefix*, the certain beginning of an object, for the whole to be *value*.

    None where *value* does not begin that way.
    """
    if not prefix:
        return _dumps(value)
    closers = _open_at_end(prefix)
    try:
        rest = "".join(_rest(_partial(prefix + closers), value, closers))
        return rest if _lenient(prefix + rest) == value else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _open_at_end(prefix: str) -> str:
    """What closes all that is open at the end of *prefix*."""
    closers: list[str] = []
    for token in _STRING_OR_BRACKET.finditer(prefix):
        mark = token.group()
        if mark in _CLOSERS:
            closers.append(_CLOSERS[mark])
        elif mark in ("}", "]"):
            closers.pop()
        elif not token.group(1):
            closers.append('"')
    return "".join(reversed(closers))


def _rest(begun: Any, value: Any, closers: str) -> list[str]:
    """What *value* has beyond *begun*, of which *closers* close what is open; last things last."""
    pieces: list[str] = []
    for closer in reversed(closers):
        if closer == '"':
            pieces.append(_rest_of_string(begun, value))
            break
        members = begun if closer == "}" else tuple(enumerate(begun))
        pieces.append("".join(_unbegun(value, {key for key, _ in members}, closer)) + closer)
        if members:
            key, begun = members[-1]
            value = value[key]
    return pieces[::-1]


def _unbegun(value: Any, begun: set[Any], closer: str) -> Iterator[str]:
    """The members of *value* that are not *begun*."""
    if type(value) is not (dict if closer == "}" else list):
        raise TypeError("another kind of container")
    comma = ", " if begun else ""
    for key, member in value.items() if type(value) is dict else enumerate(value):
        if key not in begun:
            yield comma + (f"{_dumps(key)}: " if closer == "}" else "") + _dumps(member)
            comma = ", "


def _rest_of_string(begun: str, whole: Any) -> str:
    """The rest of the string and its closing quote, as JSON."""
    if not isinstance(whole, str):
        raise TypeError("no string")
    if whole.startswith(begun):
        return _dumps(whole[len(begun) :])[1:]
    # The prefix may end between the two escapes that make one character.
    halves, all_halves = (text.encode("utf-16-le", "surrogatepass") for text in (begun, whole))
    if not all_halves.startswith(halves):
        raise ValueError("another string")
    return json.dumps(all_halves[len(halves) :].decode("utf-16-le", "surrogatepass"))[1:]
