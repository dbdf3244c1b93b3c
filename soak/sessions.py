"""A hundred thousand steps through sessions, in any order: does every invariant hold?

    python -m soak.sessions [--steps 100000] [--seed 1] [--jobs 2] [--seconds 230 --kept s.jsonl]

Half of the steps go through a ChatSession, half through an AsyncChatSession. Prints the
steps that broke something, and exits with 1 if there were any. What was done is kept, so that a
run that was stopped after *seconds* goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path

from hypothesis import HealthCheck, Phase, core, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.conversation.session.test_stateful import AsyncSessionMachine, SessionMachine

_MACHINES: dict[str, type[SessionMachine]] = {
    "sync": SessionMachine,
    "async": AsyncSessionMachine,
}
# One block; its seed says all about it, so that a failure can be had again by itself.
_EXAMPLES = 10
_LENGTH = 50


@dataclass(slots=True)
class Findings:
    """How many steps were taken, and what each broken block has to say."""

    steps: Counter[str] = field(default_factory=Counter)
    tally: Counter[str] = field(default_factory=Counter)
    broken: dict[str, str] = field(default_factory=dict)

    def join(self, other: Findings) -> None:
        self.steps += other.steps
        self.tally += other.tally
        self.broken |= other.broken


_PARTS = fields(Findings)


def block(job: tuple[str, int]) -> Findings:
    """Walk through some sessions of one kind."""
    kind, seed = job
    machine, found = _MACHINES[kind], Findings()
    machine.tally.clear()
    core.global_force_seed = seed  # what pytest's --hypothesis-seed sets
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=_EXAMPLES,
                stateful_step_count=_LENGTH,
                deadline=None,
                database=None,
                # A walk that broke something is printed as it was: shrinking one that waits for
                # threads takes minutes, and another seed often finds a shorter one.
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )
    except BaseException as error:  # anything that escapes is a finding, a group of them, too
        told = "".join(traceback.format_exception(error))
        found.broken[f"{kind} seed {seed} {type(error).__name__}"] = told
    found.steps[kind] += machine.tally["steps"]
    found.tally += machine.tally
    return found


def _gone_on(kept: Path, found: Findings) -> int:
    """Take what an earlier run found into *found*; the seed to go on with."""
    told = json.loads(kept.read_text(encoding="utf-8"))
    found.join(Findings(Counter(told["steps"]), Counter(told["tally"]), told["broken"]))
    return int(told["seed"])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--kept", type=Path, help="what was done before, and now")
    given = options.parse_args()
    found, began, seed = Findings(), time.monotonic(), given.seed * 1_000_000
    if given.kept and given.kept.exists():
        seed = _gone_on(given.kept, found)
    with ProcessPoolExecutor(given.jobs) as pool:
        while min(found.steps[kind] for kind in _MACHINES) < given.steps // 2:
            if time.monotonic() - began > given.seconds:
                break
            kinds = [kind for kind in _MACHINES if found.steps[kind] < given.steps // 2]
            jobs = [(kind, seed + at) for at in range(given.jobs) for kind in kinds]
            for part in pool.map(block, jobs):
                found.join(part)
            seed += given.jobs
            if given.kept:
                told = {"seed": seed, **{each.name: getattr(found, each.name) for each in _PARTS}}
                given.kept.write_text(json.dumps(told), encoding="utf-8")
            told = f"{found.steps.total():,} of {given.steps:,} steps"
            print(f"{told}, {len(found.broken)} failures", file=sys.stderr, flush=True)
            if len(found.broken) > 8:
                break
    for key, message in found.broken.items():
        print(f"--- {key}\n{message[:3000]}\n…\n{message[-3000:]}")
    print(", ".join(f"{count:,} {what}" for what, count in sorted(found.tally.items())))
    print(", ".join(f"{count:,} {kind} steps" for kind, count in found.steps.items()), end="; ")
    print(f"{len(found.broken)} blocks with failures; {time.monotonic() - began:.0f} s")
    return bool(found.broken)


if __name__ == "__main__":
    sys.exit(main())
