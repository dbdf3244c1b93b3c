"""How a message joins the conversation: as the hooks will have it, and told to those who watch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ...protocol.errors import UsageError
from ...protocol.messages import Message
from ..hooks import MessageAppending, ReplyEnded, overriding
from .commands import Append, Emit, Flow
from .events import MessageAppended

__all__ = ["Appending"]


@dataclass(slots=True)
class Appending:
    """Adds to *messages*, and remembers what it added in *transcript*.

    A message is there as soon as it was :meth:`put`; it is told when :meth:`announce` is next
    performed, since a hook that puts one cannot perform anything itself.
    """

    messages: list[Message]
    hooks: tuple[Any, ...] = ()
    placed: Callable[[int], None] = lambda position: None
    heard: Callable[[Message], None] = lambda message: None
    transcript: list[Message] = field(default_factory=list)
    #: The id of the message that began the turn; those that follow are numbered behind it.
    named: str = ""
    _named: int = 0
    _unannounced: list[tuple[Message, int]] = field(default_factory=list)

    def put(self, message: Message) -> Message:
        """Add *message* where ``on_message_append`` wants it: at the end if it says nothing.

        The message as the hooks left it.
        """
        hooks = overriding(self.hooks, "on_message_append")
        moment = MessageAppending(self._with_id(message), tuple(self.messages))
        for hook in hooks:
            if inspect.iscoroutine(answer := hook(moment)):
                answer.close()
                raise UsageError("on_message_append cannot be async; make it a plain method")
        if not isinstance(moment.message, Message):
            raise UsageError(f"on_message_append made the message {moment.message!r}")
        if moment.position is not None:
            self.put_at(moment.message, moment.position)
        elif not moment.prevented:
            self.put_at(moment.message, len(self.messages))
        return moment.message

    def put_at(self, message: Message, position: int) -> None:
        """Add *message* at *position*, whatever the hooks think: the user's own."""
        message = self._with_id(message)
        self.messages.insert(position, message)
        self.placed(position)
        self.heard(message)
        self.transcript.append(message)
        self._unannounced.append((message, position))

    def _with_id(self, message: Message) -> Message:
        """Return *message* with an id: the same when the turn is played again from its journal."""
        if message.id or not self.named:
            return message
        self._named += 1
        return replace(message, id=f"{self.named}.{self._named}")

    def put_deferred(self, ended: Iterable[ReplyEnded]) -> None:
        """Add what ``on_after_request`` deferred: by priority, then in the order of the hooks."""
        deferred = [each for moment in ended for each in moment.deferred]
        for each in sorted(deferred, key=lambda one: (-one.priority, one.order)):
            for message in each.messages:
                self.put(message)

    def announce(self) -> Flow[None]:
        """Tell what was put since the last time."""
        added, self._unannounced = self._unannounced, []
        for message, position in added:
            yield Append(message, position)
            yield Emit(MessageAppended(message))
