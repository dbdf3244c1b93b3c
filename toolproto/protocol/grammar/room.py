"""A grammar whose replies have a chance to end before their tokens are used up.

A small model that may write any text goes round in circles inside of one, and the call is cut. So
where a request allows few tokens, texts and lists that may be of any length get a bound that lets
the call be closed. It is generous: twice as many characters as tokens is more than half of what
could be written. Raw text between tags is left alone; no engine can count it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .ir import Chars, Choice, Grammar, Node, Repeat, Rule, Sequence, either, joined

__all__ = ["fitted", "room_of"]

#: Of more tokens than this, what a model writes in circles is the smaller part, and engines take
#: long to count.
_FEW = 512
#: How far llama.cpp counts at most (2,000), with room for what stands around it.
_MOST = 800
_LIMITS = ("max_completion_tokens", "max_tokens", "n_predict", "num_predict")


def room_of(params: Mapping[str, Any]) -> int | None:
    """How many tokens a request with *params* allows, if those are few."""
    told = next((params[key] for key in _LIMITS if params.get(key) is not None), None)
    if isinstance(told, int) and not isinstance(told, bool) and 0 < told <= _FEW:
        return told
    return None


def fitted(grammar: Grammar, tokens: int) -> Grammar:
    """*grammar* with bounds on what has none, for a reply of *tokens* tokens."""
    rules: dict[str, Node] = {}
    for name, node in grammar.rules.items():
        rules[name] = _Bounded(name, tokens, rules).node(node)
    return replace(grammar, rules=rules)


class _Bounded:
    """Puts bounds into the rule called *name*; *rules* takes those that it needs beside it."""

    def __init__(self, name: str, tokens: int, rules: dict[str, Node]) -> None:
        self._name, self._tokens, self._rules = name, tokens, rules

    def node(self, node: Node) -> Node:
        match node:
            case Sequence(parts):
                return joined(*map(self.node, parts))
            case Choice(options):
                return either(map(self.node, options))
            case Repeat(part, least, None):
                most = 2 * self._tokens if _is_character(part) else self._tokens // 4
                return Repeat(self._named(self.node(part)), least, max(least, min(most, _MOST)))
            case Repeat(part, least, most):
                return Repeat(self.node(part), least, most)
        return node

    def _named(self, part: Node) -> Node:
        """*part* by name: llama.cpp refuses large counts of anything that is not short."""
        if isinstance(part, Chars | Rule):
            return part
        name = f"{self._name}-each-{len(self._rules)}"
        self._rules[name] = part
        return Rule(name)


def _is_character(node: Node) -> bool:
    options = node.options if isinstance(node, Choice) else (node,)
    return any(isinstance(option, Chars) for option in options)
