"""A grammar in the words of some engine, and what those words cannot say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from .ebnf import ebnf
from .gbnf import gbnf
from .ir import Grammar, LeftOut
from .json_schema import UNHEEDED, json_schema
from .lark import lark
from .structural_tag import structural_tag

__all__ = ["RENDERINGS", "Rendering", "render"]


@dataclass(frozen=True, slots=True)
class Rendering:
    """*value* is text, or JSON for a service that takes it; *left_out* is what it does not say."""

    name: str
    value: Any
    left_out: tuple[LeftOut, ...] = ()


def _as_schema(grammar: Grammar) -> Rendering | None:
    made = json_schema(grammar)
    return None if made is None else Rendering("json_schema", made, UNHEEDED)


def _plain(name: str, write: Callable[[Grammar], Any]) -> Callable[[Grammar], Rendering | None]:
    return lambda grammar: Rendering(name, write(grammar), grammar.left_out)


#: By name: GBNF for llama.cpp, Lark for llguidance, EBNF for xgrammar, structural tags for vLLM and
#: SGLang, and a JSON Schema where the whole reply is one JSON value.
RENDERINGS: dict[str, Callable[[Grammar], Rendering | None]] = {
    "gbnf": _plain("gbnf", gbnf),
    "lark": _plain("lark", lark),
    "ebnf": _plain("ebnf", ebnf),
    "structural_tag": _plain("structural_tag", structural_tag),
    "json_schema": _as_schema,
}


def render(grammar: Grammar, name: str) -> Rendering | None:
    """*grammar* in the rendering called *name*; None where that cannot say it."""
    if name not in RENDERINGS:
        raise UsageError(f"there is no rendering {name!r}; the renderings are {list(RENDERINGS)}")
    return RENDERINGS[name](grammar)
