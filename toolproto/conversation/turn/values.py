"""The messages of a request whose tools go to the service in its own way: calls stay values.

A service refuses a call that its result does not follow at once, and a result without its call. In
a session both may come about: a hook says something in between, or keeps a message out; and earlier
calls are left out where only results are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...protocol.messages import Attachment, Message, ToolCall, ToolResult
from ...protocol.paradigms.base import ToolContextDef

__all__ = ["with_values"]


def with_values(messages: Sequence[Message], fallback: ToolContextDef) -> list[Message]:
    """*messages* with every call right before its result, and of both what a service is told.

    A result whose call is not shown is told as *fallback* writes it; a call without a result is
    left out.
    """
    results: dict[str, ToolResult] = {}
    for message in messages:
        for result in message.results:
            results.setdefault(result.call.id, result)
    called: set[str] = set()
    return [shown for each in messages for shown in _shown(each, results, called, fallback)]


def _shown(
    message: Message, results: dict[str, ToolResult], called: set[str], fallback: ToolContextDef
) -> Iterator[Message]:
    if answered := [call for call in message.calls if call.id in results]:
        called.update(call.id for call in answered)
        calls = tuple(map(_plain_call, answered))
        # Some services want the thoughts that led to a call, and none want others.
        yield Message("assistant", message.content, calls, reasoning=message.reasoning)
        yield _told(results[call.id] for call in answered)
    elif message.results:
        left = tuple(each for each in message.results if each.call.id not in called)
        if left:
            yield from fallback.encode_history([replace(message, results=left)])
    elif message.content or not message.calls:
        yield Message(message.role, message.content, attachments=message.attachments)


def _told(results: Iterable[ToolResult]) -> Message:
    return Message("user", "", results=tuple(map(_plain_result, results)))


def _plain_call(call: ToolCall) -> ToolCall:
    return ToolCall(call.name, call.arguments, call.id)


def _plain_result(result: ToolResult) -> ToolResult:
    shown = tuple(each for each in result.attachments if isinstance(each, Attachment))
    call = _plain_call(result.call)
    return ToolResult(call, result.content, result.is_error, attachments=shown)
