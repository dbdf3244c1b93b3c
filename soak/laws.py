"""A million splits and a million hostile replies: do the laws hold for each?

Of each reply that is split, one beginning is compared as well: as much has to be told of it.

    python -m soak.laws [--splits 1000000] [--texts 1000000] [--seed 1] [--jobs 2]

Prints every broken law as soon as it is found and its smallest text in the end, and exits with 1
if there was one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from soak.replies import random_cuts, random_reply
from tests.laws.test_beginnings import check_beginnings
from toolproto.protocol.paradigms import ToolContextDef, get_paradigm, list_paradigms
from toolproto.testing import laws
from toolproto.testing.fixtures import load_fixtures
from toolproto.testing.offers import STANDARD_OFFER

_FIXTURES = [f.reply for f in load_fixtures(Path(__file__).parent.parent / "fixtures")]
_PARADIGMS = [get_paradigm(name) for name in list_paradigms()]
_BLOCK = 2_000
# Seconds per character beyond which a text is looked at again, alone, for growth.
_SLOW = 2e-4


@dataclass
class Findings:
    """How much was tried, and the smallest text that broke each law."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: dict[str, tuple[str, str]] = field(default_factory=dict)

    def hold(
        self, law: Callable[..., None], paradigm: ToolContextDef, text: str, *more: Any
    ) -> None:
        try:
            law(paradigm, text, *more)
        except Exception as error:  # anything that escapes is a finding
            self.add(f"{paradigm.name} {law.__name__} {type(error).__name__}", text, str(error))

    def add(self, key: str, text: str, message: str) -> None:
        if key not in self.broken or len(text) < len(self.broken[key][0]):
            self.broken[key] = (text, message)

    def join(self, other: Findings) -> None:
        """Take in *other*, and tell at once what was not known to be broken."""
        self.counts += other.counts
        for key, (text, message) in other.broken.items():
            if key not in self.broken:
                print(f"--- {key}\n{text!r}\n{message[:2000]}", flush=True)
            self.add(key, text, message)


def splits(job: tuple[int, int]) -> Findings:
    """Compare *count* random splits with the reply in one piece."""
    seed, count = job
    rng = random.Random(seed)
    found = Findings()
    for _ in range(count):
        paradigm = rng.choice(_PARADIGMS)
        reply = rng.choice(_FIXTURES) if _FIXTURES and rng.random() < 0.3 else random_reply(rng)
        cuts = random_cuts(rng, min(len(reply), 3000))
        found.hold(laws.chunking, paradigm, reply, cuts, STANDARD_OFFER)
        found.hold(_beginning, paradigm, reply, rng.choice(cuts or [0]), rng.randrange(1, 4))
        found.counts["splits"] += 1
    return found


def texts(job: tuple[int, int]) -> Findings:
    """Hold the other laws against *count* random texts."""
    seed, count = job
    rng = random.Random(seed)
    found = Findings()
    for _ in range(count):
        paradigm, reply = rng.choice(_PARADIGMS), random_reply(rng)
        start = time.process_time()
        found.hold(laws.totality, paradigm, reply, STANDARD_OFFER)
        if time.process_time() - start > _SLOW * len(reply) + 0.02:
            found.counts["slow ones, grown"] += 1
            found.hold(_linear, paradigm, reply)
        found.hold(laws.streamed_arguments, paradigm, reply, STANDARD_OFFER)
        found.hold(laws.lossless, paradigm, reply, STANDARD_OFFER)
        found.counts["texts"] += 1
    return found


def _beginning(paradigm: ToolContextDef, reply: str, end: int, size: int) -> None:
    """Compare what is told of the last few of the pieces of a beginning."""
    start = max(0, end - 8 * size)
    pieces = [reply[at : min(end, at + size)] for at in range(start, end, size)]
    check_beginnings(paradigm, [reply[:start], *pieces])


def _linear(paradigm: ToolContextDef, reply: str) -> None:
    laws.linearity(
        paradigm,
        lambda size: reply * (1 + size // len(reply)),
        STANDARD_OFFER,
        clock=time.process_time,
        size=20_000,
    )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--splits", type=int, default=1_000_000)
    options.add_argument("--texts", type=int, default=1_000_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    found = Findings()
    with ProcessPoolExecutor(given.jobs) as pool:
        for work, total in ((splits, given.splits), (texts, given.texts)):
            jobs = [(given.seed * 10**9 + at, _BLOCK) for at in range(0, total, _BLOCK)]
            for done, part in enumerate(pool.map(work, jobs), 1):
                found.join(part)
                if done % 25 == 0 or done == len(jobs):
                    told = f"{done * _BLOCK:,} of {total:,} {work.__name__}"
                    print(f"{told}, {len(found.broken)} failures", file=sys.stderr, flush=True)
    for key, (text, _) in found.broken.items():
        print(f"--- {key}, the shortest text\n{text!r}")
    print(", ".join(f"{count:,} {name}" for name, count in found.counts.items()), end="; ")
    print(f"{len(found.broken)} kinds of failure")
    return bool(found.broken)


if __name__ == "__main__":
    sys.exit(main())
