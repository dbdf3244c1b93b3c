"""Whether holding values against a schema may take long, whatever the values."""

from __future__ import annotations

from typing import Any

from ..errors import UsageError
from .schema import resolve, subschemas

__all__ = ["is_wide"]

# Schemas that a value may be held against, those behind references counted each time. Most tools
# have fewer than thirty; mending may visit each of them once for each level of nesting.
_WIDE = 100
_MOST_CHOICES = 1_000


def is_wide(root: Any) -> bool:
    """Whether *root*, a schema, leads to more schemas or choices than a check passes quickly."""
    pending, seen = [root], 0
    while pending:
        schema = pending.pop()
        seen += 1
        if seen + len(pending) > _WIDE:
            return True
        if not isinstance(schema, dict):
            continue
        if len(schema.get("enum", ())) > _MOST_CHOICES:
            return True
        if "$ref" in schema:
            try:
                pending.append(resolve(schema["$ref"], root))
            except UsageError:
                return True
        pending += (each for _, each in subschemas(schema))
    return False
