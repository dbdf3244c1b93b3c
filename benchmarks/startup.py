"""How long the package, its command line and its pytest plugin make one wait.

    python benchmarks/startup.py [--runs 20]

Each row is the median of fresh processes, beside its baseline in the same run, taken in turns.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

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
    subprocess.run([sys.executable, *words], cwd=folder, capture_output=True)
    return perf_counter() - begun


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--runs", type=int, default=20)
    runs = options.parse_args().runs
    print(f"{'':20} {'ms':>8} {'baseline':>9} {'added':>8} {'bar':>6}")
    missed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, words, baseline, bar in ROWS:
            pairs = [
                (seconds(words, Path(scratch)), seconds(baseline, Path(scratch)))
                for _ in range(runs)
            ]
            ours, theirs = (1000 * median(column) for column in zip(*pairs, strict=True))
            added = ours - theirs
            missed += added > bar
            print(f"{name:20} {ours:8.0f} {theirs:9.0f} {added:8.0f} {bar:6}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
