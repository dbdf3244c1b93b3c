"""Which calls of a turn did not run, and why, in words for a person.

A model may say "Done" of a call that never ran. What it is told is advice for it; what a person
needs to know stands beside that, in the metadata of the result, and so in the journal and on the
page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...protocol.messages import CallProblem, ProblemKind, ToolCall, ToolResult

__all__ = ["NOT_RUN", "NotRun", "not_run", "saying_why", "why_not"]

#: In the metadata of a result: why the call did not run, for a person.
NOT_RUN = "toolproto:not_run"


@dataclass(frozen=True, slots=True)
class NotRun:
    """A call that did not run: *reason* says why, to a person."""

    call: ToolCall
    reason: str


def saying_why(result: ToolResult, reason: str, *, is_mistake: bool = False) -> ToolResult:
    """Return *result*, which tells a person for what *reason* its call did not run.

    *is_mistake*: the call could not be used, and the model may write it correctly next.
    """
    if not reason:
        return result
    told = {"reason": reason, "is_mistake": is_mistake}
    return replace(result, metadata={**result.metadata, NOT_RUN: told})


def not_run(results: Sequence[ToolResult]) -> list[NotRun]:
    """Return which calls of *results*, those of a turn in their order, did not run.

    A call is left out if it ran later in the turn, and one that could not be used if the model
    corrected it: a later call of that tool ran.
    """
    found: list[NotRun] = []
    ran: dict[str, list[ToolCall]] = {}  # later in the turn, by name
    for result in reversed(results):
        told, call = result.metadata.get(NOT_RUN), result.call
        later = ran.setdefault(call.name, [])
        if not told:
            later.append(call)
        elif call not in later and not (told["is_mistake"] and later):
            found.append(NotRun(call, told["reason"]))
    return found[::-1]


def why_not(problem: CallProblem) -> str:
    """Return in words for a person why a call with that *problem* did not run."""
    if problem.kind is ProblemKind.UNKNOWN_TOOL:
        return f"there is no tool {problem.name}"
    return _WORDS.get(problem.kind, "{}").format(problem.message)


_WORDS = {
    ProblemKind.INVALID_ARGUMENTS: "its arguments do not fit: {}",
    ProblemKind.TRUNCATED: "it was cut off before its end",
    ProblemKind.TOO_LARGE: "it is too large to be checked",
}
