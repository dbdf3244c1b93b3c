"""The tools of a request, put together one by one: what the model is offered in their place.

A model is offered functions, each with a name that no paradigm can misread. What a client calls a
tool may be something else: a name with spaces, a mode of ``tool_choice``, the member of a
namespace, a tool of a kind with calls of its own form. What is odd about one tool is tamed, and
what cannot be offered is left out; both are noted, and the others are offered all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ....protocol.errors import UsageError
from ....protocol.schemas.tame import tame
from ....protocol.schemas.work import Work
from ....protocol.tools.names import check_name
from ....protocol.tools.spec import ToolOffer, ToolSpec
from ..asked import BadRequest, ClientTool
from .reading import required, shown

__all__ = ["Offering", "ToolChoice"]

MODES = ("auto", "none", "required")
_MOST_NOTES = 32
_LONGEST_NAME = 128
_LONGEST_GIVEN = 512
_ODD = re.compile(r"[^A-Za-z0-9_.:/\-]+")

#: What taming the tools of a request may cost: 30,000 schemas, half a second at the worst.
_VISITS = 30_000
#: Agents send the same thirty tools with every request. With what each cost the first time, so
#: that it does not depend on earlier requests what becomes of a tool.
_KNOWN: dict[str, tuple[ToolSpec, tuple[str, ...], int]] = {}
_MOST_KNOWN = 1024
_LONGEST_KEPT = 64 * 1024


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """What a ``tool_choice`` demands, in the client's names.

    *named* is the one tool that must be called, *allowed* those that may be.
    """

    mode: str = "auto"
    named: str | None = None
    allowed: frozenset[str] | None = None


@dataclass(slots=True)
class Offering:
    """The tools so far."""

    specs: dict[str, ToolSpec] = field(default_factory=dict)
    #: Those that are no plain functions of the same name, by the name they are offered under.
    tools: dict[str, ClientTool] = field(default_factory=dict)
    strict: set[str] = field(default_factory=set)
    size: int = 0
    _noted: list[str] = field(default_factory=list)
    _left_out: set[str] = field(default_factory=set)
    _offered: dict[ClientTool, str] = field(default_factory=dict)
    _work: Work = field(default_factory=lambda: Work(_VISITS))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was changed or left out."""
        return tuple(self._noted)

    def note(self, what: str) -> None:
        """*what* was changed or left out."""
        if len(self._noted) < _MOST_NOTES:
            self._noted.append(what)

    def function(self, definition: Mapping[str, Any], path: str) -> None:
        """A function that *definition* names, describes and gives ``parameters``."""
        name = required(definition, "name", str, f"{path}.")
        self.add(ClientTool(name), definition.get("description"), definition.get("parameters"))
        if definition.get("strict") is True:
            self.strict.add(self._offered[ClientTool(name)])

    def add(self, tool: ClientTool, description: Any, parameters: Any) -> None:
        """*tool*, offered as a function with these *parameters*."""
        if len(tool.name) > _LONGEST_GIVEN:
            told = f"the name of a tool is longer than {_LONGEST_GIVEN} characters"
            raise BadRequest(told, "tools")
        name = self._offered.get(tool)
        if name is not None:
            self.note(f"two tools are named {shown(tool.name)}: the last is offered")
        else:
            name = self._free(tool)
            self._offered[tool] = name
        if tool != ClientTool(name):
            self.tools[name] = tool
        self.specs[name] = self._spec(name, description, parameters)

    def leave_out(self, kind: str, name: Any = None) -> None:
        """A tool of *kind*, which its client may call *name*, that cannot be offered."""
        self._left_out |= {kind, name} if isinstance(name, str) else {kind}
        self.note(f"left out {kind[:80]}: it runs on its maker's servers")

    def name_of(self, tool: ClientTool) -> str:
        """What *tool* is called here, offered now or not."""
        return self._offered.get(tool) or _usable(tool)

    def offer(self, choice: ToolChoice, parallel: bool) -> ToolOffer:
        """The tools on their terms; BadRequest for a choice that names none of them."""
        if choice.named is not None:
            named = self._chosen(choice.named, "names")
            return ToolOffer(tuple(self.specs.values()), named[0] if named else "auto", parallel)
        specs = tuple(self.specs.values())
        if choice.allowed is not None:
            kept = {name for each in choice.allowed for name in self._chosen(each, "allows")}
            specs = tuple(spec for spec in specs if spec.name in kept)
        if choice.mode == "required" and not specs:
            if not self._left_out:
                raise BadRequest("tool_choice demands a call, but there are no tools", _CHOICE)
            return ToolOffer((), "auto", parallel)
        return ToolOffer(specs, choice.mode, parallel)

    def _chosen(self, name: str, verb: str) -> list[str]:
        """What the tools are offered as that a client calls *name*."""
        tools = self._offered.items()
        found = [offered for tool, offered in tools if name in (tool.name, tool.kind)]
        if not found and name not in self._left_out:
            told = f"tool_choice {verb} {shown(name)}, which is not among the tools"
            raise BadRequest(told, _CHOICE)
        return found

    def _free(self, tool: ClientTool) -> str:
        usable = name = _usable(tool)
        number = 1
        while name in self.specs:
            number += 1
            end = f"_{number}"
            name = usable[: _LONGEST_NAME - len(end)] + end
        return name

    def _spec(self, name: str, description: Any, parameters: Any) -> ToolSpec:
        if description is not None and not isinstance(description, str):
            self.note(f"{name}: a description that is not text")
            description = None
        # The order of a schema's properties is shown to the model, so it is not sorted away.
        written = json.dumps([name, description, parameters])
        self.size += len(written)
        spec, labels, cost = _KNOWN.get(written, (None, (), 0))
        if spec is None or cost > self._work.visits:
            before = self._work.visits
            schema, labels = tame(parameters, self._work)
            spec = ToolSpec(name, description or "", schema)
            if self._work.visits >= 0:
                _keep(written, spec, labels, before - self._work.visits)
        else:
            self._work.spend(cost)
        for label in labels:
            self.note(f"{name}: {label}")
        return spec


_CHOICE = "tool_choice"


def _keep(written: str, spec: ToolSpec, labels: tuple[str, ...], cost: int) -> None:
    if len(written) > _LONGEST_KEPT:
        return
    # Another thread may drop the same one, or add one meanwhile; then there is room later.
    with suppress(RuntimeError, StopIteration):
        while len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.pop(next(iter(_KNOWN)), None)
    _KNOWN[written] = spec, labels, cost


def _usable(tool: ClientTool) -> str:
    """The name of *tool* as a model may write it."""
    name = tool.name
    if tool.namespace:
        joint = "" if tool.namespace[-1] in "_.:/-" else "__"
        name = f"{tool.namespace}{joint}{name}"
    if name in MODES:
        # What a choice of tools means by these words is no tool.
        return f"{name}_tool"
    try:
        return check_name(name)
    except UsageError:
        plain = _ODD.sub("_", name)[:_LONGEST_NAME] or "tool"
        return plain if plain[0].isalpha() or plain[0] == "_" else f"_{plain}"[:_LONGEST_NAME]
