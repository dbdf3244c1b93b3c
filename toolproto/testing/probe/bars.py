"""A report as figures to draw: for each arm a bar and its interval, for each measure a panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .intervals import Share
from .report import ProbeReport, ReportRow

__all__ = ["PANELS", "Bar", "Panel", "panels", "percent"]

#: What is drawn, and what it is called.
PANELS = {
    "right_arguments": "right arguments",
    "holds_back": "calls nothing when no tool is needed",
    "sure": "right without a guess",
    "right_tool": "right tool",
    "well_formed": "well-formed calls",
    "used_result": "answers that use the result",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One arm's *share*; *is_best* is the arm to choose."""

    label: str
    share: Share
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure of all arms."""

    title: str
    bars: Sequence[Bar]


def panels(report: ProbeReport) -> list[Panel]:
    """What there is to draw; a measure that nothing was asked for is left out."""
    best = report.best
    drawn = [
        Panel(title, [_bar(row, measure, best) for row in report.rows])
        for measure, title in PANELS.items()
    ]
    return [panel for panel in drawn if any(bar.share.asked for bar in panel.bars)]


def percent(share: Share) -> str:
    """``62 % (50-73)``, a dash where nothing was asked."""
    if share.value is None:
        return "-"
    return f"{share.value:.0%} ({share.low * 100:.0f}-{share.high * 100:.0f})".replace("%", " %")


def _bar(row: ReportRow, measure: str, best: ReportRow | None) -> Bar:
    chosen = best is not None and row.arm == best.arm
    return Bar(row.arm.name, getattr(row, measure), chosen)
