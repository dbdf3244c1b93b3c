"""The spans of a turn, for programs that trace: the turn, its requests, its calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ...endpoints.tracing import AsyncWithin, TracedSpan, Within, begin_span, chat_attributes
from ...protocol.messages import ChatRequest, Chunk, ToolCall
from ..turn.events import SessionEvent, StepEnded, TurnEnded

__all__ = ["TurnSpans", "begin_turn_spans"]


class TurnSpans:
    """One span for the turn, and within it one for each request and each call that runs."""

    def __init__(self, turn: TracedSpan, model: str) -> None:
        self._turn = turn
        self._model = model
        self._chat: TracedSpan | None = None
        self._step = 0

    def read(self, request: ChatRequest, chunks: Iterator[Chunk]) -> Within:
        """Return *chunks*, the reply to *request*, to be read within a span of its own."""
        return Within(chunks, self._opened(request))

    def aread(self, request: ChatRequest, chunks: AsyncIterator[Chunk]) -> AsyncWithin:
        """Do the same on an event loop."""
        return AsyncWithin(chunks, self._opened(request))

    def closed(self) -> None:
        """The reply is read; its span is kept until it is known what it took."""
        if self._chat is not None:
            self._chat.stop_clock()

    def call(self, call: ToolCall) -> TracedSpan:
        """Begin the span of a call that runs."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.call.id": call.id,
            "gen_ai.tool.type": "function",
            "toolproto.step": self._step + 1,
        }
        return self._turn.inner(f"execute_tool {call.name}", attributes)

    def hear(self, event: SessionEvent) -> None:
        """Tell what *event* says of the step or of the turn."""
        match event:
            case StepEnded(step):
                self._step = step.number
                if self._chat is not None:
                    told: dict[str, object] = {
                        "gen_ai.usage.input_tokens": step.usage.input_tokens,
                        "gen_ai.usage.output_tokens": step.usage.output_tokens,
                        "toolproto.step": step.number,
                    }
                    if step.finish_reason is not None:
                        told["gen_ai.response.finish_reasons"] = (step.finish_reason,)
                    self._chat.set(told)
                    self._end_chat()
            case TurnEnded(result):
                self._end_chat()
                self._turn.set(
                    {
                        "gen_ai.usage.input_tokens": result.usage.input_tokens,
                        "gen_ai.usage.output_tokens": result.usage.output_tokens,
                        "toolproto.status": result.status,
                    }
                )
                self._turn.end(type(result.error).__name__ if result.error else None)

    def end(self) -> None:
        """End what goes on."""
        self._end_chat()
        self._turn.end()

    def _opened(self, request: ChatRequest) -> TracedSpan:
        self._end_chat()
        model = request.model or self._model
        self._chat = self._turn.inner(f"chat {model}".strip(), chat_attributes(model), "CLIENT")
        return self._chat

    def _end_chat(self, error: str | None = None) -> None:
        if self._chat is not None:
            self._chat.stop_clock()
            self._chat.end(error)
            self._chat = None


def begin_turn_spans(session_id: str | None, model: str) -> TurnSpans | None:
    """Begin the span of a turn; None if nobody traces."""
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "toolproto"}
    if model:
        attributes["gen_ai.request.model"] = model
    if session_id is not None:
        attributes["gen_ai.conversation.id"] = session_id
    turn = begin_span("invoke_agent", attributes)
    return None if turn is None else TurnSpans(turn, model)
