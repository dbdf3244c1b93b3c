"""Hostile texts, rendered as results and repeated by a model in the open: does one of them call?

    python -m soak.neutralise [--texts 100000] [--paradigms a,b] [--seed 1] [--jobs 2]
                              [--keep FILE --seconds 600] [--every-way]

Every text is rendered by every paradigm as a result, as it came and as a session that knows its
tools sends it, and both are read back as a reply by the paradigm. A third reading changes from text
to text: with salvage, in any form, the bare text, only its last lines. With --every-way, each text
is read in each of these ways, which takes three times as long. A text that is neutral must also be
restored exactly. With --keep, a run that was stopped goes on where it ended.

Prints the smallest text that called for each paradigm and way, and exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

from toolproto.protocol.decoding.contract import Decoder
from toolproto.protocol.events import CallCompleted
from toolproto.protocol.guard.neutralise import neutraliser, restore
from toolproto.protocol.messages import ToolCall, ToolResult
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.protocol.paradigms.salvage import any_decoder
from toolproto.testing.hostile import hostile_text
from toolproto.testing.offers import STANDARD_OFFER

_CALL = ToolCall("get_weather", {"city": "Oslo"}, "call_9")
_NAMES = tuple(sorted(STANDARD_OFFER.names))
#: Texts of one part; what --keep keeps is whole parts.
_PART = 1_000
#: For each paradigm and way, the smallest text that called, and what it called.
Findings = dict[str, tuple[str, str]]
#: A way to repeat a text: its name, what is repeated, and who reads that.
Way = tuple[str, str, Decoder]


def tried(job: tuple[str, int, int, bool]) -> Findings:
    """Try *count* texts on the paradigm called *name*."""
    name, seed, count, every_way = job
    random = Random(f"{name} {seed}")
    found: Findings = {}
    repeats = Repeats(name, random)
    for number in range(count):
        text = hostile_text(random, repeats.plain)
        for way, repeated, decoder in repeats.ways(text, None if every_way else number):
            events = [*decoder.feed(repeated), *decoder.finish()]
            if calls := [each.call for each in events if isinstance(each, CallCompleted)]:
                note(found, f"{name}: {way}", text, f"{repeated!r} calls {calls}")
        if restore(neutraliser(repeats.plain).neutralise(text)) != text:
            note(found, f"{name}: restored", text, "")
    return found


def note(found: Findings, key: str, text: str, message: str) -> None:
    """Keep the smallest *text* for *key*."""
    if key not in found or len(text) < len(found[key][0]):
        found[key] = (text, message)


class Repeats:
    """What a model may repeat of a text, and who reads that."""

    def __init__(self, name: str, random: Random) -> None:
        self.plain = get_paradigm(name)
        self.salvaging = get_paradigm(name, salvage=True)
        self._random = random
        self._known = neutraliser(self.plain, _NAMES)
        self._others = (
            self._salvaged, self._bare, self._known_bare, self._known_salvaged, self._known_any,
            self._tail_salvaged, self._tail_any,
        )  # fmt: skip

    def ways(self, text: str, number: int | None) -> Iterator[Way]:
        """As a result, in two ways, and in one of the others; in all of them without *number*."""
        exact = self._known.neutralise(text)
        for way, inside in (("a result", text), ("a result with known tools", exact)):
            yield way, self.plain.encode_results([ToolResult(_CALL, inside)]), self._itself()
        others = self._others
        for other in others if number is None else (others[number % len(others)],):
            yield other(text, exact)

    def _itself(self) -> Decoder:
        return self.plain.decoder(STANDARD_OFFER)

    def _salvage(self) -> Decoder:
        return self.salvaging.decoder(STANDARD_OFFER)

    def _tail(self, exact: str) -> str:
        lines = exact.split("\n")
        return "\n".join(lines[self._random.randrange(len(lines)) :])

    def _salvaged(self, text: str, exact: str) -> Way:
        shown = self.salvaging.encode_results([ToolResult(_CALL, text)])
        return "a result, salvaged", shown, self._salvage()

    def _bare(self, text: str, exact: str) -> Way:
        return "its text", self.plain.neutralise(text), self._itself()

    def _known_bare(self, text: str, exact: str) -> Way:
        return "text with known tools, itself", exact, self._itself()

    def _known_salvaged(self, text: str, exact: str) -> Way:
        return "text with known tools, salvage", exact, self._salvage()

    def _known_any(self, text: str, exact: str) -> Way:
        return "text with known tools, any form", exact, any_decoder(STANDARD_OFFER)

    def _tail_salvaged(self, text: str, exact: str) -> Way:
        return "from some line on", self._tail(exact), self._salvage()

    def _tail_any(self, text: str, exact: str) -> Way:
        return "from some line on, any form", self._tail(exact), any_decoder(STANDARD_OFFER)


def quieter() -> None:
    """Look for garbage less often: a tenth of the time goes there."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=100_000, help="for each paradigm")
    options.add_argument("--paradigms", default=",".join(list_paradigms()))
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--every-way", action="store_true", help="read each text in all ways")
    options.add_argument("--keep", type=Path, metavar="FILE", help="count on there")
    options.add_argument("--seconds", type=float, default=1e9, help="start no new part after them")
    given = options.parse_args()
    part = min(given.texts, _PART)
    names = given.paradigms.split(",")
    kept = json.loads(given.keep.read_text()) if given.keep and given.keep.exists() else {}
    counted: dict[str, int] = {name: kept.get("texts", {}).get(name, 0) for name in names}
    found: Findings = {key: tuple(told) for key, told in kept.get("found", {}).items()}
    until = time.monotonic() + given.seconds
    # All paradigms come equally far: a run that is stopped has tried each of them.
    waiting = [
        (name, given.seed * 10**6 + at, part, given.every_way)
        for at in range(0, given.texts, part)
        for name in names
        if at >= counted[name]
    ]
    with ProcessPoolExecutor(given.jobs, initializer=quieter) as pool:
        while waiting and time.monotonic() < until:
            jobs, waiting = waiting[: len(names)], waiting[len(names) :]
            for (name, *_), told in zip(jobs, pool.map(tried, jobs), strict=True):
                counted[name] += part
                for key, (text, message) in told.items():
                    note(found, key, text, message)
            if given.keep:
                given.keep.write_text(json.dumps({"texts": counted, "found": found}))
    for key, (text, message) in sorted(found.items()):
        print(f"--- {key}\n{text!r}\n{message[:1000]}")
    total, least = sum(counted.values()), min(counted.values())
    print(f"{total:,} texts, {least:,} or more for each of {len(counted)} paradigms", end="; ")
    print(f"{len(found)} kinds of failure")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
