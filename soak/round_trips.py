"""Native calls, written in every form and read back: do they come back as they were?

    python -m soak.round_trips [--calls 100000] [--forms hermes,…] [--seed 1]

Calls are drawn at random: names, text full of markers, quotes and line ends, numbers, lists and
objects as the schemas of their tools have them. Prints what did not come back, and exits with 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from typing import Any

import pyarrow as pa

from toolproto import ToolOffer, ToolSpec, paradigms
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


def tried(form: str, calls: int, dice: random.Random) -> tuple[int, list[str]]:
    """How many calls of *form* came back, and what became of others."""
    reading, back, told = Reading(form, OFFER, check=False), 0, list[str]()
    for start in range(0, calls, 500):
        size = min(500, calls - start)
        native = [[call(dice)] for _ in range(size)]
        written = encode_batch(pa.RecordBatch.from_pydict({"calls": native}), reading)
        read = read_batch(written, reading)
        rows = zip(native, written.to_pylist(), read.to_pylist(), strict=True)
        for sent, reply, row in rows:
            got = [(c["name"], json.loads(c["arguments"])) for c in row["calls"]]
            same = got == [(c["name"], json.loads(c["arguments"])) for c in sent]
            back += same and reply["round_trip"] is True
            if not same or reply["round_trip"] is not True:
                told.append(f"{form}: {sent} became {reply['reply']!r}, {reply['reason']}")
    return back, told


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--forms", default="")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    forms = asked.forms.split(",") if asked.forms else paradigms()
    back, broken, began = 0, list[str](), time.process_time()
    for form in forms:
        came, told = tried(form, asked.calls, random.Random(f"{asked.seed} {form}"))
        back += came
        broken += told
        for line in told[:3]:
            print(line[:600], flush=True)
    total, busy = asked.calls * len(forms), time.process_time() - began
    print(f"{back:,} of {total:,} calls in {len(forms)} forms came back, {busy:.0f} s of processor")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
