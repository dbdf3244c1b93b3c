"""Messages, calls and results as JSON in the entries of a journal.

Each has one way to be written and one to be read.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ...protocol.messages import (
    Attachment,
    Grade,
    Message,
    MessageSegment,
    Repair,
    ToolCall,
    ToolResult,
    Usage,
)
from ..turn.commands import Outcome
from .plain import Json, plain, plain_members

__all__ = [
    "read_attachment",
    "read_call",
    "read_message",
    "read_outcome",
    "read_result",
    "read_usage",
    "write_attachment",
    "write_call",
    "write_message",
    "write_outcome",
    "write_result",
    "write_usage",
]

_ATTACHMENTS = ("$bytes", "$attachment", "$json")
#: What few messages have.
_SELDOM = frozenset({"calls", "results", "attachments", "segments", "new_tools"})


def write_call(call: ToolCall) -> Json:
    """*call*, without the text it was read from."""
    repairs = [[each.name, each.grade.value, each.detail] for each in call.repairs]
    told: Json = {"name": call.name, "arguments": plain_members(call.arguments), "id": call.id}
    told = {**told, "repairs": repairs} if repairs else told
    return {**told, "place": call.place} if call.place else told


def read_call(told: Mapping[str, Any]) -> ToolCall:
    """The call that was written."""
    written = told.get("repairs", ())
    repairs = tuple(Repair(name, Grade(grade), said) for name, grade, said in written)
    place = told.get("place", "")
    return ToolCall(told["name"], told["arguments"], told["id"], repairs=repairs, place=place)


def write_result(result: ToolResult) -> Json:
    """*result*, with what the program keeps beside the text."""
    told: Json = {"call": write_call(result.call), "content": result.content}
    if result.is_error:
        told["is_error"] = True
    if result.title is not None:
        told["title"] = plain(result.title)
    if result.metadata:
        told["metadata"] = plain_members(result.metadata)
    if result.attachments:
        told["attachments"] = [write_attachment(each) for each in result.attachments]
    if result.trusted is not None:
        told["trusted"] = result.trusted
    return told


def read_result(told: Mapping[str, Any]) -> ToolResult:
    """The result that was written."""
    return ToolResult(
        read_call(told["call"]),
        told["content"],
        told.get("is_error", False),
        told.get("title"),
        told.get("metadata", {}),
        tuple(map(read_attachment, told.get("attachments", ()))),
        told.get("trusted"),
    )


def write_outcome(outcome: Outcome) -> Json:
    """The result of *outcome*, and when it came about."""
    told = write_result(outcome.result)
    if outcome.started is not None and outcome.seconds is not None:
        told["time"] = [outcome.started, outcome.seconds]
    return told


def read_outcome(told: Mapping[str, Any]) -> Outcome:
    """The outcome that was written; the times are None in journals that have none."""
    return Outcome(read_result(told), *told.get("time", ()))


def write_attachment(attachment: Any) -> Any:
    """*attachment*: bytes and pictures as they are, anything else as JSON can hold it."""
    match attachment:
        case bytes() | bytearray() | memoryview():
            return {"$bytes": b64encode(bytes(attachment)).decode("ascii")}
        case Attachment():
            return {"$attachment": [getattr(attachment, each.name) for each in fields(attachment)]}
    held = plain(attachment)
    # A tool may give anything, also what looks like one of ours.
    is_ours = isinstance(held, dict) and any(name in held for name in _ATTACHMENTS)
    return {"$json": held} if is_ours else held


def read_attachment(told: Any) -> Any:
    """The attachment that was written."""
    match told:
        case {"$bytes": str(encoded)}:
            return b64decode(encoded)
        case {"$attachment": list(members)}:
            return Attachment(*members)
        case {"$json": plain}:
            return plain
    return told


def write_message(message: Message) -> Json:
    """*message*, with its calls and results."""
    told: Json = {"role": message.role, "content": message.content}
    if message.calls:
        told["calls"] = [write_call(call) for call in message.calls]
    if message.results:
        told["results"] = [write_result(result) for result in message.results]
    if message.reasoning:
        told["reasoning"] = message.reasoning
    if message.attachments:
        told["attachments"] = [write_attachment(each) for each in message.attachments]
    if message.segments:
        told["segments"] = [list(each) for each in message.segments]
    if message.new_tools:
        told["new_tools"] = list(message.new_tools)
    if message.id:
        told["message_id"] = message.id
    if message.model:
        told["model"] = message.model
    if message.thought_seconds is not None:
        told["thought_seconds"] = message.thought_seconds
    return told


def read_message(told: Mapping[str, Any]) -> Message:
    """The message that was written."""
    named: dict[str, Any] = {"id": told.get("message_id", ""), "model": told.get("model", "")}
    named["thought_seconds"] = told.get("thought_seconds")
    if not told.keys() & _SELDOM:  # as most are
        return Message(told["role"], told["content"], reasoning=told.get("reasoning", ""), **named)
    return Message(
        told["role"],
        told["content"],
        tuple(map(read_call, told.get("calls", ()))),
        tuple(map(read_result, told.get("results", ()))),
        told.get("reasoning", ""),
        tuple(map(read_attachment, told.get("attachments", ()))),
        tuple(MessageSegment(kind, text) for kind, text in told.get("segments", ())),
        tuple(told.get("new_tools", ())),
        **named,
    )


def write_usage(usage: Usage) -> list[int]:
    """*usage* as two numbers."""
    return [usage.input_tokens, usage.output_tokens]


def read_usage(told: list[int]) -> Usage:
    """The usage that was written."""
    return Usage(*told)
