"""Law 9 for every paradigm and many schemas, and every engine that is installed: do all agree?

    python -m soak.grammars [--schemas 200] [--seconds 230] [--kept grammars.jsonl]

For each paradigm and schema: a reply drawn from the grammar reads as calls that pass their check
and no beginning of it is a dead end; calls drawn from the schema are accepted as the paradigm
writes them; each engine takes its rendering, accepts the drawn reply, and says the same as we do of
replies that were changed at random. What was done is kept, so that a run that was stopped goes on.
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

from tests.grammar import engines
from toolproto.grammar import Grammar, departure, render, sample
from toolproto.messages import CallProblem
from toolproto.paradigms import get_paradigm, paradigms
from toolproto.testing import laws
from toolproto.testing.laws import LawBroken
from toolproto.testing.schemas import random_call, random_offer
from toolproto.tools.check import check_call

_ENGINES: dict[str, tuple[str, Callable[[Any], engines.Accepts]]] = {
    "gbnf": ("xllamacpp", engines.llama_cpp),
    "lark": ("llguidance", engines.llguidance),
    "ebnf": ("xgrammar", engines.xgrammar),
    "structural_tag": ("xgrammar", engines.xgrammar_tag),
}
#: Replies, and calls, that are drawn for each paradigm and schema.
_DRAWS = 4
_AT_ONCE = 10  # schemas of one paradigm, before the next has its turn
_FAULTS = ("BROKEN", "REFUSED", "DIFFERS")


def found_engines() -> dict[str, Callable[[Any], engines.Accepts]]:
    """The engines that are installed, by the rendering they take."""
    found = {}
    for rendering, (library, judge) in _ENGINES.items():
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
        for draw in range(_DRAWS):
            laws.grammar_allows(paradigm, offer, seed + 1_000_000 * draw)
            yield "drawn replies that read and check"
            calls = [random_call(random, offer) for _ in range(2 if offer.parallel else 1)]
            if not any(isinstance(check_call(call, offer), CallProblem) for call in calls):
                laws.grammar_accepts(paradigm, calls, offer)
                yield "encodings accepted"
    except LawBroken as error:
        yield f"BROKEN {error}"
        return
    grammar = paradigm.grammar(replace(offer, choice="required"))
    if grammar is not None:
        yield from judged(grammar, judges, random)


def judged(grammar: Grammar, judges: dict[str, Any], random: Random) -> Iterator[str]:
    """What the engines say of *grammar*, of replies of it and of others beside them."""
    replies = [sample(grammar, random, length=80) for _ in range(_DRAWS)]
    changed = sorted(beside(replies[0], random))
    texts = {text: departure(grammar, text) is None for text in changed}
    for rendering, judge in judges.items():
        made = render(grammar, rendering)
        try:
            accepts = judge(made.value if made else None)
        except ValueError as error:
            yield f"REFUSED by the engine of {rendering}: {error}"
            continue
        yield f"{rendering}: grammars taken"
        for text, expected in (*((reply, True) for reply in replies), *texts.items()):
            if accepts(text) is not expected:
                yield f"DIFFERS in {rendering}, where we say {expected}: {text!r}"
        yield from [f"{rendering}: samples accepted"] * len(replies)
        yield from [f"{rendering}: changed replies judged alike"] * len(texts)


def beside(reply: str, random: Random) -> set[str]:
    """*reply* without its end, with one more character, and with one that is another or gone."""
    at = random.randrange(len(reply)) if reply else 0
    other = random.choice('"x<}]) \n\\0,')
    changed = {reply[:-1], reply + "}", reply[:at] + other + reply[at + 1 :]}
    return (changed | {reply[:at] + reply[at + 1 :]}) - {reply}


def blocks(schemas: int) -> Iterator[tuple[str, int]]:
    """Every paradigm with a few schemas, then with the next few: what is cut short is even."""
    for first in range(0, schemas, _AT_ONCE):
        for name in paradigms():
            yield name, first


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schemas", type=int, default=200, help="for each paradigm")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--kept", type=Path, help="what was done before, and now")
    given = parser.parse_args()
    kept = _kept(given.kept)
    judges, began = found_engines(), time.monotonic()
    for name, first in blocks(given.schemas):
        if (name, first) in kept or time.monotonic() - began > given.seconds:
            continue
        counts: Counter[str] = Counter()
        faults = []
        for seed in range(first, min(first + _AT_ONCE, given.schemas)):
            counts["schemas of paradigms"] += 1
            for told in tried(name, seed, judges):
                if told.startswith(_FAULTS):
                    faults.append(f"{name}, schema {seed}: {told[:1500]}")
                    print(faults[-1], flush=True)
                else:
                    counts[told] += 1
        row = {"paradigm": name, "first": first, "counts": counts, "faults": faults}
        kept[name, first] = row
        if given.kept:
            with given.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=True) + "\n")
    return _told(list(kept.values()))


def _kept(path: Path | None) -> dict[tuple[str, int], Any]:
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(row["paradigm"], row["first"]): row for row in rows}


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
