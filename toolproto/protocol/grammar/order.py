"""The rules that a node needs, those that others need before those that need them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .ir import Choice, Node, Repeat, Rule, Sequence

__all__ = ["used_rules"]


def used_rules(root: Node, rules: Mapping[str, Node]) -> list[str]:
    """The names of the rules that *root* needs, in their order in *rules*."""
    found = set(_named(root))
    for name in reversed([*rules]):  # each refers to earlier ones
        if name in found:
            found.update(_named(rules[name]))
    return [name for name in rules if name in found]


def _named(node: Node) -> Iterator[str]:
    pending = [node]
    while pending:
        each = pending.pop()
        match each:
            case Rule(name):
                yield name
            case Sequence(parts) | Choice(parts):
                pending.extend(parts)
            case Repeat(part):
                pending.append(part)
