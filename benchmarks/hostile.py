"""How fast is text read that was made to be read slowly, and what does that cost in memory?

    python benchmarks/hostile.py [PARADIGM ...] [--families 250] [--sample 0.05] [--seed 9]
                                 [--size 1000000] [--kept FILE]

A family is something that is repeated, perhaps behind something that is not: brackets, quotes,
markers, calls, whole or broken (`toolproto.testing.hostile`). One paradigm for each way in which
calls are read reads each family whole; ``--sample`` adds that share of all other pairs of paradigm
and family, and of all pairs in pieces of one character, which are a tenth as long.

Of each text are told: characters a second, the best of three, in CPU time; the peak of what Python
allocates meanwhile (tracemalloc, without the text itself), as a multiple of the text; and the
exponent with which the time grows from a sixteenth of the length to a quarter and to all of it.
The memory is that at a quarter, or, if it is too much there, at the whole length. Beside it, one
call of ``re.findall`` that takes each word and each sign. A run that was stopped goes on with
``--kept``.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import re
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from random import Random
from statistics import median

from compare import add_figures_option, keep_figures

from toolproto import CallCompleted, get_paradigm, list_paradigms
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.hostile import long_text, repeated_text

#: One for each way in which calls are read: JSON, JSON behind a marker, a name and JSON, the same
#: where plain text may be an argument, tags, tags named like tools, Python without and behind a
#: marker, and the families that are like no other.
ENGINES = (
    *("json_strict", "xml_tag", "deepseek_v3", "react", "qwen3_coder", "cline", "bfcl_python"),
    *("pythonic", "gemma4", "raw_block", "xml_strict", "yaml_block"),
)
#: Millions of characters a second that are promised of a text in one piece that holds no calls.
SPEED = 1.0
#: Times its text that reading may need, and the exponent of its growth.
MEMORY, EXPONENT = 10.0, 1.05
#: A text is read in one piece, or in pieces of one character, which takes so many times as long.
CHUNKS = {0: 1, 1: 10}
_ROUNDS = 3
_WORDS_AND_SIGNS = re.compile(r"\w+|\W")
# Times below this are a clock's noise, and those above it need no second round.
_SHORT, _LONG = 0.005, 1.0
Case = tuple[str, int, int]


@dataclass(frozen=True)
class Reading:
    """One text as one paradigm reads it: speed, memory, growth, and how many calls are in it."""

    paradigm: str
    chunk: int
    family: int
    text: str
    speed: float
    ratio: float
    memory: float
    exponent: float
    calls: int

    @property
    def faults(self) -> list[str]:
        """The bars that are not met. Of calls a text may be full, and one stands in its head."""
        found = {
            f"below {SPEED} MB/s": not self.chunk and self.calls <= 1 and self.speed < SPEED,
            f"over {MEMORY:.0f} times the memory": self.memory > MEMORY,
            f"exponent over {EXPONENT}": self.exponent > EXPONENT,
        }
        return [name for name, holds in found.items() if holds]

    def __str__(self) -> str:
        told = f"{self.speed:7.2f} MB/s {self.memory:5.1f} x {self.exponent:5.2f} ^"
        return (
            f"{told} {self.calls:5} calls  {self.paradigm} {self.chunk or 'whole'} {self.family}"
            f"  {self.text!r:.100}"
        )


def best_of(work: Callable[[], object]) -> float:
    took: list[float] = []
    while len(took) < _ROUNDS and sum(took) < _LONG:
        gc.collect()
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return min(took)


def read(paradigm: str, text: str, chunk: int) -> int:
    """Read *text* and return how many calls are in it. Events are not kept over a piece."""
    decoder, calls = get_paradigm(paradigm).decoder(STANDARD_OFFER), 0
    for at in range(0, len(text), chunk or len(text)):
        events = decoder.feed(text[at : at + (chunk or len(text))])
        calls += sum(isinstance(event, CallCompleted) for event in events)
    return calls + sum(isinstance(event, CallCompleted) for event in decoder.finish())


def peak(paradigm: str, text: str, chunk: int) -> float:
    """Return the peak of what is allocated to read *text*, as a multiple of *text*."""
    gc.collect()
    tracemalloc.start()
    read(paradigm, text, chunk)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / sys.getsizeof(text)


def exponent(times: Sequence[float], lengths: Sequence[int]) -> float:
    """Return that of the slower growing of two steps: behind a limit the rest may be dearer."""
    if times[-1] < _SHORT:
        return 0.0
    steps = zip(pairwise(times), pairwise(lengths), strict=True)
    least = _SHORT / 100
    return min(
        math.log(max(after, least) / max(before, least), long / short)
        for (before, after), (short, long) in steps
    )


def reading(case: Case, size: int) -> Reading:
    """Read the text of that family."""
    paradigm, chunk, family = case
    size //= CHUNKS[chunk]
    head, unit = repeated_text(family, get_paradigm(paradigm))
    texts = [long_text(head, unit, length) for length in (size // 16, size // 4, size)]
    lengths, text = [len(each) for each in texts], texts[-1]
    calls = read(paradigm, text, chunk)
    times, grew = [math.inf] * len(texts), math.inf
    for _ in range(_ROUNDS):
        if grew > EXPONENT:
            took = [best_of(partial(read, paradigm, each, chunk)) for each in texts]
            times = list(map(min, times, took))
            grew = exponent(times, lengths)
    memory = peak(paradigm, texts[1], chunk)
    if memory > MEMORY:  # what is bounded does not grow with the text
        memory = peak(paradigm, text, chunk)
    plain = best_of(lambda: _WORDS_AND_SIGNS.findall(text))
    speed, ratio = len(text) / times[-1] / 1e6, times[-1] / plain
    return Reading(paradigm, chunk, family, head + unit, speed, ratio, memory, grew, calls)


def cases(paradigms: Sequence[str], families: Sequence[int], share: float, seed: int) -> list[Case]:
    """Return all families whole for *paradigms*, and that share of all others, also in pieces."""
    chosen: list[Case] = [(name, 0, family) for name in paradigms for family in families]
    known = set(chosen)
    others = [case for case in product(list_paradigms(), CHUNKS, families) if case not in known]
    return chosen + Random(seed).sample(others, round(share * len(others)))


def readings(wanted: Sequence[Case], size: int, kept: Path | None) -> Iterator[Reading]:
    """Read each of *wanted*, but for those that are *kept* from before; keep what is new."""
    lines = kept.read_text("utf-8").splitlines() if kept and kept.exists() else []
    known = [Reading(**json.loads(line)) for line in lines]
    before = {(each.paradigm, each.chunk, each.family): each for each in known}
    for done, case in enumerate(wanted):
        if (found := before.get(case)) is None:
            found = reading(case, size)
            if kept is not None:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(found)) + "\n")
        if done % 100 == 99:
            print(f"{done + 1} of {len(wanted)}", file=sys.stderr, flush=True)
        if found.faults:
            print(found, flush=True)
        yield found


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("paradigms", nargs="*", default=ENGINES)
    options.add_argument("--families", type=int, default=250)
    options.add_argument("--sample", type=float, default=0.0)
    options.add_argument("--seed", type=int, default=9)
    options.add_argument("--size", type=int, default=1_000_000)
    options.add_argument("--kept", type=Path, metavar="FILE", help="keep every reading there")
    add_figures_option(options)
    given = options.parse_args()
    numbers = range(given.seed * 100_000, given.seed * 100_000 + given.families)
    wanted = cases(given.paradigms, numbers, given.sample, given.seed)
    found = list(readings(wanted, given.size, given.kept))
    faulty = [each for each in found if each.faults]
    print(f"\n{len(found)} readings, {len(faulty)} with faults")
    for fault in sorted({name for each in faulty for name in each.faults}):
        print(f"  {sum(fault in each.faults for each in faulty)} {fault}")
    ratios = [each.ratio for each in found]
    figures = {"median: time / findall": median(ratios), "worst: time / findall": max(ratios)}
    print("".join(f"{name} {ratio:.2f}\n" for name, ratio in figures.items()))
    keep_figures(given.figures, figures)


if __name__ == "__main__":
    main()
