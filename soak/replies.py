"""Random replies, cheaper than Hypothesis and without its sense of proportion."""

from __future__ import annotations

import json
import random

from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.testing.marks import MARKS

_ARGUMENTS = ("Oslo", 'a"b', "</tool_code>", "x\n```\n", "\\d\\n", "{}[]", "é😀", "it's")
_CALLS = [
    get_paradigm(name).encode_call(ToolCall("get_weather", {"city": city}))
    for name in list_paradigms()
    for city in _ARGUMENTS
]
_PIECES = MARKS + _CALLS
# Members that make an object a call, or a list of calls, or both.
_NAME_KEYS = ("name", "name", "tool", "function", "action", "id", "description")
_ARGUMENT_KEYS = ("arguments", "arguments", "parameters", "input", "x")
_LIST_KEYS = ("tool_calls", "calls", "function_call", "tool_call")


def random_reply(rng: random.Random, pieces: int = 14) -> str:
    """A reply of up to *pieces* fragments that the readers have to think about."""
    return "".join(_piece(rng) for _ in range(rng.randrange(1, pieces)))


def _piece(rng: random.Random) -> str:
    if rng.random() < 0.05:
        return rng.choice(("", "<tool_call>", "[")) + _object(rng, 2)
    if rng.random() < 0.93:
        return rng.choice(_PIECES)
    return chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3000))))


def _object(rng: random.Random, depth: int) -> str:
    """A JSON object whose members are those of calls, in any order and number."""
    members = []
    for _ in range(rng.randrange(5)):
        kind = rng.randrange(3 if depth else 2)
        if kind == 0:
            name = rng.choice(("get_weather", "now", "Oslo"))
            members.append(f'"{rng.choice(_NAME_KEYS)}": "{name}"')
        elif kind == 1:
            given = {"city": rng.choice(_ARGUMENTS), "unit": [[], {"a": 1}]}
            members.append(f'"{rng.choice(_ARGUMENT_KEYS)}": {json.dumps(given)}')
        else:
            calls = ", ".join(_object(rng, depth - 1) for _ in range(rng.randrange(3)))
            members.append(f'"{rng.choice(_LIST_KEYS)}": [{calls}]')
    return "{" + ", ".join(members) + "}"


def random_cuts(rng: random.Random, length: int) -> list[int]:
    """Where to cut a reply of that length."""
    if rng.random() < 0.1:
        return list(range(length))
    return [rng.randrange(length + 1) for _ in range(rng.randrange(1, 9))]
