"""Whether a value is one of the choices of an ``enum``, looked up instead of compared with each.

The choices of one schema are asked about again and again, for each item of an array and once more
for mending, and an ``enum`` may list 50,000 of them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

__all__ = ["EnumChoices"]

_LONGEST_SPELLED = 256  # characters; a longer text is not another spelling of an option
_HIGHEST_WRITTEN = 10**30
_PLAIN = (str, int, float, type(None))


class EnumChoices:
    """The *choices* of one schema; those that hold others are compared one by one."""

    def __init__(self, choices: Sequence[Any]) -> None:
        self.all = choices
        #: Arrays and objects among them.
        self.containers: list[Any] = []
        self._plain: dict[Hashable, Any] = {}
        for each in choices:
            if isinstance(each, str):  # nearly all are
                self._plain[each] = each
            elif isinstance(each, _PLAIN):
                self._plain[_key(each)] = each
            else:
                self.containers.append(each)

    def has_plain(self, value: Any) -> bool:
        """Whether *value* is one of those that hold no others."""
        return isinstance(value, _PLAIN) and _key(value) in self._plain

    def spelled(self, value: Any) -> list[Any]:
        """Those that *value* may spell otherwise: as another type, or else in other case."""
        if not isinstance(value, str):
            written = _json_text(value)
            return [written] if isinstance(written, str) and self.has_plain(written) else []
        if len(value) > _LONGEST_SPELLED:
            return []
        return self._written(value) or self._folded.get(_folded(value), [])

    def _written(self, text: str) -> list[Any]:
        """The choice that is no text and that JSON writes as *text*."""
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            return []
        if isinstance(read, str) or not self.has_plain(read):
            return []
        meant = self._plain[_key(read)]
        return [meant] if _json_text(meant) == text else []

    @cached_property
    def _folded(self) -> dict[str, list[Any]]:
        """The choices that are text, without case and blanks around them."""
        folded: dict[str, list[Any]] = {}
        for each in self._plain.values():
            if isinstance(each, str):
                folded.setdefault(_folded(each), []).append(each)
        return folded


def _key(value: Any) -> Hashable:
    # To Python, True is 1. Nothing but a bool has this pair as its key, since no list is looked up.
    return (bool, value) if isinstance(value, bool) else value


def _folded(text: str) -> str:
    return text.strip().casefold()


def _json_text(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return json.dumps(value) if abs(value) < _HIGHEST_WRITTEN else None
    return json.dumps(value) if isinstance(value, bool | float | None) else None
