"""The part of a reply that is not the model's to say."""

from __future__ import annotations

from io import StringIO

from ...messages import CallProblem, ProblemKind, Span

__all__ = ["CutTail"]


class CutTail:
    """All text from *start* on: a result that the model made up, or somebody else's turn."""

    def __init__(self, start: int, *, fabricated: bool) -> None:
        self._start = start
        self._fabricated = fabricated
        self._raw = StringIO()

    def write(self, text: str) -> None:
        """Take in more of it."""
        self._raw.write(text)

    def problem(self) -> CallProblem | None:
        """What the model is told about it; nothing if it only talked on."""
        if not self._fabricated:
            return None
        raw = self._raw.getvalue()
        return CallProblem(
            ProblemKind.FABRICATED_RESULT,
            "you wrote a tool result yourself; only the tool's real result counts",
            raw,
            Span(self._start, self._start + len(raw)),
        )
