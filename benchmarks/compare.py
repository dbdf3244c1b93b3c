"""Run the benchmarks and say which of their figures got worse than they were.

    python benchmarks/compare.py [BENCHMARK ...] [--update]

The figures are ratios, each to a baseline of its own in the same run, so that they hold on any
machine: `expected.toml` has them, with the share by which each may differ. Exits with 1 if one got
worse by more. A figure that got better by more is named, too: ``--update`` writes what was
measured, so that it cannot slip back unnoticed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
EXPECTED = FOLDER / "expected.toml"
HEAD = """\
# The figures of each benchmark: ratios to its own baseline in the same run (time over time, share
# over share). `lower` are those that are better the lower they are, `higher` the others; `margin`
# is the share by which one of either kind may get worse before `make bench` fails. `arguments` are
# how the benchmark is run. Written by `python benchmarks/compare.py --update`.
"""


# --- for the benchmarks


def add_figures_option(parser: argparse.ArgumentParser) -> None:
    """Let *parser* take ``--figures FILE``."""
    told = "write the ratios that compare.py looks at there"
    parser.add_argument("--figures", type=Path, metavar="FILE", help=told)


def keep_figures(path: Path | None, figures: Mapping[str, float]) -> None:
    """Write *figures* where ``--figures`` said, if it did."""
    if path is not None:
        path.write_text(json.dumps(dict(figures), indent=1) + "\n", encoding="utf-8")


# --- comparing


@dataclass(frozen=True)
class Expectation:
    """What is expected of one benchmark."""

    name: str
    margin: dict[str, float]
    arguments: tuple[str, ...]
    lower: dict[str, float]
    higher: dict[str, float]

    def findings(self, measured: Mapping[str, float]) -> Iterator[Finding]:
        """Every figure, be it expected, measured or both."""
        known = {**dict.fromkeys(self.lower, True), **dict.fromkeys(self.higher, False)}
        for figure in {**known, **measured}:
            expected = self.lower.get(figure, self.higher.get(figure))
            lower = known.get(figure, not _is_share(figure))
            margin = self.margin.get("lower" if lower else "higher", 0.0)
            yield Finding(self.name, figure, expected, measured.get(figure), margin, lower)


@dataclass(frozen=True)
class Finding:
    """One figure as it was expected and as it is; None where nobody said."""

    benchmark: str
    figure: str
    expected: float | None
    measured: float | None
    margin: float
    is_lower_better: bool

    @property
    def change(self) -> float:
        """By which share it got worse; below zero, better."""
        if self.expected is None or self.measured is None:
            return 0.0
        if self.expected == 0:
            return self.measured if self.is_lower_better else -self.measured
        share = self.measured / self.expected - 1
        return share if self.is_lower_better else -share

    @property
    def verdict(self) -> str:
        if self.expected is None:
            return "new"
        if self.measured is None:
            return "missing"
        if self.change > self.margin:
            return "worse"
        return "better" if self.change < -self.margin else "as expected"

    def __str__(self) -> str:
        numbers = f"{_number(self.expected):>10}{_number(self.measured):>10}"
        return f"{self.verdict:12}{self.benchmark:12}{self.figure:44}{numbers}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def read_expected(path: Path = EXPECTED) -> dict[str, Expectation]:
    """The expectations in the file, by benchmark, in its order."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: Expectation(
            name,
            dict(each["margin"]),
            tuple(each.get("arguments", ())),
            dict(each.get("lower", {})),
            dict(each.get("higher", {})),
        )
        for name, each in told.items()
    }


def updated(expectation: Expectation, measured: Mapping[str, float]) -> Expectation:
    """*expectation* with what was *measured*."""
    higher = {
        **expectation.higher,
        **{each: measured[each] for each in filter(_is_share, measured)},
    }
    known = {**expectation.lower, **measured}
    lower = {figure: value for figure, value in known.items() if figure not in higher}
    margin, arguments = expectation.margin, expectation.arguments
    return Expectation(expectation.name, margin, arguments, lower, higher)


def _is_share(figure: str) -> bool:
    """Whether *figure* is better the higher it is; all others are times, sizes and faults."""
    return figure.endswith("read right")


def written(expectations: Mapping[str, Expectation]) -> str:
    """The file that says *expectations*."""
    return HEAD + "".join(f"\n{_section(each)}" for each in expectations.values())


def _section(expectation: Expectation) -> str:
    margin = ", ".join(f"{side} = {share:g}" for side, share in expectation.margin.items())
    lines = [f"[{expectation.name}]", f"margin = {{ {margin} }}"]
    if expectation.arguments:
        lines.append(f"arguments = {json.dumps(list(expectation.arguments))}")
    for side, figures in (("lower", expectation.lower), ("higher", expectation.higher)):
        if figures:
            lines.append(f"\n[{expectation.name}.{side}]")
            lines += [f"{json.dumps(name)} = {value:.4g}" for name, value in figures.items()]
    return "\n".join(lines) + "\n"


# --- running


def run(expectation: Expectation) -> dict[str, float] | None:
    """Run a benchmark, which prints its table, and return its figures; none if it failed.

    None says that the benchmark has nothing to measure on this machine.
    """
    print(f"\n=== {expectation.name}", flush=True)
    with tempfile.TemporaryDirectory(prefix="toolproto-bench-") as scratch:
        path = Path(scratch) / "figures.json"
        script = FOLDER / f"{expectation.name}.py"
        command = [sys.executable, str(script), *expectation.arguments, "--figures", str(path)]
        subprocess.run(command, check=False)
        if not path.exists():
            return {}
        found: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))
        return found or None


def report(findings: list[Finding]) -> int:
    """Print the table and what got worse; the exit code."""
    print(f"\n{'':12}{'':12}{'':44}{'expected':>10}{'measured':>10}")
    for each in findings:
        print(each)
    worse = [each for each in findings if each.verdict in ("worse", "missing")]
    for each in worse:
        told = f"{each.change:+.0%}" if each.verdict == "worse" else "not measured"
        print(f"WORSE: {each.benchmark}, {each.figure}: {told}")
    better = sum(each.verdict in ("better", "new") for each in findings)
    if better:
        print(f"{better} figures are better or new: compare.py --update keeps them so")
    if not worse:
        print("nothing got worse")
    return 1 if worse else 0


def main() -> int:
    expected = read_expected()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("benchmarks", nargs="*", choices=[[], *expected], help="all by default")
    parser.add_argument("--update", action="store_true", help="expect what is measured now")
    given = parser.parse_args()
    findings: list[Finding] = []
    for name in given.benchmarks or list(expected):
        measured = run(expected[name])
        if measured is None:
            continue
        findings += expected[name].findings(measured)
        if given.update:
            expected[name] = updated(expected[name], measured)
            EXPECTED.write_text(written(expected), encoding="utf-8")
    return report(findings)


if __name__ == "__main__":
    sys.exit(main())
