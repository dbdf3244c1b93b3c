"""Calls that somebody else wrote first: they stand word for word in what a stranger said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..messages import ECHOED, Grade, Repair, ToolCall
from .passages import Found, Passages

__all__ = ["doubted_echo", "echo_of"]

#: A value of so many characters and words is a passage, not a name that many would write.
_LONG = 48
_WORDS = 6
_MOST_VALUES = 500


def echo_of(call: ToolCall, strangers: Passages) -> Found | None:
    """Where *call*, or a long value in its arguments, stands in what *strangers* wrote."""
    if not strangers:
        return None
    found = strangers.find(call.raw) if call.raw else None
    if found and (not _is_nameless(call) or strangers.find(call.name)):
        return found
    return next(filter(None, map(strangers.find, _passages_in(call.arguments))), None)


def _is_nameless(call: ToolCall) -> bool:
    """Whether *call* was read from its arguments alone, as a service of its own tools sends them.

    ``{"id": 5}`` stands in the answer of many an API that has heard of no tool.
    """
    return call.raw.lstrip().startswith("{") and call.name not in call.raw


def doubted_echo(call: ToolCall, found: Found | None) -> ToolCall:
    """*call*, with a doubt if it was *found*."""
    if found is None:
        return call
    doubt = Repair(ECHOED, Grade.GUESSED, f"in the result of {found.source}")
    return replace(call, repairs=(*call.repairs, doubt))


def _passages_in(arguments: Mapping[str, Any]) -> Iterator[str]:
    waiting: list[Any] = list(arguments.values())
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        match waiting.pop(0):
            case str() as value:
                if len(value) >= _LONG and len(value[:4_000].split()) >= _WORDS:
                    yield value
            case Mapping() as members:
                waiting += members.values()
            case Sequence() as several:
                waiting += several
