"""A grammar for llguidance, in its dialect of Lark.

All of a reply is one terminal made of others: the language is regular, and one terminal leaves
nothing for a lexer to decide. Raw texts are said as they are meant, with ``&`` and ``~``.
"""

from __future__ import annotations

from .charset import Ranges, complement
from .ir import ANYTHING, Chars, Choice, Grammar, Literal, Node, Repeat, Rule, Sequence, Without
from .order import used_rules

__all__ = ["lark"]

_ANY = r"/(?s:.*)/"


def lark(grammar: Grammar, *, lazy: bool = False) -> str:
    """*grammar* in Lark; *lazy*: only from a call's beginning on."""
    root = grammar.calls if lazy else grammar.root
    lines = ["%llguidance {}", "start: REPLY", f"REPLY: {_written(root)}"]
    for name in used_rules(root, grammar.rules):
        lines.append(f"{_name(name)}: {_written(grammar.rules[name])}")
    return "\n".join(lines) + "\n"


def _name(name: str) -> str:
    return "R_" + name.upper().replace("-", "_")


def _written(node: Node, inside: bool = False) -> str:
    match node:
        case Literal(text):
            return f"/{''.join(map(_escaped, text))}/"
        case Chars(ranges):
            return f"/{_class(ranges)}/"
        case Sequence(parts):
            said = " ".join(_written(part, True) for part in parts) or '""'
            return f"({said})" if inside and len(parts) > 1 else said
        case Choice(options):
            said = " | ".join(_written(option, True) for option in options)
            return f"({said})" if inside else said
        case Repeat(part, least, most):
            if node == ANYTHING:
                return _ANY
            said = _written(part, True)
            said = f"({said})" if isinstance(part, Repeat) else said
            return f"{said}{_counts(least, most)}"
        case Rule(name):
            return _name(name)
        case Without(form, forbidden, too):
            also = f" & ({_written(too)})" if too is not None else ""
            return f"(({_written(form)}){also} & ~({_ANY} ({_written(forbidden)}) {_ANY}))"
    raise AssertionError(node)


def _counts(least: int, most: int | None) -> str:
    simple = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if (least, most) in simple:
        return simple[least, most]
    return f"{{{least},{'' if most is None else most}}}"


def _escaped(character: str) -> str:
    point = ord(character)
    if character.isascii() and (character.isalnum() or character in '_ ",:;<>=!@#%&'):
        return character
    return f"\\x{{{point:x}}}"


def _class(ranges: Ranges) -> str:
    others = complement(ranges)
    negated = len(others) < len(ranges)
    pieces = []
    for first, last in others if negated else ranges:
        # Surrogates are no characters to Rust.
        for low, high in _without_surrogates(first, last):
            pieces.append(f"\\x{{{low:x}}}" + (f"-\\x{{{high:x}}}" if high > low else ""))
    return f"[{'^' if negated else ''}{''.join(pieces)}]" if pieces else r"(?s:.)"


def _without_surrogates(first: int, last: int) -> list[tuple[int, int]]:
    parts = [(first, min(last, 0xD7FF)), (max(first, 0xE000), last)]
    return [(low, high) for low, high in parts if low <= high]
