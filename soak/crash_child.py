"""A session that may be killed at any moment, and the world outside that remembers what it did.

What a tool did is a line in a file that no store knows of. What the user was told is one, too.
Everything else (what is asked for, in how many calls, what is approved) follows from a seed.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolproto import (
    Allow,
    AsyncChatSession,
    ChatRequest,
    ChatSession,
    Defer,
    Deny,
    ToolResult,
    tool,
)
from toolproto.conversation.stores import open_store
from toolproto.protocol.errors import SessionConflict, StoreError
from toolproto.protocol.tools.context import ToolContext

from .mortal import NEVER, Death, Mortal, die_in_commit

__all__ = ["DONE", "FAILED", "STOPPED", "World", "live", "open_session", "verdict"]

#: How a child ends that is not killed: all is done; the store did not answer; something is wrong.
DONE, STOPPED, FAILED = 0, 3, 4
_LABEL = re.compile(r'"step": "(\d+-\d+)"')
_TASK = re.compile(r"task (\d+)")
#: Of one child; a story that never ends is a finding.
_MOST_TURNS = 100
#: How long to wait for a server that comes back.
_PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class World:
    """Where one story happens: its files in *folder*, its session in the store at *url*."""

    folder: Path
    url: str
    seed: int
    result_only: bool = False

    @property
    def id(self) -> str:
        """The session's: no other story has a folder of that name."""
        return self.folder.name

    def tasks(self) -> list[list[tuple[str, str]]]:
        """What the user asks for, one message each: tools, and the steps they are to take."""
        rng = random.Random(self.seed)
        return [
            [
                (rng.choice(("pay", "pay", "put", "book")), f"{at}-{n}")
                for n in range(rng.randint(1, 7))
            ]
            for at in range(rng.randint(2, 5))
        ]

    def note(self, name: str, *words: Any) -> None:
        """Write a line down for good: nothing but a power cut takes it back."""
        target = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(target, (json.dumps(words) + "\n").encode())
        os.close(target)

    def notes(self, name: str) -> list[list[Any]]:
        """The lines that were written down."""
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def verdict(step: str) -> Allow | Deny:
    """What is decided about a call that waits: two thirds may run."""
    return Deny("not this one") if sum(map(ord, step)) % 3 == 0 else Allow()


def open_session(world: World, death: Death = NEVER, is_async: bool = False) -> Any:
    """The session of *world*, made or opened again."""
    if death.moment == "inside":
        die_in_commit(death.n)
    store = Mortal(open_store(world.url), death, world.result_only)
    options: Any = {"store": store, "id": world.id, "approver": lambda request: Defer()}
    # Every third result waits for a review, for whoever resumes.
    options["reviewer"] = _later if world.seed % 3 == 0 else None
    kind = AsyncChatSession if is_async else ChatSession
    return kind(_model(world), "xml_tag", _tools(world), **options)


def _later(result: ToolResult) -> Defer | None:
    return Defer() if sum(map(ord, result.call.arguments["step"])) % 3 == 1 else None


def live(world: World, seed: int, death: Death) -> int:
    """Take the story to its end, however far it got before; how it ended."""
    rng = random.Random(seed)
    try:
        session = open_session(world, death, rng.random() < 0.3)
        with asyncio.Runner() as runner, closing(session._keeping.log.store):
            _Life(world, rng, runner, session).go_on()
    except StoreError as error:
        world.note("errors", type(error).__name__, str(error))
        return STOPPED
    except Exception as error:  # anything else that escapes is a finding
        world.note("failures", type(error).__name__, str(error))
        return FAILED
    return DONE


@dataclass(slots=True)
class _Life:
    world: World
    rng: random.Random
    runner: asyncio.Runner
    session: Any

    def go_on(self) -> None:
        """Whatever is to be done, until nothing is."""
        tasks = self.world.tasks()
        self._note_interrupted()
        for _ in range(_MOST_TURNS):
            said = [m for m in self.session.messages if m.role == "user" and _TASK.match(m.content)]
            if self.session.interrupted and (len(said) == len(tasks) or self.rng.random() < 0.7):
                self._play(self.session.stream_resumed({}))
            elif self.session.pending and (len(said) == len(tasks) or self.rng.random() < 0.8):
                self._play(self.session.stream_resumed(self._verdicts()))
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

    def _verdicts(self) -> dict[str, Allow | Deny]:
        waiting = self.session.pending
        some = waiting if self.rng.random() < 0.7 else waiting[:1]
        return {each.call.id: _decided(each) for each in some}

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


def _decided(request: Any) -> Allow | Deny:
    """What is said of a call that waits, or of its result."""
    return Allow() if "review" in request.reason else verdict(request.call.arguments["step"])


def _model(world: World) -> Any:
    tasks = world.tasks()

    def model(request: ChatRequest) -> Iterator[str]:
        """Asks for the next steps of the last task that it has not asked for yet."""
        said = [m.content for m in request.messages if m.role == "user"]
        task = [int(found[1]) for found in map(_TASK.match, said) if found][-1:]
        asked = {step for m in request.messages for step in _LABEL.findall(m.content)}
        left = [each for number in task for each in tasks[number] if each[1] not in asked]
        if not left:
            yield f"That was {task}."
        for name, step in left[: 1 + len(left) % 3]:
            yield f'Now {name}.\n<tool_code>{{"name": "{name}", '
            yield f'"arguments": {{"step": "{step}"}}}}</tool_code>\n'

    return model


def _tools(world: World) -> list[Any]:
    def do(name: str, step: str, context: ToolContext) -> str:
        world.note("effects", name, step, context.call_id)
        time.sleep(sum(map(ord, step)) % 5 / 1000)  # so that some are killed in the middle
        return f"{name} {step} done"

    @tool(risk="write", needs_approval=False, ordering="in_order")
    def pay(step: str, context: ToolContext) -> str:
        return do("pay", step, context)

    @tool(risk="write", needs_approval=False, idempotent=True)
    def put(step: str, context: ToolContext) -> str:
        return do("put", step, context)

    @tool(risk="write")
    def book(step: str, context: ToolContext) -> str:
        return do("book", step, context)

    return [pay, put, book]
