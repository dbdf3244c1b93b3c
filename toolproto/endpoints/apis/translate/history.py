"""A conversation whose results name the calls that they answer, put together message by message."""

from __future__ import annotations

from collections.abc import Sequence

from ....protocol.messages import Message, Role, ToolCall, ToolResult
from ..asked import BadRequest
from .content import Part, Sees, blind, said
from .reading import shown

__all__ = ["CallHistory"]

_UNANSWERED = "no result came for this call"


class CallHistory:
    """The messages so far, and the calls that a result may answer.

    *sees* says what the model can be shown beside text.
    """

    def __init__(self, sees: Sees = blind) -> None:
        self._sees = sees
        self._messages: list[Message] = []
        self._calls: dict[str, ToolCall] = {}
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
        self._add(Message("assistant", text, tuple(calls), reasoning=thought), path)

    def _add(self, message: Message, path: str = "messages") -> None:
        self._end_results()
        calls = {call.id: call for call in message.calls}
        if len(calls) < len(message.calls):
            raise BadRequest(f"{path} contains two calls with the same id", path)
        # An id may come again in a later message, and then means the call of that one.
        self._calls |= calls
        if message.role == "user":
            self._waiting.clear()
        self._waiting += message.calls
        self._messages.append(message)

    def answered(self, id: str, parts: Sequence[Part], path: str, is_error: bool = False) -> None:
        """A result; those that follow each other become one message."""
        call = self._calls.get(id)
        if call is None:
            raise BadRequest(
                f"{path} answers the call {shown(id)}, but no message before it has that call", path
            )
        text, seen = said(parts, self._sees, labelled=True)
        self._results.append(ToolResult(call, text, is_error, attachments=seen))

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
        return tuple(sorted(results, key=lambda result: place.get(result.call.id, -1)))
