"""The events of a streamed response of OpenAI's, numbered, in the order the service keeps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ...messages import Usage
from ..asked import Asked, Fault
from ..pieces import ArgumentsPiece, CallBegun, CallEnded, Ended, Failed, Piece, Text, Thought
from .base import Stamp, WrittenCall, sse
from .openai_terms import openai_error
from .responses_output import (
    CUT,
    MESSAGE,
    REASONING,
    TextKind,
    call_item,
    ended_response,
    item_id,
    response_to,
    text_item,
    text_part,
)
from .text_runs import TextRuns

__all__ = ["ResponseWriter"]


@dataclass(slots=True)
class _Open:
    """The item that is being written: a text or a call, and its pieces so far."""

    what: TextKind | WrittenCall
    id: str
    index: int
    pieces: list[str] = field(default_factory=list)

    @property
    def place(self) -> dict[str, Any]:
        """Where in the response its pieces belong."""
        place: dict[str, Any] = {"item_id": self.id, "output_index": self.index}
        return {**place, "content_index": 0} if isinstance(self.what, TextKind) else place

    @property
    def logprobs(self) -> dict[str, Any]:
        """A field that the text of messages has to have."""
        return {"logprobs": []} if self.what is MESSAGE else {}


class ResponseWriter:
    """Writes one response; one item is open at a time.

    A call that was cut ends as an incomplete item, and is not in the response at the end.
    """

    def __init__(self, asked: Asked, stamp: Stamp) -> None:
        self._asked = asked
        self._stamp = stamp
        self._runs = TextRuns()
        self._number = 0
        self._open: _Open | None = None
        self._begun = 0
        self._output: list[dict[str, Any]] = []
        self._ended = Ended("stop", Usage())

    def begin(self) -> list[str]:
        """A response in progress, told twice."""
        response = response_to(self._asked, self._stamp, "in_progress")
        kinds = ("response.created", "response.in_progress")
        return [self._event(kind, response=response) for kind in kinds]

    def write(self, choice: int, piece: Piece) -> list[str]:
        """*piece* as events of the item it belongs to."""
        return [event for each in self._runs.passed(piece) for event in self._written(each)]

    def end(self) -> list[str]:
        """The whole response."""
        response = ended_response(self._asked, self._stamp, self._output, self._ended)
        return [self._event(f"response.{response['status']}", response=response)]

    def fail(self, fault: Fault) -> list[str]:
        """An error, which clients raise, then a failed response, which is the end for the others.

        The service sends its error as an object; the types of its clients have it flat.
        """
        flat = {"code": fault.code, "message": fault.message, "param": fault.param}
        code = "rate_limit_exceeded" if fault.status == 429 else "server_error"
        failed = {
            **response_to(self._asked, self._stamp, "failed"),
            "error": {"code": code, "message": fault.message},
            "output": self._output,
        }
        return [
            self._event("error", **flat, **openai_error(fault)),
            self._event("response.failed", response=failed),
        ]

    def _written(self, piece: Piece) -> list[str]:
        match piece:
            case Text(text):
                return self._text(MESSAGE, text)
            case Thought(text):
                return self._text(REASONING, text)
            case CallBegun(_, id, name):
                return self._call(WrittenCall(id, name))
            case ArgumentsPiece(_, text):
                return self._more("response.function_call_arguments", text)
            case CallEnded():
                return self._close()
            case Ended(reason):
                self._ended = piece
                return self._close("incomplete" if reason in CUT else "completed")
            case Failed():
                return []

    def _text(self, kind: TextKind, text: str) -> list[str]:
        if self._open is not None and self._open.what is kind:
            return self._more(kind.event, text)
        closed = self._close()
        opened = self._opened(kind, kind.prefix)
        item = text_item(kind, opened.id, None, "in_progress")
        return [
            *closed,
            self._event("response.output_item.added", output_index=opened.index, item=item),
            self._event("response.content_part.added", **opened.place, part=text_part(kind, "")),
            *self._more(kind.event, text),
        ]

    def _call(self, call: WrittenCall) -> list[str]:
        closed = self._close()
        opened = self._opened(call, "fc")
        item = call_item(opened.id, call, "in_progress")
        added = self._event("response.output_item.added", output_index=opened.index, item=item)
        return [*closed, added]

    def _opened(self, what: TextKind | WrittenCall, prefix: str) -> _Open:
        index = self._begun
        self._begun += 1
        self._open = _Open(what, item_id(prefix, self._stamp, index), index)
        return self._open

    def _more(self, kind: str, text: str) -> list[str]:
        opened = self._open
        if opened is None:
            return []
        opened.pieces.append(text)
        return [self._event(f"{kind}.delta", **opened.place, delta=text, **opened.logprobs)]

    def _close(self, status: str = "completed") -> list[str]:
        opened, self._open = self._open, None
        if opened is None:
            return []
        written = "".join(opened.pieces)
        if isinstance(opened.what, TextKind):
            return self._text_done(opened, opened.what, written, status)
        return self._call_done(opened, opened.what, written, status)

    def _text_done(self, opened: _Open, kind: TextKind, text: str, status: str) -> list[str]:
        part, more = text_part(kind, text), opened.logprobs
        return [
            self._event(f"{kind.event}.done", **opened.place, text=text, **more),
            self._event("response.content_part.done", **opened.place, part=part),
            self._item_done(opened, text_item(kind, opened.id, text, status)),
        ]

    def _call_done(self, opened: _Open, call: WrittenCall, written: str, status: str) -> list[str]:
        item = call_item(opened.id, replace(call, arguments=written), status)
        if status == "incomplete":
            left = self._event("response.output_item.done", output_index=opened.index, item=item)
            return [left]
        done = {"name": call.name, "arguments": written}
        return [
            self._event("response.function_call_arguments.done", **opened.place, **done),
            self._item_done(opened, item),
        ]

    def _item_done(self, opened: _Open, item: dict[str, Any]) -> str:
        self._output.append(item)
        return self._event("response.output_item.done", output_index=opened.index, item=item)

    def _event(self, kind: str, **more: Any) -> str:
        event = {"type": kind, "sequence_number": self._number, **more}
        self._number += 1
        return sse(event, kind)
