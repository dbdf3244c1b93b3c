"""Law 9 for every paradigm and many schemas, and every engine that is installed: do all agree?

    python -m soak.grammars [--schemas 200] [--seconds 230] [--kept grammars.jsonl]
    python -m soak.grammars --renderings json_schema [--paradigms json_strict xlam]

For each paradigm and schema: a reply drawn from the grammar reads as calls that pass their check
and no beginning of it is a dead end; calls drawn from the schema are accepted as the paradigm
writes them. Each engine takes its rendering; it accepts drawn replies and says the same as we do
of replies that were changed at random; and what is drawn from the engine itself is no dead end,
reads as calls and passes the check. A JSON Schema says a little more or less
than the grammar does: of it, what the engine lets through must read as calls.
What was done is kept, so that a run that was stopped goes on.
Prints what was found, and exits with 1 if anything is broken, refused or different.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from tests.protocol.grammar import engines
from toolproto.protocol.grammar import Grammar, GrammarWalk, render, sample_reply
from toolproto.protocol.messages import CallProblem, ToolCall
from toolproto.protocol.paradigms import ToolContextDef, get_paradigm, list_paradigms
from toolproto.protocol.tools.check import check_call
from toolproto.protocol.tools.spec import ToolOffer
from toolproto.testing import laws
from toolproto.testing.laws import LawBroken
from toolproto.testing.laws.grammars import reads_as_calls
from toolproto.testing.schemas import random_call, random_offer

_ENGINES: dict[str, tuple[str, Callable[[Any], engines.Engine]]] = {
    "gbnf": ("xllamacpp", engines.llama_cpp),
    "lark": ("llguidance", engines.llguidance),
    "ebnf": ("xgrammar", engines.xgrammar),
    "structural_tag": ("xgrammar", engines.xgrammar_tag),
    "json_schema": ("llguidance", engines.llguidance_schema),
}
#: How many replies are drawn from an engine. xgrammar takes longest, and is asked about one of its
#: two renderings only; few forms are JSON.
_DRAWS = {"gbnf": 1, "lark": 1, "ebnf": 2, "structural_tag": 2, "json_schema": 13}
#: How often a call is drawn until one fits its schema in everything.
_TRIES = 4
_LENGTH = 60
_WORDS = "Let me see: "
#: What no JSON Schema excludes, and its ``left_out`` says so.
_TOO_LARGE = "is too large"
_AT_ONCE = 10  # schemas of one paradigm, before the next has its turn
_FAULTS = ("BROKEN", "REFUSED", "DIFFERS", "RAISED")


def found_engines(renderings: list[str]) -> dict[str, Callable[[Any], engines.Engine]]:
    """The engines that are installed, by the rendering they take, of *renderings*."""
    found = {}
    for rendering in renderings:
        library, judge = _ENGINES[rendering]
        try:
            __import__(library)
            found[rendering] = judge
        except ImportError:
            print(f"{library} is not installed: {rendering} is not tried", file=sys.stderr)
    return found


def tried(name: str, seed: int, judges: dict[str, Any]) -> Iterator[str]:
    """What was tried with the paradigm *name* and the schemas of *seed*, and what went wrong."""
    random, paradigm = Random(f"{name} {seed}"), get_paradigm(name)
    most = 50 if seed % 40 == 39 else 4
    offer = replace(random_offer(random, most), parallel=random.random() < 0.6)
    try:
        laws.grammar_allows(paradigm, offer, seed)
        yield "drawn replies that read and check"
        calls = fitting_calls(random, offer)
        if calls:
            held = laws.grammar_accepts(paradigm, calls, offer)
            yield "encodings accepted" if held else "encodings that read as other calls"
    except LawBroken as error:
        yield f"BROKEN {error}"
        return
    yield from engines_tried(paradigm, offer, judges, random, free_words=bool(seed % 2))


def fitting_calls(random: Random, offer: ToolOffer) -> list[ToolCall]:
    """A call or two that pass the check; none if that cannot be had by drawing."""
    for _ in range(_TRIES):
        calls = [random_call(random, offer) for _ in range(2 if offer.parallel else 1)]
        if not any(isinstance(check_call(call, offer), CallProblem) for call in calls):
            return calls
    return []


def engines_tried(
    paradigm: ToolContextDef,
    offer: ToolOffer,
    judges: dict[str, Any],
    random: Random,
    free_words: bool,
) -> Iterator[str]:
    """What each engine says.

    With *free_words* xgrammar is asked about the tags, which wait for a call to begin, otherwise
    about the EBNF.
    """
    demanded = paradigm.grammar(replace(offer, choice="required"))
    if demanded is None:
        yield "offers of which no call can be right"
        return
    held = Held(paradigm, offer, demanded)
    reply = sample_reply(held.walk, random, length=_LENGTH)
    unasked = {"structural_tag", "ebnf" if free_words else ""}
    for rendering in [each for each in judges if each not in unasked]:
        yield from held.judged(rendering, judges[rendering], reply, random)
    if free_words and "structural_tag" in judges:
        grammar = paradigm.grammar(replace(offer, choice="auto"))
        assert grammar is not None
        begun = _WORDS + random.choice(grammar.triggers)
        free, judge = Held(paradigm, offer, grammar, begun), judges["structural_tag"]
        yield from free.judged("structural_tag", judge, _WORDS + reply, random)


class Held:
    """A grammar that engines are asked about; what they draw begins with *begun*."""

    def __init__(
        self, paradigm: ToolContextDef, offer: ToolOffer, grammar: Grammar, begun: str = ""
    ) -> None:
        self._paradigm, self._offer, self._grammar, self._begun = paradigm, offer, grammar, begun
        self.walk = GrammarWalk(grammar)

    def judged(self, rendering: str, judge: Any, reply: str, random: Random) -> Iterator[str]:
        """What the engine of *rendering* says of *reply*, of others beside it and of its own."""
        made = render(self._grammar, rendering)
        if made is None:
            yield f"{rendering}: grammars that it cannot say"
            return
        try:
            engine: engines.Engine = judge(made.value)
        except ValueError as error:
            yield f"REFUSED by the engine of {rendering}: {error}"
            return
        yield f"{rendering}: grammars taken"
        draws = range(_DRAWS[rendering])
        if rendering == "json_schema":
            assert isinstance(engine, engines.llguidance)
            for _ in draws:
                said = engine.ended(engine.drawn(random, _LENGTH), random)
                yield from self._read(rendering, said)
            return
        if made.left_out == self._grammar.left_out:
            yield from self._alike(rendering, engine, reply, random)
        for _ in draws:
            yield from self._drawn(rendering, engine, random)

    def _alike(
        self, rendering: str, engine: engines.Engine, reply: str, random: Random
    ) -> Iterator[str]:
        for text in (reply, *sorted(beside(reply, random))):
            expected = self.walk.departure(text) is None
            if engine(text) is not expected:
                yield f"DIFFERS in {rendering}, where we say {expected}: {text!r}"
            yield f"{rendering}: replies judged alike"

    def _drawn(self, rendering: str, engine: engines.Engine, random: Random) -> Iterator[str]:
        """What the engine lets a model write leads to an end, and reads as calls."""
        said = engine.drawn(random, _LENGTH, self._begun)
        walk = self.walk.again()
        taken = walk.take(said)
        if taken < len(said):
            yield f"DIFFERS in {rendering}, which goes on behind character {taken}: {said!r}"
            return
        ending = walk.ending()
        if ending is None or not engine(said + ending):
            yield f"BROKEN {rendering}: a dead end: {said!r}, completed by {ending!r}"
            return
        yield from self._read(rendering, said + ending)

    def _read(self, rendering: str, said: str | None) -> Iterator[str]:
        if said is None:
            yield f"BROKEN {rendering}: a dead end"
            return
        try:
            reads_as_calls(self._paradigm, self._grammar, self._offer, said)
        except LawBroken as error:
            if rendering == "json_schema" and _TOO_LARGE in str(error):
                yield f"{rendering}: numbers too large to be read, as it says"
            else:
                yield f"BROKEN {rendering}: {error}"
            return
        yield f"{rendering}: its own samples that read and check"


def beside(reply: str, random: Random) -> set[str]:
    """*reply* without its end, with one more character, and with one that is another or gone."""
    at = random.randrange(len(reply)) if reply else 0
    other = random.choice('"x<}]) \n\\0,')
    changed = {reply[:-1], reply + "}", reply[:at] + other + reply[at + 1 :]}
    return (changed | {reply[:at] + reply[at + 1 :]}) - {reply}


def safely(told: Iterator[str]) -> Iterator[str]:
    """*told*, and what was raised meanwhile: the next schema is tried all the same."""
    try:
        yield from told
    except Exception as error:
        yield f"RAISED {error!r}"


def blocks(names: list[str], schemas: int) -> Iterator[tuple[str, int]]:
    """Every paradigm with a few schemas, then with the next few: what is cut short is even."""
    for first in range(0, schemas, _AT_ONCE):
        for name in names:
            yield name, first


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schemas", type=int, default=200, help="for each paradigm")
    parser.add_argument("--paradigms", nargs="+", default=list_paradigms(), metavar="NAME")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--renderings", nargs="+", choices=list(_ENGINES), default=[*_ENGINES][:4])
    parser.add_argument("--backwards", action="store_true", help="beside a run that is forwards")
    parser.add_argument("--kept", type=Path, nargs="+", default=[], help="what was done before; "
                        "what is done now is added to the first")  # fmt: skip
    given = parser.parse_args()
    kept = _kept(given.kept)
    judges, began = found_engines(given.renderings), time.monotonic()
    order = list(blocks(given.paradigms, given.schemas))
    for name, first in reversed(order) if given.backwards else order:
        if (name, first) in kept or time.monotonic() - began > given.seconds:
            continue
        counts: Counter[str] = Counter()
        faults = []
        for seed in range(first, min(first + _AT_ONCE, given.schemas)):
            counts["schemas of paradigms"] += 1
            for told in safely(tried(name, seed, judges)):
                if told.startswith(_FAULTS):
                    faults.append(f"{name}, schema {seed}: {told[:1500]}")
                    print(faults[-1], flush=True)
                else:
                    counts[told] += 1
        row = {"paradigm": name, "first": first, "counts": counts, "faults": faults}
        kept[name, first] = row
        if given.kept:
            with given.kept[0].open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=True) + "\n")
    return _told(list(kept.values()))


def _kept(paths: list[Path]) -> dict[tuple[str, int], Any]:
    lines = [line for path in paths if path.exists() for line in path.open(encoding="utf-8")]
    return {(row["paradigm"], row["first"]): row for row in map(json.loads, lines)}


def _told(rows: list[Any]) -> int:
    counts: Counter[str] = Counter()
    for row in rows:
        counts += Counter(row["counts"])
    faults = [fault for row in rows for fault in row["faults"]]
    for what, times in sorted(counts.items()):
        print(f"{times:8,} {what}")
    kinds = Counter(fault.split(": ", 1)[1].split()[0] for fault in faults)
    print(f"{len(faults)} faults {dict(kinds)}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
