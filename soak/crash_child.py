"""A session that may be killed at any moment, and gone on with by another process.

Calls are decided about at once or put off, the tool that is asked about changes at any time, and
the disk is full for some writes.
"""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from toolproto import (
    Allow,
    ApprovalRequest,
    AsyncChatSession,
    ChatSession,
    Defer,
    Deny,
    ToolResult,
)
from toolproto.conversation.stores import open_store
from toolproto.protocol.errors import SessionConflict, StoreError

from .crash_world import TASK, World, booking, model_of, tools_of, verdict
from .full_disks import full_disk
from .mortal import NEVER, Death, Mortal, die_in_commit

__all__ = ["DONE", "FAILED", "STOPPED", "live", "open_session"]

#: How a child ends that is not killed: all is done; the store did not answer; something is wrong.
DONE, STOPPED, FAILED = 0, 3, 4
#: Of one child; a story that never ends is a finding.
_MOST_TURNS = 100
#: How long to wait for a server that comes back.
_PATIENCE = 20.0


def open_session(
    world: World,
    death: Death = NEVER,
    is_async: bool = False,
    approver: Any = lambda request: Defer(),
    short: range = range(0),
) -> Any:
    """The session of *world*, made or opened again."""
    if death.moment == "inside":
        die_in_commit(death.n)
    full = partial(full_disk, world.url)
    store = Mortal(open_store(world.url), death, world.result_only, short, full)
    options: Any = {"store": store, "id": world.id, "approver": approver}
    # Every third result waits for a review, for whoever resumes.
    options["reviewer"] = _later if world.seed % 3 == 0 else None
    kind = AsyncChatSession if is_async else ChatSession
    return kind(model_of(world), "xml_tag", tools_of(world), **options)


def _later(result: ToolResult) -> Defer | None:
    return Defer() if sum(map(ord, result.call.arguments["step"])) % 3 == 1 else None


def live(world: World, seed: int, death: Death, is_calm: bool = False) -> int:
    """Take the story to its end, however far it got before; how it ended.

    If it *is_calm*, the disk has room.
    """
    rng = random.Random(seed)
    first = rng.randint(1, 20)
    short = (
        range(first, first + rng.randint(1, 3)) if not is_calm and rng.random() < 0.4 else range(0)
    )
    try:
        with asyncio.Runner() as runner:
            life = _Life(world, rng, runner, answers=rng.random() < 0.4)
            life.change(0.4)
            life.session = open_session(world, death, rng.random() < 0.3, life.approve, short)
            with closing(life.session._keeping.log.store):
                life.go_on()
    except StoreError as error:
        world.note("errors", type(error).__name__, str(error))
        return STOPPED
    except Exception as error:  # anything else that escapes is a finding
        world.note("failures", type(error).__name__, str(error))
        return FAILED
    return DONE


@dataclass(slots=True)
class _Life:
    """What one process does; with *answers* somebody is there who decides at once."""

    world: World
    rng: random.Random
    runner: asyncio.Runner
    answers: bool
    session: Any = None
    #: What was said of which call of which tool, in the turn that is played.
    _said: list[tuple[str, str]] = field(default_factory=list)

    def approve(self, request: ApprovalRequest) -> Allow | Deny | Defer:
        """Decide about a call, now or later; meanwhile its tool may become another one."""
        self.change(0.1)
        return self._decided(request) if self.answers else Defer()

    def change(self, chance: float) -> None:
        """Let the tool that is asked about be another one from now on, by *chance*."""
        if self.rng.random() >= chance:
            return
        self.world.note("changes")
        if self.session is not None:
            self.session.tools.remove("book")
            self.session.tools.add(booking(self.world))

    def go_on(self) -> None:
        """Whatever is to be done, until nothing is."""
        tasks = self.world.tasks()
        self._note_interrupted()
        for _ in range(_MOST_TURNS):
            said = [m for m in self.session.messages if m.role == "user" and TASK.match(m.content)]
            waits = self.world.is_patient or len(said) == len(tasks)
            if self.session.interrupted and (waits or self.rng.random() < 0.7):
                self._play(self.session.stream_resumed({}))
            elif self.session.pending and (waits or self.rng.random() < 0.8):
                verdicts = self._verdicts()
                self.change(0.2)
                self._play(self.session.stream_resumed(verdicts))
            elif len(said) < len(tasks):
                # What still waits is gone on without.
                terms: Any = {"system": "Be brief."} if self.rng.random() < 0.3 else {}
                self._play(self.session.stream(f"task {len(said)}", **terms), len(said))
            else:
                return
        raise AssertionError(f"it never ends: interrupted={self.session.interrupted}")

    def _play(self, turn: Any, number: int | None = None) -> None:
        """Play *turn*; the user sees from its first event that the message has arrived."""
        try:
            if isinstance(self.session, ChatSession):
                self._watch(turn, number)
            else:
                self.runner.run(self._awatch(turn, number))
            result = self.session.result
            if result.error is not None:
                raise result.error
        except SessionConflict:
            raise
        except StoreError as error:
            self.world.note("errors", type(error).__name__, str(error))
            if self.rng.random() < 0.5:  # another process goes on
                raise
            self._wait_for_store()
            return
        if result.status == "completed":
            self.world.note("answers", result.text)

    def _watch(self, turn: Any, number: int | None) -> None:
        with turn as events:
            for at, _ in enumerate(events):
                self._acknowledge(at, number)

    async def _awatch(self, turn: Any, number: int | None) -> None:
        async with turn as events:
            at = 0
            async for _ in events:
                self._acknowledge(at, number)
                at += 1

    def _acknowledge(self, at: int, number: int | None) -> None:
        if at == 0 and number is not None:
            self.world.note("acknowledged", number)
        if at == 0 and number is None:
            for each in self._said:
                self.world.note("answered", *each)
            self._said.clear()

    def _verdicts(self) -> dict[str, Allow | Deny]:
        waiting = self.session.pending
        some = waiting if self.rng.random() < 0.7 else waiting[:1]
        self._said.clear()
        return {each.call.id: self._decided(each, self._said) for each in some}

    def _decided(
        self, request: ApprovalRequest, said: list[tuple[str, str]] | None = None
    ) -> Allow | Deny:
        """Decide about a call that waits, or about its result."""
        if "review" in request.reason:
            return Allow()
        assert request.pin is not None
        about = (request.call.id, request.pin.digest)
        if [*about] in self.world.notes("answered"):
            self.world.note("failures", "asked again", request.call.id)
        if said is not None:
            said.append(about)
        if request.before is not None:
            self.world.note("asked again", request.call.id)
        decision = verdict(request.call.arguments["step"])
        if isinstance(decision, Allow):
            self.world.allow(request, decision.always)
        return decision

    def _note_interrupted(self) -> None:
        """What the one before left started and not done, before it is dealt with."""
        calls: dict[str, None] = {}
        for record in self.session._keeping.log.store.read(self.world.id):
            if record.kind == "started":
                calls |= dict.fromkeys(record.data["ids"])
            elif record.kind == "outcome":
                calls.pop(record.data["call"]["id"], None)
        self.world.note("interrupted", *calls)

    def _wait_for_store(self) -> None:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self.session._keeping.log.store.info(self.world.id)
                return
            except StoreError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
