"""Sessions killed at a thousand moments and at every write: is anything lost, or done twice?

    python -m soak.crashes [--store sqlite|postgresql] [--kills 1000] [--server-kills 40]
                           [--scripts 3] [--stride 1] [--seed 1] [--jobs 2]

A story is a session that somebody kills, and somebody else goes on with, until all is done that
was asked for. On the way calls are put off and decided about later, the tool that is asked about
becomes another one, and the disk is full for some writes. What ran must have run once, and only if
somebody said yes to it, of the tool as it was then; nothing that was kept may be lost.

Children are forked from a process that has imported everything and opened nothing. The control
keeps no record of a call's start: if nothing ran twice then, the rest proves nothing. Prints what
broke, and exits with 1 if anything did.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from signal import SIGKILL
from typing import Any

from toolproto.conversation.stores import open_store

from .crash_check import postgres_faults, sqlite_faults, story_faults, tally
from .crash_child import DONE, FAILED, STOPPED, live
from .crash_world import World
from .forking import ended, forked
from .full_disks import prepare_to_be_full
from .mortal import MOMENTS, NEVER, Death
from .server import PostgresServer, closing_server, kill

CONTROL = "control, starts not written"
_BLOCK = 50
#: Of one story; then it may come to its end.
_MOST_KILLS = 6


@dataclass
class Findings:
    """How much was tried, and what broke."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def join(self, other: Findings) -> None:
        self.counts += other.counts
        self.broken += other.broken


@dataclass(frozen=True, slots=True)
class Job:
    """A block of stories in the store at *url* (each in a file of its own, if it is empty)."""

    url: str
    seed: int
    kills: int = _BLOCK
    stride: int = 1
    result_only: bool = False


# -- stories, and what is found when they are over ------------------------------------------


def _checked(world: World, server_was_killed: bool = False) -> Findings:
    """What a child finds that looks at the story when it is over."""
    name = "faults"

    def look() -> int:
        for fault in story_faults(world, server_was_killed):
            world.note(name, fault)
        return DONE

    code = ended(forked(look))
    faults = [str(line[0]) for line in world.notes(name)]
    if code != DONE:
        faults.append(f"whoever looked at it ended with {code}")
    told = f"{world.url.partition(':')[0]} story {world.seed}"
    return Findings(tally(world), [f"{told}: {fault}" for fault in faults])


@cache
def warm(url: str) -> float:
    """Return how many seconds a child is left alone at most: half of what a story takes here.

    What takes long the first time is done once, so that the children need not. When this is over,
    all its threads and connections are gone.
    """
    for seed in range(6):  # sessions of both kinds
        began = time.monotonic()
        with _world(Job(url, seed), seed) as world:
            assert live(world, seed, NEVER, is_calm=True) == DONE
    gc.collect()
    gc.freeze()
    return max(0.15, (time.monotonic() - began) / 2)


@contextmanager
def _world(job: Job, seed: int) -> Iterator[World]:
    folder = Path(tempfile.mkdtemp(prefix="toolproto-story-"))
    url = job.url or f"sqlite:///{folder / 'sessions.db'}"
    yield World(folder, url, seed, job.result_only)
    shutil.rmtree(folder)


# -- ways to cut them short -----------------------------------------------------------------


def random_kills(job: Job) -> Findings:
    """Kill the children of some stories after a while each."""
    longest = warm(job.url)
    found, seed = Findings(), job.seed
    while found.counts["kills"] < job.kills:
        rng, seed = random.Random(seed), seed + 1
        with _world(job, seed) as world:
            for at in range(_MOST_KILLS):
                child = forked(partial(live, world, seed * 100 + at, NEVER))
                code = ended(child, rng.uniform(0, longest))
                found.counts["kills"] += code == -SIGKILL
                if code in (DONE, FAILED):
                    break
            found.join(_over(world))
    return found


def every_write(job: Job) -> Findings:
    """Kill the first child of a story at each of its writes, and the second one somewhere."""
    warm(job.url)
    found = Findings()
    for moment in MOMENTS:
        for n in range(1, 1_000, job.stride):
            rng = random.Random(job.seed * 1_000 + n)
            with _world(job, job.seed) as world:
                deaths = [Death(n, moment), Death(rng.randint(1, 20), rng.choice(MOMENTS))]
                codes = [ended(forked(partial(live, world, n, death))) for death in deaths]
                found.counts["kills"] += codes.count(-SIGKILL)
                found.join(_over(world))
            if codes[0] == DONE:  # it has no more writes
                break
            found.counts[f"kills {moment} a write"] += codes[0] == -SIGKILL
    return found


def server_kills(job: Job) -> Findings:
    """Kill a server of their own under the sessions that use it."""
    longest = warm(job.url)
    server, found, seed = PostgresServer(), Findings(), job.seed
    with closing_server(server):
        _prepare(server.url())
        while found.counts["server kills"] < job.kills:
            rng, seed = random.Random(seed), seed + 1
            with _world(replace(job, url=server.url()), seed) as world:
                for at in range(_MOST_KILLS):
                    child = forked(partial(live, world, seed * 100 + at, NEVER))
                    time.sleep(rng.uniform(0, longest))
                    kill(server) if rng.random() < 0.5 else server.stop("immediate")
                    found.counts["server kills"] += 1
                    server.start()
                    if (code := ended(child)) != STOPPED:
                        break
                if code < 0:
                    found.broken.append(f"story {seed}: a child ended with {code}")
                found.join(_over(world, server_was_killed=True))
        found.broken += postgres_faults(server.url())
    return found


def _over(world: World, server_was_killed: bool = False) -> Findings:
    """Let the story come to its end, undisturbed, and look at it."""
    for _ in range(3):  # what a killed child had sent may still arrive, and be a conflict
        code = ended(forked(partial(live, world, world.seed, NEVER, is_calm=True)))
        if code != STOPPED:
            break
    found = _checked(world, server_was_killed)
    if code != DONE:
        found.broken.append(f"story {world.seed} ended with {code}: {world.notes('errors')[-1:]}")
    if world.url.startswith("sqlite"):
        found.broken += sqlite_faults(Path(world.url.removeprefix("sqlite:///")))
    return found


# -- the whole of it ------------------------------------------------------------------------


def phases(given: argparse.Namespace, url: str) -> Iterator[tuple[str, Any, list[Job]]]:
    """What is done, how, and in which blocks."""
    seed, blocks = given.seed * 10**6, range(0, given.kills, _BLOCK)
    sizes = [min(_BLOCK, given.kills - at) for at in blocks]
    stories = [Job(url, seed + at * 100, n) for at, n in zip(blocks, sizes, strict=True)]
    yield "random moments", random_kills, stories
    scripts = [Job(url, seed + 10**5 + n, stride=given.stride) for n in range(given.scripts)]
    yield "every write", every_write, scripts
    if url and given.server_kills:
        yield "server killed", server_kills, [Job(url, seed + 2 * 10**5, given.server_kills)]
    fewer = stories[: max(1, len(stories) // 4)]
    yield CONTROL, random_kills, [replace(job, result_only=True) for job in fewer]
    yield CONTROL, every_write, [replace(job, result_only=True) for job in scripts[:1]]


def run(given: argparse.Namespace, url: str) -> bool:
    """Go through the phases; whether all is well."""
    well, spawn = True, multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.jobs, spawn) as pool:
        for name, work, jobs in phases(given, url):
            if not jobs:
                continue
            found, began = Findings(), time.monotonic()
            for part in pool.map(work, jobs):
                found.join(part)
            if name == CONTROL:
                found = _judged(found)
            counts = ", ".join(f"{n:,} {what}" for what, n in sorted(found.counts.items()))
            for fault in found.broken[:20]:
                print(f"--- {fault}")
            print(
                f"{given.store}, {name}: {counts}; {len(found.broken)} faults; "
                f"{time.monotonic() - began:.0f} s",
                flush=True,
            )
            well = well and not found.broken
    return well


def _prepare(url: str) -> None:
    open_store(url).close()  # makes the tables
    prepare_to_be_full(url)


def _judged(control: Findings) -> Findings:
    """The control is as it should be if something ran twice."""
    if control.counts["repeated effects"]:
        return Findings(control.counts)
    return Findings(control.counts, ["nothing ran twice without a record of its start"])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    options.add_argument("--kills", type=int, default=1_000)
    options.add_argument("--server-kills", type=int, default=40)
    options.add_argument("--scripts", type=int, default=3, help="killed at every write")
    options.add_argument("--stride", type=int, default=1, help="take every n-th write")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    if given.store == "sqlite":
        return not run(given, "")
    with closing_server(PostgresServer()) as url:
        _prepare(url)
        well = run(given, url)
        faults = postgres_faults(url)
        print(f"postgresql, integrity: {faults or 'clean'}")
        return not well or bool(faults)


if __name__ == "__main__":
    sys.exit(main())
