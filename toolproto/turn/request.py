"""The messages of a request, from the conversation as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..messages import Message
from .setup import TurnSetup

__all__ = ["request_messages", "taking_turns"]


def request_messages(
    setup: TurnSetup, messages: Sequence[Message], this_turn: int, examples: Sequence[Message] = ()
) -> list[Message]:
    """*messages* as plain text in which user and assistant take turns.

    Those before *this_turn* lose their calls where the setup keeps only results. *examples* stand
    before everything.
    """
    if not setup.keep_calls:
        earlier = [replace(each, calls=()) for each in messages[:this_turn]]
        messages = [*earlier, *messages[this_turn:]]
    shown = taking_turns([*examples, *setup.paradigm.encode_history(messages)])
    return setup.masking.mask(shown) if setup.masking else shown


def taking_turns(messages: Iterable[Message]) -> list[Message]:
    """*messages* in which user and assistant take turns.

    What says nothing is left out, and neighbours of one role become one message, since many chat
    templates refuse anything else.
    """
    merged: list[Message] = []
    for message in messages:
        if not message.content.strip():
            continue
        if merged and merged[-1].role == message.role:
            joined = f"{merged[-1].content}\n\n{message.content}"
            merged[-1] = Message(message.role, joined)
        else:
            merged.append(message)
    return merged
