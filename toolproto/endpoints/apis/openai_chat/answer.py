"""What goes back to a client of OpenAI's chat completions: one completion, or chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
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
from ..pieces import Ended, Failed, Piece
from ..serving.api import HOLE, Answer, EventTemplates, Stamp, WrittenCall, sse
from .custom import CustomInput, custom_input
from .names import DONE, THOUGHTS, openai_usage
from .terms import openai_error

__all__ = ["OpenAIChunkWriter", "whole_completion"]


def whole_completion(asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
    """*answers* as the choices of a completion."""
    usage = Usage()
    for answer in answers:
        usage += answer.usage
    return {
        "id": f"chatcmpl-{stamp.id}",
        "object": "chat.completion",
        "created": stamp.created,
        "model": asked.model,
        "choices": [
            {
                "index": index,
                "message": _message(answer, asked),
                "logprobs": None,
                "finish_reason": _reason(answer.reason, asked.legacy),
            }
            for index, answer in enumerate(answers)
        ],
        "usage": openai_usage(usage),
    }


def _message(answer: Answer, asked: Asked) -> dict[str, Any]:
    content = answer.text if answer.text or not answer.calls else None
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    if answer.thought:
        message[THOUGHTS[0]] = answer.thought
    if answer.calls and asked.legacy:
        call = answer.calls[0]
        name = asked.tool(call.name).name
        message["function_call"] = {"name": name, "arguments": call.arguments}
    elif answer.calls:
        message["tool_calls"] = [_tool_call(call, asked.tool(call.name)) for call in answer.calls]
    return message


def _tool_call(call: WrittenCall, tool: ClientTool) -> dict[str, Any]:
    if tool.kind == "custom":
        custom = {"name": tool.name, "input": custom_input(call.arguments)}
        return {"id": call.id, "type": "custom", "custom": custom}
    function = {"name": tool.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _reason(reason: str, legacy: bool) -> str:
    return "function_call" if legacy and reason == "tool_calls" else reason


class OpenAIChunkWriter:
    """Chunks of chat completions; one id, time and model for all of them."""

    def __init__(self, asked: Asked, stamp: Stamp) -> None:
        self._asked = asked
        self._common = {
            "id": f"chatcmpl-{stamp.id}",
            "object": "chat.completion.chunk",
            "created": stamp.created,
            "model": asked.model,
        }
        self._usage = Usage()
        self._templates = EventTemplates()
        #: The calls of custom tools that are being written, by choice.
        self._custom: dict[int, CustomInput] = {}
        self._has_begun = False

    def resume(self, common: Mapping[str, Any]) -> None:
        """Go on with a stream that another server began; its chunks said *common* so far."""
        self._common |= common
        self._has_begun = True

    def begin(self) -> list[str]:
        """The role of each choice, unless that was said already."""
        if self._has_begun:
            return []
        delta = {"role": "assistant", "content": ""}
        return [self._chunk(choice, delta) for choice in range(self._asked.choices)]

    def write(self, choice: int, piece: Piece) -> list[str]:
        """*piece* as a chunk of *choice*."""
        match piece:
            case TextDelta(text):
                return [self._said(choice, "content", text)]
            case ReasoningDelta(text):
                return [self._said(choice, THOUGHTS[0], text)]
            case CallStarted(index, name, id):
                return [self._chunk(choice, self._begun(choice, index, id, name))]
            case ArgumentsDelta(index, text):
                return self._arguments(choice, index, text)
            case CallCompleted(index):
                return self._ended(choice, index)
            case Ended(reason, usage):
                self._usage += usage
                return [self._chunk(choice, {}, _reason(reason, self._asked.legacy))]
            case Failed():
                return []

    def end(self) -> list[str]:
        """The usage, if it was asked for, and the end of the stream."""
        done = [sse(DONE)]
        if not self._asked.include_usage:
            return done
        return [sse({**self._common, "choices": [], "usage": openai_usage(self._usage)}), *done]

    def fail(self, fault: ApiFault) -> list[str]:
        """An error event instead of a finish reason; clients that wait for an end get one."""
        told = {**self._common, "choices": [], **openai_error(fault)}
        return [sse(told), sse(DONE)]

    def _chunk(self, choice: int, delta: dict[str, Any], reason: str | None = None) -> str:
        said = {"index": choice, "delta": delta, "logprobs": None, "finish_reason": reason}
        chunk = {**self._common, "choices": [said]}
        # Promised to whoever asked for usage: every chunk has the field.
        return sse({**chunk, "usage": None} if self._asked.include_usage else chunk)

    def _said(self, choice: int, kind: str, text: str) -> str:
        return self._templates.filled(
            (choice, kind), text, partial(self._chunk, choice, {kind: HOLE})
        )

    def _begun(self, choice: int, index: int, id: str, name: str) -> dict[str, Any]:
        tool = self._asked.tool(name)
        if tool.kind == "custom":
            self._custom[choice] = CustomInput()
            custom = {"name": tool.name, "input": ""}
            return {"tool_calls": [{"index": index, "id": id, "type": "custom", "custom": custom}]}
        function = {"name": tool.name, "arguments": ""}
        if self._asked.legacy:
            return {"function_call": function}
        return {
            "tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]
        }

    def _arguments(self, choice: int, index: int, text: str) -> list[str]:
        if choice in self._custom:
            return self._input(choice, index, self._custom[choice].feed(text))
        function = {"arguments": HOLE}
        delta: dict[str, Any] = {"tool_calls": [{"index": index, "function": function}]}
        if self._asked.legacy:
            delta = {"function_call": function}
        make = partial(self._chunk, choice, delta)
        return [self._templates.filled((choice, index), text, make)]

    def _ended(self, choice: int, index: int) -> list[str]:
        custom = self._custom.pop(choice, None)
        return [] if custom is None else self._input(choice, index, custom.finish())

    def _input(self, choice: int, index: int, text: str) -> list[str]:
        if not text:
            return []
        return [self._chunk(choice, {"tool_calls": [{"index": index, "custom": {"input": text}}]})]
