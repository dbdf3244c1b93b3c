"""A call in JSON that is there from its first bracket to its last, and written as it should be.

Most calls are, when a whole reply is read: two members, a name without escapes, arguments that are
strict JSON. Such a call need not be followed token by token; the standard library's C reader reads
it five times as fast. Whatever departs from that is for those who follow it (`json_calls.py`), and
comes out the same.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ..calls.shape import CallShape
from ..values.strict import DuplicateKey, Refused, check_depth, read_plain

__all__ = ["WholeCall", "whole_call"]


class WholeCall(NamedTuple):
    """A call: the members of it, where its arguments begin and end, and where it ends."""

    name_key: str
    name: str
    arguments_key: str
    arguments: dict[str, Any]
    start: int
    stop: int
    end: int
    name_first: bool

    @property
    def value(self) -> dict[str, Any]:
        """The object, as JSON has it."""
        if self.name_first:
            return {self.name_key: self.name, self.arguments_key: self.arguments}
        return {self.arguments_key: self.arguments, self.name_key: self.name}


def whole_call(text: str, at: int, shape: CallShape, depth: int) -> WholeCall | None:
    """The call that begins with the bracket at *at*; None if there is any doubt about it.

    Its arguments may be nested *depth* deep.
    """
    name_first, arguments_first, name_behind, end_behind = shape.patterns
    found = name_first.match(text, at) or arguments_first.match(text, at)
    if found is None:
        return None
    start = found.end()
    try:
        arguments, stop = read_plain(text, start)
        check_depth(arguments, text, start, stop, depth)
    except (DuplicateKey, Refused, RecursionError, json.JSONDecodeError):
        return None
    if "type" in arguments and "properties" in arguments:
        return None  # a tool's description, perhaps: of a call that is refused, less is said
    if found.re is name_first:
        name_key, name, key = found.groups()
        behind = end_behind.match(text, stop)
    else:
        key = found[1]
        behind = name_behind.match(text, stop)
        name_key, name = behind.groups() if behind else ("", "")
    if behind is None:
        return None
    end = behind.end()
    return WholeCall(name_key, name, key, arguments, start, stop, end, found.re is name_first)
