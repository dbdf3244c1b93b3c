"""Messages in which user and assistant take turns, as many chat templates demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from .messages import Message

__all__ = ["taking_turns"]


def taking_turns(messages: Iterable[Message]) -> list[Message]:
    """Return *messages* without empty ones, and with neighbours of one role joined.

    Many chat templates refuse two messages of one role in a row. Messages with calls or results as
    values stay apart: an API that has a form for those has one for their order, too.
    """
    spoken = (each for each in messages if each.content.strip() or each.attachments or _acts(each))
    runs = groupby(spoken, key=lambda message: (message.role, id(message) if _acts(message) else 0))
    return [_joined(list(run)) for _, run in runs]


def _acts(message: Message) -> bool:
    return bool(message.calls or message.results)


def _joined(run: Sequence[Message]) -> Message:
    """Return one message that says what all of *run* say."""
    if len(run) == 1:
        return run[0]
    attachments = tuple(each for message in run for each in message.attachments)
    said = "\n\n".join(message.content for message in run if message.content)
    return Message(run[0].role, said, attachments=attachments)
