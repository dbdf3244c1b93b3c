"""Changing every text in a JSON value, as it is written or kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["rewritten", "with_texts"]


def rewritten(
    value: Any,
    text: Callable[[str, str], Any],
    *,
    key: Callable[[Any], Any] | None = None,
    member: Callable[[Any, Any], Any] | None = None,
    name: str = "",
) -> Any:
    """Return a copy of the JSON *value* with each text as *text* has it.

    *text* gets a text and the name of the member to which it belongs, in a list or not: *name* for
    those that belong to none. *key* changes the names of members. *member* gets the name and the
    value of each: what it changes is not looked into. Not recursive: how deep a value may nest is
    for others to say.
    """
    root = [value]
    todo: list[tuple[Any, Any, str]] = [(root, 0, name)]
    while todo:
        holder, at, under = todo.pop()
        each = holder[at]
        if isinstance(each, str):
            holder[at] = text(each, under)
        elif isinstance(each, Mapping):
            holder[at] = copy = {}
            unchanged: dict[Any, str] = {}  # by their new names, two of which may be the same
            for old, inner in each.items():
                new = key(old) if key else old
                copy[new] = member(old, inner) if member else inner
                unchanged.pop(new, None)
                if copy[new] is inner:
                    unchanged[new] = str(old)
            todo += ((copy, new, old) for new, old in unchanged.items())
        elif isinstance(each, list | tuple):
            copied = list(each)
            holder[at] = copied
            todo += ((copied, place, under) for place in range(len(copied)))
    return root[0]


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a copy of the JSON *value* with every text in it changed, names of members too."""
    return rewritten(value, lambda text, _: change(text), key=change)
