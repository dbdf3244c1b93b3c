"""What grammars cost: of fifty tools, and of schemas that are meant to hurt.

::

    python benchmarks/grammars.py --hostile 1000

Whether they hold, with every engine, is tried by ``python -m soak.grammars``.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from toolproto.protocol.grammar import RENDERINGS, render
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec
from toolproto.testing.schemas import random_tool

sys.path.insert(0, str(Path(__file__).parent.parent))


def fifty_tools() -> None:
    """What it costs to make the grammar of fifty tools, and to write it for each engine.

    Of a paradigm the first is cold: what all offers share is made with it. Each of the five others
    is of fifty other tools, and each of them counts.
    """
    offers = [_fifty(seed) for seed in range(50, 56)]
    table: dict[str, list[tuple[float, str]]] = {}
    for name in list_paradigms():
        _forget()
        rows: list[dict[str, float]] = []
        for offer in offers:
            rows.append(_cost(name, offer))
        for what in rows[0]:
            table.setdefault(f"{what}, first", []).append((rows[0][what], name))
            table.setdefault(f"{what}, later", []).extend((row[what], name) for row in rows[1:])
    print("\nfifty tools, each paradigm: milliseconds of CPU, and KB")
    for what, values in table.items():
        worst = max(values)
        print(f"  {what:32}median {median(values)[0]:7.1f}   most {worst[0]:7.1f} ({worst[1]})")


def _fifty(seed: int) -> ToolOffer:
    random = Random(seed)
    return ToolOffer(tuple(random_tool(random, f"tool_{at}") for at in range(50)))


def _cost(name: str, offer: ToolOffer) -> dict[str, float]:
    paradigm = get_paradigm(name)
    gc.collect()
    gc.freeze()  # to walk through all else that is in memory is no cost of a grammar
    made, grammar = _timed(lambda: paradigm.grammar(offer))
    assert grammar is not None
    cost = {"the grammar": made}
    for rendering in ("gbnf", "lark", "ebnf", "structural_tag"):
        took, written = _timed(lambda rendering=rendering: render(grammar, rendering))
        size = written.value if isinstance(written.value, str) else json.dumps(written.value)
        cost |= {f"{rendering}": took, f"{rendering} KB": len(size.encode()) / 1000}
    return cost


def _timed(work: Any) -> tuple[float, Any]:
    began = time.process_time()
    made = work()
    return (time.process_time() - began) * 1000, made


def _forget() -> None:
    """Forget what was kept of earlier grammars."""
    for module in [each for name, each in sys.modules.items() if name.startswith("toolproto.")]:
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear") and hasattr(value, "__wrapped__"):
                value.cache_clear()


def hostile(first: int, count: int) -> None:
    """Schemas that are no schemas, huge, deep, circular, or full of odd values."""
    slowest, largest = (0.0, 0), dict.fromkeys(RENDERINGS, (0, 0))
    exceptions: Counter[str] = Counter()
    for seed in range(first, first + count):
        random = Random(seed)
        tool = ToolSpec("f", "", {"type": "object", "properties": {"x": _odd(random, 0)}})
        name, choice = random.choice(list_paradigms()), random.choice(("required", "auto"))
        began = time.process_time()
        try:
            for rendering, size in _sizes(name, ToolOffer((tool,), choice)):
                largest[rendering] = max(largest[rendering], (size, seed))
        except Exception as error:
            exceptions[f"{name}: {error!r}"[:200]] += 1
        slowest = max(slowest, (time.process_time() - began, seed))
    print(f"\nhostile schemas {first} to {first + count - 1}, each in all renderings: "
          f"{sum(exceptions.values())} exceptions, the slowest {slowest[0] * 1000:.0f} ms of CPU "
          f"(schema {slowest[1]})")  # fmt: skip
    for rendering, (size, seed) in largest.items():
        print(f"  the largest {rendering:16}{size / 1000:7.0f} KB (schema {seed})")
    for told, times in exceptions.most_common(5):
        print(f"  {times} × {told}")


def _sizes(name: str, offer: ToolOffer) -> Iterator[tuple[str, int]]:
    grammar = get_paradigm(name).grammar(offer)
    for rendering in RENDERINGS if grammar is not None else ():
        made = render(grammar, rendering)
        if made is not None:
            yield rendering, len(made.value if isinstance(made.value, str) else repr(made.value))


_KEYWORDS = (
    "type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "items", "prefixItems", "pattern",
    "properties", "required", "additionalProperties", "minimum", "maximum", "exclusiveMinimum",
    "minLength", "maxLength", "minItems", "maxItems", "format", "multipleOf", "not", "if", "then",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**40, 1e308, -1e-300, "", "x" * 5000, "(a+)+$", "[", "#", "#/a/b",
    "string", "object", "array", "integer", [], {}, ["string", 7], {"a": {}}, [[]] * 50, "\ud800",
    list(range(3000)), {str(at): {} for at in range(300)}, "date", "^(a|b{0,200}){0,200}$", "\x00",
    {"$ref": "#"}, {"$ref": "#/properties/x"}, float("1e400"),
)  # fmt: skip


def _odd(random: Random, depth: int) -> Any:
    if depth > 5 or random.random() < 0.2:
        return random.choice(_VALUES)
    schema: dict[str, Any] = {}
    for keyword in random.sample(_KEYWORDS, random.randint(0, 6)):
        draw = random.random()
        if draw < 0.4:
            schema[keyword] = random.choice(_VALUES)
        elif draw < 0.6:
            schema[keyword] = [_odd(random, depth + 1) for _ in range(random.randint(0, 4))]
        elif draw < 0.8:
            schema[keyword] = {f"k{at}": _odd(random, depth + 1) for at in range(3)}
        else:
            schema[keyword] = _odd(random, depth + 1)
    return schema


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hostile", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="hostile schemas from this one on")
    given = parser.parse_args()
    if given.first == 0:
        fifty_tools()
    hostile(given.first, given.hostile)


if __name__ == "__main__":
    main()
