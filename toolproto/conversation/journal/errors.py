"""Errors as JSON in the entries of a journal, and how turns ended, with an error or without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...protocol import errors
from ..turn.result import StepRecord, TurnResult
from .messages import read_usage, write_usage
from .plain import Json, plain

__all__ = [
    "TurnEnding",
    "ending_of",
    "read_ending",
    "read_error",
    "write_ending",
    "write_error",
]


def write_error(error: Exception) -> Json:
    """*error*: what it is and what it says."""
    told: Json = {"type": type(error).__name__, "message": _said(error)}
    if isinstance(error, errors.EndpointError):
        for name in ("status", "body", "retry_after"):
            if (value := getattr(error, name)) is not None:
                told[name] = plain(value)
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


def _said(error: Exception) -> str:
    try:
        return str(error)
    except Exception:
        return ""


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
            [
                *(*write_usage(each.usage), each.finish_reason, each.cost, each.diff, each.model),
                *([True] if each.native else []),
            ]
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
        StepRecord(number, read_usage([read, said]), reason, cost, *rest)
        for number, (read, said, reason, cost, *rest) in enumerate(told.get("steps", ()), 1)
    )
    error = read_error(told["error"]) if told.get("error") else None
    return TurnEnding(steps, told.get("reasks", 0), told.get("seconds", 0.0), error)
