"""Where a value departs from a JSON schema, found in a bounded number of steps.

This is Draft 2020-12 as far as tools use it. Left out, and so not enforced: ``format`` (an
annotation), ``$dynamicRef``, ``unevaluatedItems`` and ``unevaluatedProperties``, and patterns that
look around or refer back (see ``patterns``). One thing is stricter than the draft: ``3.0`` is
not an integer, since a tool that asks for one may count with it; ``coerce`` mends that.

Why not the ``jsonschema`` package, which the tests hold this against: a schema may be hostile. The
figures are in ``docs/decisions/0002-judge-of-values.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .faults import SchemaFault
from .json_types import is_object
from .keywords import KEYWORDS
from .schema import Schema
from .work import TooMuchWork, Work

__all__ = ["find_faults", "fits"]

# Schemas entered at once. Real arguments stay under 20; each level costs about four Python frames.
MAX_DEPTH = 100


def find_faults(value: Any, schema: Schema, root: Schema, work: Work) -> list[SchemaFault]:
    """Every way in which *value* does not fit, or the first few of many.

    References lead into *root*. Raises TooMuchWork, and UsageError for a reference that
    leads nowhere in a schema nobody checked; nothing else.
    """
    work.spend()
    try:
        return _Walk(root, work).faults(value, schema)
    except RecursionError:  # the caller's own stack was deep already
        raise TooMuchWork from None


def fits(value: Any, schema: Schema, root: Schema, work: Work) -> bool:
    """Whether *value* is what *schema* asks for."""
    return not find_faults(value, schema, root, work)


class _Walk:
    __slots__ = ("_depth", "_known", "root", "work")

    def __init__(self, root: Schema, work: Work) -> None:
        self.root, self.work, self._depth = root, work, 0
        self._known: dict[tuple[int, int], list[SchemaFault]] = {}

    def faults(self, value: Any, schema: Any) -> list[SchemaFault]:
        self.work.spend()
        if not is_object(schema):
            return [SchemaFault("false", False, value)] if schema is False else []
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise TooMuchWork
        found: list[SchemaFault] = []
        for keyword, expected in schema.items():
            check = KEYWORDS.get(keyword)
            if check is not None:
                found += check(self, expected, value, schema)
        self._depth -= 1
        return found

    def referred(self, value: Any, schema: Any) -> list[SchemaFault]:
        """The faults by a schema that is referred to, which may be from a thousand places.

        Ten references to ten references to ten are a million ways to one and the same question.
        """
        place = (id(schema), id(value))  # both outlive the walk
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = self.faults(value, schema)
        return found

    def inside(self, key: str | int, value: Any, schema: Any) -> list[SchemaFault]:
        """The faults of a member, told from where its container stands."""
        found = self.faults(value, schema)
        return [replace(fault, path=(key, *fault.path)) for fault in found] if found else found
