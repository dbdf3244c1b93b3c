"""A report as a PNG, drawn with matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..package import install_command
from .bars import Panel, panels
from .report import ProbeReport

__all__ = ["draw_png", "require_matplotlib"]

_COLOURS = {True: "#3f8f5b", False: "#7a9cc6"}


def require_matplotlib() -> None:
    """Raise UsageError now rather than after an hour of asking."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError(
            f"a PNG needs matplotlib: {install_command('probe')} (report.html needs nothing)"
        ) from None


def draw_png(report: ProbeReport, path: Path) -> None:
    """Write *report* as a picture to *path*."""
    require_matplotlib()
    # A figure of its own: pyplot would keep it, and look for a screen.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = panels(report)
    arms = len(report.rows)
    figure = Figure(figsize=(9, max(1, len(drawn)) * (0.9 + 0.28 * arms)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(_plain(f"Probe of {report.plan.model}"))
    for number, panel in enumerate(drawn, 1):
        _draw(figure.add_subplot(len(drawn), 1, number), panel)
    figure.savefig(path, format="png", dpi=110)


def _draw(axes: Any, panel: Panel) -> None:
    bars = [bar for bar in reversed(panel.bars) if bar.share.value is not None]
    values = [bar.share.value or 0.0 for bar in bars]
    below = [value - bar.share.low for value, bar in zip(values, bars, strict=True)]
    above = [bar.share.high - value for value, bar in zip(values, bars, strict=True)]
    places = range(len(bars))
    colours = [_COLOURS[bar.is_best] for bar in bars]
    axes.barh(places, values, xerr=[below, above], color=colours, ecolor="#333", capsize=2)
    axes.set_yticks(places, [_plain(bar.label) for bar in bars], fontsize=8)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"], fontsize=8)
    axes.set_title(panel.title, fontsize=10, loc="left")


def _plain(text: str) -> str:
    """*text* that is no formula, in letters that the font has."""
    return text.encode("latin-1", "replace").decode("latin-1").replace("$", r"\$")
