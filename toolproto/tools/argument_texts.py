"""The arguments of a call with every text in them changed, however deep it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["with_texts"]


def with_texts(arguments: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Return a copy of *arguments* with *change* applied to every text in them, keys included.

    It does not recurse: the decoder decides how deep arguments may nest.
    """
    copies: list[Any] = []

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, Mapping):
            copies.append({change(key): member for key, member in value.items()})
        elif isinstance(value, list | tuple):
            copies.append(list(value))
        else:
            return value
        return copies[-1]

    whole: dict[str, Any] = changed(arguments)
    while copies:
        copy = copies.pop()
        for at in copy if isinstance(copy, dict) else range(len(copy)):
            copy[at] = changed(copy[at])
    return whole
