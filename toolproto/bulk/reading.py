"""What is asked of every reply: how to read it, and where in a row it stands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..protocol.errors import UsageError
from ..protocol.paradigms import ToolContextDef, get_paradigm
from ..protocol.tools.spec import ToolOffer
from .schema import RESULTS

__all__ = ["ANY", "AUTO", "Fields", "Reading"]

#: Instead of a paradigm's name: every form that is known, for the tools on offer only.
ANY = "any"
#: Instead of a paradigm's name: the one that suits the row's model.
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Fields:
    """Where in a row things stand: names of columns, or paths as in ``choices.0.text``.

    *messages* is a conversation of which the last thing an assistant said is read, instead of
    *reply*. *tools* are definitions in JSON, a list of them, or a name among ``Reading.offers``.
    *keep* are further columns to be carried through: the name each gets, and where it stands. A row
    that has a *fault* already is passed on with it. *calls* are native calls, for those who check
    or encode some, and *text* what was said before them.
    """

    reply: str = "reply"
    id: str | None = None
    tools: str | None = None
    paradigm: str | None = None
    finish_reason: str | None = None
    keep: tuple[tuple[str, str], ...] = ()
    messages: str | None = None
    model: str | None = None
    fault: str | None = None
    calls: str = "calls"
    text: str | None = None

    def __post_init__(self) -> None:
        # "source", "row" and "id" say where a row of a file stands.
        own = {*RESULTS, "source", "row", "id"}
        if taken := [name for name, _ in self.keep if name in own]:
            raise UsageError(
                f"a kept column cannot be called {taken[0]!r}: a column of results has that name; "
                f"give it another name: --keep my_{taken[0]}={taken[0]}"
            )

    @property
    def said(self) -> str:
        """Where the reply stands, or the conversation."""
        return self.messages or self.reply

    @property
    def kept(self) -> tuple[tuple[str, str], ...]:
        """The columns that are carried through, the id before the others."""
        return ((("id", self.id),) if self.id else ()) + self.keep

    @property
    def paths(self) -> list[str]:
        """Every column that is looked at, that of the reply first."""
        asked = (self.said, self.id, self.tools, self.paradigm, self.finish_reason, self.model)
        return [path for path in asked if path] + [path for _, path in self.keep]


@dataclass(frozen=True, slots=True)
class Reading:
    """How replies are read.

    *offer* names the tools; without any, names and arguments are not checked. *offers* are tools
    that rows refer to by a name. *finish_reason* is why the replies ended, where a row does not
    say. *load* makes the paradigm from its name; a row may name only what is installed.
    """

    paradigm: str = "json_strict"
    offer: ToolOffer = field(default_factory=ToolOffer)
    salvage: bool = False
    check: bool = True
    starts_in_thinking: bool = False
    finish_reason: str | None = None
    fields: Fields = field(default_factory=Fields)
    offers: Mapping[str, ToolOffer] = field(default_factory=dict)
    load: Callable[..., ToolContextDef] = get_paradigm

    def __post_init__(self) -> None:
        if self.paradigm == ANY and not self.offer.tools and self.fields.tools is None:
            raise UsageError(
                "'any' reads only calls of known tools; name them with --tools or --tools-field"
            )
        if self.paradigm == ANY and (self.finish_reason or self.fields.finish_reason):
            raise UsageError(
                "with 'any' every reply counts as whole; leave out the finish reasons, or name a "
                "paradigm"
            )
        if self.paradigm == AUTO and self.fields.model is None:
            raise UsageError("'auto' goes by each row's model; name its field with --model-field")

    def told(self) -> dict[str, Any]:
        """All of it as JSON, for a plan: the same for the same output."""
        fields = self.fields
        return {
            "paradigm": [self.paradigm, _digest_of_file(self.paradigm)],
            "tools": _digest(_told(self.offer)),
            "offers": _digest({name: _told(offer) for name, offer in self.offers.items()}),
            "salvage": self.salvage,
            "check": self.check,
            "starts_in_thinking": self.starts_in_thinking,
            "finish_reason": self.finish_reason,
            "field": fields.reply,
            "id_field": fields.id,
            "tools_field": fields.tools,
            "paradigm_field": fields.paradigm,
            "finish_reason_field": fields.finish_reason,
            "messages_field": fields.messages,
            "model_field": fields.model,
            "keep": [list(pair) for pair in fields.keep],
        }


def _told(offer: ToolOffer) -> list[Any]:
    return [[tool.name, tool.description, tool.parameters] for tool in offer.tools]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, default=dict).encode()).hexdigest()


def _digest_of_file(name: str) -> str:
    """What is in the file of that *name*; nothing, where it is a paradigm's."""
    if not name.endswith(".py"):
        return ""
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()
