"""What a probe found: a row for each arm, and which of them is best.

The best arm is the one whose share of right arguments has the highest lower bound, among the
cases that every arm was asked; of equals the one that holds back more often, then the one whose
answers use results more often, then the one with the shorter prompts. A baseline is never
chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from .arms import Arm
from .cases import Case, CaseKind
from .intervals import Mean, Share, mean_of, share_of
from .plan import ProbePlan
from .score import Marks
from .trial import TrialAnswer

__all__ = ["ProbeReport", "ReportRow", "Scored", "Stopped"]

#: The shares of a row, in the order in which they are shown.
SHARES = ("well_formed", "right_tool", "right_arguments", "holds_back", "sure", "used_result")
MEANS = ("input_tokens", "output_tokens", "seconds")
#: How many deviations apart, and after how many calls, the best arm counts as found.
_SURE = 3.0
_FEWEST = 20


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a probe ended before its plan did."""

    why: Literal["budget", "clear", "endpoint", "interrupted"]
    message: str


@dataclass(frozen=True, slots=True)
class Scored:
    """One case in one arm: what was right, and the replies."""

    arm: Arm
    case: Case
    marks: Marks
    replies: tuple[TrialAnswer, ...]


@dataclass(frozen=True, slots=True)
class ReportRow:
    """How one arm did in *cases* cases. Tokens and seconds are means over requests.

    *kinds* is the share of each kind that was right: the right calls, or none where none was due.
    *estimated*: some tokens were not counted by the endpoint.
    """

    arm: Arm
    cases: int
    well_formed: Share
    right_tool: Share
    right_arguments: Share
    holds_back: Share
    sure: Share
    used_result: Share
    input_tokens: Mean
    output_tokens: Mean
    seconds: Mean
    kinds: Mapping[CaseKind, Share]
    estimated: bool = False


@dataclass(frozen=True)  # without slots: what follows from it is worked out once
class ProbeReport:
    """What is known of *plan*; *stopped* says why that is not all."""

    plan: ProbePlan
    scored: tuple[Scored, ...]
    stopped: Stopped | None = None

    @property
    def total(self) -> int:
        """How many trials there are in the plan."""
        return len(self.plan.arms) * len(self.plan.cases)

    @cached_property
    def rows(self) -> list[ReportRow]:
        """A row for each arm that was asked anything, in the order of the plan."""
        return _rows(self.plan.arms, self.scored)

    @property
    def baseline(self) -> ReportRow | None:
        """The row to beat: of the prompts that people write, the one with more right arguments."""
        rows = [row for row in self.rows if row.arm.is_baseline]
        return max(rows, key=lambda row: row.right_arguments.low, default=None)

    @cached_property
    def best(self) -> ReportRow | None:
        """The arm to choose, judged by the cases that all arms of the plan were asked.

        None if there are no such cases yet, or if no call in them was right.
        """
        chosen = self._ranked[0] if self._ranked else None
        return next((row for row in self.rows if chosen and row.arm == chosen.arm), None)

    @property
    def second(self) -> ReportRow | None:
        """The arm next to the best."""
        chosen = self._ranked[1] if len(self._ranked) > 1 else None
        return next((row for row in self.rows if chosen and row.arm == chosen.arm), None)

    @property
    def is_clear(self) -> bool:
        """Whether the best arm is so far ahead of all others that more requests would not help.

        It is looked at many times in a run, and each look is a chance to err: hence intervals of
        three deviations, not two, and no verdict on a handful of cases.
        """
        if len(self._ranked) < 2 or self._ranked[0].right_arguments.asked < _FEWEST:
            return False
        best, *others = (row.right_arguments for row in self._ranked)
        return all(best.is_above(other, _SURE) for other in others)

    @cached_property
    def _ranked(self) -> list[ReportRow]:
        """The arms that got any call right, the best first, by the cases that all were asked."""
        arms = [arm for arm in self.plan.arms if not arm.is_baseline]
        asked = [{each.case.id for each in self.scored if each.arm == arm} for arm in arms]
        shared = set.intersection(*asked) if asked else set()
        rows = _rows(arms, [each for each in self.scored if each.case.id in shared])
        return sorted((row for row in rows if row.right_arguments.right), key=_rank, reverse=True)

    def beats_baseline(self, row: ReportRow) -> bool | None:
        """Whether *row* has more right arguments by a margin outside both intervals."""
        baseline = self.baseline
        if baseline is None or row.arm.is_baseline:
            return None
        return row.right_arguments.is_above(baseline.right_arguments)

    def to_json(self) -> dict[str, Any]:
        """The report in plain values, replies and all."""
        best = self.best
        return {
            "model": self.plan.model,
            "asked": len(self.scored),
            "planned": self.total,
            "stopped": asdict(self.stopped) if self.stopped else None,
            "best": best.arm.name if best else None,
            "rows": [
                {**_plain(row), "beats_baseline": self.beats_baseline(row)} for row in self.rows
            ],
            "trials": [_trial(each) for each in self.scored],
        }


def _rank(row: ReportRow) -> tuple[float, ...]:
    held, used = row.holds_back.value or 0.0, row.used_result.value or 0.0
    return (row.right_arguments.low, held, used, -row.input_tokens.value)


def _rows(arms: Sequence[Arm], scored: Iterable[Scored]) -> list[ReportRow]:
    by_arm: dict[Arm, list[Scored]] = {arm: [] for arm in arms}
    for each in scored:
        if each.arm in by_arm:
            by_arm[each.arm].append(each)
    return [_row(arm, found) for arm, found in by_arm.items() if found]


def _row(arm: Arm, scored: Sequence[Scored]) -> ReportRow:
    replies = [reply for each in scored for reply in each.replies]
    measured: dict[str, Any] = {
        **{name: share_of(getattr(each.marks, name) for each in scored) for name in SHARES},
        **{name: mean_of(getattr(reply, name) for reply in replies) for name in MEANS},
    }
    kinds = {
        kind: share_of(each.marks.right for each in scored if each.case.kind is kind)
        for kind in CaseKind
    }
    return ReportRow(
        arm,
        len(scored),
        **measured,
        kinds={kind: share for kind, share in kinds.items() if share.asked},
        estimated=any(reply.estimated for reply in replies),
    )


def _plain(row: ReportRow) -> dict[str, Any]:
    return {
        "arm": row.arm.name,
        "paradigm": row.arm.paradigm,
        "teaching": row.arm.teaching,
        "describe": row.arm.describe,
        "examples": row.arm.examples,
        "cases": row.cases,
        **{name: _share(getattr(row, name)) for name in SHARES},
        **{name: asdict(getattr(row, name)) for name in MEANS},
        "kinds": {kind.value: _share(share) for kind, share in row.kinds.items()},
        "tokens_estimated": row.estimated,
    }


def _share(share: Share) -> dict[str, Any]:
    bounds = {"low": share.low, "high": share.high} if share.asked else {"low": None, "high": None}
    return {"right": share.right, "asked": share.asked, "value": share.value, **bounds}


def _trial(each: Scored) -> dict[str, Any]:
    return {
        "arm": each.arm.name,
        "case": each.case.id,
        "kind": each.case.kind.value,
        **asdict(each.marks),
        "replies": [asdict(reply) for reply in each.replies],
    }
