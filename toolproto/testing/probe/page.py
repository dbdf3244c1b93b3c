"""A report as one HTML file that loads nothing: a table, and bars drawn as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .bars import PANELS, Bar, Panel, panels, percent
from .cases import CaseKind
from .intervals import Mean
from .report import ProbeReport, ReportRow

__all__ = ["page"]

_WIDTH, _LABEL, _BAR, _GAP = 760, 230, 16, 8
_SCALE = _WIDTH - _LABEL - 130
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1100px; padding: 0 1rem;
       color: #222; background: #fff; }
/* What does not fit scrolls by itself, so that the page never does. */
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 3px 7px; border-bottom: 1px solid #ddd; text-align: right; }
td { white-space: nowrap; } th { vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
tr.best { background: #e9f5ec; font-weight: 600; }
svg { display: block; max-width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: #222; }
.bar { fill: #7a9cc6; } .bar.best { fill: #3f8f5b; } .interval { stroke: #333; stroke-width: 1.5; }
"""


def page(report: ProbeReport) -> str:
    """*report* as HTML; whatever a model is called stays text."""
    title = escape(f"Probe of {report.plan.model}")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta name="viewport" content="width=device-width"><title>{title}</title>',
            f"<style>{_STYLE}</style></head><body><h1>{title}</h1>",
            *_summary(report),
            *_table(report),
            *(part for panel in panels(report) for part in _panel(panel)),
            *_kinds(report),
            "</body></html>\n",
        ]
    )


def _summary(report: ProbeReport) -> Iterator[str]:
    best = report.best
    if best is not None:
        yield f"<p>Best: <strong>{escape(best.arm.name)}</strong>.</p>"
    stopped = f" Then {escape(report.stopped.message)}." if report.stopped else ""
    yield (
        f"<p>{len(report.scored)} of {report.total} trials were run.{stopped} "
        "In brackets and as lines: 95 % intervals (Wilson for shares).</p>"
    )


def _table(report: ProbeReport) -> Iterator[str]:
    heads = ["", "cases", *PANELS.values(), "prompt tokens", "reply tokens", "seconds"]
    yield '<div class="wide">'
    yield f"<table><tr>{''.join(f'<th>{escape(head)}</th>' for head in heads)}</tr>"
    best = report.best
    for row in report.rows:
        marked = ' class="best"' if best and row.arm == best.arm else ""
        name, *figures = _cells(row)
        yield f"<tr{marked}><td>{escape(name)}</td>{''.join(map(_figure, figures))}</tr>"
    yield "</table></div>"


def _figure(told: str) -> str:
    """A cell with the interval below its value: side by side, eleven columns are too wide."""
    value, _, interval = escape(told).partition(" (")
    return f"<td>{value}{f'<br><small>({interval}</small>' if interval else ''}</td>"


def _cells(row: ReportRow) -> Iterator[str]:
    yield row.arm.name
    yield str(row.cases)
    yield from (percent(getattr(row, measure)) for measure in PANELS)
    yield _mean(row.input_tokens, 0)
    yield _mean(row.output_tokens, 0)
    yield _mean(row.seconds, 2)


def _mean(mean: Mean, digits: int) -> str:
    return f"{mean.value:.{digits}f} ({max(mean.low, 0):.{digits}f}-{mean.high:.{digits}f})"


def _panel(panel: Panel) -> Iterator[str]:
    height = len(panel.bars) * (_BAR + _GAP) + _GAP
    yield f"<h2>{escape(panel.title)}</h2>"
    yield f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img">'
    for number, bar in enumerate(panel.bars):
        yield from _bar(bar, _GAP + number * (_BAR + _GAP))
    yield "</svg>"


def _bar(bar: Bar, top: int) -> Iterator[str]:
    middle, baseline = top + _BAR / 2, top + _BAR - 4
    yield f'<text x="{_LABEL - 8}" y="{baseline}" text-anchor="end">{escape(bar.label)}</text>'
    if bar.share.value is not None:
        chosen = " best" if bar.is_best else ""
        width = bar.share.value * _SCALE
        yield (
            f'<rect class="bar{chosen}" x="{_LABEL}" y="{top}" width="{width:.1f}" '
            f'height="{_BAR}"/>'
        )
        low, high = (_LABEL + bound * _SCALE for bound in (bar.share.low, bar.share.high))
        yield (
            f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>'
        )
    yield f'<text x="{_LABEL + _SCALE + 8}" y="{baseline}">{escape(percent(bar.share))}</text>'


def _kinds(report: ProbeReport) -> Iterator[str]:
    kinds = [kind for kind in CaseKind if any(kind in row.kinds for row in report.rows)]
    yield '<h2>Right, by kind of request</h2><div class="wide"><table><tr><th></th>'
    yield "".join(f"<th>{kind.value.replace('_', ' ')}</th>" for kind in kinds) + "</tr>"
    for row in report.rows:
        shares = [row.kinds.get(kind) for kind in kinds]
        cells = "".join(f"<td>{f'{s.right}/{s.asked}' if s else '-'}</td>" for s in shares)
        yield f"<tr><td>{escape(row.arm.name)}</td>{cells}</tr>"
    yield "</table></div>"
