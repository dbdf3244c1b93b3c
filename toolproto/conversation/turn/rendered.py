"""What was rendered of a conversation for earlier requests, so that each message is rendered once.

A request holds the whole conversation. Rendered anew each time, 800 turns took ten seconds of CPU,
and twice as many four times as long. What stands before the last message of the user's own is
rendered the same way whatever follows: each turn is retold by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...protocol.messages import Message
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.taking_turns import taking_turns

__all__ = ["NotedBefore", "RenderedBefore", "rendering_of"]

Render = Callable[[Sequence[Message]], list[Message]]


@dataclass(slots=True)
class RenderedBefore:
    """The beginning of a conversation as it was rendered, and *how* that was done."""

    how: Any = None
    messages: list[Message] = field(default_factory=list)
    shown: list[Message] = field(default_factory=list)

    def shown_with(
        self, messages: Sequence[Message], examples: Sequence[Message], how: Any, render: Render
    ) -> list[Message]:
        """*messages* as *render* gives them, behind *examples*, in turns.

        *how* is equal for two requests for which *render* does the same.
        """
        known = len(self.messages)
        # Compared as lists: the messages are the same objects, which takes a few nanoseconds each.
        if self.how != how or self.messages != messages[:known]:
            self.how, self.messages, self.shown, known = how, [], [], 0
        new = messages[known:]
        if seam := _last_seam(new):
            # With the message behind it, as what is told to the model depends on whose that is.
            done = render(new[: seam + 1])[:-1]
            if done and done[-1].role == "assistant" and done[-1].content.strip():
                self.shown += taking_turns([*([] if known else examples), *done])
                self.messages += new[:seam]
                known, new = known + seam, new[seam:]
        rendered = render(new)
        return [*self.shown, *taking_turns([*([] if known else examples), *rendered])]


@dataclass(slots=True)
class NotedBefore:
    """The system messages of a conversation, of which each message was looked at once."""

    messages: list[Message] = field(default_factory=list)
    found: list[Message] = field(default_factory=list)

    def among(self, messages: Sequence[Message]) -> list[Message]:
        """Return the system messages among *messages*."""
        known = len(self.messages)
        if self.messages != messages[:known]:
            self.messages, self.found, known = [], [], 0
        new = messages[known:]
        self.messages += new
        self.found += (each for each in new if each.role == "system")
        return self.found


def _last_seam(messages: Sequence[Message]) -> int:
    """Where the last message stands that a person wrote in answer to the model; 0 if none does."""
    for at in range(len(messages) - 1, 0, -1):
        is_asked = messages[at].role == "user" and not messages[at].results
        if is_asked and messages[at - 1].role == "assistant":
            return at
    return 0


def rendering_of(paradigm: ToolContextDef) -> dict[str, Any] | None:
    """What decides how *paradigm* renders; None for one that renders in a way of its own."""
    # A session continues a turn with a copy of its paradigm that draws other ids.
    ours = (ToolContextDef.encode_conversation, ToolContextDef.encode_history)
    kind = type(paradigm)
    if (kind.encode_conversation, kind.encode_history) != ours:
        return None
    return {name: value for name, value in vars(paradigm).items() if name != "ids"}
