"""An explanation as JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from ...protocol.events import CallCompleted, CallRejected, Event, merge
from ...protocol.messages import CallProblem, Repair
from ...protocol.repair_words import repair_words
from .values import ExplainedStep, Explanation, Finding, Part
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
        told |= {"problem": _problem(finding.problem), "told": finding.told}
    rest = {
        "reasons": list(finding.reasons),
        "concerns": [each.line for each in finding.concerns],
        "form": finding.form,
    }
    return told | {name: said for name, said in rest.items() if said}


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
    start, end = part.span
    told = {"kind": part.kind.value, "start": start, "end": end, "text": part.text}
    if part.finding is not None:
        told["finding"] = part.finding
    return {**told, "note": part.note} if part.note else told


def _step(step: ExplainedStep) -> dict[str, Any]:
    return {
        "chunk": step.number,
        "text": step.text,
        "read": step.read,
        "held": step.held,
        "events": [event_fields(event) for event in merge(step.events)],
    }


def event_fields(event: Event) -> dict[str, Any]:
    """What *event* is called, and what it says."""
    match event:
        case CallCompleted(index=index, call=call):
            said = {"index": index, "name": call.name, "arguments": dict(call.arguments)}
        case CallRejected(index=index, problem=problem):
            said = {"index": index, **_problem(problem)}
        case _:
            names = (each.name for each in fields(event) if each.name not in ("span", "id"))
            said = {name: getattr(event, name) for name in names}
    return {"event": type(event).__name__, **said}


def event_line(event: Event) -> str:
    """*event* in one line, for a person."""
    name, *said = event_fields(event).items()
    written = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in said)
    return f"{name[1]}({', '.join(written)})"
