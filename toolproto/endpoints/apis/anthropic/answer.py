"""What goes back to a client of Anthropic's messages: blocks, whole or event by event."""

from __future__ import annotations

from dataclasses import dataclass
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
from ..asked import ApiFault, Asked
from ..pieces import Ended, Failed, Piece, Reason
from ..serving.api import HOLE, Answer, EventTemplates, Stamp, sse
from ..serving.estimate import estimated_tokens
from ..serving.reading import read_arguments
from ..serving.text_runs import TextRuns
from .names import ERRORS, REASONS, THREADLESS, anthropic_usage

__all__ = ["AnthropicAsked", "MessageWriter", "anthropic_error", "whole_message"]


@dataclass(frozen=True, slots=True)
class AnthropicAsked(Asked):
    """A request that says whether thinking is to be shown."""

    shows_thoughts: bool = False


def anthropic_error(fault: ApiFault) -> dict[str, Any]:
    """The body in which Anthropic tells what is wrong."""
    otherwise = "invalid_request_error" if 400 <= fault.status < 500 else "api_error"
    kind = ERRORS.get(fault.status, otherwise)
    told: dict[str, Any] = {"type": kind, "message": fault.message}
    if fault.code == THREADLESS:
        told["details"] = {"error_code": THREADLESS, "unsupported": ["thread"]}
    return {"type": "error", "error": told}


def whole_message(asked: Asked, answer: Answer, stamp: Stamp) -> dict[str, Any]:
    """*answer* as a message."""
    content: list[dict[str, Any]] = []
    if answer.thought and _shows_thoughts(asked):
        content.append(_thinking(answer.thought, stamp.id))
    if answer.text.strip():
        content.append(_text(answer.text))
    for call in answer.calls:
        given = read_arguments(call.arguments, "input")
        content.append(_tool_use(call.id, asked.tool(call.name).name, given))
    message = _message(asked, stamp, content)
    return {
        **message,
        **_stop(asked, answer.reason, answer.stopped),
        "usage": anthropic_usage(answer.usage),
    }


def _shows_thoughts(asked: Asked) -> bool:
    return isinstance(asked, AnthropicAsked) and asked.shows_thoughts


def _message(asked: Asked, stamp: Stamp, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"msg_{stamp.id}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": content,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": anthropic_usage(Usage()),
    }


def _thinking(text: str, signature: str) -> dict[str, Any]:
    # Clients send a block back only with its signature, and some take an empty one for none.
    return {"type": "thinking", "thinking": text, "signature": signature}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tool_use(id: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


class MessageWriter:
    """The events of one message; its blocks are counted, and one is open at a time."""

    def __init__(self, asked: Asked, stamp: Stamp) -> None:
        self._asked = asked
        self._stamp = stamp
        self._shows_thoughts = _shows_thoughts(asked)
        self._runs = TextRuns()
        self._templates = EventTemplates()
        self._index = -1
        #: The type of the block that is open.
        self._open: str | None = None
        self._has_begun = False
        #: Whether the block that is open is another server's, which signs its own thoughts.
        self._is_foreign = False

    def resume(self, index: int, opened: str | None) -> None:
        """Go on with a message that another server began; its last block has the number *index*.

        *opened* is the type of that block if it is still open.
        """
        self._index, self._open = index, opened
        self._is_foreign = opened is not None
        self._has_begun = True

    def begin(self) -> list[str]:
        """A message without content, and a guess at the input; its count comes at the end."""
        if self._has_begun:
            return []
        message = _message(self._asked, self._stamp, [])
        guessed = Usage(estimated_tokens(self._asked), 1)
        return [_event("message_start", message={**message, "usage": anthropic_usage(guessed)})]

    def write(self, choice: int, piece: Piece) -> list[str]:
        """*piece* as events of the block it belongs to."""
        return [event for each in self._runs.passed(piece) for event in self._written(each)]

    def end(self) -> list[str]:
        """The end of the message."""
        return [_event("message_stop")]

    def fail(self, fault: ApiFault) -> list[str]:
        """An error; there is no stop reason and no end."""
        return [sse(anthropic_error(fault), "error")]

    def _written(self, piece: Piece) -> list[str]:
        match piece:
            case TextDelta(text):
                return [*self._going_on(_text("")), self._delta("text_delta", "text", text)]
            case ReasoningDelta(text) if self._shows_thoughts:
                thinking = self._going_on(_thinking("", ""))
                return [*thinking, self._delta("thinking_delta", "thinking", text)]
            case CallStarted(_, name, id):
                begun = self._begun(_tool_use(id, self._asked.tool(name).name, {}))
                return [*begun, self._delta("input_json_delta", "partial_json", "")]
            case ArgumentsDelta(_, text):
                return [self._delta("input_json_delta", "partial_json", text)]
            case CallCompleted():
                return self._closed()
            case Ended():
                return [*self._closed(), _ended(self._asked, piece)]
            case ReasoningDelta() | Failed():
                return []

    def _going_on(self, block: dict[str, Any]) -> list[str]:
        """The beginning of *block*, unless one of its type is open."""
        return [] if self._open == block["type"] else self._begun(block)

    def _begun(self, block: dict[str, Any]) -> list[str]:
        closed = self._closed()
        self._index += 1
        self._open = block["type"]
        return [*closed, _event("content_block_start", index=self._index, content_block=block)]

    def _closed(self) -> list[str]:
        if self._open is None:
            return []
        signed = self._open == "thinking" and not self._is_foreign
        self._open, self._is_foreign = None, False
        signature = [self._delta("signature_delta", "signature", self._stamp.id)] if signed else []
        return [*signature, _event("content_block_stop", index=self._index)]

    def _delta(self, kind: str, name: str, text: str) -> str:
        delta = {"type": kind, name: HOLE}
        make = partial(_event, "content_block_delta", index=self._index, delta=delta)
        return self._templates.filled((kind, self._index), text, make)


def _stop(asked: Asked, reason: Reason, stopped: bool) -> dict[str, str | None]:
    """Why the message ended; which of several stop sequences it was, backends do not all say."""
    which = asked.stop[0] if stopped and len(asked.stop) == 1 else None
    return {
        "stop_reason": "stop_sequence" if stopped else REASONS[reason],
        "stop_sequence": which,
    }


def _ended(asked: Asked, ended: Ended) -> str:
    delta = _stop(asked, ended.reason, ended.stopped)
    return _event("message_delta", delta=delta, usage=anthropic_usage(ended.usage))


def _event(kind: str, **more: Any) -> str:
    return sse({"type": kind, **more}, kind)
