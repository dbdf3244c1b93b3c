"""The part of a reply that is not read."""

from __future__ import annotations

from io import StringIO

from ...messages import CallProblem, ProblemKind, Span

__all__ = ["FABRICATED", "TOO_MANY", "CutTail"]


#: Why the rest of a reply is not read, where the model is told.
FABRICATED = (
    ProblemKind.FABRICATED_RESULT,
    "you wrote a tool result yourself; only the tool's real result counts",
)
TOO_MANY = (
    ProblemKind.TOO_LARGE,
    "so many calls before it could not be used that the rest was not read; write fewer at a time",
)


class CutTail:
    """All text from *start* on, and *why* it is not read; None for what somebody else says."""

    def __init__(self, start: int, why: tuple[ProblemKind, str] | None) -> None:
        self._start = start
        self._why = why
        self._raw = StringIO()

    def write(self, text: str) -> None:
        """Take in more of it."""
        self._raw.write(text)

    def problem(self) -> CallProblem | None:
        """What the model is told about it; nothing if it only talked on."""
        if self._why is None:
            return None
        raw = self._raw.getvalue()
        return CallProblem(*self._why, raw, Span(self._start, self._start + len(raw)))
