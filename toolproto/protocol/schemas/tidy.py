"""A generated JSON schema without what a model has no use for.

Pydantic titles every property after its own name and leaves objects open. Each word of a schema
is paid for in every request, and an object that says which keys it has catches misnamed ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .dialect import LIST, NAMED, ONE

__all__ = ["tidy", "used_definitions"]

_NOISE = frozenset({"discriminator", "title"})


def tidy(schema: Any) -> Any:
    """A copy of *schema* without titles, its objects closed unless they say they are open."""
    if not isinstance(schema, Mapping):
        return schema
    # Only keywords are noise: a property may well be named "title".
    tidied = {
        word: _tidy_inside(word, value) for word, value in schema.items() if word not in _NOISE
    }
    if tidied.get("properties"):
        tidied.setdefault("additionalProperties", False)
    return tidied


def _tidy_inside(keyword: str, value: Any) -> Any:
    if keyword in NAMED and isinstance(value, Mapping):
        return {name: tidy(inner) for name, inner in value.items()}
    if keyword in LIST and isinstance(value, list):
        return [tidy(inner) for inner in value]
    return tidy(value) if keyword in ONE else value


def used_definitions(schema: Any, definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Those of *definitions* that *schema* leads to, in their order."""
    used: set[str] = set()
    pending = [schema]
    while pending:
        for name in _references(pending.pop()) & definitions.keys() - used:
            used.add(name)
            pending.append(definitions[name])
    return {name: inner for name, inner in definitions.items() if name in used}


def _references(schema: Any) -> set[str]:
    """The names under ``$defs`` that are referred to anywhere inside."""
    found: set[str] = set()
    pending = [schema]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            reference = each.get("$ref")
            if isinstance(reference, str):
                found.add(reference.removeprefix("#/$defs/"))
            pending.extend(each.values())
        elif isinstance(each, list):
            pending.extend(each)
    return found
