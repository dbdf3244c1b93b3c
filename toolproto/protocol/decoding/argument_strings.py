"""The strings inside a call's arguments, unescaped, while they are still being written.

Joined ``ArgumentsDelta`` texts are JSON. Somebody who shows a file as the model writes it wants the
characters of that file instead: feed the deltas here and get them, with the path of the
argument they belong to. An escape, or half a surrogate pair, waits for the rest of it.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from .values.lenient import JsonReader
from .values.spellings import as_json
from .values.state import MISSING, Open
from .values.strings import QuotedString

Path = tuple[str | int, ...]
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


@dataclass(frozen=True, slots=True)
class StringDelta:
    """More characters of the string argument at *path*."""

    path: Path
    text: str


class ArgumentStrings:
    """Feed the text of one call's ``ArgumentsDelta`` events; get decoded string pieces."""

    def __init__(self) -> None:
        self._json = GrowingJson()

    def feed(self, text: str) -> list[StringDelta]:
        """The string pieces that *text* adds."""
        return self._json.feed(text)


class GrowingJson(JsonReader):
    """JSON that we wrote ourselves, in pieces: its strings end with the first quote."""

    def __init__(self) -> None:
        super().__init__()
        self._reading = self.read()
        self._body: QuotedString | None = None  # of the string that is open
        self._half = ""  # a high surrogate whose other half has not come yet
        self._deltas: list[StringDelta] = []

    def feed(self, text: str) -> list[StringDelta]:
        """The string pieces that *text* adds."""
        self.text, self.at = self.text[self.at :] + text, 0
        next(self._reading, None)
        deltas, self._deltas = self._deltas, []
        return deltas

    def known(self) -> Any:
        """A copy of all of it so far, None if nothing has come.

        A string that is still open counts as far as it came.
        """
        if not self.open:
            return None if self.root is MISSING else deepcopy(self.root)
        value: Any = MISSING
        if self._body is not None:
            raw = "".join(self._body.parts)
            value = _unescaped(raw.removesuffix(_half_pair(raw)))
        for each in reversed(self.open):
            around = deepcopy(each.value)
            if value is not MISSING and isinstance(around, list):
                around.append(value)
            elif value is not MISSING and each.key is not None:
                around[each.key] = value
            value = around
        return value

    def _put_member(self, top: Open, key: str, value: Any) -> None:
        top.value[key] = value  # whether it was there before is for the reader of the call

    def string_begins(self, string: QuotedString) -> None:
        self._body = string

    def string_goes_on(self, piece: str) -> None:
        text = self._half + piece
        self._half = _half_pair(text) if "\\" in text else ""
        self._say(text.removesuffix(self._half))

    def string_ends_at_once(self, body: str) -> bool:
        return True

    def string_ends(self) -> None:
        self._say(self._half)
        self._half, self._body = "", None

    def _say(self, raw: str) -> None:
        if raw:
            path = tuple([len(each.value) if each.key is None else each.key for each in self.open])
            self._deltas.append(StringDelta(path, _unescaped(raw)))


def _unescaped(body: str) -> str:
    """What stands between two quotes; an escape that JSON does not have loses its backslash."""
    if "\\" not in body:
        return body
    value = as_json(body)
    return _ESCAPED.sub(r"\1", body) if value is None else value


def _half_pair(text: str) -> str:
    """The escape of a high surrogate that *text* ends with; its other half may come."""
    half = _HIGH_SURROGATE.search(text, max(0, len(text) - 6))
    if half is None:
        return ""
    before = text[: half.start()]
    escaped = (len(before) - len(before.rstrip("\\"))) % 2
    return "" if escaped else half.group()
