"""What a decision about a tool holds for: the tool as it was then.

A tool may change while one of its calls waits, between two turns, or before a session is opened
again: a server describes it anew, or the program puts another one in its place. A decision about a
tool is therefore a decision about its :class:`Pin`. If the pin is another one, somebody is asked
again and shown both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields

from ..tools.define import Risk, Tool

__all__ = ["Grant", "Pin", "changes", "pin_of"]


@dataclass(frozen=True, slots=True)
class Pin:
    """A tool as somebody decided about it.

    *parameters* is its schema as JSON. *origin* is where it comes from: empty for the program's own
    tools, else the server, and a digest of all that the server said, which may be more than is
    shown.
    """

    name: str
    description: str
    parameters: str
    risk: Risk
    origin: str = ""

    @property
    def digest(self) -> str:
        """What stands for all of it, where only another pin is told from this one."""
        told = json.dumps([getattr(self, each.name) for each in fields(self)])
        return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Grant:
    """A lasting approval of the tool *pin*; with *plain_only* it is none for a doubted call."""

    pin: Pin
    plain_only: bool = False


def pin_of(tool: Tool) -> Pin:
    """Return *tool* as a decision is about it."""
    spec = tool.spec
    origin = f"{tool.origin}@{tool.pin}" if tool.origin or tool.pin else ""
    # As text it is the same whether or not it was written to a journal and read again.
    schema = json.dumps(spec.parameters, sort_keys=True, ensure_ascii=False, default=repr)
    return Pin(spec.name, spec.description, schema, tool.risk, origin)


def changes(before: Pin, now: Pin) -> Iterator[tuple[str, str, str]]:
    """Yield each part that differs: its name, what it was and what it is."""
    for part in ("risk", "description", "parameters", "origin"):
        was, is_now = getattr(before, part), getattr(now, part)
        if was != is_now:
            yield part, was, is_now
