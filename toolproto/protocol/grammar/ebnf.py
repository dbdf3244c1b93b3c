"""A grammar for xgrammar (vLLM, SGLang), in its EBNF: GBNF, but for a few spellings."""

from __future__ import annotations

import re

from .gbnf import written_rules
from .ir import Grammar, Node

__all__ = ["ebnf", "ebnf_of"]


def ebnf(grammar: Grammar, *, lazy: bool = False) -> str:
    """*grammar* in EBNF; *lazy*: only from a call's beginning on."""
    return ebnf_of(grammar.calls if lazy else grammar.root, grammar)


def ebnf_of(root: Node, grammar: Grammar) -> str:
    """*root*, and what it needs of the rules of *grammar*, in EBNF."""
    rules = written_rules(root, grammar)
    return "\n".join(f"{_name(name)} ::= {_renamed(said)}" for name, said in rules) + "\n"


# Outside of strings and classes, a hyphen stands in names only.
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[^"\[]+')


def _name(name: str) -> str:
    return name.replace("-", "_")


def _renamed(said: str) -> str:
    return "".join(part if part[0] in '"[' else _name(part) for part in _PARTS.findall(said))
