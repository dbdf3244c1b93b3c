"""A structured answer while it is being written: what of it is known, over and over."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..decoding.argument_strings import half_pair
from ..decoding.families.json_tokens import JsonListener, JsonTokens
from ..decoding.values.lenient import read_json
from ..decoding.values.spellings import plain_unescape
from ..decoding.values.strict import Reading
from ..events import ArgumentsDelta, CallStarted
from ..turn.events import SessionEvent, StepStarted

__all__ = ["PartialAnswer"]

#: Below this many characters every piece is shown. Above it, an answer is shown when it has grown
#: by a part of its length: a copy of all of it for each token would take quadratic time.
_SHORT = 2_000
_GROWTH = 64


class PartialAnswer:
    """Hears the events of a turn whose answer is a call; *others* are the tools that are none."""

    def __init__(self, others: frozenset[str], wrapped: bool) -> None:
        self._others, self._wrapped = others, wrapped
        self._begin(None)

    def _begin(self, index: int | None) -> None:
        self._index = index
        self._value = _Growing()
        self._tokens = JsonTokens(self._value)
        self._unread = ""
        self._length = self._shown = 0

    def hear(self, event: SessionEvent) -> Any:
        """What is known of the answer now, if *event* tells more of it; else None."""
        if type(event) is StepStarted:
            self._begin(None)
        elif type(event) is CallStarted and event.name not in self._others:
            self._begin(event.index)
        elif type(event) is ArgumentsDelta and event.index == self._index:
            return self._more(event.text)
        return None

    def _more(self, text: str) -> Any:
        self._length += len(text)
        text = self._unread + text
        stop = self._tokens.feed(text, 0, False)
        self._unread = text[stop:]
        if self._length - self._shown < (self._length // _GROWTH if self._length > _SHORT else 1):
            return None
        known = self._value.known()
        if self._wrapped:
            known = known.get("value") if isinstance(known, dict) else None
        if known is not None:
            self._shown = self._length
        return deepcopy(known)


class _Growing(JsonListener):
    """The value that was told so far; a string that is still open counts as far as it came."""

    def __init__(self) -> None:
        self._root: list[Any] = []
        self._open: list[list[Any] | dict[str, Any]] = [self._root]
        self._keys: list[str | None] = [None]
        self._parts: list[str] | None = None
        self._is_key = False
        self._is_shown = False  # does an open string already stand in its list?
        self._expects_key = False

    def known(self) -> Any:
        """All of it so far, None if nothing has come."""
        if self._parts is not None and not self._is_key:
            raw = "".join(self._parts)
            self._put(plain_unescape(raw.removesuffix(half_pair(raw))))
            self._is_shown = True
        return self._root[0] if self._root else None

    def opened(self, bracket: str) -> None:
        value: list[Any] | dict[str, Any] = {} if bracket == "{" else []
        self._put(value)
        self._open.append(value)
        self._keys.append(None)
        self._expects_key = bracket == "{"

    def closed(self, bracket: str) -> None:
        if len(self._open) > 1:
            self._open.pop()
            self._keys.pop()
        self._expects_key = False

    def comma(self) -> None:
        self._expects_key = isinstance(self._open[-1], dict)

    def scalar(self, text: str) -> None:
        reading = read_json(text)
        self._put(reading.value if isinstance(reading, Reading) else text)

    def string_opened(self) -> None:
        self._parts, self._is_key, self._is_shown = [], self._expects_key, False

    def string_part(self, text: str) -> None:
        assert self._parts is not None
        self._parts.append(text)

    def string_closed(self) -> None:
        text = plain_unescape("".join(self._parts or ()))
        self._parts = None
        if self._is_key:
            self._keys[-1], self._is_key, self._expects_key = text, False, False
        else:
            self._put(text)
            self._is_shown = False

    def _put(self, value: Any) -> None:
        here = self._open[-1]
        if isinstance(here, dict):
            if (key := self._keys[-1]) is not None:
                here[key] = value
        elif self._is_shown:
            here[-1] = value
        else:
            here.append(value)
