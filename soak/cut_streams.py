"""Every reply of the fixtures, cut at every byte: does anything run that should not?

    python -m soak.cut_streams [--every 1] [--async-every 10] [--wire-every 25] [--jobs 2]

Each reply is broken off (no finish reason) and cut for its length, with an approver that allows
everything and without one; every tenth one under the async driver, too, and every twenty-fifth as
the bytes of three services' streams. Prints what broke, and exits with 1 if anything did.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.conversation.session.test_cut_streams import (
    FIXTURES,
    WIRES,
    Workshop,
    check_broken_off,
    check_too_long,
    check_wire,
    heard,
    on_the_wire,
    utf8,
)

# Prime, so that the pieces of a reply do not keep step with anything in it.
_PIECES = 7


@dataclass
class Findings:
    """How much was tried, and the first cut of each reply that broke a promise."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: dict[str, str] = field(default_factory=dict)

    def hold(self, key: str, at: int, check: Callable[..., Any], *given: Any) -> int:
        """What *check* counts; 0 if it failed."""
        try:
            return int(check(*given) or 0)
        except Exception as error:  # anything that escapes is a finding
            self.counts["violations"] += 1
            self.broken.setdefault(key, f"cut at byte {at}: {type(error).__name__}: {error}")
            return 0

    def join(self, other: Findings) -> None:
        self.counts += other.counts
        self.broken = {**other.broken, **self.broken}


def cut_text(job: tuple[int, bool]) -> Findings:
    """Cut the text of one fixture at every byte."""
    number, is_async = job
    fixture, found = FIXTURES[number], Findings()
    with _workshop(number, is_async) as workshop:
        data, whole = utf8(fixture.reply), workshop.whole(fixture.reply)
        key = f"{fixture.paradigm}/{fixture.case} {'async' if is_async else 'sync'}"
        for at in range(len(data) + 1):
            pieces, part = (_PIECES if at % 2 else None), data[:at]
            if not workshop.is_over(heard(part)):  # else nobody waits for the stream to break
                found.hold(f"{key} broken off", at, check_broken_off, workshop, part, pieces)
            ran = found.hold(f"{key} length", at, check_too_long, workshop, part, whole, pieces)
            found.counts["calls run that were whole"] += ran
            found.counts["async streams" if is_async else "streams"] += 4
    return found


def cut_wire(job: tuple[int, bool]) -> Findings:
    """Cut what three services would send for one fixture at every byte."""
    number, is_async = job
    fixture, found = FIXTURES[number], Findings()
    with _workshop(number, is_async) as workshop:
        whole = workshop.whole(fixture.reply)
        for dialect, write in WIRES:
            data = on_the_wire(write, fixture.reply)
            key = f"{fixture.paradigm}/{fixture.case} {dialect.name}"
            for at in range(len(data) + 1):
                found.hold(key, at, check_wire, workshop, dialect, data[:at], whole)
                found.counts["wires"] += 1
    return found


@contextmanager
def _workshop(number: int, is_async: bool) -> Iterator[Workshop]:
    if not is_async:
        yield Workshop(FIXTURES[number])
        return
    with asyncio.Runner() as runner:
        yield Workshop(FIXTURES[number], runner)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--every", type=int, default=1, help="take every n-th fixture")
    options.add_argument("--async-every", type=int, default=10)
    options.add_argument("--wire-every", type=int, default=25)
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    numbers, began, found = range(0, len(FIXTURES), given.every), time.monotonic(), Findings()
    work = [(cut_text, (number, False)) for number in numbers]
    work += [(cut_text, (number, True)) for number in numbers[:: given.async_every]]
    work += [(cut_wire, (n, bool(at % 2))) for at, n in enumerate(numbers[:: given.wire_every])]
    with ProcessPoolExecutor(given.jobs) as pool:
        running = [pool.submit(check, job) for check, job in work]
        for done, part in enumerate(running, 1):
            found.join(part.result())
            if done % 50 == 0 or done == len(running):
                told = f"{done:,} of {len(running):,} replies, {len(found.broken)} failures"
                print(told, file=sys.stderr, flush=True)
    for key, message in found.broken.items():
        print(f"--- {key}\n{message[:2000]}")
    print(", ".join(f"{count:,} {name}" for name, count in found.counts.items()), end="; ")
    print(f"{len(found.broken)} kinds of failure; {time.monotonic() - began:.0f} s")
    return bool(found.broken)


if __name__ == "__main__":
    sys.exit(main())
