"""An offer as a service takes it: schemas projected, and names given back."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2s
from itertools import compress
from typing import Any

from ..messages import Message, ToolCall
from ..schemas.compiling import Compiler, compiled
from ..tools.spec import ToolOffer, ToolSpec

__all__ = ["Projected", "Projecting", "blamed", "projected", "renamed", "short_name"]

#: All that every service has always read.
_PLAIN = frozenset(["type", "description", "properties", "required", "items", "enum"])
_HASH = 8
_MOST_KEPT = 8
#: ``tools[3].function``, ``tools.3.custom``, ``tools[0].function_declarations[3]``.
_NUMBERED = re.compile(
    r"(?:function_declarations\[|tools\[(?!\d+\]\.function_decl)|tools\.)(\d{1,4})"
)


@dataclass(frozen=True, slots=True)
class Projected:
    """What a service is sent of an offer.

    *names* leads from each name that was changed to the tool's own. *notes* say what was done to
    which tool, for a line of the log.
    """

    offer: ToolOffer
    names: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def meant(self, name: str) -> str:
        """Return the tool's own name for the *name* that the service knows."""
        return self.names.get(name, name)


def projected(offer: ToolOffer, compiler: Compiler, further: Collection[str] = ()) -> Projected:
    """Return *offer* as the service with *compiler* takes it.

    The tools named in *further* were refused all the same: of their schemas only types, choices
    and words are left. An offer in which nothing is wrong comes back as it is.
    """
    tools, names, notes = [], {}, []
    for tool in offer.tools:
        sent, why = _sent(tool, compiler, tool.name in further)
        tools.append(sent)
        if sent.name != tool.name:
            names[sent.name] = tool.name
        if why:
            notes.append(f"{tool.name}: {', '.join(why)}")
    if all(one is two for one, two in zip(tools, offer.tools, strict=True)):
        return Projected(offer)
    choice = offer.choice if offer.get(offer.choice) is None else short_name(offer.choice, compiler)
    return Projected(replace(offer, tools=tuple(tools), choice=choice), names, tuple(notes))


def _sent(tool: ToolSpec, compiler: Compiler, further: bool) -> tuple[ToolSpec, list[str]]:
    name = short_name(tool.name, compiler)
    schema, found = compiled(tool.parameters, compiler)
    notes = list(dict.fromkeys(misfit.what for misfit in found))
    if further and (least := _plain(schema)) != schema:
        schema, notes = least, ["only types, choices and words"]
    if name != tool.name:
        notes.append("its name")
    if not notes:
        return tool, []
    return ToolSpec(name, tool.description, schema), notes


def short_name(name: str, compiler: Compiler) -> str:
    """Return *name* as *compiler* allows it; one that is changed ends with a hash of the whole."""
    if len(name) <= compiler.longest and compiler.names.fullmatch(name):
        return name
    legal = re.sub(r"[^a-zA-Z0-9_]+", "_", name)
    legal = legal if re.match(r"[a-zA-Z_]", legal) else f"_{legal}"
    mark = blake2s(name.encode(), digest_size=_HASH // 2).hexdigest()
    return f"{legal[: compiler.longest - _HASH - 1]}_{mark}"


def _plain(schema: Any) -> dict[str, Any]:
    """Return the least of *schema* that says which arguments there are."""
    if not isinstance(schema, Mapping):
        return {}
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, Mapping):
            plain[key] = {name: _plain(each) for name, each in value.items()}
        elif key == "items":
            plain[key] = _plain(value)
        elif key == "type" and not isinstance(value, str):
            kinds = [kind for kind in value if kind != "null"]
            plain |= {"type": kinds[0]} if len(kinds) == 1 else {}
        elif key in _PLAIN:
            plain[key] = value
    return plain


def renamed(messages: Sequence[Message], compiler: Compiler) -> list[Message]:
    """Return *messages* whose calls and results have the names that *compiler* allows."""

    def call(each: ToolCall) -> ToolCall:
        name = short_name(each.name, compiler)
        return each if name == each.name else replace(each, name=name)

    told = []
    for message in messages:
        calls = tuple(map(call, message.calls))
        results = tuple(replace(each, call=call(each.call)) for each in message.results)
        is_same = calls == message.calls and results == message.results
        told.append(message if is_same else replace(message, calls=calls, results=results))
    return told


def blamed(error: str, offer: ToolOffer) -> frozenset[str]:
    """Return the names of the tools of *offer* that an *error* names, by name or by number."""
    words = set(re.findall(r"[\w.:/-]+", error))
    named = {name for name in offer.names if name in words}
    # Google names all of them in one list, and within that each declaration by its number.
    numbers = [int(found) for found in _NUMBERED.findall(error)]
    numbered = {offer.tools[at].name for at in numbers if at < len(offer.tools)}
    return frozenset(named or numbered)


class Projecting:
    """The offers that go to a service with *compiler*, and the tools that it refused even so."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self._further: frozenset[str] = frozenset()
        #: The last offers: those of a conversation are the same, request by request.
        self._kept: list[tuple[ToolOffer, Projected]] = []

    def sent(self, offer: ToolOffer) -> Projected:
        """Return *offer* as the service takes it."""
        for known, made in self._kept:
            if known is offer or known == offer:
                return made
        made = projected(offer, self.compiler, self._further)
        self._kept = [*self._kept[1 - _MOST_KEPT :], (offer, made)]
        return made

    def refused(self, error: str, offer: ToolOffer) -> frozenset[str]:
        """Take it that the service refused *offer* with *error*; return what is sent otherwise.

        Those are the tools that the error blames, or all if it blames none. None are left once
        each was sent with the least of its schema: the schemas are not to blame.
        """
        before = self.sent(offer).offer.tools
        names = [tool.name for tool in offer.tools]
        blame = blamed(error, ToolOffer(before))
        named = {name for name, sent in zip(names, before, strict=True) if sent.name in blame}
        for further in (named, names):
            self._further |= frozenset(further)
            self._kept = []
            after = self.sent(offer).offer.tools
            changed = [one != two for one, two in zip(before, after, strict=True)]
            if any(changed):
                return frozenset(compress(names, changed))
        return frozenset()
