"""Random replies, cheaper than Hypothesis and without its sense of proportion."""

from __future__ import annotations

import random

from toolproto.messages import ToolCall
from toolproto.paradigms import get_paradigm, paradigms
from toolproto.testing.marks import MARKS

_ARGUMENTS = ("Oslo", 'a"b', "</tool_code>", "x\n```\n", "\\d\\n", "{}[]", "é😀", "it's")
_CALLS = [
    get_paradigm(name).encode_call(ToolCall("get_weather", {"city": city}))
    for name in paradigms()
    for city in _ARGUMENTS
]
_PIECES = MARKS + _CALLS


def random_reply(rng: random.Random, pieces: int = 14) -> str:
    """A reply of up to *pieces* fragments that the readers have to think about."""
    return "".join(_piece(rng) for _ in range(rng.randrange(1, pieces)))


def _piece(rng: random.Random) -> str:
    if rng.random() < 0.93:
        return rng.choice(_PIECES)
    return chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3000))))


def random_cuts(rng: random.Random, length: int) -> list[int]:
    """Where to cut a reply of that length."""
    if rng.random() < 0.1:
        return list(range(length))
    return [rng.randrange(length + 1) for _ in range(rng.randrange(1, 9))]
