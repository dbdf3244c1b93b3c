"""How fast is text read that was made to be read slowly?

    python benchmarks/hostile.py [PARADIGM ...] [--families 150] [--seed 9] [--size 30000]

A family is something that is repeated, perhaps behind something that is not: brackets, quotes,
markers, calls, whole or broken (`toolproto.testing.hostile`). Each text is read whole. Printed is
how much of it is read in a second, the slowest first, and how many calls are in it: of those that
are read a text may be full. Beside it, one call of ``re.findall`` that takes each word and each
sign. Times are CPU time, the best of three.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from compare import add_figures_option, keep_figures

from toolproto import CallCompleted, CallRejected, get_paradigm
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.hostile import long_text, repeated_text

PARADIGMS = ("json_strict", "xml_tag", "pythonic", "qwen3_coder", "deepseek_v3")
#: Millions of characters a second that are promised.
PROMISED = 1.0
_ROUNDS = 3
_WORDS_AND_SIGNS = re.compile(r"\w+|\W")


@dataclass(frozen=True)
class Reading:
    """One text as one paradigm reads it: megabytes a second, and how many calls are in 1,000."""

    speed: float
    ratio: float
    calls: float
    paradigm: str
    family: int
    text: str

    def __str__(self) -> str:
        told = f"{self.speed:6.2f} MB/s{self.calls:6.1f}  {self.paradigm:12} {self.family}"
        return f"{told}  {self.text!r:.100}"


def best_of(work: Callable[[], object]) -> float:
    took = []
    for _ in range(_ROUNDS):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return min(took)


def reading(paradigm: str, number: int, size: int) -> Reading:
    """Read the text of that family."""
    made = get_paradigm(paradigm)
    head, unit = repeated_text(number, made)
    text = long_text(head, unit, size)
    calls = 0

    def read() -> None:
        nonlocal calls
        decoder = made.decoder(STANDARD_OFFER)
        events = [*decoder.feed(text), *decoder.finish()]
        calls = sum(isinstance(event, (CallCompleted, CallRejected)) for event in events)

    took, plain = best_of(read), best_of(lambda: _WORDS_AND_SIGNS.findall(text))
    share = calls / len(text) * 1000
    return Reading(len(text) / took / 1e6, took / plain, share, paradigm, number, head + unit)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("paradigms", nargs="*", default=PARADIGMS)
    options.add_argument("--families", type=int, default=150)
    options.add_argument("--seed", type=int, default=9)
    options.add_argument("--size", type=int, default=30_000)
    add_figures_option(options)
    given = options.parse_args()
    numbers = range(given.seed * 100_000, given.seed * 100_000 + given.families)
    found = [reading(name, each, given.size) for name in given.paradigms for each in numbers]
    slow = sorted((each for each in found if each.speed < PROMISED), key=lambda one: one.speed)
    for each in slow:
        print(each)
    full = sum(each.calls >= 1 for each in slow)
    print(f"\n{len(slow)} of {len(found)} texts are read at less than {PROMISED} MB/s; {full} of")
    print("those have a call in every 1,000 characters")
    ratios = [each.ratio for each in found]
    figures = {"median: time / findall": median(ratios), "worst: time / findall": max(ratios)}
    print("".join(f"{name} {ratio:.2f}\n" for name, ratio in figures.items()))
    keep_figures(given.figures, figures)


if __name__ == "__main__":
    main()
