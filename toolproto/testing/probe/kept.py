"""The replies of a probe in a file, one line each, so that a later run goes on with them.

Kept are the replies, not their marks: what is right may be judged anew, what was said need not be
asked for again. A line counts only for the trial whose fingerprint it carries.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from ...protocol.errors import UsageError
from ...protocol.messages import NativePiece
from .trial import TrialAnswer, TrialOutcome

__all__ = ["KeptOutcomes"]

#: Longer lines are nobody's: a reply is bounded, and so is what JSON makes of it.
_LONGEST_LINE = 4_000_000
_MOST_REPLIES = 2


class KeptOutcomes:
    """Outcomes by fingerprint: those of the file at *path*, and what is added to both.

    Without a path nothing is written. What is no line of ours, or is cut off, does not count.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._found: dict[str, TrialOutcome] = {}
        self._file: Any = None
        if path is not None:
            self._open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def get(self, fingerprint: str) -> TrialOutcome | None:
        """The outcome of the trial with that fingerprint, if it is known."""
        return self._found.get(fingerprint)

    def add(self, outcome: TrialOutcome) -> None:
        """Keep *outcome*; it is in the file when this returns."""
        self._found[outcome.trial] = outcome
        if self._file is not None:
            line = json.dumps(asdict(outcome), ensure_ascii=True)
            self._file.write(line.encode("ascii") + b"\n")
            self._file.flush()

    def _open(self, path: Path) -> None:
        try:
            self._file = path.open("a+b")
        except OSError as error:
            raise UsageError(f"cannot keep replies in {str(path)!r}: {error.strerror}") from None
        self._file.seek(0)
        torn = False
        for line in _lines(self._file):
            torn = not line.endswith(b"\n")
            outcome = _outcome(line)
            if outcome is not None:
                self._found[outcome.trial] = outcome
        self._file.seek(0, os.SEEK_END)
        if torn:  # whoever wrote it was killed: what follows begins a line of its own
            self._file.write(b"\n")


def _lines(file: Any) -> Iterator[bytes]:
    while line := file.readline(_LONGEST_LINE):
        yield line


def _outcome(line: bytes) -> TrialOutcome | None:
    """What *line* says, or None."""
    try:
        told = json.loads(line)
        replies = tuple(_answered(each) for each in told["replies"][:_MOST_REPLIES])
        return TrialOutcome(_expect(told["trial"], str), replies) if replies else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _answered(told: Any) -> TrialAnswer:
    reason = told["finish_reason"]
    return TrialAnswer(
        _expect(told["text"], str),
        reason if reason is None else _expect(reason, str),
        _expect(told["input_tokens"], int),
        _expect(told["output_tokens"], int),
        _expect(told["estimated"], bool),
        float(_expect(told["seconds"], int, float)),
        tuple(_piece(each) for each in told.get("calls", ())),
    )


def _piece(told: Any) -> NativePiece:
    slot = told["slot"]
    return NativePiece(
        slot if slot is None else _expect(slot, int),
        _expect(told["id"], str),
        _expect(told["name"], str),
        told["arguments"],
    )


def _expect(value: Any, *types: type) -> Any:
    if type(value) not in types:
        raise TypeError(f"expected one of {types}, got {value!r}")
    return value
