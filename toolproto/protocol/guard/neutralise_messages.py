"""Messages and tools from outside, made neutral on their way to a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..messages import Message, ToolResult
from ..tools.spec import ToolOffer, ToolSpec
from .neutralise import Neutraliser

__all__ = ["NeutralBefore", "neutral_messages", "neutral_offer"]

#: What a schema says in words. Its values stay as they are: a model has to write them again.
_WORDS = frozenset({"description", "title", "$comment"})
_MOST_TOOLS = 1_024


def neutral_messages(
    messages: Iterable[Message],
    made: Neutraliser,
    roles: Collection[str] = ("user",),
    before: NeutralBefore | None = None,
) -> list[Message]:
    """*messages* in which results, and what speaks in one of *roles*, open nothing.

    What the model itself wrote is its own business. *before* remembers them from one request of a
    conversation to the next.
    """
    if before is None:
        return [_neutral(message, made, roles) for message in messages]
    known = before.known if before.made is made else {}
    pairs = [
        (each, known.get(id(each)) or (each, _neutral(each, made, roles))) for each in messages
    ]
    before.made, before.known = made, {id(message): pair for message, pair in pairs}
    return [neutral for _, (_, neutral) in pairs]


@dataclass(slots=True)
class NeutralBefore:
    """The messages of a conversation that were made neutral before, by their identity.

    Keeping a message keeps its id from being given to another.
    """

    made: Neutraliser | None = None
    known: dict[int, tuple[Message, Message]] = field(default_factory=dict)


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
    return replace(offer, tools=tuple(_known(tool, made) for tool in offer.tools))


def _known(tool: ToolSpec, made: Neutraliser) -> ToolSpec:
    """*tool* made neutral, now or before. Keeping it keeps its id from being given to another."""
    known = made.tools.get(id(tool))
    if known is None:
        known = (tool, _spec(tool, made))
        if len(made.tools) >= _MOST_TOOLS:
            made.tools.clear()  # another thread may be here, too
        made.tools[id(tool)] = known
    return known[1]


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
