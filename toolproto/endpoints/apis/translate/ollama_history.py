"""A conversation whose calls need no ids, as Ollama's and Google's: which call a result answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from ....protocol.messages import Message, Role, ToolCall
from ..asked import ClientTool
from .content import Part, Sees, blind
from .history import CallHistory
from .offering import Offering
from .reading import optional, read_arguments, required

__all__ = ["OllamaHistory"]


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


class OllamaHistory:
    """The messages so far; calls get ids here, unless the client keeps those it was given."""

    def __init__(self, offering: Offering, sees: Sees = blind) -> None:
        self._offering = offering
        self._history = CallHistory(sees)
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
