"""A hundred thousand documents: does each call stand where CommonMark says it stands?

    python -m soak.places [--documents 100000] [--each 500] [--paradigm xml_tag] [--seed 1]

One paradigm reads the documents and every word of CommonMark's own examples, whole and in pieces of
1 and 7; every other reads *each* of them and the templates. A call that is read without a doubt
where the judge says shown or doubted fails the run. What else differs is counted, with the shortest
text of each kind: a call may be doubted for what comes behind it, which the judge does not look at.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.testing import TEMPLATES, PlaceTemplate, laws
from toolproto.testing.offers import STANDARD_OFFER
from toolproto.testing.places import DEVIATIONS, draw_placing, example_placings, judge_place

_EXAMPLES = Path(__file__).parent.parent / "tests" / "testing" / "places" / "commonmark.json"
_CALL = ToolCall("get_weather", {"city": "Oslo"})
_BLOCK = 1_000
_SIZES = (None, 1, 7)


@dataclass
class Findings:
    """How many calls were judged, by deviation, and the shortest text of what differs."""

    judged: Counter[str] = field(default_factory=Counter)
    too_plain: dict[str, tuple[int, str]] = field(default_factory=dict)
    others: dict[str, tuple[int, str]] = field(default_factory=dict)

    def join(self, other: Findings) -> None:
        self.judged += other.judged
        for mine, new in ((self.too_plain, other.too_plain), (self.others, other.others)):
            for kind, (count, text) in new.items():
                _add(mine, kind, text, count)


def _add(kinds: dict[str, tuple[int, str]], kind: str, text: str, count: int = 1) -> None:
    known, shortest = kinds.get(kind, (0, text))
    kinds[kind] = (known + count, min(shortest, text, key=len))


def read(name: str, templates: Iterator[PlaceTemplate]) -> Findings:
    """Hold the law against the paradigm called *name* for each of *templates*."""
    paradigm, found = get_paradigm(name), Findings()
    for number, template in enumerate(templates):
        size = _SIZES[number % len(_SIZES)]
        try:
            laws.place(paradigm, template, _CALL, STANDARD_OFFER, size=size)
        except laws.LawBroken as error:
            kind = str(error).splitlines()[0].rpartition(" where it is ")[2]
            _add(found.too_plain, f"{name}: {kind}", template.text)
            continue
        told = laws.placed(paradigm, template, _CALL, STANDARD_OFFER, size=size)
        for expected, each in zip(template.expected, told, strict=True):
            found.judged["calls"] += 1
            wanted = "shown" if expected.startswith("shown") else expected
            if each != wanted.replace("late", "doubted"):
                _add(found.others, f"{name}: {each} for {wanted}", template.text)
    return found


def drawn(job: tuple[str, int, int]) -> Findings:
    """Read *count* documents, and a tenth as many for each numbered deviation."""
    name, seed, count = job
    random, deviations = Random(seed), Counter[str]()

    def documents() -> Iterator[PlaceTemplate]:
        for draw in (draw_placing, *DEVIATIONS.values()):
            for _ in range(count if draw is draw_placing else count // 10):
                placing = draw(random)
                deviations[f"of deviation {judge_place(placing.before).deviation}"] += 1
                yield placing.judged()

    found = read(name, documents())
    return Findings(found.judged + deviations, found.too_plain, found.others)


def known(name: str) -> Findings:
    """Read the templates."""
    return read(name, iter(TEMPLATES))


def examples(name: str) -> Findings:
    """Read every example of CommonMark's specification, with a call for each of its words."""
    texts = json.loads(_EXAMPLES.read_text("utf-8"))["examples"]
    return read(name, (placing.judged() for placing in example_placings(texts)))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--documents", type=int, default=100_000)
    options.add_argument("--each", type=int, default=500)
    options.add_argument("--paradigm", default="xml_tag")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    first = given.seed * 10**9
    jobs = [(given.paradigm, first + at, _BLOCK) for at in range(0, given.documents, _BLOCK)]
    jobs += [(name, first - 1, given.each) for name in list_paradigms() if given.each]
    found = Findings()
    with ProcessPoolExecutor(given.jobs) as pool:
        found.join(pool.submit(examples, given.paradigm).result())
        for part in pool.map(known, list_paradigms()):
            found.join(part)
        for done, part in enumerate(pool.map(drawn, jobs), 1):
            found.join(part)
            if done % 10 == 0 or done == len(jobs):
                told = f"{done} of {len(jobs)} jobs, {len(found.too_plain)} kinds too plain"
                print(told, file=sys.stderr, flush=True)
    for title, kinds in (("too plain", found.too_plain), ("differs", found.others)):
        for kind, (count, text) in sorted(kinds.items(), key=lambda each: -each[1][0]):
            print(f"--- {title}, {count} times: {kind}\n{text!r}")
    print(", ".join(f"{count:,} {name}" for name, count in sorted(found.judged.items())), end="; ")
    print(f"{sum(count for count, _ in found.too_plain.values())} too plain")
    return bool(found.too_plain)


if __name__ == "__main__":
    sys.exit(main())
