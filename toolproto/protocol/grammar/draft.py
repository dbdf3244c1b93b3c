"""A grammar while it is being made: its rules, what it leaves out, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from ..schemas.work import TooMuchWork, Work
from ..tools.spec import ToolSpec
from .charset import minus, of
from .ir import (
    EMPTY,
    NOTHING,
    Chars,
    Choice,
    LeftOut,
    Literal,
    Node,
    Rule,
    either,
    joined,
    maybe,
    text,
    times,
)
from .notation import Notation, TextForm
from .numbers import Bounds, integers, numbers

__all__ = ["CALLS_AT_ONCE", "GrammarDraft", "sign"]

#: Parts of schemas that one grammar looks at: a few milliseconds for usual tools, and a bound for
#: unusual ones. An engine would choke on more.
_VISITS = 20_000
_MOST_LEFT_OUT = 100
#: Calls that one reply may hold. Small models go on and on.
CALLS_AT_ONCE = 16
#: How deep values are nested of which the schema says nothing.
_DEPTH = 4
#: llguidance refuses what is nested deeper than some thirty brackets.
_STEPS_NESTED = 8
#: Nodes that need no rule of their own.
_SHORT = (Literal, Chars, Rule)


class GrammarDraft:
    """Collects rules; a node that was seen before becomes the rule it was then."""

    def __init__(self, tools: Iterable[ToolSpec] = ()) -> None:
        #: The names of all arguments of all tools.
        self.keys = tuple(dict.fromkeys(str(key) for tool in tools for key in tool.properties))
        self.rules: dict[str, Node] = {}
        self._left_out: dict[tuple[str, str, str], None] = {}
        self.work = Work(_VISITS)
        self._names: dict[Node, Rule] = {}
        self._shared: dict[tuple[Notation, str], Node] = {}

    def rule(self, hint: str, node: Node) -> Node:
        """*node* by name; what is short stays as it is."""
        if type(node) in _SHORT or node is EMPTY or node is NOTHING:
            return node
        known = self._names.get(node)
        if known is None:
            name = hint if hint not in self.rules else f"{hint}-{len(self.rules)}"
            self.rules[name] = node
            known = self._names[node] = Rule(name)
        return known

    def leave_out(self, where: str, what: str, why: str = "") -> None:
        """Note what the grammar does not demand."""
        if len(self._left_out) < _MOST_LEFT_OUT:
            self._left_out[where[:200], what, why] = None

    @property
    def labels(self) -> int:
        """How much was noted."""
        return len(self._left_out)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What the grammar does not demand."""
        return tuple(LeftOut(*each) for each in self._left_out)

    def spend(self, visits: int = 1) -> bool:
        """Pay for *visits*; False if that can no longer be paid."""
        try:
            self.work.spend(visits)
        except TooMuchWork:
            return False
        return True

    def _once(self, notation: Notation, what: str, make: Callable[[], Node]) -> Node:
        """The rule for *what* in *notation*, made when it is first needed."""
        if (notation, what) not in self._shared:
            self._shared[notation, what] = self.rule(f"{notation.name}-{what}", make())
        return self._shared[notation, what]

    # -- values of which no schema speaks -------------------------------------------------

    def string(self, notation: Notation) -> Node:
        """Every string."""
        return self._once(notation, "string", lambda: notation.string(TextForm()).node)

    def other_string(self, notation: Notation, avoided: str) -> Node:
        """Every string but *avoided*, in quotes.

        A small model that was shown a form copies it with its placeholder; the check refuses that.
        """
        plain, escape = notation.plain_characters, self._escape(notation)
        more = self._once(notation, "rest", lambda: times(either([plain, escape])))
        node = joined(either([plain, escape]), more)
        for first in reversed(range(0, len(avoided), _STEPS_NESTED)):
            steps = avoided[first : first + _STEPS_NESTED]
            node = _other(steps, node, plain, escape, more)
            node = self.rule("other", node) if first else node
        return joined(text('"'), node, text('"'))

    def _escape(self, notation: Notation) -> Node:
        return self._once(notation, "escape", lambda: notation.escapes)

    def integer(self, notation: Notation) -> Node:
        """Every whole number."""
        return self._once(notation, "integer", lambda: notation.plain(integers(Bounds())))

    def number(self, notation: Notation) -> Node:
        """Every number."""
        return self._once(notation, "number", lambda: notation.plain(numbers(Bounds())))

    def anything(self, notation: Notation, depth: int = _DEPTH) -> Node:
        """Every value that is not nested deeper than *depth*."""
        return self._once(notation, f"value-{depth}", lambda: self._value(notation, depth))

    def _value(self, notation: Notation, depth: int) -> Node:
        for each in notation.never_said:
            self.leave_out("any value", each)
        words = [sign(word, notation) for word in notation.words]
        scalar = either([self.string(notation), self.number(notation), *words])
        if depth == 0:
            return scalar
        inner = self.anything(notation.inner, depth - 1)
        containers = [self.listed(inner, notation), self.mapping(inner, notation)]
        return either([scalar, *containers])

    def listed(
        self, item: Node, notation: Notation, least: int = 0, most: int | None = None
    ) -> Node:
        """A list of *least* to *most* items."""
        comma = sign(notation.comma, notation)
        inside = separated(item, comma, least, most)
        return joined(sign("[", notation), inside, sign("]", notation))

    def mapping(self, item: Node, notation: Notation) -> Node:
        """An object with any keys."""
        comma = sign(notation.comma, notation)
        # No grammar can tell that a key was there before.
        self.leave_out("an object of any keys", "distinct keys")
        inner = notation.inner
        named = self._once(inner, "key", lambda: inner.any_key)
        key = joined(named, sign(inner.colon, inner))
        member = self.rule(f"{notation.name}-member", joined(key, item))
        inside = separated(member, comma)
        return joined(sign("{", notation), inside, sign("}", notation))

    def record(self, members: list[tuple[Node, bool]], notation: Notation) -> Node:
        """An object with *members* in this order, those that are not required left out or not."""
        inside = self.ordered(members, sign(notation.comma, notation))
        return joined(sign("{", notation), inside, sign("}", notation))

    def ordered(self, members: list[tuple[Node, bool]], comma: Node) -> Node:
        """*members* in this order with *comma* between them."""
        first = next((at for at, (_, required) in enumerate(members) if required), None)
        if first is None:
            return self._all_optional([node for node, _ in members], comma)
        before = [maybe(joined(node, comma)) for node, _ in members[:first]]
        behind = [
            joined(comma, node) if required else maybe(joined(comma, node))
            for node, required in members[first + 1 :]
        ]
        return joined(*before, members[first][0], *behind)

    def _all_optional(self, nodes: list[Node], comma: Node) -> Node:
        tail: Node = EMPTY
        options: list[Node] = []
        for each in reversed(nodes):
            node = self.rule("member", each)
            options.append(joined(node, tail))
            tail = self.rule("members", joined(maybe(joined(comma, node)), tail))
        return maybe(either(reversed(options)))


@lru_cache(maxsize=512)
def sign(said: str, notation: Notation) -> Node:
    """A bracket, a comma or a word of *notation*."""
    return notation.plain(text(said))


@lru_cache(maxsize=512)
def _other(avoided: str, node: Node, plain: Chars, escape: Node, more: Node) -> Node:
    """A text that does not begin with *avoided*, or does, and then *node* follows."""
    for character in reversed(avoided):
        other = Chars(minus(plain.ranges, of(character)))
        options = joined(either([other, escape]), more), joined(Literal(character), node)
        node = maybe(Choice(options))
    return node


def separated(item: Node, comma: Node, least: int = 0, most: int | None = None) -> Node:
    """*item*, *least* to *most* times, with *comma* between."""
    if most == 0:
        return EMPTY if least == 0 else NOTHING
    more = times(joined(comma, item), max(least - 1, 0), None if most is None else most - 1)
    some = joined(item, more)
    return some if least > 0 else maybe(some)


def plain_name(tool: ToolSpec) -> str:
    """The tool's name as part of a rule's."""
    return "".join(each if each.isascii() and each.isalnum() else "-" for each in tool.name)[:40]
