"""Native calls, written in every form and read back: do they come back as they were?

    python -m soak.round_trips [--calls 100000] [--from 0] [--seconds S] [--forms hermes,…]

Calls are drawn at random: names, text full of markers, quotes and line ends, numbers, lists and
objects as the schemas of their tools have them; one to five of them make a reply. Every form gets
the same ones, so that a run that was ended, by hand or after some *seconds* of processor, goes on
*from* as many calls as it says. ``encode_batch`` reads back what it wrote; ``read_batch`` reads a
tenth once more, as somebody who has nothing but the reply. Prints what did not come back, and
exits with 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from toolproto import ToolOffer, ToolSpec, list_paradigms
from toolproto.bulk import Reading, encode_batch, read_batch

_TEXTS = (
    "", " ", "Oslo", "a b", "it's", '"quoted"', "line\nline\n", "\ttab ", "{}", "[1]", "null",
    "3", "True", "</tool_call>", "<tool_call>", "```", "</parameter>", "<|im_end|>", "\\", "\\n",
    "é", "😀", "\u2028", "]]>", "&amp;", "<b>", "x = f(1)", "#", "--", "Action: none",
    "Observation: x", ":", "- a", "%s",
)  # fmt: skip
_PLACE = {"city": {"type": "string"}, "at": {"type": "array"}}
_KINDS: dict[str, Any] = {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "share": {"type": "number"},
    "sure": {"type": "boolean"},
    "names": {"type": "array", "items": {"type": "string"}},
    "place": {"type": "object", "properties": _PLACE},
}
OFFER = ToolOffer(
    tuple(
        ToolSpec(name, "", {"type": "object", "properties": _KINDS})
        for name in ("get_weather", "files.write", "search-web", "f")
    )
)


def text(dice: random.Random) -> str:
    return "".join(dice.choice(_TEXTS) for _ in range(dice.randrange(4)))


def value(dice: random.Random, name: str) -> Any:
    match name:
        case "text":
            return text(dice)
        case "count":
            return dice.choice((0, -1, 7, 10**15, dice.randrange(10**6)))
        case "share":
            return dice.choice((0.5, -2.25, 1e-9, 12345.678))
        case "sure":
            return dice.random() < 0.5
        case "names":
            return [text(dice) for _ in range(dice.randrange(3))]
    return {"city": text(dice), "at": [dice.randrange(90), None, [text(dice)]]}


def call(dice: random.Random) -> dict[str, Any]:
    names = dice.sample(list(_KINDS), dice.randrange(len(_KINDS)))
    arguments = {name: value(dice, name) for name in names}
    return {"name": dice.choice(OFFER.tools).name, "arguments": json.dumps(arguments)}


#: Calls that are written together: a form is prepared for each such heap.
TOGETHER = 2_000


def drawn(number: int, seed: int) -> list[list[dict[str, Any]]]:
    """The calls of heap *number*, by replies."""
    dice = random.Random(f"{seed} {number}")
    calls, replies = [call(dice) for _ in range(TOGETHER)], []
    while calls:
        size = dice.randint(1, 5)
        replies.append(calls[:size])
        del calls[:size]
    return replies


def lost(written: Any, native: list[Any], reading: Reading) -> Iterator[int]:
    """The replies that did not come back as their calls."""
    back = written.column("round_trip").to_pylist()
    yield from (number for number, same in enumerate(back) if same is not True)
    tenth = read_batch(written.slice(0, len(native) // 10), reading)
    for number, calls in enumerate(tenth.column("calls").to_pylist()):
        got, sent = (
            [(each["name"], json.loads(each["arguments"])) for each in some]
            for some in (calls, native[number])
        )
        if got != sent and back[number] is True:
            yield number


def tried(readings: dict[str, Reading], number: int, seed: int) -> tuple[int, list[str]]:
    """How many calls of heap *number* did not come back in some form, and what became of them."""
    native = drawn(number, seed)
    batch, broken, told = pa.RecordBatch.from_pydict({"calls": native}), 0, list[str]()
    for form, reading in readings.items():
        written = encode_batch(batch, reading)
        for row in lost(written, native, reading):
            broken += len(native[row])
            reply = written.slice(row, 1).to_pylist()[0]
            told.append(f"{form}: {native[row]} became {reply['reply']!r}, {reply['reason']}")
    return broken, told


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--from", type=int, default=0, dest="start")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--forms", default="")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    forms = asked.forms.split(",") if asked.forms else list_paradigms()
    readings = {form: Reading(form, OFFER, check=False) for form in forms}
    broken, done = 0, 0
    for number in range(asked.start // TOGETHER, -(-asked.calls // TOGETHER)):
        lost_calls, told = tried(readings, number, asked.seed)
        done, broken = done + TOGETHER, broken + lost_calls
        for line in told[:3]:
            print(line[:600])
        print(
            f"{done:,} calls in {len(forms)} forms, {done * len(forms):,} in all: {broken:,} did "
            f"not come back; {time.process_time():.0f} s, goes on from {asked.start + done}",
            flush=True,
        )
        if time.process_time() > asked.seconds:
            break
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
