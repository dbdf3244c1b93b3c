"""How far does a model come in several turns? BFCL's simulated programs as tools of a session.

    python benchmarks/bfcl_multi_turn.py --endpoint http://localhost:8080/v1 --model NAME
    python benchmarks/bfcl_multi_turn.py --endpoint … --ways array,xml_tag/guided --jobs 32
    python benchmarks/bfcl_multi_turn.py --endpoint … --categories all

Each task of ``multi_turn_base`` is a conversation of a few turns with file systems, trading desks
and the like, all of them objects of the package ``bfcl-eval`` (`bfcl.py` says how to install it).
The other categories tell the same two hundred stories in harder ways: with programs full of other
things, with a tool that comes a turn late, with a value that is told a turn late. Each way of
asking leads the same loop, an :class:`AsyncChatSession` with at most ``--rounds`` requests a turn;
``array`` is the prompt that people write by hand. BFCL's checker judges what the calls left behind
after each turn. What was done is kept in ``OUT/tasks.jsonl`` and not done again.

*Tasks* are right if all their turns are; *turns* counts those before the first wrong one, which
tells ways apart where hardly any whole task is done. A way is compared with the first story by
story, so that the same story told four times does not count four times: *p* is how often as many
more came further, or less far, when a coin turns each story around, and the interval behind the
turns is that of stories drawn again and again.

A model of this size decides much by a hair, and one greedy conversation is one throw of a coin:
``--draws 8 --temperature 0.7`` leads each task so often, and judges a way by its mean. ``--brief``
ends a conversation behind its first wrong turn, as what comes later does not count; it saves half
of the time. ``--show`` prints what went wrong how often.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import importlib
import itertools
import json
import random
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bfcl import ARRAY, SYSTEM, Bfcl, Kept, plain, rows, standard

from toolproto import AsyncChatSession, Tool, ToolContextDef, ToolOffer, TurnLimits, get_paradigm
from toolproto.conversation.turn.result import TurnResult
from toolproto.endpoints import HttpEndpoint
from toolproto.protocol.paradigms.catalogue.bare_json import Xlam
from toolproto.protocol.schemas.tame import tame

CATEGORIES = ("base", "long_context", "miss_func", "miss_param")


# --- tasks


@dataclass(frozen=True)
class Task:
    """A conversation: what the user says in each turn, and the programs it is about."""

    row: Mapping[str, Any]
    due: Sequence[Sequence[str]]
    documents: Sequence[Mapping[str, Any]]

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def category(self) -> str:
        return self.id.rpartition("_")[0]

    @property
    def story(self) -> str:
        """Which conversation it is, however it is told."""
        return f"multi_turn_base_{self.id.rpartition('_')[2]}"

    @property
    def is_held_out(self) -> bool:
        return zlib.crc32(self.story.encode()) % 2 == 1

    def turns(self) -> Iterator[tuple[list[Tool], str]]:
        """The tools of each turn, methods of programs that live as long, and what is said."""
        from bfcl_eval.constants.default_prompts import (
            DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC as MORE_TOOLS,
        )

        methods = self._methods()
        late = {name for names in self._late().values() for name in names}
        for number, turn in enumerate(self.row["question"]):
            late.difference_update(self._late().get(str(number), ()))
            tools = [
                _tool(document, methods[document["name"]])
                for document in self.documents
                if document["name"] not in late
            ]
            yield tools, "\n".join(message["content"] for message in turn) or MORE_TOOLS

    def _late(self) -> Mapping[str, Sequence[str]]:
        """The tools that are not there from the beginning, by the turn in which they come."""
        late: Mapping[str, Sequence[str]] = self.row.get("missed_function", {})
        return late

    def _methods(self) -> dict[str, Any]:
        methods: dict[str, Any] = {}
        for each in self._programs():
            names = (name for name in dir(each) if not name.startswith("_"))
            methods |= {name: getattr(each, name) for name in names}
        return methods

    def _programs(self) -> Iterator[Any]:
        from bfcl_eval.constants.executable_backend_config import (
            CLASS_FILE_PATH_MAPPING,
            STATELESS_CLASSES,
        )

        for name in self.row["involved_classes"]:
            program = getattr(importlib.import_module(CLASS_FILE_PATH_MAPPING[name]), name)()
            if name not in STATELESS_CLASSES:
                program._load_scenario(
                    copy.deepcopy(self.row["initial_config"].get(name, {})),
                    long_context="long_context" in self.category,
                )
            yield program


def _tool(document: Mapping[str, Any], method: Any) -> Tool:
    # A method takes no other arguments than these, and a call with others is better told so than
    # run into a TypeError.
    closed = {**standard(document["parameters"]), "additionalProperties": False}
    parameters = tame(closed)[0]
    # The programs are the user's own; what they say is not a stranger's. All of them may run, but
    # nobody is there to say that calls may go in circles.
    return Tool.from_schema(
        document["name"],
        document["description"],
        parameters,
        partial(_ran, method),
        risk="read",
        trusted=True,
    )


def _ran(method: Any, **arguments: Any) -> Any:
    return method(**plain(arguments))


def tasks(bfcl: Bfcl, category: str) -> Iterator[Task]:
    """Every task of *category*, with the tools that it leaves in."""
    from bfcl_eval.constants.executable_backend_config import MULTI_TURN_FUNC_DOC_FILE_MAPPING

    answers = bfcl.data / "possible_answer" / f"BFCL_v4_multi_turn_{category}.json"
    due = {row["id"]: row["ground_truth"] for row in rows(answers)}
    folder = bfcl.data / "multi_turn_func_doc"
    documents = {
        name: list(rows(folder / file)) for name, file in MULTI_TURN_FUNC_DOC_FILE_MAPPING.items()
    }
    for row in rows(bfcl.data / f"BFCL_v4_multi_turn_{category}.json"):
        without = row.get("excluded_function", ())
        offered = [
            document
            for name in row["involved_classes"]
            for document in documents[name]
            if document["name"] not in without
        ]
        yield Task(row, due[row["id"]], offered)


# --- ways of asking


class Array(Xlam):
    """What people write by hand: the schemas, and "respond only with a JSON array"."""

    name = "array"

    def splice_system_prompt(self, system_prompt: str, offer: ToolOffer) -> str:
        if not offer.tools:
            return system_prompt
        listed = [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": _without_closing(plain(tool.parameters)),
            }
            for tool in offer.tools
        ]
        tools = json.dumps(listed, indent=2, ensure_ascii=False)
        return ARRAY.format(system=system_prompt, tools=tools)


def _without_closing(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "additionalProperties"}


def paradigm_of(way: str) -> ToolContextDef:
    """A paradigm, with a preset of teaching behind a slash."""
    name, _, teaching = way.partition("/")
    if name == "array":
        return Array(salvage=True)
    return get_paradigm(name, teaching=teaching or None, salvage=True)


# --- doing and judging


def drawn(way: str, draws: int) -> list[str]:
    """The names under which the conversations of *way* are kept: one, or one for each draw."""
    return [f"{way}#{number + 1}" for number in range(draws)] or [way]


async def done(endpoint: Any, way: str, task: Task, options: argparse.Namespace) -> list[Any]:
    """What a session did in each turn of *task*."""
    session = AsyncChatSession(
        endpoint,
        paradigm=paradigm_of(way.partition("#")[0]),
        system=SYSTEM,
        limits=TurnLimits(rounds=options.rounds),
        params={
            "temperature": options.temperature,
            "top_p": options.top_p,
            "max_tokens": options.tokens,
        },
        ordering="in_order",
    )
    turns: list[Any] = []
    for tools, said in task.turns():
        session.tools = tools
        result = await session.send(said)
        turns.append(_told(result))
        if options.brief and turns_right(task, turns)[0] < len(turns):
            break
    return turns


def _told(result: TurnResult) -> dict[str, Any]:
    ran = [record for record in result.calls if record.started is not None]
    return {
        "status": result.status,
        "error": str(result.error or ""),
        "calls": [{record.call.name: plain(record.call.arguments)} for record in ran],
        "said": [(message.role, message.content) for message in result.transcript],
        "rounds": result.stats.rounds,
        "reasks": result.stats.reasks,
        "failed": result.stats.failed_calls,
    }


# BFCL's checker keeps the programs of a conversation in the process, by a name: under a name that
# was given before, they go on from where they were left.
_fresh_names = (f"look_{number}" for number in itertools.count())


def turns_right(task: Task, turns: Sequence[Mapping[str, Any]]) -> tuple[int, str]:
    """How many turns are right before the first wrong one, and what is wrong with that."""
    from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker

    # One list of calls a turn: the checker looks at what they left behind, not at the rounds.
    made = [[[_source(call) for call in turn["calls"]]] for turn in turns]
    for number in range(1, len(made) + 1):
        verdict = multi_turn_checker(
            made[:number],
            list(task.due[:number]),
            dict(task.row),
            task.category,
            next(_fresh_names),
        )
        if not verdict["valid"]:
            return number - 1, str(verdict["error_type"]).partition(":")[2]
    return len(made), ""


def _source(call: Mapping[str, Mapping[str, Any]]) -> str:
    ((name, arguments),) = call.items()
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


async def do_all(options: argparse.Namespace, ways: Sequence[str], chosen: Any, kept: Kept) -> None:
    """Do what is not done yet, several tasks at a time."""
    names = [name for way in ways for name in drawn(way, options.draws)]
    left = [(name, task) for task in chosen for name in names if (name, task.id) not in kept.known]
    gate, count = asyncio.Semaphore(options.jobs), 0
    endpoint = HttpEndpoint(options.endpoint, model=options.model)

    async def one(way: str, task: Task) -> None:
        nonlocal count
        async with gate:
            turns = await done(endpoint, way, task, options)
        kept.add(way, task.id, turns)
        count += 1
        print(f"{count} of {len(left)}: {way}, {task.id}", file=sys.stderr)

    try:
        await asyncio.gather(*(one(way, task) for way, task in left))
    finally:
        await endpoint.aclose()


@dataclass(frozen=True)
class Reached:
    """How far a way came in one task, in each conversation about it."""

    task: Task
    turns: Sequence[int]
    wrong: Sequence[str]

    @property
    def mean(self) -> float:
        """How many turns are right, in the mean of the conversations."""
        return sum(self.turns) / len(self.turns)

    @property
    def due(self) -> int:
        """How many turns call for something."""
        return sum(map(bool, self.task.due))

    @property
    def right(self) -> float:
        """How many of those are right, in the mean of the conversations."""
        return sum(sum(map(bool, self.task.due[:turns])) for turns in self.turns) / len(self.turns)

    @property
    def whole(self) -> float:
        """In what share of the conversations all turns are right."""
        last = max((number for number, due in enumerate(self.task.due, 1) if due), default=0)
        return sum(turns >= last for turns in self.turns) / len(self.turns)


def reached(names: Sequence[str], chosen: Sequence[Task], kept: Kept) -> dict[str, Reached]:
    """How far a way came in each task that it was asked under all its *names*, by the task's id."""
    far = {}
    for task in chosen:
        led = [kept.known.get((name, task.id)) for name in names]
        if all(turns is not None for turns in led):
            turns, wrong = zip(*(turns_right(task, turns) for turns in led), strict=True)
            far[task.id] = Reached(task, turns, wrong)
    return far


def by_story(pairs: Iterable[tuple[Task, Sequence[float]]]) -> list[tuple[float, ...]]:
    """The figures of the tasks, added up for each story."""
    stories: dict[str, list[Sequence[float]]] = {}
    for task, figures in pairs:
        stories.setdefault(task.story, []).append(figures)
    return [tuple(map(sum, zip(*told, strict=True))) for told in stories.values()]


def versus(one: Mapping[str, Reached], other: Mapping[str, Reached]) -> str:
    """In how many tasks *one* came further, and in how many less far; and the turns it gained."""
    both = [(one[id], other[id]) for id in one if id in other]
    changes = [(left.mean > right.mean) - (left.mean < right.mean) for left, right in both]
    sums = by_story(
        (left.task, (change, left.right - right.right, left.due))
        for (left, right), change in zip(both, changes, strict=True)
    )
    chance = by_coins([change for change, _, _ in sums if change])
    turns = by_drawing([(gained, count) for _, gained, count in sums], "+")
    return f"{changes.count(1)} / {changes.count(-1)} (p={chance:.2g}), turns {turns}"


def by_drawing(sums: Sequence[tuple[float, ...]], sign: str = "", times: int = 4_000) -> str:
    """A share in points, and between what it lies when the stories are drawn again and again."""
    if not sums:
        return "none"
    draw = random.Random(0)

    def points(drawn: Sequence[tuple[float, ...]]) -> float:
        part, of = map(sum, zip(*drawn, strict=True))
        return 100 * part / max(of, 1)

    lots = sorted(points(draw.choices(sums, k=len(sums))) for _ in range(times))
    low, high = lots[times // 40], lots[-times // 40]
    return f"{points(sums):{sign}.1f} ({low:{sign}.1f} to {high:{sign}.1f})"


def by_coins(changes: Sequence[float], throws: int = 20_000) -> float:
    """How often a coin for the sign of each of *changes* makes a sum as large as theirs."""
    coin, wanted = random.Random(0), abs(sum(changes))
    hits = sum(
        abs(sum(change if coin.random() < 0.5 else -change for change in changes)) >= wanted
        for _ in range(throws)
    )
    return (hits + 1) / (throws + 1)


def print_table(
    ways: Sequence[str], chosen: Sequence[Task], kept: Kept, draws: int = 0, show: bool = False
) -> None:
    """A row for each way, and how it differs from the first by the same tasks."""
    far = {way: reached(drawn(way, draws), chosen, kept) for way in ways}
    print("| way | done | tasks right | turns right | against the first: further / less far |")
    print("|---|---|---|---|---|")
    for way, tasks in far.items():
        whole = by_drawing(by_story((each.task, (each.whole, 1)) for each in tasks.values()))
        turns = by_drawing(by_story((each.task, (each.right, each.due)) for each in tasks.values()))
        told = versus(tasks, far[ways[0]]) if way != ways[0] else ""
        print(f"| {way} | {len(tasks)} | {whole} | {turns} | {told} |")
    if show:
        for way, tasks in far.items():
            wrong = Counter(each for task in tasks.values() for each in task.wrong)
            print(f"\n{way}: {dict(wrong.most_common())}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--endpoint", help="an OpenAI-style base URL; without: judge what is kept")
    parser.add_argument("--model", default="default")
    parser.add_argument("--ways", default="json_strict,json_strict/classic,array")
    parser.add_argument(
        "--categories", default="base", help=f"all, or some of {','.join(CATEGORIES)}"
    )
    parser.add_argument("--half", choices=("develop", "held", "all"), default="all")
    parser.add_argument("--limit", type=int, help="tasks in all")
    parser.add_argument("--rounds", type=int, default=12, help="requests a turn")
    parser.add_argument("--tokens", type=int, default=384, help="how long a reply may be")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument("--draws", type=int, default=0, help="conversations about each task")
    parser.add_argument("--brief", action="store_true", help="end behind the first wrong turn")
    parser.add_argument("--jobs", type=int, default=8, help="tasks at a time")
    parser.add_argument("--out", type=Path, default=Path("bfcl-turns"))
    parser.add_argument("--show", action="store_true", help="what went wrong how often")
    options = parser.parse_args()
    if options.draws and not options.temperature:
        parser.error("--draws needs a --temperature: greedy conversations are all alike")
    ways, bfcl = options.ways.split(","), Bfcl()
    categories = CATEGORIES if options.categories == "all" else options.categories.split(",")
    if unknown := set(categories) - set(CATEGORIES):
        parser.error(f"no such category: {', '.join(sorted(unknown))}")
    wanted = {"develop": (False,), "held": (True,), "all": (False, True)}[options.half]
    every = (task for category in categories for task in tasks(bfcl, category))
    chosen = [task for task in every if task.is_held_out in wanted][: options.limit]
    kept = Kept(options.out / "tasks.jsonl")
    for way in ways:
        paradigm_of(way)  # a name that is not one is told before the first request
    if options.endpoint:
        try:
            asyncio.run(do_all(options, ways, chosen, kept))
        except KeyboardInterrupt:
            print("stopped; the same command goes on from here", file=sys.stderr)
    print_table(ways, chosen, kept, options.draws, options.show)


if __name__ == "__main__":
    main()
