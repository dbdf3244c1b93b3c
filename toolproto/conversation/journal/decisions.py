"""Decisions and reviews as JSON in the entries of a journal, and what they are about.

Beside them stand the terms of a turn, its pending calls and the state of its DoomLoop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from ...protocol.deciding.decisions import Topic, Yes
from ...protocol.deciding.pins import Grant, Pin
from ...protocol.guard.concerns import Concern
from ...protocol.messages import ToolResult
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.system_prompt import ToolContextBuilder
from ...protocol.tools.answer import answer_form
from ...protocol.tools.spec import ToolSpec
from ..deciding.answers import Verdict
from ..deciding.approvals import (
    Allow,
    ApprovalRequest,
    Decision,
    Defer,
    Deny,
    EarlierAnswer,
    Review,
)
from ..turn.setup import Pending, Terms
from .messages import read_call, read_message, read_result, write_call, write_message, write_result
from .plain import Json, plain

__all__ = [
    "read_answer",
    "read_decision",
    "read_grants",
    "read_loop",
    "read_pending",
    "read_review",
    "read_terms",
    "read_verdict",
    "write_answer",
    "write_decision",
    "write_grants",
    "write_loop",
    "write_pending",
    "write_review",
    "write_terms",
    "write_verdict",
]

_ROUNDS = ("rounds", "tolerated")


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


def write_answer(answer: EarlierAnswer) -> Json:
    """Write what was decided, and about what: later the question may be another one."""
    told = {"digest": answer.digest, **write_decision(answer.decision)}
    return {**told, **_write_subject(answer.asked, answer.pin)}


def read_answer(told: Mapping[str, Any]) -> EarlierAnswer:
    """Read what was decided; older journals do not say about which tool."""
    decision, digest = read_decision(told), told.get("digest", "")
    return EarlierAnswer(decision, digest, _read_asked(told), _pin_in(told, "pin"))


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
    written = {name: plain(_plainer(getattr(terms, name))) for name in changed if name != "output"}
    return written | ({"output": dict(terms.output.schema)} if terms.output else {})


def _plainer(term: Any) -> Any:
    """*term* in words: a paradigm by its name, a builder of prompts by what it is made of."""
    if isinstance(term, ToolContextBuilder):
        return asdict(term)
    return term.name if isinstance(term, ToolContextDef) else term


def read_terms(told: Mapping[str, Any]) -> Terms:
    """The terms that were written."""
    listed = {name: tuple(told[name]) for name in ("tools", "without") if told.get(name)}
    form = {"output": answer_form(told["output"])} if told.get("output") else {}
    system = told.get("system")
    made = {"system": ToolContextBuilder(**system)} if isinstance(system, Mapping) else {}
    return Terms(**{**told, **listed, **form, **made})


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
        "held": {id: write_call(each) for id, each in pending.held.items()},
        "answered": {id: _write_yes(each) for id, each in pending.answered.items()},
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
        {id: read_call(each) for id, each in told.get("held", {}).items()},
        {id: _read_yes(each) for id, each in told.get("answered", {}).items()},
    )


def write_grants(granted: Mapping[str, Grant]) -> list[Json]:
    """Write what was approved for good: each tool as it was then."""
    told = (granted[name] for name in sorted(granted))
    return [{**_write_pin(each.pin), "plain_only": each.plain_only} for each in told]


def read_grants(told: Iterable[Any]) -> dict[str, Grant]:
    """Read the grants that were written.

    Older journals have nothing but names. Nobody knows which tool was meant: it is asked again.
    """
    pins = [each for each in told if isinstance(each, dict)]
    return {each["name"]: Grant(_read_pin(each), bool(each["plain_only"])) for each in pins}


def write_loop(state: Mapping[str, Any]) -> Json:
    """The *state* of a DoomLoop, as text: most turns write one, and only the last is read."""
    return {**state, **{name: " ".join(map(",".join, state[name])) for name in _ROUNDS}}


def read_loop(told: Mapping[str, Any]) -> Json:
    """The state that was written."""
    rounds = {name: [each.split(",") for each in told[name].split()] for name in _ROUNDS}
    return {**told, **rounds}


def _write_request(request: ApprovalRequest) -> Json:
    tool = {each.name: plain(getattr(request.tool, each.name)) for each in fields(request.tool)}
    told: Json = {"risk": request.risk, "reason": request.reason, "digest": request.digest}
    if request.concerns:
        told["concerns"] = [_write_concern(each) for each in request.concerns]
    told |= _write_subject(request.asked, request.pin)
    if request.before:
        told["before"] = _write_pin(request.before)
    return {"call": write_call(request.call), "tool": tool, **told}


def _read_request(told: Mapping[str, Any]) -> ApprovalRequest:
    call, tool = read_call(told["call"]), ToolSpec(**told["tool"])
    concerns = tuple(Concern(**each) for each in told.get("concerns", ()))
    return ApprovalRequest(
        call,
        tool,
        told["risk"],
        told["reason"],
        told["digest"],
        concerns,
        asked=_read_asked(told),
        pin=_pin_in(told, "pin"),
        before=_pin_in(told, "before"),
    )


def _write_yes(yes: Yes) -> Json:
    told = _write_subject(yes.topics, yes.pin)
    return {**told, "vouched": list(yes.vouched), "grants": yes.grants}


def _read_yes(told: Mapping[str, Any]) -> Yes:
    pin, vouched = _read_pin(told["pin"]), tuple(told["vouched"])
    return Yes(_read_asked(told), pin, vouched, told["grants"])


def _write_subject(asked: Iterable[Topic], pin: Pin | None) -> Json:
    """Write what a question, or an answer to it, is about."""
    topics = [[each.kind, each.mark, each.reason] for each in asked]
    told: Json = {"asked": topics} if topics else {}
    return told if pin is None else {**told, "pin": _write_pin(pin)}


def _read_asked(told: Mapping[str, Any]) -> tuple[Topic, ...]:
    return tuple(Topic(*each) for each in told.get("asked", ()))


def _write_pin(pin: Pin) -> Json:
    return {each.name: plain(getattr(pin, each.name)) for each in fields(pin)}


def _read_pin(told: Mapping[str, Any]) -> Pin:
    return Pin(**{each.name: told[each.name] for each in fields(Pin)})


def _pin_in(told: Mapping[str, Any], name: str) -> Pin | None:
    return _read_pin(told[name]) if name in told else None


def _write_concern(concern: Concern) -> Json:
    told = {each.name: getattr(concern, each.name) for each in fields(concern)}
    return {name: value for name, value in told.items() if value}
