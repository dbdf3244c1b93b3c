"""The grammar that all renderings are made from: which texts a reply may be.

Every language here is regular: rules refer to earlier rules only, so no engine has to cope with
recursion, and what is nested without end in a schema is nested to a bounded depth here. Make nodes
with :func:`text`, :func:`joined`, :func:`either`, :func:`times` and :func:`chars`: they keep trees
flat, and let a part that nothing fits (:data:`NOTHING`) take away what cannot do without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..tools.spec import ToolOffer, ToolSpec
from .charset import ALL, Ranges

__all__ = [
    "ANYTHING",
    "EMPTY",
    "NOTHING",
    "AsJson",
    "Chars",
    "Choice",
    "Grammar",
    "LeftOut",
    "Literal",
    "Node",
    "Repeat",
    "Rule",
    "Sequence",
    "Without",
    "chars",
    "either",
    "joined",
    "maybe",
    "text",
    "times",
    "without",
]


# Nodes are values and are never changed. They are not frozen, and have equality and hashes of their
# own, because a grammar of fifty tools makes and looks up thousands of them: the usual ones were
# half of what it cost. A hash is made when it is first asked for.


@dataclass(slots=True, eq=False)
class Literal:
    """Exactly *text*."""

    text: str

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Literal) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)


@dataclass(slots=True, eq=False)
class Chars:
    """One character out of *ranges*."""

    ranges: Ranges

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Chars) and self.ranges == other.ranges)

    def __hash__(self) -> int:
        return hash(self.ranges)


@dataclass(slots=True, eq=False)
class Sequence:
    """All of *parts*, one after the other."""

    parts: tuple[Node, ...]
    _hash: int | None = field(default=None, init=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Sequence) and self.parts == other.parts)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(("sequence", self.parts))
        return self._hash


@dataclass(slots=True, eq=False)
class Choice:
    """One of *options*."""

    options: tuple[Node, ...]
    _hash: int | None = field(default=None, init=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Choice) and self.options == other.options)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(("choice", self.options))
        return self._hash


@dataclass(slots=True, eq=False)
class Repeat:
    """*part*, *least* to *most* times; None is as often as one likes."""

    part: Node
    least: int = 0
    most: int | None = None
    _hash: int | None = field(default=None, init=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Repeat)
            and (self.least, self.most, self.part) == (other.least, other.most, other.part)
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.part, self.least, self.most))
        return self._hash


@dataclass(slots=True, eq=False)
class Rule:
    """What the grammar's rule called *name* says."""

    name: str

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Rule) and self.name == other.name)

    def __hash__(self) -> int:
        return hash(("rule", self.name))


@dataclass(slots=True, eq=False)
class Without:
    """A text of *form* in which nothing stands that *forbidden* fits: "raw, up to its closer".

    It is also of the form *too*. All three are made of literals, characters, sequences, choices
    and repeats.
    """

    form: Node
    forbidden: Node
    too: Node | None = None
    _hash: int | None = field(default=None, init=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Without)
            and (self.form, self.forbidden, self.too) == (other.form, other.forbidden, other.too)
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.form, self.forbidden, self.too))
        return self._hash


Node = Literal | Chars | Sequence | Choice | Repeat | Rule | Without

#: The only sequence of no parts, and the only choice of no options: there is no other.
EMPTY = Sequence(())
NOTHING = Choice(())
ANYTHING = Repeat(Chars(ALL))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A demand of a tool's schema that a grammar does not make; the check of a call still does.

    *where* is the tool's name and the way into its arguments, *what* the keyword.
    """

    where: str
    what: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True, slots=True)
class AsJson:
    """How calls that are JSON make one value: *call* gives the schema of a call of a tool.

    They are *listed*, or there is only one; *inside* are the keys of the objects around them.
    """

    call: Callable[[ToolSpec], dict[str, Any]]
    listed: bool = False
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grammar:
    """The replies that one paradigm and one offer allow.

    *root* is a whole reply; *rules* are in an order in which each refers to earlier ones. *calls*
    is the part from the first call on, and *triggers* are the texts with which it begins: where
    *is_free*, words may stand before it, and a service that can wake a grammar wakes it there.
    *thoughts* may stand before everything. *offered* are the tools and terms it was made for,
    *parts* the tools that can be called, each with its calls. *as_json* says how the whole reply is
    one JSON value, if it is.
    """

    root: Node
    rules: Mapping[str, Node]
    calls: Node
    triggers: tuple[str, ...]
    is_free: bool
    thoughts: Node = EMPTY
    left_out: tuple[LeftOut, ...] = ()
    offered: ToolOffer = field(default=ToolOffer(), compare=False, repr=False)
    parts: tuple[tuple[ToolSpec, Node], ...] = field(default=(), compare=False, repr=False)
    as_json: AsJson | None = field(default=None, compare=False, repr=False)


def text(value: str) -> Node:
    """Exactly *value*."""
    return Literal(value) if value else EMPTY


def chars(ranges: Ranges) -> Node:
    """One character out of *ranges*."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return Literal(chr(ranges[0][0]))
    return Chars(ranges) if ranges else NOTHING


def joined(*parts: Node) -> Node:
    """All of *parts*; nothing if there is one that nothing fits."""
    flat: list[Node] = []
    for part in parts:
        if part is NOTHING:
            return NOTHING
        more = part.parts if type(part) is Sequence else (part,)
        if flat and more and type(more[0]) is Literal and type(last := flat[-1]) is Literal:
            # Inside of a sequence no two literals are neighbours.
            flat[-1] = Literal(last.text + more[0].text)
            flat += more[1:]
        else:
            flat += more
    if len(flat) == 1:
        return flat[0]
    return Sequence(tuple(flat)) if flat else EMPTY


def either(options: Iterable[Node]) -> Node:
    """One of *options*."""
    given = tuple(options)
    if len(given) == 1:
        return given[0]
    flat: dict[Node, None] = {}
    for option in given:
        if type(option) is Choice:
            flat.update(dict.fromkeys(option.options))
        else:
            flat[option] = None
    if len(flat) == 1:
        return next(iter(flat))
    return Choice(tuple(flat)) if flat else NOTHING


def times(part: Node, least: int = 0, most: int | None = None) -> Node:
    """*part*, *least* to *most* times."""
    if most is not None and most < least:
        return NOTHING
    if part is NOTHING:
        return EMPTY if least == 0 else NOTHING
    if most == 0 or part is EMPTY:
        return EMPTY
    return part if least == most == 1 else Repeat(part, least, most)


def maybe(part: Node) -> Node:
    """*part*, or not."""
    return times(part, 0, 1)


def without(form: Node, forbidden: Node, too: Node | None = None) -> Node:
    """A text of *form*, and of the form *too*, that holds nothing which *forbidden* fits."""
    if too in (ANYTHING, form):
        too = None
    return Without(too, forbidden) if too and form == ANYTHING else Without(form, forbidden, too)
