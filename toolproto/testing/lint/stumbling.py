"""What a small model stumbles over in the definitions of tools.

Models choose a tool by its name and the first words about it, and copy what they are shown. Two
names, or two values of a choice, that differ in little are mixed up; what is not said is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from ...protocol.schemas.schema import subschemas
from ...protocol.tools.names import fold
from ...protocol.tools.spec import ToolSpec

__all__ = ["stumbles"]

#: BFCL's tools have two optional arguments on average, and few have more than eight.
_MOST_OPTIONAL = 11
_DEEPEST = 4
_MOST_TOOLS = 40
_FEWEST_WORDS = 3
#: Verbs that descriptions of tools begin with, written by hand and held against BFCL's first words.
_VERBS = frozenset(Path(__file__).with_name("verbs.txt").read_text("utf-8").split())
_WORD = re.compile(r"[a-z]+")


def stumbles(tools: Sequence[ToolSpec]) -> Iterator[tuple[str, str, str]]:
    """Give the tool, the place in its schema, and what a model stumbles over there."""
    for one, two in combinations([tool.name for tool in tools], 2):
        if _is_near(one, two):
            yield two, "", f"its name hardly differs from `{one}`"
    if len(tools) > _MOST_TOOLS:
        yield "", "", f"{len(tools)} tools in one request"
    for tool in tools:
        yield from ((tool.name, "", what) for what in _of_words(tool))
        yield from ((tool.name, place, what) for place, what in _of_schema(tool))


def _of_words(tool: ToolSpec) -> Iterator[str]:
    words = _WORD.findall(tool.description.lower())
    if not words:
        yield "it has no description"
    elif len(words) < _FEWEST_WORDS:
        yield "its description is too short to tell it from others"
    elif not any(map(_is_verb, words)):
        yield "its description has no verb: what does it do?"


def _is_verb(word: str) -> bool:
    """Return True for a verb in any of its forms: ``copy``, ``copies``, ``stopping``, ``used``."""
    stems = {word}
    for end in ("s", "es", "ed", "d", "ing"):
        stem = word.removesuffix(end)
        if stem != word:
            stems |= {stem, f"{stem}e", stem[:-1], f"{stem[:-1]}y"}
    return bool(stems & _VERBS)


def _of_schema(tool: ToolSpec) -> Iterator[tuple[str, str]]:
    optional = [name for name in tool.properties if name not in tool.required]
    if len(optional) > _MOST_OPTIONAL:
        yield "", f"{len(optional)} optional arguments"
    for missing in (name for name in tool.required if name not in tool.properties):
        yield "required", f"`{missing}` is required and not described"
    for one, two in combinations(tool.properties, 2):
        if _is_near(one, two):
            yield f"properties/{two}", f"its name hardly differs from `{one}`"
    for name, schema in tool.properties.items():
        if isinstance(schema, Mapping) and not {"description", "enum", "const"} & schema.keys():
            yield f"properties/{name}", "it has no description"
    yield from _inside(dict(tool.parameters), (), 0)


def _inside(schema: Any, place: tuple[str, ...], depth: int) -> Iterator[tuple[str, str]]:
    if not isinstance(schema, dict):
        return
    where = "/".join(place)
    depth += "properties" in schema
    if depth > _DEEPEST:
        yield where, f"objects nested more than {_DEEPEST} deep"
        return
    words = [each for each in schema.get("enum") or () if isinstance(each, str)]
    for one, two in combinations(words[:100], 2):
        if _means_the_same(one, two):
            yield where, f"`{one}` and `{two}` look as if they meant the same"
    for path, each in subschemas(schema):
        yield from _inside(each, (*place, *map(str, path)), depth)


def _means_the_same(one: str, two: str) -> bool:
    """Return True for a word and its plural, its initial, or the same in another case."""
    one, two = sorted((fold(one), fold(two)), key=len)
    if not one or not two.isalpha():
        return False
    return one == two or two in (f"{one}s", f"{one}es") or (len(one) == 1 and two[0] == one)


def _is_near(one: str, two: str) -> bool:
    """Return True if two names differ in case, in separators, or in one letter.

    A number that differs is another thing: ``x1`` and ``x2``, ``step_1`` and ``step_2``.
    """
    first, second = sorted((fold(one), fold(two)), key=len)
    if first == second:
        return True
    if len(first) < 4 or len(second) - len(first) > 1:
        return False
    pairs = enumerate(zip(first, second, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), len(first))
    rest = first[at:] if len(first) < len(second) else first[at + 1 :]
    return second[at + 1 :] == rest and not second[at].isdigit()
