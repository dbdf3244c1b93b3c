"""Does the work grow as the text does, whatever is repeated, in every paradigm, however it is cut?

    python -m soak.growth [--families 200] [--paradigms NAME ...] [--seed 1] [--jobs 2]

A family is something that is repeated, perhaps behind something that is not. It is read in pieces
of 1 and 7 characters and whole, at two lengths, and the exponent of its growth is how much longer
the longer one took. What seems to grow faster than its text is measured again, at more lengths and
more often. Prints what still does, and exits with 1 if anything does. So it does with a session of
many turns, each with a call.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from toolproto import ChatSession, Policy, tool
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.hostile import long_text, repeated_text

#: What may not be exceeded, with what a clock is wrong by at the lengths of the first look.
LARGEST = 1.05
_SUSPECT = 1.15
CHUNKS = (1, 7, 0)  # 0: in one piece
#: Characters of the two texts of a first look, and of those of a closer one: the last three count
#: that are read in so many seconds, as what is not linear would take for ever at the longest.
_FIRST = (1_000, 8_000)
_CLOSER = (750, 3_000, 12_000, 48_000, 192_000)
_PATIENCE = 3.0
#: Turns of sessions. Each request holds all messages, which are only handed on; that still grows
#: with the square, and begins to show behind 1,000 turns.
_TURNS = (200, 800)
LARGEST_OF_TURNS = 1.1
#: Attempts at a closer look: the quickest counts, and it has to be quick once.
_ATTEMPTS = 3


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


def seconds(paradigm: str, text: str, chunk: int) -> float:
    """What reading *text* in pieces of that size takes, of this process's time."""
    decoder = get_paradigm(paradigm).decoder(STANDARD_OFFER)
    pieces = [text[at : at + chunk] for at in range(0, len(text), chunk)] if chunk else [text]
    began = time.process_time()
    for piece in pieces:
        decoder.feed(piece)
    decoder.finish()
    return time.process_time() - began


def first_look(paradigm: str, head: str, unit: str, chunk: int) -> float:
    """The exponent of the growth between two lengths that are read in no time."""
    texts = [long_text(head, unit, size) for size in _FIRST]
    return _exponent([(len(text), seconds(paradigm, text, chunk)) for text in texts])


def closer_look(paradigm: str, head: str, unit: str, chunk: int) -> float:
    """The exponent of the growth over the longest texts for which there is time.

    Some work begins only behind the first thousands of characters (prose is looked at once in 256
    pieces), which what the longer texts add does not show; and a limit that makes the rest dearer
    lies in one of two steps. What grows too fast does so by either measure, and in both steps.
    """
    least: dict[int, float] = {}
    grew = math.inf
    for _ in range(_ATTEMPTS):
        for size in _CLOSER:
            text = long_text(head, unit, size)
            took = seconds(paradigm, text, chunk)
            least[len(text)] = min(took, least.get(len(text), took))
            if took > _PATIENCE and len(least) > 2:
                break
        *_, short, middle, long = sorted(least.items())
        added = [
            (most[0], (most[1] - less[1]) / (most[0] - less[0]) * most[0])
            for less, most in ((short, middle), (middle, long))
        ]
        grew = min(map(_exponent, ((short, middle), (middle, long), added)))
        if grew <= LARGEST:
            break
    return grew


def _exponent(times: Sequence[tuple[int, float]]) -> float:
    (short, little), (long, much) = times
    return math.log(max(much, 1e-6) / max(little, 1e-6), long / short)


def grown(job: tuple[str, list[int]]) -> list[Growth]:
    """What grows too fast in that paradigm."""
    paradigm, families = job
    found = []
    for number in families:
        head, unit = repeated_text(number, get_paradigm(paradigm))
        for chunk in CHUNKS:
            if first_look(paradigm, head, unit, chunk) <= _SUSPECT:
                continue
            grew = closer_look(paradigm, head, unit, chunk)
            if grew > LARGEST:
                shown = repr(f"{head} + {unit} …")[:120]
                found.append(Growth(grew, paradigm, chunk, number, shown))
    return found


@tool
def look(at: str) -> str:
    """Look at something."""
    return f"there is {at}, and a few more words about it"


def seconds_of_turns(turns: int) -> float:
    """What leading a session of so many turns takes, each with a call, of this process's time."""
    paradigm = get_paradigm("xml_tag")
    replies = [paradigm.encode_call(ToolCall("look", {"at": "a tree"})), "There is a tree."]
    endpoint = ScriptedEndpoint(*replies * turns)
    session = ChatSession(endpoint, paradigm, [look], policy=Policy({"look": "allow"}))
    began = time.process_time()
    for number in range(turns):
        session.send(f"Message {number}.")
        endpoint.requests.clear()
    return time.process_time() - began


def growth_of_turns() -> float:
    """The exponent with which the work of a session grows with its turns."""
    return _exponent(
        [(turns, min(seconds_of_turns(turns) for _ in range(_ATTEMPTS))) for turns in _TURNS]
    )


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
    names = given.paradigms or list_paradigms()
    first = given.seed * 100_000
    numbers = list(range(first, first + given.families))
    began, found = time.perf_counter(), 0
    for found, growth in enumerate(everywhere(names, numbers, given.jobs), 1):  # noqa: B007
        print(growth, flush=True)
    if (grew := growth_of_turns()) > LARGEST_OF_TURNS:
        found += 1
        print(f"{grew:.2f}  a session of {_TURNS[-1]} turns", flush=True)
    tried = len(names) * len(numbers) * len(CHUNKS)
    print(f"{tried} tried, {found} grow too fast, {time.perf_counter() - began:.0f} s")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
