"""An explanation as JSON."""

from __future__ import annotations

import json
from typing import Any

from .. import events
from ..events import Event, merge
from ..messages import CallProblem, Repair
from ..repairs import repair_words
from .values import Explanation, Finding, Part, Step
from .words import why

__all__ = ["as_json", "event_fields", "event_line"]


def as_json(explanation: Explanation) -> dict[str, Any]:
    """All that *explanation* says, as JSON can hold it; positions count characters."""
    told: dict[str, Any] = {
        "paradigm": explanation.paradigm,
        "characters": len(explanation.reply),
        "finish_reason": explanation.finish_reason,
        "count": explanation.count(),
        "searched": explanation.searched,
        "findings": [_finding(each) for each in explanation.findings],
        "parts": [_part(each) for each in explanation.parts],
    }
    if explanation.steps:
        told["steps"] = [_step(each) for each in explanation.steps]
    return told


def _finding(finding: Finding) -> dict[str, Any]:
    told: dict[str, Any] = {
        "verdict": finding.verdict.value,
        "start": finding.span.start,
        "end": finding.span.end,
        "name": finding.name,
        "why": why(finding),
        "repairs": [_repair(each) for each in finding.repairs],
    }
    if finding.call is not None:
        told["arguments"] = dict(finding.call.arguments)
    if finding.problem is not None:
        told["problem"] = _problem(finding.problem)
        told["told"] = finding.told
    if finding.reasons:
        told["reasons"] = list(finding.reasons)
    if finding.concerns:
        told["concerns"] = [each.line for each in finding.concerns]
    return {**told, "form": finding.form} if finding.form else told


def _repair(repair: Repair) -> dict[str, str]:
    return {
        "name": repair.name,
        "grade": repair.grade.value,
        "detail": repair.detail,
        "words": repair_words(repair),
    }


def _problem(problem: CallProblem) -> dict[str, Any]:
    return {
        "kind": problem.kind.value,
        "message": problem.message,
        "suggestions": list(problem.suggestions),
    }


def _part(part: Part) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": part.kind.value,
        "start": part.span.start,
        "end": part.span.end,
        "text": part.text,
    }
    if part.finding is not None:
        told["finding"] = part.finding
    if part.note:
        told["note"] = part.note
    return told


def _step(step: Step) -> dict[str, Any]:
    return {
        "chunk": step.number,
        "text": step.text,
        "read": step.read,
        "held": step.held,
        "events": [event_fields(event) for event in merge(step.events)],
    }


def event_fields(event: Event) -> dict[str, Any]:
    """What *event* is called, and what it says."""
    told: dict[str, Any] = {"event": type(event).__name__}
    match event:
        case events.TextDelta(text=text) | events.ReasoningDelta(text=text):
            return {**told, "text": text}
        case events.CallStarted(index=index, name=name):
            return {**told, "index": index, "name": name}
        case events.ArgumentsDelta(index=index, text=text):
            return {**told, "index": index, "text": text}
        case events.CallCompleted(index=index, call=call):
            arguments = dict(call.arguments)
            return {**told, "index": index, "name": call.name, "arguments": arguments}
        case events.CallRejected(index=index, problem=problem):
            return {**told, "index": index, **_problem(problem)}


def event_line(event: Event) -> str:
    """*event* in one line, for a person."""
    fields = event_fields(event)
    name = fields.pop("event")
    said = ", ".join(
        f"{key}={json.dumps(each, ensure_ascii=False)}" for key, each in fields.items()
    )
    return f"{name}({said})"
