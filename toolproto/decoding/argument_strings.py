"""The strings inside a call's arguments, unescaped, while they are still being written.

Joined ``ArgumentsDelta`` texts are JSON. Somebody who shows a file as the model writes it wants the
characters of that file instead: feed the deltas here and get them, with the path of the
argument they belong to. An escape, or half a surrogate pair, waits for the rest of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .families.json_tokens import JsonListener, JsonTokens
from .values.spellings import plain_unescape

__all__ = ["ArgumentStrings", "StringDelta", "half_pair"]

Path = tuple[str | int, ...]
_HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


@dataclass(frozen=True, slots=True)
class StringDelta:
    """More characters of the string argument at *path*."""

    path: Path
    text: str


class ArgumentStrings:
    """Feed the text of one call's ``ArgumentsDelta`` events; get decoded string pieces."""

    def __init__(self) -> None:
        self._strings = _Strings()
        self._tokens = JsonTokens(self._strings)
        self._unread = ""

    def feed(self, text: str) -> list[StringDelta]:
        """The string pieces that *text* adds."""
        text = self._unread + text
        stop = self._tokens.feed(text, 0, False)
        self._unread = text[stop:]
        return self._strings.take()


class _Strings(JsonListener):
    """Hears the tokens of the arguments, and keeps the strings."""

    def __init__(self) -> None:
        self._path: list[str | int | None] = []
        self._key: list[str] | None = None
        self._key_next = False
        self._half = ""  # a high surrogate whose other half has not come yet
        self._deltas: list[StringDelta] = []

    def take(self) -> list[StringDelta]:
        deltas, self._deltas = self._deltas, []
        return deltas

    def opened(self, bracket: str) -> None:
        self._path.append(None if bracket == "{" else 0)
        self._key_next = bracket == "{"

    def closed(self, bracket: str) -> None:
        self._key_next = False
        if self._path:
            self._path.pop()

    def comma(self) -> None:
        self._key_next = not (self._path and isinstance(self._path[-1], int))
        if self._path and isinstance(self._path[-1], int):
            self._path[-1] += 1

    def string_opened(self) -> None:
        self._key = [] if self._key_next else None

    def string_part(self, text: str) -> None:
        if self._key is not None:
            self._key.append(text)
            return
        text = self._half + text
        self._half = half_pair(text)
        self._say(text[: len(text) - len(self._half)])

    def string_closed(self) -> None:
        if self._key is not None and self._path:
            self._path[-1] = plain_unescape("".join(self._key))
            self._key, self._key_next = None, False
        else:
            self._say(self._half)
        self._half = ""

    def _say(self, raw: str) -> None:
        if raw:
            path = tuple(part for part in self._path if part is not None)
            self._deltas.append(StringDelta(path, plain_unescape(raw)))


def half_pair(text: str) -> str:
    """The escape of a high surrogate that *text* ends with; its other half may come."""
    half = _HIGH_SURROGATE.search(text, max(0, len(text) - 6))
    if half is None:
        return ""
    before = text[: half.start()]
    escaped = (len(before) - len(before.rstrip("\\"))) % 2
    return "" if escaped else half.group()
