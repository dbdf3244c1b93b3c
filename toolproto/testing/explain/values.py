"""What an explanation says: the reply in parts, and what was found in it.

The parts of a reply follow each other and leave nothing out. A finding is a call that was read,
refused, or passed over; its parts point at it by its number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ...protocol.events import Event
from ...protocol.guard.concerns import Concern
from ...protocol.messages import CallProblem, Repair, Span, ToolCall

__all__ = ["ExplainedStep", "Explanation", "Finding", "Part", "PartKind", "Verdict"]


class Verdict(Enum):
    """What became of a call."""

    ACCEPTED = "accepted"  # written as asked
    REPAIRED = "repaired"  # read, with repairs
    DOUBTED = "doubted"  # read, but it stands where calls are shown, too
    REJECTED = "rejected"  # the model is told what was wrong
    IGNORED = "ignored"  # it stands there, and is no call


class PartKind(Enum):
    """What a stretch of a reply is."""

    TEXT = "text"
    THINKING = "thinking"
    CALL = "call"
    PROBLEM = "problem"
    IGNORED = "ignored"  # a call that stands in text or in thinking, and is that
    MARKUP = "markup"


@dataclass(frozen=True, slots=True)
class Finding:
    """One call, and why it was taken as it was.

    *call* is None where nothing could be read; of a rejected one it is what was read, as far as
    that came. *told* is what the model would be told about a problem. *reasons* name why an ignored
    call is none (``words.REASONS``), the one that decides first; *form* is the paradigm whose form
    it has, if another. *concerns* say which of its arguments come from a stranger's text.
    """

    verdict: Verdict
    span: Span
    call: ToolCall | None = None
    problem: CallProblem | None = None
    told: str = ""
    reasons: tuple[str, ...] = ()
    form: str = ""
    concerns: tuple[Concern, ...] = ()

    @property
    def name(self) -> str:
        """The tool's name, if one was read."""
        if self.call is not None:
            return self.call.name
        return (self.problem.name if self.problem is not None else None) or ""

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What had to be mended."""
        if self.call is not None:
            return self.call.repairs
        return self.problem.repairs if self.problem is not None else ()


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a reply.

    *finding* is the number of the finding it belongs to, *note* says what markup it is.
    """

    kind: PartKind
    text: str
    span: Span
    finding: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """One chunk of a streamed reply: what came out when it went in.

    *held* are the characters read by then of which nothing has been said: markup, and what may
    still become a call. Inside a call they count from the last event. The last step is the end.
    """

    number: int
    text: str
    events: tuple[Event, ...]
    read: int
    held: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a paradigm reads one reply.

    *searched* is False if the text was too long to look for ignored calls everywhere.
    """

    paradigm: str
    reply: str
    parts: tuple[Part, ...]
    findings: tuple[Finding, ...]
    finish_reason: str | None = None
    searched: bool = True
    steps: tuple[ExplainedStep, ...] = ()

    def count(self) -> dict[str, int]:
        """How many calls there are of each verdict."""
        counted = Counter(finding.verdict for finding in self.findings)
        return {verdict.value: counted[verdict] for verdict in Verdict}

    @property
    def ignored(self) -> Sequence[Finding]:
        """The calls that stand in the reply and are none."""
        return [each for each in self.findings if each.verdict is Verdict.IGNORED]
