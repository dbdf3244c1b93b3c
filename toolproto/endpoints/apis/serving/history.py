"""A client's conversation, put together message by message: which call a result answers.

Clients shorten their conversations, and keep what models wrote. A result whose call was forgotten
stays a result, of a tool that has no name any more, and the second of two calls with one id gets
another: a conversation that is refused once is refused for ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from ....protocol.messages import Message, Role, ToolCall, ToolResult
from ..asked import ClientTool
from .content import Part, Sees, blind, said
from .offering import Offering
from .reading import optional, read_arguments, required

__all__ = ["CallHistory", "IdlessHistory"]

_UNANSWERED = "no result came for this call"
#: Stands for the name of a tool whose call is not in the conversation any more.
_FORGOTTEN = "forgotten_tool"


class CallHistory:
    """The messages so far, and the calls that a result may answer.

    *sees* says what the model can be shown beside text. What had to be put right is noted with the
    *offering*.
    """

    def __init__(self, offering: Offering, sees: Sees = blind) -> None:
        self._offering = offering
        self._sees = sees
        self._messages: list[Message] = []
        #: By the id that the client knows, those of the last message that has it.
        self._calls: dict[str, deque[ToolCall]] = {}
        #: The calls that were made since the user spoke.
        self._waiting: list[ToolCall] = []
        self._results: list[ToolResult] = []

    @property
    def messages(self) -> list[Message]:
        """All of them so far."""
        self._end_results()
        return self._messages

    def heard(self, role: Role, parts: Sequence[Part]) -> None:
        """What a user or the system says."""
        text, seen = said(parts, self._sees if role == "user" else blind)
        if text or seen:
            self._add(Message(role, text, attachments=seen))

    def replied(
        self, parts: Sequence[Part], calls: Sequence[ToolCall], path: str, thought: str = ""
    ) -> None:
        """What the model said, called and thought."""
        text, _ = said(parts, blind)
        self._add(Message("assistant", text, self._told_apart(calls, path), reasoning=thought))

    def _told_apart(self, calls: Sequence[ToolCall], path: str) -> tuple[ToolCall, ...]:
        """Return the *calls* of one message, each with an id of its own."""
        known: dict[str, deque[ToolCall]] = {}
        ids = {call.id for call in calls}
        made = []
        for call in calls:
            same = known.setdefault(call.id, deque())
            if same:
                self._offering.note(f"two calls with one id at {path}")
                id = next(new for n in count(2) if (new := f"{call.id}_{n}") not in ids)
                ids.add(id)
                call = replace(call, id=id)
            same.append(call)
            made.append(call)
        # An id may come again in a later message, and then means the call of that one.
        self._calls |= known
        return tuple(made)

    def _add(self, message: Message) -> None:
        self._end_results()
        if message.role == "user":
            self._waiting.clear()
        self._waiting += message.calls
        self._messages.append(message)

    def answered(self, id: str, parts: Sequence[Part], path: str, is_error: bool = False) -> None:
        """A result; those that follow each other become one message."""
        text, seen = said(parts, self._sees, labelled=True)
        call = self._call_of(id, path)
        self._results.append(ToolResult(call, text, is_error, attachments=seen))

    def _call_of(self, id: str, path: str) -> ToolCall:
        calls = self._calls.get(id)
        if calls is None:
            self._offering.note(f"no call for the result at {path}")
            return ToolCall(_FORGOTTEN, {}, id)
        # Of calls that had one id, each result answers the next.
        return calls.popleft() if len(calls) > 1 else calls[0]

    def _end_results(self) -> None:
        if self._results:
            self._messages.append(Message("user", "", results=self._in_order()))
            self._results.clear()
            self._waiting.clear()

    def _in_order(self) -> tuple[ToolResult, ...]:
        """A result for each call that waits, in the order of the calls.

        Clients answer as their tools end, and may leave one out. Few paradigms show the model an
        id: it takes the first result for that of its first call.
        """
        answered = {result.call.id for result in self._results}
        missing = [
            ToolResult(call, _UNANSWERED, is_error=True)
            for call in self._waiting
            if call.id not in answered
        ]
        place = {call.id: at for at, call in enumerate(self._waiting)}
        results = [*self._results, *missing]
        return tuple(sorted(results, key=lambda result: _order(result.call, place)))


def _order(call: ToolCall, place: Mapping[str, int]) -> int:
    """Return where the result of *call* stands: an old one first, one without a call last."""
    return place.get(call.id, len(place) if call.name == _FORGOTTEN else -1)


class _Unanswered:
    """Calls without a result, in their order, and those of each tool in theirs."""

    def __init__(self) -> None:
        self._waiting: dict[str | None, deque[str]] = {}
        self._answered: set[str] = set()

    def add(self, call: ToolCall) -> None:
        """*call* waits for its result."""
        for key in (None, call.name):
            self._waiting.setdefault(key, deque()).append(call.id)

    def take(self, name: str | None) -> str | None:
        """The id of the first call that waits, of the tool *name* if there is one."""
        waiting = self._waiting.get(name, deque())
        while waiting:
            id = waiting.popleft()
            if id not in self._answered:
                self._answered.add(id)
                return id
        return None


class IdlessHistory:
    """The messages so far, of an API whose calls need no ids, as Ollama's and Google's.

    Calls get ids here, unless the client keeps those it was given.
    """

    def __init__(self, offering: Offering, sees: Sees = blind) -> None:
        self._offering = offering
        self._history = CallHistory(offering, sees)
        self._unanswered = _Unanswered()
        self._count = 0
        #: Whether the reply before is over, so that its calls wait no longer when another comes.
        self._is_over = False

    @property
    def messages(self) -> list[Message]:
        """All of them."""
        return self._history.messages

    def heard(self, role: Role, parts: Sequence[Part]) -> None:
        """What a user or the system says."""
        self._is_over = True
        self._history.heard(role, parts)

    def replied(
        self, parts: Sequence[Part], thought: str, calls: Sequence[Mapping[str, Any]], path: str
    ) -> None:
        """What the model said, thought and called."""
        if self._is_over:
            self._unanswered, self._is_over = _Unanswered(), False
        made = [self._call(each, f"{path}.tool_calls[{at}].") for at, each in enumerate(calls)]
        for call in made:
            self._unanswered.add(call)
        self._history.replied(parts, made, path, thought)

    def answered(
        self,
        message: Mapping[str, Any],
        parts: Sequence[Part],
        path: str,
        is_error: bool = False,
    ) -> None:
        """A result: of the call whose id it gives, else of the next one, or the next of a tool."""
        self._is_over = True
        id = optional(message, "tool_call_id", str, f"{path}.")
        name = optional(message, "tool_name", str, f"{path}.")
        # Older clients say only ``name``.
        name = name or optional(message, "name", str, f"{path}.")
        name = name and self._offering.name_of(ClientTool(name))
        id = id or self._unanswered.take(name or None)
        if id is not None:
            self._history.answered(id, parts, path, is_error)
        else:
            # Ollama never asks which call a result belongs to: clients forget old messages.
            self._history.heard("user", [f"Result of {name or 'a tool'}:", *parts])

    def _call(self, call: Mapping[str, Any], path: str) -> ToolCall:
        function = required(call, "function", dict, path)
        self._count += 1
        id = optional(call, "id", str, path) or f"call_{self._count}"
        arguments = read_arguments(function.get("arguments", {}), f"{path}function.arguments")
        tool = ClientTool(required(function, "name", str, f"{path}function."))
        return ToolCall(self._offering.name_of(tool), arguments, id)
