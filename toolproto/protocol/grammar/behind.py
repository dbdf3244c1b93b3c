"""What may follow a text with which a node begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .charset import holds
from .ir import Chars, Choice, Literal, Node, Repeat, Rule, Sequence, either, joined, text, times

__all__ = ["behind"]


def behind(node: Node, head: str, rules: Mapping[str, Node]) -> Node:
    """What is left of the texts of *node* that begin with *head*, without it."""
    return either(rest for left, rest in _cut(node, head, rules) if not left)


def _cut(node: Node, head: str, rules: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    """What is left of *head* and of *node* when the one is taken from the other."""
    if not head:
        yield "", node
        return
    match node:
        case Literal(said):
            if said.startswith(head):
                yield "", text(said[len(head) :])
            elif head.startswith(said):
                yield head[len(said) :], text("")
        case Chars(ranges):
            if holds(ranges, head[0]):
                yield head[1:], text("")
        case Rule(name):
            yield from _cut(rules[name], head, rules)
        case Choice(options):
            for option in options:
                yield from _cut(option, head, rules)
        case Sequence(parts):
            yield from _cut_sequence(parts, head, rules)
        case Repeat():
            yield from _cut_repeat(node, head, rules)


def _cut_repeat(node: Repeat, head: str, rules: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    if node.least == 0:
        yield head, text("")
    more = times(node.part, max(node.least - 1, 0), None if node.most is None else node.most - 1)
    for left, rest in _cut(node.part, head, rules):
        if left != head:
            yield from _through(left, rest, more, rules)


def _cut_sequence(
    parts: tuple[Node, ...], head: str, rules: Mapping[str, Node]
) -> Iterator[tuple[str, Node]]:
    if not parts:
        yield head, text("")
        return
    for left, rest in _cut(parts[0], head, rules):
        yield from _through(left, rest, joined(*parts[1:]), rules)


def _through(
    left: str, rest: Node, more: Node, rules: Mapping[str, Node]
) -> Iterator[tuple[str, Node]]:
    if left:
        yield from _cut(more, left, rules)
    else:
        yield "", joined(rest, more)
