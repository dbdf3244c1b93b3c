"""What grammars cost and whether they hold: every paradigm, many schemas, every engine here.

::

    python benchmarks/grammars.py --schemas 20 --hostile 1000

For each paradigm and schema: a reply drawn from the grammar reads as calls that pass their check,
no beginning of it is a dead end, calls drawn from the schema are accepted as the paradigm writes
them, and each engine that is installed takes the rendering and agrees. Then: what the grammar of
fifty tools costs, and what schemas do that are meant to hurt.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from toolproto.grammar import departure, render, sample
from toolproto.messages import CallProblem
from toolproto.paradigms import get_paradigm, paradigms
from toolproto.testing import laws
from toolproto.testing.laws import LawBroken
from toolproto.testing.schemas import random_call, random_offer, random_tool
from toolproto.tools.check import check_call
from toolproto.tools.spec import ToolOffer, ToolSpec

sys.path.insert(0, str(Path(__file__).parent.parent))


def engines() -> dict[str, Any]:
    """The engines that are installed, by the rendering they take."""
    from tests.grammar import engines as judges

    found = {}
    for rendering, library, judge in (
        ("gbnf", "xllamacpp", judges.llama_cpp),
        ("lark", "llguidance", judges.llguidance),
        ("ebnf", "xgrammar", judges.xgrammar),
        ("structural_tag", "xgrammar", judges.xgrammar_tag),
    ):
        try:
            __import__(library)
            found[rendering] = judge
        except ImportError:
            print(f"{library} is not installed: {rendering} is not tried")
    return found


def tried(name: str, seed: int, judges: dict[str, Any]) -> Iterator[str]:
    """What went wrong with the paradigm *name* and the schemas of *seed*; what was tried."""
    random, paradigm = Random(f"{name} {seed}"), get_paradigm(name)
    most = 50 if seed % 40 == 39 else 4
    offer = replace(random_offer(random, most), parallel=random.random() < 0.6)
    try:
        laws.grammar_allows(paradigm, offer, seed)
        yield "drawn replies"
        calls = [random_call(random, offer) for _ in range(2 if offer.parallel else 1)]
        if not any(isinstance(check_call(call, offer), CallProblem) for call in calls):
            laws.grammar_accepts(paradigm, calls, offer)
            yield "encodings"
    except LawBroken as error:
        yield f"BROKEN {error}"
        return
    grammar = paradigm.grammar(replace(offer, choice="required"))
    if grammar is None:
        return
    reply = sample(grammar, random, length=80)
    others = [reply, reply[:-1], reply + "}"]
    for rendering, judge in judges.items():
        made = render(grammar, rendering)
        try:
            accepts = judge(made.value if made else None)
        except ValueError as error:
            yield f"REFUSED by the engine of {rendering}: {error}"
            continue
        for text in others:
            if accepts(text) is not (departure(grammar, text) is None):
                yield f"DIFFERS in {rendering}: {text!r}"
        yield f"in {rendering}"


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
    parser.add_argument("--schemas", type=int, default=10, help="for each paradigm")
    parser.add_argument("--hostile", type=int, default=1000)
    parser.add_argument("--no-engines", action="store_true")
    given = parser.parse_args()
    fifty_tools()
    hostile(given.hostile)
    judges = {} if given.no_engines else engines()
    counts: Counter[str] = Counter()
    for name in paradigms():
        for seed in range(given.schemas):
            for told in tried(name, seed, judges):
                if told.startswith(("BROKEN", "REFUSED", "DIFFERS")):
                    print(f"{name}, schema {seed}: {told[:1500]}", flush=True)
                    told = told.split()[0]
                counts[told] += 1
    print(f"\n{len(paradigms())} paradigms × {given.schemas} schemas:")
    for told, times in sorted(counts.items()):
        print(f"  {told:24}{times}")


if __name__ == "__main__":
    main()
