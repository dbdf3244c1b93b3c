"""Messages in which user and assistant take turns, as many chat templates demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from .messages import Message

__all__ = ["taking_turns"]


def taking_turns(messages: Iterable[Message]) -> list[Message]:
    """Return *messages* without empty ones, and with neighbours of one role joined.

    Many chat templates refuse two messages of one role in a row.
    """
    spoken = (each for each in messages if each.content.strip() or each.attachments)
    return [_joined(list(run)) for _, run in groupby(spoken, key=lambda message: message.role)]


def _joined(run: Sequence[Message]) -> Message:
    """Return one message that says what all of *run* say."""
    if len(run) == 1:
        return run[0]
    attachments = tuple(each for message in run for each in message.attachments)
    said = "\n\n".join(message.content for message in run if message.content)
    return Message(run[0].role, said, attachments=attachments)
