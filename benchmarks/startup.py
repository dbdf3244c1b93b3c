"""How long the package, its command line and its pytest plugin make one wait.

    python benchmarks/startup.py [--runs 20]

Each row is the median of fresh processes, beside its baseline in the same run, taken in turns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from compare import add_figures_option, keep_figures

#: Whoever installs a package has it compiled once, not at every start.
ENVIRONMENT = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
PYTEST = ["-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
#: What is measured, what it is held against, and the milliseconds it may add.
ROWS = [
    ("import toolproto", ["-c", "import toolproto"], ["-c", "import pydantic"], 150),
    ("and use it", ["-c", "from toolproto import *"], ["-c", "import pydantic"], 150),
    ("toolproto --help", ["-m", "toolproto", "--help"], ["-c", "pass"], 400),
    ("pytest plugin", PYTEST, [*PYTEST, "-p", "no:toolproto"], 100),
]


def seconds(words: list[str], folder: Path) -> float:
    begun = perf_counter()
    subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, env=ENVIRONMENT)
    return perf_counter() - begun


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--runs", type=int, default=20)
    add_figures_option(options)
    given = options.parse_args()
    print(f"{'':20} {'ms':>8} {'baseline':>9} {'added':>8} {'bar':>6}")
    missed, figures = 0, {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, words, baseline, bar in ROWS:
            seconds(words, Path(scratch))  # once, to have everything compiled
            pairs = [
                (seconds(words, Path(scratch)), seconds(baseline, Path(scratch)))
                for _ in range(given.runs)
            ]
            ours, theirs = (1000 * median(column) for column in zip(*pairs, strict=True))
            added = ours - theirs
            missed += added > bar
            figures[f"{name}: time / baseline"] = ours / theirs
            print(f"{name:20} {ours:8.0f} {theirs:9.0f} {added:8.0f} {bar:6}")
    keep_figures(given.figures, figures)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
