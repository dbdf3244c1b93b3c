"""A conversation whose results name the calls that they answer, put together message by message."""

from __future__ import annotations

from ...messages import Message, ToolCall, ToolResult
from ..asked import BadRequest
from .reading import shown

__all__ = ["History"]

_UNANSWERED = "no result came for this call"


class History:
    """The messages so far, and the calls that a result may answer."""

    def __init__(self) -> None:
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

    def said(self, message: Message, path: str = "messages") -> None:
        """The next message."""
        self._end_results()
        calls = {call.id: call for call in message.calls}
        if len(calls) < len(message.calls):
            raise BadRequest(f"{path} makes two calls under one id", path)
        # An id may come again in a later message, and then means the call of that one.
        self._calls |= calls
        if message.role == "user":
            self._waiting.clear()
        self._waiting += message.calls
        self._messages.append(message)

    def answered(self, id: str, content: str, path: str, is_error: bool = False) -> None:
        """A result; those that follow each other become one message."""
        call = self._calls.get(id)
        if call is None:
            raise BadRequest(
                f"{path} answers the call {shown(id)}, which no message before it makes", path
            )
        self._results.append(ToolResult(call, content, is_error))

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
