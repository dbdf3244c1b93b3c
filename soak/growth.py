"""Does the work grow as the text does, whatever is repeated, in every paradigm, however it is cut?

    python -m soak.growth [--families 200] [--paradigms NAME ...] [--seed 1] [--jobs 2]

A family is something that is repeated, perhaps behind something that is not. It is read in pieces
of 1 and 7 characters and whole, at two lengths, and the exponent of its growth is how much longer
the longer one took. What seems to grow faster than its text is measured again, longer and more
often. Prints what still does, and exits with 1 if anything does.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random

from toolproto.paradigms import get_paradigm, paradigms
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.hostile import hostile_text

#: What may not be exceeded, with what a clock is wrong by at the lengths of the first look.
LARGEST = 1.05
_SUSPECT, _CONVICTED = 1.15, 1.5
CHUNKS = (1, 7, 0)  # 0: in one piece
#: Characters of the shorter text, at a first look and at a closer one; the longer has eight times.
#: Prose is looked at once in 256 pieces, so a first look may see no work at all in the shorter one:
#: what seems far too dear is measured at a length between the two.
_SHORT, _MIDDLE, _LONG = 1_000, 4_000, 24_000
_TIMES = 8
#: Attempts at a closer look: the quickest counts, and it has to be quick once.
_ATTEMPTS = 3
_PIECES = (
    "<", "</", "<a", "<tool", "{", '{"', "[", "[[", "(", ")", "]", "}", "`", "``", "```\n", "~~~",
    '"', "'", "\\", "\\\\", '\\"', "\\u", "“", "„", "«", "\n", "\n\n", "\n> ", "\n- ", "\n| ",
    "    ", "\t", " ", ",", ":", "=", ".", ";", "0", "9", "-1e", "a", "word ", "é", "漢", "\u200b",
    "\x00", "<think>", "</think>", "<|", "|>", "<\uff5c", "&lt;", "<!--", "-->", "<pre>", "[code]",
    "Human:", "now(", "get_weather(city=", "get_weather", '"name": ', '"arguments": {', "Action: ",
    "<parameter=", "<arg_key>", "tool: ", "null", "True", "#", "$$", "::", "'''", '"""',
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Growth:
    """How the reading of one family grew in one paradigm, in pieces of that size."""

    exponent: float
    paradigm: str
    chunk: int
    family: int
    text: str

    def __str__(self) -> str:
        pieces = f"pieces of {self.chunk}" if self.chunk else "one piece"
        return f"{self.exponent:.2f}  {self.paradigm}, {pieces}, family {self.family}: {self.text}"


def family(number: int, paradigm: str) -> tuple[str, str]:
    """What stands first in the texts of a family, and what is repeated behind it."""
    random = Random(number)
    made = get_paradigm(paradigm)
    head = random.choice(("", "", hostile_text(random, made, 1), random.choice(_PIECES)))
    if random.random() < 0.3:
        return head, hostile_text(random, made, 2) or " "
    return head, "".join(random.choice(_PIECES) for _ in range(random.randint(1, 4)))


def seconds(paradigm: str, text: str, chunk: int) -> float:
    """What reading *text* in pieces of that size takes, of this process's time."""
    decoder = get_paradigm(paradigm).decoder(STANDARD_OFFER)
    pieces = [text[at : at + chunk] for at in range(0, len(text), chunk)] if chunk else [text]
    began = time.process_time()
    for piece in pieces:
        decoder.feed(piece)
    decoder.finish()
    return time.process_time() - began


def exponent(paradigm: str, head: str, unit: str, chunk: int, size: int, attempts: int) -> float:
    """The exponent of the growth between *size* and eight times that."""
    short, long = (head + unit * (n // len(unit) + 1) for n in (size, _TIMES * size))
    tries = [(seconds(paradigm, short, chunk), seconds(paradigm, long, chunk))]
    for _ in range(attempts - 1):
        tries.append((seconds(paradigm, short, chunk), seconds(paradigm, long, chunk)))
    little, much = (min(each) for each in zip(*tries, strict=True))
    return math.log(max(much, 1e-6) / max(little, 1e-6), len(long) / len(short))


def grown(job: tuple[str, list[int]]) -> list[Growth]:
    """What grows too fast in that paradigm."""
    paradigm, families = job
    found = []
    for number in families:
        head, unit = family(number, paradigm)
        for chunk in CHUNKS:
            grew = exponent(paradigm, head, unit, chunk, _SHORT, 1)
            if grew > _SUSPECT:
                # What is plainly not linear would take for ever at the longer lengths.
                size = _LONG if grew < _CONVICTED else _MIDDLE
                grew = exponent(paradigm, head, unit, chunk, size, _ATTEMPTS)
                if grew > (LARGEST if size == _LONG else _SUSPECT):
                    shown = repr(f"{head} + {unit} …")[:120]
                    found.append(Growth(grew, paradigm, chunk, number, shown))
    return found


def everywhere(names: list[str], families: list[int], jobs: int) -> Iterator[Growth]:
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(grown, [(name, families) for name in names]):
            yield from found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--families", type=int, default=200)
    parser.add_argument("--paradigms", nargs="*", default=None, help="all of them by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    names = given.paradigms or paradigms()
    first = given.seed * 100_000
    numbers = list(range(first, first + given.families))
    began, found = time.perf_counter(), 0
    for found, growth in enumerate(everywhere(names, numbers, given.jobs), 1):  # noqa: B007
        print(growth, flush=True)
    tried = len(names) * len(numbers) * len(CHUNKS)
    print(f"{tried} tried, {found} grow too fast, {time.perf_counter() - began:.0f} s")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
