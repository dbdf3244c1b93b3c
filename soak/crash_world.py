"""The world of a story outside its session: what is asked for, what tools do, who said yes to what.

What a tool did is a line in a file that no store knows of. What the user was told, and what was
allowed, is one, too. Everything else (what is asked for, in how many calls, what is allowed)
follows from a seed.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolproto import Allow, ApprovalRequest, ChatRequest, Deny, tool
from toolproto.protocol.deciding.pins import pin_of
from toolproto.protocol.tools.context import ToolContext
from toolproto.protocol.tools.define import Risk, Tool

__all__ = ["TASK", "World", "booking", "model_of", "tools_of", "verdict"]

TASK = re.compile(r"task (\d+)")
_LABEL = re.compile(r'"step": "(\d+-\d+)"')
_RISKS: tuple[Risk, ...] = ("write", "egress", "exec")


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

    @property
    def is_patient(self) -> bool:
        """Whether the user waits for all that was begun before asking for more."""
        return self.seed % 2 == 0

    def tasks(self) -> list[list[tuple[str, str]]]:
        """What the user asks for, one message each: tools, and the steps they are to take."""
        rng = random.Random(self.seed)
        return [
            [
                (rng.choice(("pay", "put", "book", "book")), f"{at}-{n}")
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

    def allow(self, request: ApprovalRequest, always: bool) -> None:
        """Write down that *request* is answered with yes, before anybody can know."""
        assert request.pin is not None
        self.note("allowed", "always" if always else request.call.id, request.pin.digest)

    def was_allowed(self, id: str, made: Tool) -> bool:
        """Whether somebody said yes to the call *id*, or to all, of the tool as it is."""
        pin = pin_of(made).digest
        return any([each, pin] in self.notes("allowed") for each in (id, "always"))


def verdict(step: str) -> Allow | Deny:
    """What is decided about a call that waits: two thirds may run, and some of them for good."""
    number = sum(map(ord, step))
    return Deny("not this one") if number % 3 == 0 else Allow(always=number % 7 == 0)


def model_of(world: World) -> Callable[[ChatRequest], Iterator[str]]:
    """The model: it asks for the next steps of the last task that it has not asked for yet."""
    tasks = world.tasks()

    def model(request: ChatRequest) -> Iterator[str]:
        said = [m.content for m in request.messages if m.role == "user"]
        task = [int(found[1]) for found in map(TASK.match, said) if found][-1:]
        asked = {step for m in request.messages for step in _LABEL.findall(m.content)}
        left = [each for number in task for each in tasks[number] if each[1] not in asked]
        if not left:
            yield f"That was {task}."
        for name, step in left[: 1 + len(left) % 3]:
            yield f'Now {name}.\n<tool_code>{{"name": "{name}", '
            yield f'"arguments": {{"step": "{step}"}}}}</tool_code>\n'

    return model


def tools_of(world: World) -> list[Tool]:
    """The tools: nobody is asked about two of them, and the third is another one now and then."""

    @tool(risk="write", needs_approval=False, ordering="in_order")
    def pay(step: str, context: ToolContext) -> str:
        return _done(world, "pay", step, context)

    @tool(risk="write", needs_approval=False, idempotent=True)
    def put(step: str, context: ToolContext) -> str:
        return _done(world, "put", step, context)

    return [pay, put, booking(world)]


def booking(world: World) -> Tool:
    """The tool that is asked about, as it is now: each change changes one part, for good."""

    @tool
    def book(step: str, context: ToolContext) -> str:
        if not world.was_allowed(context.call_id, made):
            world.note("unasked", step)
        return _done(world, "book", step, context)

    changes = len(world.notes("changes"))
    parameters = {**book.spec.parameters, "description": f"As of {changes // 3}."}
    spec = replace(book.spec, description=f"As of {(changes + 1) // 3}.", parameters=parameters)
    made = replace(book, spec=spec, risk=_RISKS[(changes + 2) // 3 % 3])
    return made


def _done(world: World, name: str, step: str, context: ToolContext) -> str:
    world.note("effects", name, step, context.call_id)
    time.sleep(sum(map(ord, step)) % 5 / 1000)  # so that some are killed in the middle
    return f"{name} {step} done"
