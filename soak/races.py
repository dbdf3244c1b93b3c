"""Two hundred approvals raced: does a call ever run twice, or one that was rejected?

    python -m soak.races [--store sqlite|postgresql] [--rounds 200] [--seed 1]

In each round several processes, with two threads each, open a session whose calls wait, and decide
at the same moment, each in its own way. Whoever is first decides. Prints what broke, and exits with
1 if anything did.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import Thread
from typing import Any

from toolproto import Allow, ChatSession, Defer, Deny, tool
from toolproto.conversation.stores import open_store
from toolproto.protocol.errors import SessionConflict, UsageError
from toolproto.protocol.tools.context import ToolContext

from .crash_world import World
from .server import PostgresServer, closing_server

__all__ = ["Race", "race"]

_SPAWN = multiprocessing.get_context("spawn")
_CALLS = 3
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Race:
    """*processes* times *threads* who decide, *rounds* times, in the store at *url*."""

    world: World
    rounds: int
    processes: int = 3
    threads: int = 2


def race(given: Race) -> tuple[Counter[str], list[str]]:
    """Run the rounds: what was counted, and what broke."""
    sides = given.processes * given.threads
    start, end = _SPAWN.Barrier(sides + 1), _SPAWN.Barrier(sides + 1)
    racers = [
        _SPAWN.Process(target=_process, args=(given, number, start, end), daemon=True)
        for number in range(given.processes)
    ]
    for each in racers:
        each.start()
    counts, faults = Counter[str](), []
    with closing(open_store(given.world.url)) as store:
        try:
            for number in range(given.rounds):
                _leave_pending(given.world, store, number)
                start.wait(_PATIENCE)
                end.wait(_PATIENCE)
                faults += list(_faults(given.world, store, number))
                counts["rounds"] += 1
        finally:
            for each in racers:
                each.terminate()
                each.join()
    counts += Counter(line[2] for line in given.world.notes("sides"))
    counts["calls run"] = len(given.world.notes("effects"))
    return counts, faults


def _session(world: World, store: Any, number: int, reply: str, side: str = "") -> ChatSession:
    @tool(risk="write")
    def book(seat: str, context: ToolContext) -> str:
        world.note("effects", number, seat, context.call_id, side)
        return "booked"

    options: Any = {"store": store, "id": f"race {world.id} {number}"}
    options["approver"] = lambda request: Defer()
    return ChatSession(lambda request: reply, "xml_tag", [book], **options)


def _leave_pending(world: World, store: Any, number: int) -> None:
    calls = "".join(
        f'<tool_code>{{"name": "book", "arguments": {{"seat": "{n}"}}}}</tool_code>'
        for n in range(_CALLS)
    )
    assert _session(world, store, number, calls).send("Book them").status == "pending"


def _process(given: Race, number: int, start: Barrier, end: Barrier) -> None:
    with closing(open_store(given.world.url)) as store:
        sides = [
            Thread(target=_side, args=(given, store, f"{number}.{n}", start, end))
            for n in range(given.threads)
        ]
        for each in sides:
            each.start()
        for each in sides:
            each.join()


def _side(given: Race, store: Any, side: str, start: Barrier, end: Barrier) -> None:
    """One who decides, round after round."""
    rng = random.Random(f"{given.world.seed} {side}")
    for number in range(given.rounds):
        late = rng.random() < 0.3  # opens it when others may have decided already
        start.wait(_PATIENCE * 2)
        if late:
            time.sleep(rng.uniform(0, 0.03))
        _decide(given.world, store, number, side, rng, start)
        end.wait(_PATIENCE * 2)


def _decide(
    world: World, store: Any, number: int, side: str, rng: random.Random, start: Barrier
) -> None:
    told: dict[str, str] = {}
    try:
        session = _session(world, store, number, "All done.", side)
        ids = [call.id for message in session.messages for call in message.calls]
        verdicts = {id: rng.choice((Allow(), Deny("no"))) for id in ids}
        told = {id: type(verdict).__name__ for id, verdict in verdicts.items()}
        result = session.resume(verdicts)
        outcome = result.status if result.error is None else type(result.error).__name__
    except (SessionConflict, UsageError) as error:
        outcome = type(error).__name__
    except Exception as error:
        outcome = f"failure {error!r}"
    world.note("sides", number, side, outcome, told)


def _faults(world: World, store: Any, number: int) -> Iterator[str]:
    """What is wrong with one round: the journal says who decided, the notes who did what."""
    begun = [each for each in store.read(f"race {world.id} {number}") if each.kind == "turn"]
    decided = [each.data["verdicts"] for each in begun if "verdicts" in each.data]
    if len(decided) != 1:
        yield f"round {number}: {len(decided)} decided"
    denied = {id for each in decided for id, told in each.items() if told["decision"] == "deny"}
    ran = Counter(id for at, _, id, _ in world.notes("effects") if at == number)
    yield from (f"round {number}: {id} ran {n} times" for id, n in ran.items() if n > 1)
    yield from (f"round {number}: {id} ran, and was rejected" for id in denied & ran.keys())
    for at, side, outcome, _ in world.notes("sides"):
        if at == number and outcome.startswith("failure"):
            yield f"round {number}: {side}: {outcome}"
    yield from _crossed(world, number)
    yield from _left_open(world, store, number)


def _crossed(world: World, number: int) -> Iterator[str]:
    """Calls that ran in the hands of one who had rejected them."""
    told = {side: words for at, side, _, words in world.notes("sides") if at == number}
    for at, _, id, side in world.notes("effects"):
        if at == number and told.get(side, {}).get(id) == "Deny":
            yield f"round {number}: {id} was run by {side}, who rejected it"


def _left_open(world: World, store: Any, number: int) -> Iterator[str]:
    session = _session(world, store, number, "All done.")
    if session.interrupted:  # two went on with the same turn, and neither to its end
        session.resume({})
    if session.pending or session.interrupted:
        yield f"round {number}: it cannot be ended"
    calls = Counter(call.id for message in session.messages for call in message.calls)
    answers = Counter(each.call.id for message in session.messages for each in message.results)
    if calls != answers:
        yield f"round {number}: {calls} and {answers}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    options.add_argument("--rounds", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    folder, began = Path(tempfile.mkdtemp(prefix="toolproto-race-")), time.monotonic()
    sqlite = nullcontext(f"sqlite:///{folder / 'sessions.db'}")
    with sqlite if given.store == "sqlite" else closing_server(PostgresServer()) as url:
        counts, faults = race(Race(World(folder, url, given.seed), given.rounds))
    shutil.rmtree(folder)
    for fault in faults[:20]:
        print(f"--- {fault}")
    print(f"{given.store}, raced approvals: {json.dumps(counts)}", end="; ")
    print(f"{len(faults)} faults; {time.monotonic() - began:.0f} s")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
