"""What a probe found: a row for each arm, and which of them is best.

The best arm is the one whose share of right arguments has the highest lower bound, among the
cases that every arm was asked; of equals the one with fewer needless calls, then the one whose
answers use results more often, then the one with the shorter prompts. The baseline is never
chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from .arms import BASELINE, Arm
from .cases import Case, Kind
from .intervals import Mean, Share, mean_of, share_of
from .plan import ProbePlan
from .score import Marks
from .trial import Answered

__all__ = ["ProbeReport", "Row", "Scored", "Stopped"]

#: The shares of a row, in the order in which they are shown.
SHARES = ("well_formed", "right_tool", "right_arguments", "sure", "needless", "used_result")
MEANS = ("input_tokens", "output_tokens", "seconds")


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a probe ended before its plan did."""

    why: Literal["budget", "endpoint", "interrupted"]
    message: str


@dataclass(frozen=True, slots=True)
class Scored:
    """One case in one arm: what was right, and the replies."""

    arm: Arm
    case: Case
    marks: Marks
    replies: tuple[Answered, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """How one arm did in *cases* cases. Tokens and seconds are means over requests.

    *kinds* is the share of each kind that was right: the right calls, or none where none was due.
    *estimated*: some tokens were not counted by the endpoint.
    """

    arm: Arm
    cases: int
    well_formed: Share
    right_tool: Share
    right_arguments: Share
    sure: Share
    needless: Share
    used_result: Share
    input_tokens: Mean
    output_tokens: Mean
    seconds: Mean
    kinds: Mapping[Kind, Share]
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
    def rows(self) -> list[Row]:
        """A row for each arm that was asked anything, in the order of the plan."""
        return _rows(self.plan.arms, self.scored)

    @property
    def baseline(self) -> Row | None:
        """The row to beat."""
        return next((row for row in self.rows if row.arm == BASELINE), None)

    @cached_property
    def best(self) -> Row | None:
        """The arm to choose, judged by the cases that all arms of the plan were asked.

        None if there are no such cases yet, or if no call in them was right.
        """
        arms = [arm for arm in self.plan.arms if arm != BASELINE]
        asked = [{each.case.id for each in self.scored if each.arm == arm} for arm in arms]
        shared = set.intersection(*asked) if asked else set()
        rows = _rows(self.plan.arms, [each for each in self.scored if each.case.id in shared])
        ours = [row for row in rows if row.arm != BASELINE and row.right_arguments.right]
        chosen = max(ours, key=_rank, default=None)
        return next((row for row in self.rows if chosen and row.arm == chosen.arm), None)

    def beats_baseline(self, row: Row) -> bool | None:
        """Whether *row* has more right arguments by a margin outside both intervals."""
        baseline = self.baseline
        if baseline is None or row.arm == BASELINE:
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


def _rank(row: Row) -> tuple[float, ...]:
    used = row.used_result.value or 0.0
    return (row.right_arguments.low, -(row.needless.value or 0.0), used, -row.input_tokens.value)


def _rows(arms: Sequence[Arm], scored: Iterable[Scored]) -> list[Row]:
    by_arm: dict[Arm, list[Scored]] = {arm: [] for arm in arms}
    for each in scored:
        by_arm[each.arm].append(each)
    return [_row(arm, found) for arm, found in by_arm.items() if found]


def _row(arm: Arm, scored: Sequence[Scored]) -> Row:
    replies = [reply for each in scored for reply in each.replies]
    measured: dict[str, Any] = {
        **{name: share_of(getattr(each.marks, name) for each in scored) for name in SHARES},
        **{name: mean_of(getattr(reply, name) for reply in replies) for name in MEANS},
    }
    kinds = {
        kind: share_of(each.marks.right for each in scored if each.case.kind is kind)
        for kind in Kind
    }
    return Row(
        arm,
        len(scored),
        **measured,
        kinds={kind: share for kind, share in kinds.items() if share.asked},
        estimated=any(reply.estimated for reply in replies),
    )


def _plain(row: Row) -> dict[str, Any]:
    return {
        "arm": row.arm.name,
        "paradigm": row.arm.paradigm,
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
