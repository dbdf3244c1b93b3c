"""How fast does every paradigm of the catalogue read a long argument while it streams in?

    python benchmarks/catalogue.py [PARADIGM ...] [--size CHARACTERS] [--rounds N]

The reply of `streaming.py` (one ``write_file`` call with the standard library's own source in it),
as each paradigm writes it, in chunks of four characters. Beside the speed stand the ratio to the
time that appending the chunks to a list takes in the same round, and the growth: the time for twice
the size, divided by twice the time. Times are CPU time, the best of several rounds.

The bars: 3 MB/s for JSON and tags, 1.5 MB/s for Python calls and ReAct, and linear growth.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

from compare import add_figures_option, keep_figures
from streaming import Case, case, ours

from toolproto import get_paradigm, list_paradigms
from toolproto.protocol.decoding.reply_form import Family
from toolproto.protocol.paradigms import WireParadigm
from toolproto.protocol.paradigms.line_payloads import BraceCall, YamlCall

CHUNK = 4
MOST_GROWTH = 1.15


@dataclass(frozen=True)
class Speed:
    """What reading one paradigm's reply took."""

    paradigm: str
    megabytes: float
    times_buffer: float
    growth: float
    exact: bool

    @property
    def bar(self) -> float:
        """How many megabytes a second it must read."""
        paradigm = get_paradigm(self.paradigm)
        payload = paradigm.wire.payload if isinstance(paradigm, WireParadigm) else None
        is_python = payload is not None and payload.family is Family.PYTHON
        slow = is_python or isinstance(payload, YamlCall | BraceCall) or self.paradigm == "react"
        return 1.5 if slow else 3.0

    @property
    def passes(self) -> bool:
        return self.exact and self.megabytes >= self.bar and self.growth <= MOST_GROWTH

    def __str__(self) -> str:
        verdict = "PASS" if self.passes else "FAIL"
        told = f"{self.megabytes:8.2f} MB/s (>= {self.bar}) {self.times_buffer:6.1f} x buffer"
        wrong = "" if self.exact else "   read something else than was written"
        return f"{verdict}  {self.paradigm:26}{told}   growth {self.growth:.2f}{wrong}"


def speed(paradigm: str, size: int, rounds: int) -> Speed:
    """How fast *paradigm* reads a reply of *size* characters."""
    small, large = case(paradigm, size, CHUNK), case(paradigm, 2 * size, CHUNK)
    exact = ours(large, large.pieces()) == large.arguments
    first, second, plain = [], [], []
    for _ in range(rounds):
        first.append(_seconds(small))
        second.append(_seconds(large))
        plain.append(_buffered(large))
    best = min(second)
    megabytes = len(large.text) / best / 1e6
    growth = best / (2 * min(first))
    return Speed(paradigm, megabytes, best / max(min(plain), 1e-9), growth, exact)


def _seconds(this: Case) -> float:
    pieces = list(this.pieces())
    start = time.process_time()
    ours(this, pieces)
    return time.process_time() - start


def _buffered(this: Case) -> float:
    pieces = list(this.pieces())
    kept: list[str] = []
    start = time.process_time()
    for piece in pieces:
        kept.append(piece)
    "".join(kept)
    return time.process_time() - start


def ratios(speeds: list[Speed]) -> dict[str, float]:
    """What compare.py looks at."""
    found = {f"{each.paradigm}: time / appending": each.times_buffer for each in speeds}
    return {**found, "worst growth": max(each.growth for each in speeds)}


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("paradigms", nargs="*", default=None, help="all of them by default")
    options.add_argument("--size", type=int, default=131_072)
    options.add_argument("--rounds", type=int, default=4)
    add_figures_option(options)
    given = options.parse_args()
    speeds = [speed(name, given.size, given.rounds) for name in given.paradigms or list_paradigms()]
    for each in speeds:
        print(each)
    keep_figures(given.figures, ratios(speeds))
    passed = sum(each.passes for each in speeds)
    print(f"{passed} of {len(speeds)} paradigms pass")


if __name__ == "__main__":
    main()
