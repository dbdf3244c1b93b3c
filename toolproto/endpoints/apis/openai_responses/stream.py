"""The events of a streamed response of OpenAI's, numbered, in the order the service keeps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ....protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallStarted,
    ReasoningDelta,
    TextDelta,
)
from ....protocol.messages import Usage
from ..asked import ApiFault, Asked, ClientTool
from ..openai_chat.custom import CustomInput
from ..openai_chat.terms import openai_error
from ..pieces import Ended, Failed, Piece
from ..serving.api import Stamp, WrittenCall, sse
from ..serving.text_runs import TextRuns
from .answer import call_item, ended_response, item_id, response_to, text_item, text_part
from .names import CUT, MESSAGE, REASONING, TextKind

__all__ = ["ResponseWriter"]

#: What a failed response calls its error. Codex asks again five times after any code but few; of
#: those that the service has, this one says that asking again is of no use.
_CODES = {400: "invalid_prompt", 429: "rate_limit_exceeded"}


@dataclass(slots=True)
class _Open:
    """The item that is being written: a text or a call, and its pieces so far.

    The input of a custom tool is text, and goes out as such. Calls of the other kinds that are no
    functions have no events of their own: they go out when they are whole.
    """

    what: TextKind | WrittenCall
    id: str
    index: int
    tool: ClientTool = field(default_factory=lambda: ClientTool(""))
    pieces: list[str] = field(default_factory=list)
    input: CustomInput = field(default_factory=CustomInput)

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

    def fail(self, fault: ApiFault) -> list[str]:
        """An error, which clients raise, then a failed response, which is the end for the others.

        The service sends its error as an object; the types of its clients have it flat.
        """
        flat = {"code": fault.code, "message": fault.message, "param": fault.param}
        code = _CODES.get(fault.status, "server_error")
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
            case TextDelta(text):
                return self._text(MESSAGE, text)
            case ReasoningDelta(text):
                return self._text(REASONING, text)
            case CallStarted(_, name, id):
                return self._call(WrittenCall(id, name))
            case ArgumentsDelta(_, text):
                return self._arguments(text)
            case CallCompleted():
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
        opened = self._opened(kind, item_id(kind.prefix, self._stamp, self._begun))
        item = text_item(kind, opened.id, None, "in_progress")
        return [
            *closed,
            self._event("response.output_item.added", output_index=opened.index, item=item),
            self._event("response.content_part.added", **opened.place, part=text_part(kind, "")),
            *self._more(kind.event, text),
        ]

    def _call(self, call: WrittenCall) -> list[str]:
        closed = self._close()
        tool = self._asked.tool(call.name)
        item = call_item(self._stamp, self._begun, call, tool, "in_progress")
        opened = self._opened(call, item["id"])
        opened.tool = tool
        return [*closed, *([] if _is_quiet(tool) else [self._added(opened, item)])]

    def _added(self, opened: _Open, item: dict[str, Any]) -> str:
        return self._event("response.output_item.added", output_index=opened.index, item=item)

    def _arguments(self, text: str) -> list[str]:
        opened = self._open
        if opened is None or opened.tool.kind == "function":
            return self._more("response.function_call_arguments", text)
        opened.pieces.append(text)
        return [] if _is_quiet(opened.tool) else self._input(opened, opened.input.feed(text))

    def _input(self, opened: _Open, text: str) -> list[str]:
        kind = "response.custom_tool_call_input.delta"
        return [self._event(kind, **opened.place, delta=text)] if text else []

    def _opened(self, what: TextKind | WrittenCall, id: str) -> _Open:
        self._open = _Open(what, id, self._begun)
        self._begun += 1
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
        if status == "incomplete" and _is_quiet(opened.tool):
            self._begun -= 1
            return []
        call = replace(call, arguments=written)
        item = call_item(self._stamp, opened.index, call, opened.tool, status)
        if status == "incomplete":
            left = self._event("response.output_item.done", output_index=opened.index, item=item)
            return [left]
        return [*self._whole(opened, item), self._item_done(opened, item)]

    def _whole(self, opened: _Open, item: dict[str, Any]) -> list[str]:
        """What is told of a call before it is done."""
        if _is_quiet(opened.tool):
            return [self._added(opened, {**item, "status": "in_progress"})]
        if opened.tool.kind == "custom":
            rest = self._input(opened, opened.input.finish())
            kind, told = "response.custom_tool_call_input.done", {"input": item["input"]}
            return [*rest, self._event(kind, **opened.place, **told)]
        done = {"name": item["name"], "arguments": item["arguments"]}
        return [self._event("response.function_call_arguments.done", **opened.place, **done)]

    def _item_done(self, opened: _Open, item: dict[str, Any]) -> str:
        self._output.append(item)
        return self._event("response.output_item.done", output_index=opened.index, item=item)

    def _event(self, kind: str, **more: Any) -> str:
        event = {"type": kind, "sequence_number": self._number, **more}
        self._number += 1
        return sse(event, kind)


def _is_quiet(tool: ClientTool) -> bool:
    return tool.kind not in ("function", "custom")
