"""A grammar for llama.cpp, in its GBNF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .automaton import table
from .charset import Ranges, complement, holds, minus
from .ir import Chars, Choice, Grammar, Literal, Node, Repeat, Rule, Sequence, Without
from .order import used_rules

__all__ = ["gbnf", "written_rules"]


def gbnf(grammar: Grammar, *, lazy: bool = False) -> str:
    """*grammar* in GBNF; *lazy*: from a call's beginning on, for a service that waits for it."""
    root = grammar.calls if lazy else grammar.root
    return "\n".join(f"{name} ::= {said}" for name, said in written_rules(root, grammar)) + "\n"


def written_rules(root: Node, grammar: Grammar) -> Iterator[tuple[str, str]]:
    """Each rule that *root* needs, by name; the first is called ``root``."""
    writer = _Writer()
    yield "root", writer.written(root)
    for name in used_rules(root, grammar.rules):
        yield name, writer.written(grammar.rules[name])
    yield from writer.tables()


class _Writer:
    """Writes nodes, and remembers the tables that they need rules for."""

    def __init__(self) -> None:
        self._tables: dict[Without, str] = {}

    def written(self, node: Node, inside: bool = False) -> str:
        """*node*; *inside* something that its parts must not fall apart in."""
        match node:
            case Literal(text):
                return _quoted(text)
            case Chars(ranges):
                return character_class(ranges)
            case Sequence(parts):
                said = " ".join(self.written(part, True) for part in parts) or '""'
                return f"({said})" if inside and len(parts) > 1 else said
            case Choice(options):
                said = " | ".join(self.written(option) for option in options)
                return f"({said})" if inside else said
            case Repeat(part, least, most):
                return f"{self._repeated(part)}{_counts(least, most)}"
            case Rule(name):
                return name
            case Without():
                name = self._tables.setdefault(node, f"raw{len(self._tables)}")
                return f"{name}-0"
        raise AssertionError(node)

    def _repeated(self, part: Node) -> str:
        said = self.written(part, True)
        return f"({said})" if isinstance(part, Repeat) else said

    def tables(self) -> Iterator[tuple[str, str]]:
        """The rules of raw texts: one for each state."""
        for node, name in self._tables.items():
            for state, said in enumerate(_written_table(node)):
                yield f"{name}-{state}", said.replace("@", name)


@lru_cache(maxsize=256)
def _written_table(node: Without) -> tuple[str, ...]:
    """The rule of each state, with ``@`` for the name of the table: no class writes one so."""
    states = table(node)
    return tuple(
        " | ".join(
            [f"{character_class(ranges)} @-{to}" for ranges, to in steps]
            + (['""'] if state in states.ends else [])
        )
        for state, steps in enumerate(states.steps)
    )


def _counts(least: int, most: int | None) -> str:
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
    if most is None:
        return f"{{{least},}}"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}
_ODD = re.compile(r'[^ -~]|["\\]')


def _quoted(text: str) -> str:
    return f'"{_ODD.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    return _NAMED.get(found[0]) or _by_number(ord(found[0]))


def _by_number(point: int) -> str:
    # Not ``\\x``: xgrammar takes as many digits behind it as there are.
    return f"\\u{point:04X}" if point < 0x10000 else f"\\U{point:08X}"


@lru_cache(maxsize=4096)
def character_class(ranges: Ranges) -> str:
    """``[a-z]`` or ``[^a-z]``, whichever is shorter."""
    others = complement(ranges)
    if not others:
        return "[\\u0000-\\U0010FFFF]"
    if len(others) < len(ranges) or (ranges[-1][1] == 0x10FFFF and len(others) <= len(ranges)):
        return f"[^{_members(others)}]"
    return f"[{_members(ranges)}]"


def _members(ranges: Ranges) -> str:
    pieces = []
    # A hyphen that is no range stands last, where no engine takes it for one.
    lone = ((45, 45),) if holds(ranges, "-") else ()
    for first, last in minus(ranges, lone) if lone else ranges:
        pieces.append(_member(first))
        if last > first:
            pieces.append(f"-{_member(last)}" if last > first + 1 else _member(last))
    return "".join(pieces) + ("-" if lone else "")


def _member(point: int) -> str:
    character = chr(point)
    if character in "]^[@" or not 32 <= point < 127:
        return _NAMED.get(character) or _by_number(point)
    return _NAMED.get(character) or character
