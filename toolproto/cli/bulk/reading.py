"""What is asked of every reply: how to read it, and where in a row it stands."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...tools.spec import ToolOffer

__all__ = ["ANY", "MAX_ROW", "Fields", "Reading", "too_long"]

#: Instead of a paradigm's name: every form that is known, for the tools on offer only.
ANY = "any"
#: A longer row is reported and passed over. No reply comes near; a worker needs some ten times it.
MAX_ROW = 16 * 1024 * 1024
#: What a row of ours holds; no kept column may be called so.
OWN_KEYS = frozenset(
    {"source", "row", "id", "outcome", "calls", "problems", "text", "reasoning", "reason"}
)


def too_long(limit: int) -> str:
    """What is said of a row that is not read for its length."""
    return f"longer than {limit:,} bytes (--max-row-bytes)"


@dataclass(frozen=True, slots=True)
class Fields:
    """Where in a row things stand: names of fields, or paths as in ``choices.0.text``.

    *keep* are further fields to be carried through: the name each gets, and where it stands.
    """

    reply: str = "reply"
    id: str | None = None
    tools: str | None = None
    paradigm: str | None = None
    finish_reason: str | None = None
    keep: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if taken := [name for name, _ in self.keep if name in OWN_KEYS]:
            raise UsageError(
                f"a kept column cannot be called {taken[0]!r}, a result is called so; "
                f"give it another name: --keep my_{taken[0]}={taken[0]}"
            )

    @property
    def kept_names(self) -> list[str]:
        """What the fields are called that are carried through."""
        return [name for name, _ in self.keep]

    @property
    def paths(self) -> list[str]:
        """Every field that is looked at."""
        asked = (self.reply, self.id, self.tools, self.paradigm, self.finish_reason)
        return [path for path in asked if path] + [path for _, path in self.keep]


@dataclass(frozen=True, slots=True)
class Reading:
    """How replies are read.

    *offer* names the tools; without any, names and arguments are not checked. *finish_reason* is
    why the replies ended, where a row does not say. With *packed* the output is compressed. A row
    of more than *max_row* bytes is reported and not read.
    """

    paradigm: str = "json_strict"
    offer: ToolOffer = field(default_factory=ToolOffer)
    salvage: bool = False
    check: bool = True
    starts_in_thinking: bool = False
    finish_reason: str | None = None
    fields: Fields = field(default_factory=Fields)
    max_row: int = MAX_ROW
    packed: bool = False

    def __post_init__(self) -> None:
        if self.paradigm == ANY and not self.offer.tools and self.fields.tools is None:
            raise UsageError(
                "'any' reads calls of known tools only; say which with --tools or --tools-field"
            )
        if self.paradigm == ANY and (self.finish_reason or self.fields.finish_reason):
            raise UsageError(
                "'any' reads every reply as whole; leave finish reasons out, or name a paradigm"
            )
        if self.max_row < 1:
            raise UsageError(f"max_row is {self.max_row}; a row has one byte or more")

    def told(self) -> dict[str, Any]:
        """All of it as JSON, for a journal: the same for the same output."""
        tools = [[tool.name, tool.description, tool.parameters] for tool in self.offer.tools]
        fields = self.fields
        return {
            "paradigm": [self.paradigm, _digest_of_file(self.paradigm)],
            "tools": hashlib.sha256(json.dumps(tools).encode()).hexdigest(),
            "salvage": self.salvage,
            "check": self.check,
            "starts_in_thinking": self.starts_in_thinking,
            "finish_reason": self.finish_reason,
            "field": fields.reply,
            "id_field": fields.id,
            "tools_field": fields.tools,
            "paradigm_field": fields.paradigm,
            "finish_reason_field": fields.finish_reason,
            "keep": [list(pair) for pair in fields.keep],
            "max_row": self.max_row,
            "packed": self.packed,
        }


def _digest_of_file(name: str) -> str:
    """What is in the file of that *name*; nothing, where it is a paradigm's."""
    if not name.endswith(".py"):
        return ""
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()
