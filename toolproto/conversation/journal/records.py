"""The entries of a journal, and values as JSON in them.

Every value that a turn is told, or tells, has one way to be written and one to be read. What JSON
cannot hold (a tool's attachments, say) is written as Python would print it.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from ...protocol import errors
from ...protocol.guard.concerns import Concern
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
from ...protocol.tools.answer import answer_form
from ...protocol.tools.spec import ToolSpec
from ..deciding.approvals import Allow, ApprovalRequest, Decision, Defer, Deny, Review
from ..turn.commands import Outcome
from ..turn.result import StepRecord, TurnResult
from ..turn.settling import Verdict
from ..turn.setup import Pending, Terms

__all__ = [
    "TurnEnding",
    "ending_of",
    "read_attachment",
    "read_call",
    "read_decision",
    "read_ending",
    "read_error",
    "read_loop",
    "read_message",
    "read_outcome",
    "read_pending",
    "read_result",
    "read_review",
    "read_terms",
    "read_usage",
    "read_verdict",
    "write_attachment",
    "write_call",
    "write_decision",
    "write_ending",
    "write_error",
    "write_loop",
    "write_message",
    "write_outcome",
    "write_pending",
    "write_result",
    "write_review",
    "write_terms",
    "write_usage",
    "write_verdict",
]

Json = dict[str, Any]
_ROUNDS = ("rounds", "tolerated")
_ATTACHMENTS = ("$bytes", "$attachment", "$json")
#: What few messages have.
_SELDOM = frozenset({"calls", "results", "attachments", "segments", "new_tools"})
#: What JSON holds as it is; whole numbers may have too many digits.
_SIMPLE = (str, bool, float, type(None))


# -- calls, results, messages ---------------------------------------------------------------


def write_call(call: ToolCall) -> Json:
    """*call*, without the text it was read from."""
    repairs = [[each.name, each.grade.value, each.detail] for each in call.repairs]
    told = {"name": call.name, "arguments": _members(call.arguments), "id": call.id}
    return {**told, "repairs": repairs} if repairs else told


def read_call(told: Mapping[str, Any]) -> ToolCall:
    """The call that was written."""
    if "repairs" not in told:
        return ToolCall(told["name"], told["arguments"], told["id"])
    repairs = tuple(Repair(name, Grade(grade), said) for name, grade, said in told["repairs"])
    return ToolCall(told["name"], told["arguments"], told["id"], repairs=repairs)


def write_result(result: ToolResult) -> Json:
    """*result*, with what the program keeps beside the text."""
    told: Json = {"call": write_call(result.call), "content": result.content}
    if result.is_error:
        told["is_error"] = True
    if result.title is not None:
        told["title"] = _plain(result.title)
    if result.metadata:
        told["metadata"] = _members(result.metadata)
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


class TurnEnding(NamedTuple):
    """What a turn leaves behind for whoever asks later what it was."""

    steps: tuple[StepRecord, ...] = ()
    reasks: int = 0
    seconds: float = 0.0
    error: Exception | None = None


def ending_of(result: TurnResult[Any]) -> TurnEnding:
    """What is kept of *result*, beside what was said and done."""
    error = result.error if isinstance(result.error, Exception) else None
    return TurnEnding(result.steps, result.stats.reasks, result.stats.seconds, error)


def write_ending(ending: TurnEnding) -> Json:
    """*ending*, as short as can be."""
    told: Json = {"seconds": ending.seconds}
    if ending.steps:
        told["steps"] = [
            [*write_usage(each.usage), each.finish_reason, each.cost, *filter(None, [each.diff])]
            for each in ending.steps
        ]
    if ending.reasks:
        told["reasks"] = ending.reasks
    if ending.error is not None:
        told["error"] = write_error(ending.error)
    return told


def read_ending(told: Mapping[str, Any]) -> TurnEnding:
    """The ending that was written; journals of older versions do not tell much."""
    steps = tuple(
        StepRecord(number, read_usage([read, said]), reason, cost, *diff)
        for number, (read, said, reason, cost, *diff) in enumerate(told.get("steps", ()), 1)
    )
    error = read_error(told["error"]) if told.get("error") else None
    return TurnEnding(steps, told.get("reasks", 0), told.get("seconds", 0.0), error)


def write_attachment(attachment: Any) -> Any:
    """*attachment*: bytes and pictures as they are, anything else as JSON can hold it."""
    match attachment:
        case bytes() | bytearray() | memoryview():
            return {"$bytes": b64encode(bytes(attachment)).decode("ascii")}
        case Attachment():
            return {"$attachment": [getattr(attachment, each.name) for each in fields(attachment)]}
    plain = _plain(attachment)
    # A tool may give anything, also what looks like one of ours.
    is_ours = isinstance(plain, dict) and any(name in plain for name in _ATTACHMENTS)
    return {"$json": plain} if is_ours else plain


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
    return told


def read_message(told: Mapping[str, Any]) -> Message:
    """The message that was written."""
    if not told.keys() & _SELDOM:  # as most are
        return Message(told["role"], told["content"], reasoning=told.get("reasoning", ""))
    return Message(
        told["role"],
        told["content"],
        tuple(map(read_call, told.get("calls", ()))),
        tuple(map(read_result, told.get("results", ()))),
        told.get("reasoning", ""),
        tuple(map(read_attachment, told.get("attachments", ()))),
        tuple(MessageSegment(kind, text) for kind, text in told.get("segments", ())),
        tuple(told.get("new_tools", ())),
    )


def write_usage(usage: Usage) -> list[int]:
    """*usage* as two numbers."""
    return [usage.input_tokens, usage.output_tokens]


def read_usage(told: list[int]) -> Usage:
    """The usage that was written."""
    return Usage(*told)


# -- decisions ------------------------------------------------------------------------------


def write_decision(decision: Decision) -> Json:
    """*decision*, by its name."""
    match decision:
        case Allow(instead, always, vouched):
            told: Json = {"decision": "allow", "always": always}
            if vouched:
                told["vouched"] = list(vouched)
            return told if instead is None else {**told, "instead": write_call(instead)}
        case Deny(reason, stop):
            told = {"decision": "deny", "reason": reason}
            return {**told, "stop": True} if stop else told
        case Defer():
            return {"decision": "defer"}


def read_decision(told: Mapping[str, Any]) -> Decision:
    """The decision that was written."""
    match told:
        case {"decision": "allow"}:
            instead = told.get("instead")
            vouched = tuple(told.get("vouched", ()))
            return Allow(instead and read_call(instead), told["always"], vouched)
        case {"decision": "deny", "reason": reason}:
            return Deny(reason, told.get("stop", False))
    return Defer()


def write_verdict(verdict: Verdict) -> Json:
    """*verdict*: a decision, a result or a text."""
    match verdict:
        case str():
            return {"text": verdict}
        case ToolResult():
            return {"result": write_result(verdict)}
    return write_decision(verdict)


def read_verdict(told: Mapping[str, Any]) -> Verdict:
    """The verdict that was written."""
    match told:
        case {"text": str(text)}:
            return text
        case {"result": result}:
            return read_result(result)
    return read_decision(told)


def write_review(review: Review) -> Json:
    """*review*: nothing, another result, or a refusal."""
    match review:
        case ToolResult():
            return {"result": write_result(review)}
        case Deny(reason, stop):
            return {"deny": reason, "stop": True} if stop else {"deny": reason}
        case Defer():
            return {"defer": True}
    return {}


def read_review(told: Mapping[str, Any]) -> Review:
    """The review that was written."""
    if "result" in told:
        return read_result(told["result"])
    if "deny" in told:
        return Deny(told["deny"], told.get("stop", False))
    return Defer() if "defer" in told else None


def write_terms(terms: Terms) -> Json:
    """*terms*, as far as they are not the usual ones."""
    usual = Terms()
    names = [each.name for each in fields(terms)]
    changed = [name for name in names if getattr(terms, name) != getattr(usual, name)]
    written = {name: _plain(getattr(terms, name)) for name in changed if name != "output"}
    return written | ({"output": dict(terms.output.schema)} if terms.output else {})


def read_terms(told: Mapping[str, Any]) -> Terms:
    """The terms that were written."""
    listed = {name: tuple(told[name]) for name in ("tools", "without") if told.get(name)}
    form = {"output": answer_form(told["output"])} if told.get("output") else {}
    return Terms(**{**told, **listed, **form})


def write_pending(pending: Pending) -> Json:
    """*pending*: the calls, what is known of them, and what is waited for."""
    return {
        "message": write_message(pending.message),
        "calls": [write_call(call) for call in pending.calls],
        "waiting": {id: _write_request(each) for id, each in pending.waiting.items()},
        "results": {id: write_result(each) for id, each in pending.results.items()},
        "decisions": {id: write_decision(each) for id, each in pending.decisions.items()},
        "terms": write_terms(pending.terms),
        "unreviewed": {id: write_result(each) for id, each in pending.unreviewed.items()},
    }


def read_pending(told: Mapping[str, Any]) -> Pending:
    """The pending calls that were written."""
    return Pending(
        read_message(told["message"]),
        tuple(map(read_call, told["calls"])),
        {id: _read_request(each) for id, each in told["waiting"].items()},
        {id: read_result(each) for id, each in told["results"].items()},
        {id: read_decision(each) for id, each in told["decisions"].items()},
        read_terms(told["terms"]),
        {id: read_result(each) for id, each in told.get("unreviewed", {}).items()},
    )


def write_loop(state: Mapping[str, Any]) -> Json:
    """The *state* of a DoomLoop, as text: most turns write one, and only the last is read."""
    return {**state, **{name: " ".join(map(",".join, state[name])) for name in _ROUNDS}}


def read_loop(told: Mapping[str, Any]) -> Json:
    """The state that was written."""
    rounds = {name: [each.split(",") for each in told[name].split()] for name in _ROUNDS}
    return {**told, **rounds}


def _write_request(request: ApprovalRequest) -> Json:
    tool = {each.name: _plain(getattr(request.tool, each.name)) for each in fields(request.tool)}
    told: Json = {"risk": request.risk, "reason": request.reason, "digest": request.digest}
    if request.concerns:
        told["concerns"] = [_write_concern(each) for each in request.concerns]
    return {"call": write_call(request.call), "tool": tool, **told}


def _read_request(told: Mapping[str, Any]) -> ApprovalRequest:
    call, tool = read_call(told["call"]), ToolSpec(**told["tool"])
    concerns = tuple(Concern(**each) for each in told.get("concerns", ()))
    return ApprovalRequest(call, tool, told["risk"], told["reason"], told["digest"], concerns)


def _write_concern(concern: Concern) -> Json:
    told = {each.name: getattr(concern, each.name) for each in fields(concern)}
    return {name: value for name, value in told.items() if value}


# -- what went wrong ------------------------------------------------------------------------


def write_error(error: Exception) -> Json:
    """*error*: what it is and what it says."""
    told: Json = {"type": type(error).__name__, "message": _said(error)}
    if isinstance(error, errors.EndpointError):
        for name in ("status", "body", "retry_after"):
            if (value := getattr(error, name)) is not None:
                told[name] = _plain(value)
    return told


def read_error(told: Mapping[str, Any]) -> Exception:
    """The error that was written; one that is not ours is told by a ToolProtoError."""
    kind = getattr(errors, told["type"], None)
    details = {name: value for name, value in told.items() if name not in ("type", "message")}
    if isinstance(kind, type) and issubclass(kind, errors.EndpointError):
        return kind(told["message"], **details)
    if kind in (errors.TurnCancelled, errors.TurnTimeout, errors.UsageError):
        return kind(told["message"])
    return errors.ToolProtoError(f"{told['type']}: {told['message']}")


def _members(value: Mapping[str, Any]) -> Json:
    """*value* with each of its members as JSON can hold it: what it is stays an object."""
    return {str(key): _plain(each) for key, each in value.items()}


def _plain(value: Any) -> Any:
    """*value*, if JSON can hold it; else what it looks like."""
    if type(value) in _SIMPLE:
        return value
    try:
        return json.loads(json.dumps(value, default=_shown))
    except (TypeError, ValueError, RecursionError):
        return _looks(value)


def _shown(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else _looks(value)


def _looks(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # a number of too many digits, an object that cannot tell itself
        return f"<{type(value).__name__}>"


def _said(error: Exception) -> str:
    try:
        return str(error)
    except Exception:
        return ""
