"""A session as JSON: its turns on the conversation's way, and the calls that wait."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..conversation.as_json import (
    call_json,
    concern_json,
    decision_json,
    event_json,
    request_json,
)
from ..conversation.deciding.approvals import Allow, ApprovalRequest, Decision, Deny
from ..conversation.journal.log import LoggedTurn
from ..conversation.journal.messages import read_outcome
from ..conversation.turn.events import SessionEvent
from ..conversation.turn.not_run import NOT_RUN
from ..conversation.turn.patches import told_changes
from ..conversation.turn.result import TurnResult
from ..protocol.deciding.pins import pin_of
from ..protocol.messages import Attachment, Message, ToolCall, ToolResult
from ..protocol.repair_words import repair_words
from ..protocol.tools.registry import ToolRegistry
from .tooling import BROWSER

__all__ = [
    "call_told",
    "event_told",
    "result_told",
    "turns_told",
    "waiting_told",
    "where_answered",
    "whole_call",
]

#: Characters of one value that are told at once; the whole is asked for.
_LONG = 20_000
_SHOWN = 2_000
#: Images that a browser shows without running anything; no SVG.
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_MOST_IMAGE = 8 * 1024 * 1024


def event_told(event: SessionEvent) -> dict[str, Any]:
    """*event* as ``toolproto chat --json`` tells it; values that are very long are cut.

    A call of a megabyte stands in half a dozen events, and every viewer gets each of them.
    """
    told = event_json(event)
    if call := told.get("call"):
        told["call"] = _shortened(call)
    for name in ("calls", "pending"):
        if isinstance(told.get(name), list):
            told[name] = [_shortened(each) for each in told[name]]
    if result := told.get("result"):
        told["result"] = {**result, "length": len(result["content"])}
        told["result"]["content"] = result["content"][:_LONG]
    if len(told.get("content") or "") > _LONG:
        told |= {"content": told["content"][:_LONG], "is_cut": True}
    return told


def _shortened(call: dict[str, Any]) -> dict[str, Any]:
    if _size(call["arguments"]) <= _LONG:
        return call
    cut = {name: _beginning(each) for name, each in call["arguments"].items()}
    return {**call, "arguments": cut, "is_cut": True}


def turns_told(way: Sequence[LoggedTurn], turns: Sequence[LoggedTurn]) -> list[dict[str, Any]]:
    """The turns of *way*, which is a part of *turns*."""
    beside: dict[int | None, list[int]] = {}
    for turn in turns:
        if not turn.is_resumed:
            beside.setdefault(turn.parent, []).append(turn.number)
    return [_turn(turn, beside.get(turn.parent, [])) for turn in way]


def _turn(turn: LoggedTurn, beside: list[int]) -> dict[str, Any]:
    result = turn.result
    told: dict[str, Any] = {
        "number": turn.number,
        "parent": turn.parent,
        "resumed": turn.is_resumed,
        "status": turn.status or "interrupted",
        "text": turn.message.content if turn.message else "",
        "beside": [] if turn.is_resumed else beside,
        "model": turn.model,
        "results": dict(_results(turn, result)),
    }
    if result is None:
        return {**told, "said": [], "steps": [], "changed": False, "not_run": []}
    said = result.transcript[0 if turn.is_resumed else 1 :]
    return {
        **told,
        "said": [each for message in said for each in _said(message)],
        "error": str(result.error) if result.error else None,
        "seconds": round(result.stats.seconds, 3),
        "not_run": [{"name": each.call.name, "reason": each.reason} for each in result.not_run],
        "changed": any(any(told_changes(each.result)) for each in result.calls),
        "steps": [
            {
                "number": step.number,
                "input_tokens": step.usage.input_tokens,
                "output_tokens": step.usage.output_tokens,
                "finish_reason": step.finish_reason,
                "cost": step.cost,
                "diff": step.diff,
                "model": step.model,
            }
            for step in result.steps
        ],
    }


def _said(message: Message) -> Iterator[dict[str, Any]]:
    if message.role == "assistant":
        parts = [{"kind": part.kind, "text": part.text} for part in message.parts]
        calls = [call_told(call) for call in message.calls]
        yield {"role": "assistant", "parts": parts, "calls": calls, "model": message.model}
    elif not message.results and message.content:  # how a mistake was put to the model
        yield {"role": message.role, "content": message.content}


def _results(turn: LoggedTurn, result: TurnResult | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the calls that were answered in *turn* gave, by their ids."""
    for record in turn.told():
        if record.kind == "outcome":
            outcome = read_outcome(record.data)
            told = result_told(outcome.result)
            yield outcome.result.call.id, {**told, "seconds": outcome.seconds}
    for each in result.calls if result else ():
        how = {"seconds": each.seconds, **_how(each.decision)}
        yield each.call.id, {**result_told(each.result), **how}


def _how(decision: Decision | None) -> dict[str, Any]:
    return {"decision": decision_json(decision)} if isinstance(decision, Allow | Deny) else {}


def call_told(call: ToolCall) -> dict[str, Any]:
    """*call* with its repairs in words; of long values only the beginning."""
    told = call_json(call)
    for repair, each in zip(call.repairs, told["repairs"], strict=True):
        each["words"] = repair_words(repair)
    told = _shortened(told)
    if doubt := call.doubt:
        told["doubt"] = f"it stands {doubt}"
    return told


def result_told(result: ToolResult) -> dict[str, Any]:
    """*result*, of which a long text is cut, and its images."""
    full = str(result.metadata.get("full", result.content))
    told: dict[str, Any] = {
        "content": full[:_LONG],
        "length": len(full),
        "is_error": result.is_error,
        "title": result.title,
    }
    if why := result.metadata.get(NOT_RUN):
        told["not_run"] = why["reason"]
    if images := list(_images(result.attachments)):
        told["images"] = images
    return told


def whole_call(call: ToolCall | None, result: ToolResult | None) -> dict[str, Any]:
    """All of a call, and of its result."""
    told: dict[str, Any] = {}
    if call is not None:
        told["call"] = call_json(call)
    if result is not None:
        told["content"] = str(result.metadata.get("full", result.content))
    return told


def waiting_told(
    pending: Sequence[ApprovalRequest], tools: ToolRegistry, always: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Return the calls that wait, and what a person should know before deciding.

    With ``runs`` the page is to run the call unasked: its tool is one of *always*, and nothing else
    is open.
    """
    return [
        {
            **request_json(request),
            "call": call_told(request.call),
            "concerns": [
                {**concern_json(each), "barred": each.barred} for each in request.concerns
            ],
            "where": where_answered(request, tools),
            "runs": _runs(request, tools, always),
        }
        for request in pending
    ]


def _runs(request: ApprovalRequest, tools: ToolRegistry, always: Collection[str]) -> bool:
    tool = tools.get(request.call.name)
    is_plain = {each.kind for each in request.asked} <= {"approval"} and not request.concerns
    if tool is None or not is_plain or where_answered(request, tools) != "page":
        return False
    return request.pin == pin_of(tool) and request.pin.digest in always


def where_answered(request: ApprovalRequest, tools: ToolRegistry) -> str:
    """Return who can answer it: the server, the page, or only the person."""
    if request.kind == "loop":
        return "server"
    tool = tools.get(request.call.name)
    if tool is None or tool.function is not None:
        return "server"
    return "page" if tool.name == BROWSER else "person"


def _size(value: Any) -> int:
    return sum(len(each) for each in value.values() if isinstance(each, str))


def _beginning(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{value[:_SHOWN]}…"
    return value


def _images(attachments: Sequence[Any]) -> Iterator[str]:
    for each in attachments:
        if isinstance(each, Attachment) and each.media_type in _IMAGES and each.data:
            if len(each.data) <= _MOST_IMAGE:
                yield f"data:{each.media_type};base64,{each.data}"
        elif isinstance(each, bytes) and len(each) <= _MOST_IMAGE and (kind := _kind(each)):
            yield f"data:{kind};base64,{b64encode(each).decode('ascii')}"


def _kind(content: bytes) -> str | None:
    """What kind of image *content* is, by how it begins."""
    begins: Mapping[bytes, str] = {
        b"\x89PNG\r\n\x1a\n": "image/png",
        b"\xff\xd8\xff": "image/jpeg",
        b"GIF8": "image/gif",
    }
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for head, kind in begins.items() if content.startswith(head)), None)
