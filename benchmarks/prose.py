"""What does a chunk of plain words cost, which is most of what models write?

    python benchmarks/prose.py [PARADIGM ...] [--rounds N]

A page of prose in chunks as models send them, each a word with a blank before or behind it, through
every paradigm's decoder; beside it, an object that keeps the chunks and says nothing. Times are CPU
time, the best of several rounds in which all take turns.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

from compare import add_figures_option, keep_figures
from streaming import OFFER

from toolproto import get_paradigm, list_paradigms

PAGE = (
    "The lighthouse stands where the road ends. On clear days you can see it from the harbour, and"
    " at night its light goes round every ten seconds; people here set their clocks by the ferry"
    " instead, which is (nearly) always late. We walked up in the rain, had tea, and came back.\n"
)
#: Blanks before words, as most models send them, and behind them.
WAYS: dict[str, Callable[[str], list[str]]] = {
    "blank first": lambda text: [f" {word}" for word in text.split(" ")],
    "blank last": lambda text: [f"{word} " for word in text.split(" ")],
}
TIMES = 20


class Keeper:
    """Takes chunks as a decoder does, and only keeps them."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def feed(self, chunk: str) -> list[str]:
        self.kept.append(chunk)
        return []


def seconds(feed: Callable[[str], object], chunks: list[str]) -> float:
    began = time.process_time()
    for chunk in chunks:
        feed(chunk)
    return time.process_time() - began


def measure(names: list[str], chunks: list[str], rounds: int) -> tuple[dict[str, float], float]:
    """Seconds a chunk by paradigm, and those of the baseline."""
    best, plain = dict.fromkeys(names, math.inf), math.inf
    for _ in range(rounds):
        plain = min(plain, seconds(Keeper().feed, chunks))
        for name in names:
            took = seconds(get_paradigm(name).decoder(OFFER).feed, chunks)
            best[name] = min(best[name], took)
    return {name: took / len(chunks) for name, took in best.items()}, plain / len(chunks)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("paradigms", nargs="*", default=None, help="all of them by default")
    options.add_argument("--rounds", type=int, default=7)
    add_figures_option(options)
    given = options.parse_args()
    figures: dict[str, float] = {}
    for way, cut in WAYS.items():
        chunks = cut(PAGE) * TIMES
        took, plain = measure(given.paradigms or list_paradigms(), chunks, given.rounds)
        print(f"\n{way}: {plain * 1e6:.3f} µs a chunk to keep it")
        for name, each in sorted(took.items(), key=lambda item: -item[1]):
            print(f"  {name:26}{each * 1e6:7.2f} µs{each / plain:8.1f} x")
        middle = sorted(took.values())[len(took) // 2]
        figures[f"{way}, worst: time / keeping"] = max(took.values()) / plain
        figures[f"{way}, median: time / keeping"] = middle / plain
    keep_figures(given.figures, figures)


if __name__ == "__main__":
    main()
