"""What grammars cost: of fifty tools, and of schemas that are meant to hurt.

::

    python benchmarks/grammars.py --hostile 1000

Whether they hold, with every engine, is tried by ``python -m soak.grammars``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from toolproto.grammar import render
from toolproto.paradigms import get_paradigm, paradigms
from toolproto.testing.schemas import random_tool
from toolproto.tools.spec import ToolOffer, ToolSpec

sys.path.insert(0, str(Path(__file__).parent.parent))


def fifty_tools() -> None:
    random = Random(50)
    offer = ToolOffer(tuple(random_tool(random, f"tool_{at}") for at in range(50)))
    table = []
    for name in paradigms():
        paradigm = get_paradigm(name)
        paradigm.grammar(replace(offer, tools=offer.tools[:1]))  # what all offers share
        began = time.process_time()
        grammar = paradigm.grammar(offer)
        made = time.process_time() - began
        assert grammar is not None
        written = render(grammar, "gbnf")
        whole = time.process_time() - began
        assert written is not None
        table.append((whole * 1000, made * 1000, len(written.value.encode()) / 1000, name))
    print("\nfifty tools: milliseconds to GBNF, of which the grammar; KB of GBNF")
    for column, what in ((0, "to GBNF"), (1, "the grammar"), (2, "KB")):
        values = [row[column] for row in table]
        worst = max(table, key=lambda row: row[column])
        print(f"  {what:14}median {median(values):7.1f}   most {max(values):7.1f} ({worst[3]})")


def hostile(count: int) -> None:
    """Schemas that are no schemas, huge, deep, circular, or full of odd values."""
    worst, exceptions, largest = 0.0, Counter[str](), 0
    for seed in range(count):
        random = Random(seed)
        tool = ToolSpec("f", "", {"type": "object", "properties": {"x": _odd(random, 0)}})
        name = random.choice(paradigms())
        began = time.process_time()
        try:
            grammar = get_paradigm(name).grammar(ToolOffer((tool,), "required"))
            if grammar is not None and (made := render(grammar, "gbnf")) is not None:
                largest = max(largest, len(made.value))
        except Exception as error:
            exceptions[f"{name}: {error!r}"[:200]] += 1
        worst = max(worst, time.process_time() - began)
    print(f"\n{count} hostile schemas: {sum(exceptions.values())} exceptions, the slowest "
          f"{worst * 1000:.0f} ms of CPU, the largest {largest / 1000:.0f} KB")  # fmt: skip
    for told, times in exceptions.most_common(5):
        print(f"  {times} × {told}")


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
    given = parser.parse_args()
    fifty_tools()
    hostile(given.hostile)


if __name__ == "__main__":
    main()
