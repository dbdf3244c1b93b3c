"""Messages and tools from outside, made neutral on their way to a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..messages import Message, ToolResult
from ..tools.spec import ToolOffer, ToolSpec
from .neutralise import Neutraliser

__all__ = ["neutral_messages", "neutral_offer"]

#: What a schema says in words. Its values stay as they are: a model has to write them again.
_WORDS = frozenset({"description", "title", "$comment"})


def neutral_messages(
    messages: Iterable[Message], made: Neutraliser, roles: Collection[str] = ("user",)
) -> list[Message]:
    """*messages* in which results, and what speaks in one of *roles*, open nothing.

    What the model itself wrote is its own business.
    """
    return [_neutral(message, made, roles) for message in messages]


def _neutral(message: Message, made: Neutraliser, roles: Collection[str]) -> Message:
    if message.results:
        return replace(message, results=tuple(_result(each, made) for each in message.results))
    if message.role not in roles:
        return message
    return replace(message, content=made.neutralise(message.content))


def _result(result: ToolResult, made: Neutraliser) -> ToolResult:
    return replace(result, content=made.neutralise(result.content))


def neutral_offer(offer: ToolOffer, made: Neutraliser) -> ToolOffer:
    """*offer* in which no description opens anything."""
    return replace(offer, tools=tuple(_spec(tool, made) for tool in offer.tools))


def _spec(tool: ToolSpec, made: Neutraliser) -> ToolSpec:
    return replace(
        tool,
        description=made.neutralise(tool.description),
        parameters=_schema(tool.parameters, made),
    )


def _schema(schema: Mapping[str, Any], made: Neutraliser) -> dict[str, Any]:
    """A copy of *schema* with neutral words. Not recursive: a stranger may have nested it."""
    whole: dict[str, Any] = dict(schema)
    todo: list[Any] = [whole]
    while todo:
        copy = todo.pop()
        for at in list(copy) if isinstance(copy, dict) else range(len(copy)):
            value = copy[at]
            if isinstance(value, str) and at in _WORDS:
                copy[at] = made.neutralise(value)
            elif isinstance(value, Mapping | list | tuple):
                copy[at] = dict(value) if isinstance(value, Mapping) else list(value)
                todo.append(copy[at])
    return whole
