"""What goes back to a client of Google's API: candidates with parts, whole or one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallStarted,
    ReasoningDelta,
    TextDelta,
)
from ....protocol.messages import Usage
from ..asked import ApiFault, Asked
from ..pieces import Ended, Failed, Piece
from ..serving.api import Answer, Stamp, WrittenCall, sse
from ..serving.reading import read_arguments
from .names import MODEL, REASONS, STATUSES, USAGE

__all__ = ["GoogleAsked", "GoogleChunkWriter", "google_error", "whole_answer"]


@dataclass(frozen=True, slots=True)
class GoogleAsked(Asked):
    """A request that says whether thoughts are shown, and how a stream is written."""

    shows_thoughts: bool = False
    sse: bool = True


def google_error(fault: ApiFault) -> dict[str, Any]:
    """The body in which Google tells what is wrong."""
    otherwise = "INVALID_ARGUMENT" if 400 <= fault.status < 500 else "UNAVAILABLE"
    status = STATUSES.get(fault.status, otherwise)
    return {"error": {"code": fault.status, "message": fault.message, "status": status}}


def whole_answer(asked: Asked, answers: Sequence[Answer], stamp: Stamp) -> dict[str, Any]:
    """*answers* as candidates."""
    usage = Usage()
    for answer in answers:
        usage += answer.usage
    candidates = [
        _candidate(index, _parts(asked, answer), answer.reason)
        for index, answer in enumerate(answers)
    ]
    return {"candidates": candidates, "usageMetadata": _usage(usage), **_common(asked, stamp)}


def _parts(asked: Asked, answer: Answer) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if answer.thought and _shows_thoughts(asked):
        parts.append({"text": answer.thought, "thought": True})
    if answer.text:
        parts.append({"text": answer.text})
    return [*parts, *(_call(asked, call) for call in answer.calls)]


def _shows_thoughts(asked: Asked) -> bool:
    return isinstance(asked, GoogleAsked) and asked.shows_thoughts


def _call(asked: Asked, call: WrittenCall) -> dict[str, Any]:
    arguments = read_arguments(call.arguments, "args")
    name = asked.tool(call.name).name
    return {"functionCall": {"id": call.id, "name": name, "args": arguments}}


def _candidate(
    index: int, parts: list[dict[str, Any]], reason: str | None = None
) -> dict[str, Any]:
    ended = {} if reason is None else {"finishReason": REASONS[reason]}
    return {"content": {"parts": parts, "role": MODEL}, **ended, "index": index}


def _common(asked: Asked, stamp: Stamp) -> dict[str, Any]:
    return {"modelVersion": asked.model, "responseId": stamp.id}


def _usage(usage: Usage) -> dict[str, int]:
    read, written = USAGE
    total = usage.input_tokens + usage.output_tokens
    return {read: usage.input_tokens, written: usage.output_tokens, "totalTokenCount": total}


class GoogleChunkWriter:
    """Responses that add up; a call leaves when it is whole, since its arguments are an object."""

    def __init__(self, asked: Asked, stamp: Stamp) -> None:
        self._asked = asked
        self._common = _common(asked, stamp)
        self._sse = not isinstance(asked, GoogleAsked) or asked.sse
        self._shows_thoughts = _shows_thoughts(asked)
        self._calls: dict[int, tuple[WrittenCall, list[str]]] = {}
        self._is_first = True

    def begin(self) -> list[str]:
        """Nothing: every response says what there is to know."""
        return []

    def write(self, choice: int, piece: Piece) -> list[str]:
        """*piece* as a response, if it is one."""
        match piece:
            case TextDelta(text):
                return [self._chunk(_candidate(choice, [{"text": text}]))]
            case ReasoningDelta(text) if self._shows_thoughts:
                return [self._chunk(_candidate(choice, [{"text": text, "thought": True}]))]
            case CallStarted(_, name, id):
                self._calls[choice] = (WrittenCall(id, name), [])
            case ArgumentsDelta(_, text):
                self._calls[choice][1].append(text)
            case CallCompleted():
                call, written = self._calls.pop(choice)
                call.arguments = "".join(written)
                return [self._chunk(_candidate(choice, [_call(self._asked, call)]))]
            case Ended(reason, usage):
                ended = _candidate(choice, [{"text": ""}], reason)
                return [self._chunk(ended, usageMetadata=_usage(usage))]
            case ReasoningDelta() | Failed():
                pass
        return []

    def end(self) -> list[str]:
        """The end of the list, if it is one."""
        if self._sse:
            return []
        return ["[]"] if self._is_first else ["\n]"]

    def fail(self, fault: ApiFault) -> list[str]:
        """The error, as the last member of the stream.

        The JavaScript SDK, and the Gemini CLI with it, raise an error only if it comes as plain
        JSON, and take an event without candidates for the end. A reader of events passes over
        that JSON, and needs the event.
        """
        told = google_error(fault)
        if not self._sse:
            return [self._written(told), "\n]"]
        return [f"{json.dumps(told)}\n\n", sse(told)]

    def _chunk(self, candidate: dict[str, Any], **more: Any) -> str:
        return self._written({"candidates": [candidate], **more, **self._common})

    def _written(self, value: dict[str, Any]) -> str:
        first, self._is_first = self._is_first, False
        if self._sse:
            return sse(value)
        return ("[" if first else ",\n") + json.dumps(value)
