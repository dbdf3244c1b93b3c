"""Hostile texts, rendered as results and repeated by a model in the open: does one of them call?

    python -m soak.neutralise [--texts 100000] [--paradigms a,b] [--seed 1] [--jobs 2]

Every text is rendered by every paradigm and read back as a reply: by the paradigm, by the same one
with salvage, and in any form. A text that is neutral must also be restored exactly. Prints the
smallest text that called for each paradigm and way, and exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from random import Random

from toolproto.guard.neutralise import neutraliser, restore
from toolproto.messages import ToolCall, ToolResult
from toolproto.paradigms import get_paradigm, paradigms
from toolproto.paradigms.salvage import parse_any
from toolproto.testing.hostile import hostile_text
from toolproto.testing.offers import STANDARD_OFFER

_CALL = ToolCall("get_weather", {"city": "Oslo"}, "call_9")
_NAMES = tuple(sorted(STANDARD_OFFER.names))
Findings = dict[str, tuple[str, str]]


def tried(job: tuple[str, int, int]) -> tuple[int, Findings]:
    """Try *count* texts on the paradigm called *name*."""
    name, seed, count = job
    random, found = Random(f"{name} {seed}"), {}
    plain, salvaging = get_paradigm(name), get_paradigm(name, salvage=True)
    for _ in range(count):
        text = hostile_text(random, plain)
        for way, repeated, reader in ways(text, plain, salvaging, random):
            calls = (
                parse_any(repeated, STANDARD_OFFER)
                if reader is None
                else reader.parse_response(repeated, STANDARD_OFFER)
            ).calls
            if calls:
                key = f"{name}: {way}"
                if key not in found or len(text) < len(found[key][0]):
                    found[key] = (text, f"{repeated!r} calls {calls}")
        if restore(neutraliser(plain).neutralise(text)) != text:
            found[f"{name}: restored"] = (text, "")
    return count, found


def ways(text, plain, salvaging, random):
    """What a model may repeat of *text*, and who reads that."""
    exact = neutraliser(plain, _NAMES).neutralise(text)
    yield "a result", plain.encode_results([ToolResult(_CALL, text)]), plain
    yield "a result, salvaged", salvaging.encode_results([ToolResult(_CALL, text)]), salvaging
    yield "its text", plain.neutralise(text), plain
    yield "a result with known tools", plain.encode_results([ToolResult(_CALL, exact)]), plain
    for who, reader in (("itself", plain), ("salvage", salvaging), ("any form", None)):
        yield f"text with known tools, {who}", exact, reader
    lines = exact.split("\n")
    yield "from some line on", "\n".join(lines[random.randrange(len(lines)) :]), salvaging
    yield "from some line on, any form", "\n".join(lines[random.randrange(len(lines)) :]), None


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=100_000, help="for each paradigm")
    options.add_argument("--paradigms", default=",".join(paradigms()))
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    names, block = given.paradigms.split(","), min(given.texts, 1_000)
    jobs = [
        (n, given.seed * 10**6 + at, block) for n in names for at in range(0, given.texts, block)
    ]
    counted, found = Counter(), {}
    with ProcessPoolExecutor(given.jobs) as pool:
        for (name, _, _), (count, part) in zip(jobs, pool.map(tried, jobs), strict=True):
            counted[name] += count
            for key, (text, message) in part.items():
                if key not in found or len(text) < len(found[key][0]):
                    found[key] = (text, message)
    for key, (text, message) in sorted(found.items()):
        print(f"--- {key}\n{text!r}\n{message[:1000]}")
    least = min(counted.values())
    print(
        f"{sum(counted.values()):,} texts, {least:,} or more for each of {len(counted)} paradigms",
        end="; ",
    )
    print(f"{len(found)} kinds of failure")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
