"""Whether a call stands in a text as a call, its arguments in another order or with other blanks.

A model that repeats a stranger's call need not repeat its characters. What it has to keep are the
name, and each value behind the name of its argument.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..foreign_text import decoded
from ..messages import ToolCall

__all__ = ["squeezed", "stands_rewritten"]

_MOST_PLACES = 64
_MOST_VALUES = 200
#: What stands between the name of an argument and its value, in one form or another.
_SIGNS = re.compile(r"[\W_]{1,24}\Z")
#: How much longer than ours a stranger's spelling of the same call may be.
_ROOM = 3


def squeezed(text: str) -> str:
    """Return *text* as calls are compared in it: decoded, in small letters, without blanks."""
    return "\n".join("".join(line.split()) for line in decoded(text).lower().splitlines())


def stands_rewritten(call: ToolCall, text: str) -> bool:
    """Whether *call* stands somewhere in *text*, which is :func:`squeezed`.

    A call without arguments does not: nothing but its name is left to compare.
    """
    name, pairs = squeezed(call.name), list(_pairs(call.arguments))[:_MOST_VALUES]
    if not pairs or not all(value in text for _, value in pairs):
        return False
    room = _ROOM * (len(call.raw) + 100)
    at = -1
    for _ in range(_MOST_PLACES):
        at = text.find(name, at + 1)
        if at < 0:
            return False
        near, end = text[max(0, at - room) : at + room], at + len(name)
        # Behind the name of a call stands a sign or a line end; behind that of a tool that somebody
        # speaks of, a word: "Call Reading with {…}", as instructor tells a model what to mend.
        if not text[end : end + 1].isalnum() and all(
            _is_given(near, key, value) for key, value in pairs
        ):
            return True
    return False


def _pairs(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each value that holds no others, behind the name of the argument it stands in."""
    waiting: list[tuple[str, Any]] = list(arguments.items())
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += value.items()
        elif isinstance(value, list | tuple):
            waiting += (("", each) for each in value)
        else:
            written = squeezed(value if isinstance(value, str) else json.dumps(value, default=str))
            if written:
                yield squeezed(key), written


def _is_given(near: str, key: str, value: str) -> bool:
    """Whether *value* stands in *near* behind *key* and some signs, or anywhere without a key."""
    at = -1
    for _ in range(_MOST_PLACES):
        at = near.find(value, at + 1)
        if at < 0:
            return False
        signs = _SIGNS.search(near, max(0, at - 24), at)
        if not key or (signs and near.endswith(key, 0, signs.start())):
            return True
    return False
