"""What does it cost to say where a call stands?

    python benchmarks/places.py [--rounds N]

Beside it, markdown-it-py reading the blocks of 2 KB of Markdown. Times are CPU time, the best of
several rounds in which all take turns.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

from compare import add_figures_option, keep_figures
from markdown_it import MarkdownIt

from toolproto.protocol.decoding.place import PlaceTracker

ITEM = "- the next thing to do, with `code` in it and **more** words to fill the line of a list\n"
MARKDOWN = (
    f"Let me look at `this` first.\n\n{ITEM}{ITEM}\nThat is:\n\n```py\nprint(1)\n```\n" * 9
)[:2000]
TEXTS = {
    "a plain line": "I will look at the weather in Oslo now.\n",
    "a line below 2 KB of Markdown": MARKDOWN + "\n\nSo I ask:\n",
    "an item of 100 characters": f"{ITEM}  then ",
    "a list of 2 KB": ITEM * 22 + "  so ",
}


def ask(text: str) -> None:
    tracker = PlaceTracker()
    tracker.unseen.append(text)
    tracker.before()
    tracker.call()
    tracker.finish()


def call_in_a_long_list() -> None:
    """Call 64 times in one item of 16 KB."""
    tracker = PlaceTracker()
    for _ in range(64):
        tracker.feed("- " * (tracker.before().name == "") + "  so " + ITEM * 3)
        tracker.call()
        tracker.feed("\n")
    tracker.finish()


def append(text: str = MARKDOWN * 50) -> None:
    """Take 100 KB in pieces of four characters, and no call."""
    tracker = PlaceTracker()
    for at in range(0, len(text), 4):
        tracker.unseen.append(text[at : at + 4])
    tracker.finish()


def seconds(work: Callable[[], object], times: int) -> float:
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--rounds", type=int, default=7)
    add_figures_option(options)
    given = options.parse_args()
    blocks = MarkdownIt("commonmark").enable("table").disable(["inline"])
    works: dict[str, Callable[[], object]] = {
        "blocks of 2 KB": lambda: blocks.parse(MARKDOWN),
        **{name: lambda text=text: ask(text) for name, text in TEXTS.items()},
        "64 calls in a list of 16 KB": call_in_a_long_list,
        "100 KB without a call": append,
    }
    best = dict.fromkeys(works, math.inf)
    for _ in range(given.rounds):
        for name, work in works.items():
            best[name] = min(best[name], seconds(work, 3 if "KB" in name else 300))
    blocks_took = best.pop("blocks of 2 KB")
    print(f"blocks of 2 KB by the library: {blocks_took * 1e6:.0f} µs")
    for name, took in best.items():
        print(f"  {name:34}{took * 1e6:10.1f} µs{took / blocks_took:9.2f} x")
    keep_figures(
        given.figures,
        {f"{name}: time / blocks of 2 KB": t / blocks_took for name, t in best.items()},
    )


if __name__ == "__main__":
    main()
