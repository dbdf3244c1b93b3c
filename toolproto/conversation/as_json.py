"""Events as values of JSON, for programs that watch a turn."""

from __future__ import annotations

import math
from typing import Any

from ..protocol.deciding.pins import changes
from ..protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallDoubted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    TextDelta,
)
from ..protocol.guard.concerns import Concern
from ..protocol.messages import CallProblem, Repair, ToolCall, ToolResult
from .deciding.approvals import Allow, ApprovalRequest, Decision, Defer, Deny
from .turn.events import (
    ApprovalAsked,
    CompactionFailed,
    Decided,
    HistoryCompacted,
    MessageAppended,
    ReasoningEnded,
    ReasoningStarted,
    ReplyConstrained,
    SessionEvent,
    StateChanged,
    StepEnded,
    StepStarted,
    ToolProgressed,
    ToolUpdated,
    TurnEnded,
)
from .turn.result import StepRecord, TurnResult

__all__ = ["call_json", "concern_json", "decision_json", "event_json", "request_json"]


def event_json(event: SessionEvent) -> dict[str, Any]:
    """*event* as an object; ``"event"`` says which it is."""
    match event:
        case StateChanged(snapshot):
            state, requests = snapshot.state.value, snapshot.requests
            return {"event": "state", "state": state, "requests": requests}
        case ToolUpdated(call, status, result):
            told = {"result": _result(result)} if result else {}
            return {"event": "tool", "status": status.value, "call": call_json(call), **told}
        case ToolProgressed(call, done, total, message):
            far = {"done": _finite(done), "total": _finite(total), "message": message}
            return {"event": "tool_progress", "id": call.id, **far}
        case ApprovalAsked(request):
            return {"event": "approval_asked", **request_json(request)}
        case Decided(request, decision):
            return {"event": "decided", "id": request.call.id, "decision": decision_json(decision)}
        case MessageAppended(message):
            said = {"role": message.role, "content": message.content}
            said |= {"model": message.model} if message.model else {}
            return {
                "event": "message",
                **said,
                "calls": [call_json(each) for each in message.calls],
            }
        case HistoryCompacted(before, after):
            return {"event": "compacted", "before": len(before), "after": len(after)}
        case CompactionFailed(error):
            return {"event": "compaction_failed", "error": str(error)}
        case TurnEnded(result):
            return {"event": "ended", **_ended(result)}
        case StepStarted() | StepEnded() | ReasoningStarted() | ReasoningEnded():
            return _stage(event)
        case ReplyConstrained(rendering):
            return {"event": "constrained", "rendering": rendering}
        case _:
            return _reply_event(event)


def _stage(
    event: StepStarted | StepEnded | ReasoningStarted | ReasoningEnded,
) -> dict[str, Any]:
    """The beginning or the end of something within a turn."""
    match event:
        case StepStarted(number):
            return {"event": "step_started", "number": number}
        case StepEnded(step):
            return {"event": "step_ended", **_step(step)}
        case ReasoningStarted():
            return {"event": "reasoning_started"}
        case ReasoningEnded(text, seconds):
            told = {"event": "reasoning_ended", "characters": len(text)}
            return {**told, "seconds": round(seconds, 3)}


def _reply_event(event: Event) -> dict[str, Any]:
    """An event of a decoder."""
    match event:
        case TextDelta(text):
            return {"event": "text", "text": text}
        case ReasoningDelta(text):
            return {"event": "reasoning", "text": text}
        case CallStarted(index, name, id):
            return {"event": "call_started", "index": index, "name": name, "id": id}
        case ArgumentsDelta(index, text):
            return {"event": "arguments", "index": index, "text": text}
        case CallCompleted(index, call):
            return {"event": "call", "index": index, "call": call_json(call)}
        case CallDoubted(index, place):
            return {"event": "call_doubted", "index": index, "place": place}
        case CallRejected(index, problem):
            return {"event": "call_rejected", "index": index, "problem": _problem(problem)}


def _ended(result: TurnResult) -> dict[str, Any]:
    used = result.stats
    return {
        "status": result.status,
        "text": result.partial_text,
        "finish_reason": result.finish_reason,
        "error": None if result.error is None else str(result.error),
        "pending": [call_json(request.call) for request in result.pending],
        "problems": [_problem(each) for each in result.problems],
        "requests": used.requests,
        "calls": used.calls,
        "failed_calls": used.failed_calls,
        "not_run": [
            {"call": call_json(each.call), "reason": each.reason} for each in result.not_run
        ],
        "seconds": round(used.seconds, 3),
        "input_tokens": result.usage.input_tokens,
        "output_tokens": result.usage.output_tokens,
        **({"cost": result.cost} if result.cost is not None else {}),
    }


def _step(step: StepRecord) -> dict[str, Any]:
    told = {
        "number": step.number,
        "finish_reason": step.finish_reason,
        "input_tokens": step.usage.input_tokens,
        "output_tokens": step.usage.output_tokens,
    }
    cost = {} if step.cost is None else {"cost": step.cost}
    model = {"model": step.model} if step.model else {}
    native = {"native": True} if step.native else {}
    return {**told, **model, **native, **cost, **({"diff": step.diff} if step.diff else {})}


def call_json(call: ToolCall) -> dict[str, Any]:
    """*call* as an object."""
    return {
        "id": call.id,
        "name": call.name,
        "arguments": dict(call.arguments),
        "repairs": [_repair(each) for each in call.repairs],
        "place": call.place,
    }


def _repair(repair: Repair) -> dict[str, Any]:
    return {"name": repair.name, "grade": repair.grade.value, "detail": repair.detail}


def request_json(request: ApprovalRequest) -> dict[str, Any]:
    """Return *request* as an object: the call, what is asked about it, and what to know of it."""
    told: dict[str, Any] = {
        "call": call_json(request.call),
        "risk": request.risk,
        "reason": request.reason,
        "kind": request.kind,
    }
    if request.concerns:
        told["concerns"] = [concern_json(each) for each in request.concerns]
    if request.before and request.pin:
        changed = changes(request.before, request.pin)
        told["changed"] = [{"part": part, "before": was, "now": now} for part, was, now in changed]
    return told


def concern_json(concern: Concern) -> dict[str, Any]:
    """*concern* as an object; ``line`` is it in words."""
    told = {"kind": concern.kind, "source": concern.source, "argument": concern.argument}
    return {**told, "value": concern.value, "quote": concern.quote, "line": concern.line}


def _result(result: ToolResult) -> dict[str, Any]:
    told = {"title": result.title} if result.title else {}
    return {"content": result.content, "is_error": result.is_error, **told}


def _problem(problem: CallProblem) -> dict[str, Any]:
    told = {"kind": problem.kind.value, "message": problem.message, "raw": problem.raw}
    return {**told, "name": problem.name}


def decision_json(decision: Decision) -> dict[str, Any]:
    """*decision* as an object."""
    match decision:
        case Allow(instead, always, vouched):
            edited: dict[str, Any] = {"instead": call_json(instead)} if instead else {}
            if vouched:
                edited["vouched"] = list(vouched)
            return {"decision": "allow", "always": always, **edited}
        case Deny(reason):
            return {"decision": "deny", "reason": reason}
        case Defer():
            return {"decision": "defer"}


def _finite(number: float | None) -> float | None:
    """*number*, if JSON can say it."""
    return number if number is not None and math.isfinite(number) else None
