"""Arguments that say the right thing in the wrong form, put right by their schema.

``"3"`` for an integer, a JSON string where an object is due, a lone value for an array,
``maxResults`` for ``max_results``. Each change is a :class:`Repair` that names the place, graded
*lossless* where the text allows one reading and *guessed* where it allows several. A value that
fits its schema is never touched; what cannot be put right stays as it came, for the validator
to name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..messages import Grade, Repair
from ..schemas.faults import as_array
from ..schemas.json_types import is_array, is_object, is_type, one_of, same
from ..schemas.members import known_keys
from ..schemas.schema import Schema, resolve
from ..schemas.validate import fits
from ..schemas.work import TooMuchWork, Work
from .argument_names import find_renames
from .scalars import NO_READING, READINGS, strict_json

__all__ = ["coerce"]

# Deeper values are left to the validator. It also ends a reference that leads to itself.
_MAX_DEPTH = 32
# Visits that mending one value by one schema takes as long as: eight readings may be tried.
_EACH = 3
# Choices whose spelling is compared in the time of one visit.
_CHOICES_SPELLED = 10


def coerce(
    arguments: Any,
    schema: Schema,
    *,
    work: Work | None = None,
) -> tuple[Any, tuple[Repair, ...]]:
    """*arguments* as *schema* wants them, as far as that is clear, and what had to be changed.

    Arguments that cost too much to look at come back as they are.
    """
    work = work or Work()
    mender = _Mender(schema, work)
    try:
        if fits(arguments, schema, schema, work):
            return arguments, ()
        value = mender.mend(arguments, schema, "arguments", 0)
    except (TooMuchWork, RecursionError):
        return arguments, ()
    return value, tuple(dict.fromkeys(mender.repairs))


class _Mender:
    """One pass over a value; *repairs* tells what it changed, array members told as ``[]``."""

    def __init__(self, root: Schema, work: Work) -> None:
        self.repairs: list[Repair] = []
        self._root, self._work = root, work
        self._known: dict[tuple[int, int, str], tuple[Any, Any, list[Repair]]] = {}

    def mend(self, value: Any, schema: Any, path: str, depth: int) -> Any:
        self._work.spend(_EACH)
        if depth > _MAX_DEPTH or not is_object(schema):
            return value
        if "enum" in schema or "const" in schema:
            return self._choice(value, schema, path)
        if "$ref" in schema:
            value = self._referred(value, resolve(schema["$ref"], self._root), path, depth)
        for keyword in ("anyOf", "oneOf"):
            if branches := as_array(schema.get(keyword)):
                value = self._alternative(value, branches, path, depth)
        if "allOf" in schema:
            value = self._all(value, as_array(schema["allOf"]), path, depth)
        if "type" in schema:
            value = self._type(value, schema, path, depth)
        return self._members(value, schema, path, depth)

    def _record(self, name: str, grade: Grade, path: str) -> None:
        self.repairs.append(Repair(name, grade, path))

    def _fits(self, value: Any, schema: Any) -> bool:
        return fits(value, schema, self._root, self._work)

    def _choice(self, value: Any, schema: Mapping[str, Any], path: str) -> Any:
        choices = [schema["const"]] if "const" in schema else as_array(schema["enum"])
        if one_of(value, choices, self._work):
            return value
        self._work.spend(len(choices) // _CHOICES_SPELLED)
        meant = self._work.choices(choices).spelled(value)
        if len(meant) != 1:
            return value
        self._record("enum_spelling", Grade.LOSSLESS, path)
        return meant[0]

    def _attempt(self, value: Any, schema: Any, path: str, depth: int) -> tuple[Any, list[Repair]]:
        """What mending would give, with the repairs set aside."""
        mark = len(self.repairs)
        mended = self.mend(value, schema, path, depth + 1)
        made = self.repairs[mark:]
        del self.repairs[mark:]
        return mended, made

    def _referred(self, value: Any, schema: Any, path: str, depth: int) -> Any:
        """*value* as a schema wants it that is referred to, which may be from a thousand places."""
        place = (id(schema), id(value), path)
        if place not in self._known:
            # With the value itself: of one that is gone, the id would come again.
            self._known[place] = (value, *self._attempt(value, schema, path, depth))
        _, mended, made = self._known[place]
        self.repairs += made
        return mended

    def _alternative(self, value: Any, branches: Sequence[Any], path: str, depth: int) -> Any:
        if any(self._fits(value, branch) for branch in branches):
            return value
        readings = []
        for branch in branches:
            mended, made = self._attempt(value, branch, path, depth)
            if made and self._fits(mended, branch):
                readings.append((mended, made))
        if not readings:
            return value
        surest = [each for each in readings if _is_lossless(each[1])] or readings
        mended, made = surest[0]
        if not all(same(mended, other, self._work) for other, _ in surest[1:]):
            made = [replace(repair, grade=Grade.GUESSED) for repair in made]
        self.repairs += made
        return mended

    def _all(self, value: Any, branches: Sequence[Any], path: str, depth: int) -> Any:
        mended, repairs = value, []
        for branch in branches:
            mended, made = self._attempt(mended, branch, path, depth)
            repairs += made
        # Branches may pull in different directions; then none of them is followed.
        if not repairs or not all(self._fits(mended, branch) for branch in branches):
            return value
        self.repairs += repairs
        return mended

    def _type(self, value: Any, schema: Mapping[str, Any], path: str, depth: int) -> Any:
        wanted = schema["type"]
        types = wanted if is_array(wanted) else [wanted]
        if not types or any(is_type(value, name) for name in types):
            return value
        for name, read, grade, repair in READINGS:
            if name in types and (mended := read(value)) is not NO_READING:
                self._record(repair, grade(value), path)
                return mended
        return self._container(value, types, schema, path, depth)

    def _container(
        self, value: Any, types: Sequence[Any], schema: Mapping[str, Any], path: str, depth: int
    ) -> Any:
        """A container out of JSON text or a lone value, or a lone value out of its container."""
        if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
            parsed = self._parsed(value)
            if (is_object(parsed) and "object" in types) or (is_array(parsed) and "array" in types):
                self._record("json_string", Grade.LOSSLESS, path)
                return parsed
            if not is_object(parsed):
                return value  # a broken list is not the one item of a list
        if "array" in types and value is not None:
            return self._wrapped(value, schema, path, depth)
        if is_array(value) and len(value) == 1:
            return self._unwrapped(value, types, schema, path, depth)
        return value

    def _parsed(self, text: str) -> Any:
        self._work.spend(len(text) // 100)
        try:
            parsed = strict_json(text)
        except (ValueError, RecursionError):
            return NO_READING
        return parsed if self._is_finite(parsed) else NO_READING

    def _is_finite(self, value: Any) -> bool:
        pending = [value]
        while pending:
            self._work.spend()
            each = pending.pop()
            if isinstance(each, float) and not math.isfinite(each):
                return False
            if is_object(each):
                pending.extend(each.values())
            elif is_array(each):
                pending.extend(each)
        return True

    def _wrapped(self, value: Any, schema: Mapping[str, Any], path: str, depth: int) -> Any:
        items = schema.get("items", True)
        mended, made = self._attempt(value, items, f"{path}[]", depth)
        if not self._fits(mended, items):
            return value
        self.repairs += made
        self._record("wrapped_in_array", Grade.GUESSED, path)
        return [mended]

    def _unwrapped(
        self, value: Any, types: Sequence[Any], schema: Mapping[str, Any], path: str, depth: int
    ) -> Any:
        mended, made = self._attempt(value[0], schema, path, depth)
        if not any(is_type(mended, name) for name in types):
            return value
        self._record("unwrapped_from_array", Grade.GUESSED, path)
        self.repairs += made
        return mended

    def _members(self, value: Any, schema: Mapping[str, Any], path: str, depth: int) -> Any:
        if is_object(value):
            return self._object(value, schema, path, depth)
        if is_array(value):
            return self._array(value, schema, path, depth)
        return value

    def _object(
        self, value: Mapping[str, Any], schema: Mapping[str, Any], path: str, depth: int
    ) -> Any:
        named = self._renamed(value, schema, path)
        known, required = known_keys(schema), as_array(schema.get("required"))
        extra = True if "patternProperties" in schema else schema.get("additionalProperties", True)
        mended = {}
        for key, each in named.items():
            inner, place = (known[key], f"{path}.{key}") if key in known else (extra, f"{path}.*")
            new = self.mend(each, inner, place, depth + 1)
            if new is None and key in known and key not in required and not self._fits(None, inner):
                # Many models write null for an argument they leave out.
                self._record("dropped_null", Grade.LOSSLESS, place)
            else:
                mended[key] = new
        unchanged = named is value and len(mended) == len(named)
        return value if unchanged and all(mended[key] is value[key] for key in mended) else mended

    def _renamed(
        self, value: Mapping[str, Any], schema: Mapping[str, Any], path: str
    ) -> Mapping[str, Any]:
        renames = find_renames(value, schema, self._work)
        for key, (name, grade) in renames.items():
            self._record("argument_name", grade, f"{path}.{key} -> {name}")
        if not renames:
            return value
        return {renames[key][0] if key in renames else key: each for key, each in value.items()}

    def _array(self, value: Sequence[Any], schema: Mapping[str, Any], path: str, depth: int) -> Any:
        pairs = zip(value, _item_schemas(schema, len(value)), strict=True)
        mended = [self.mend(each, inner, f"{path}[]", depth + 1) for each, inner in pairs]
        unchanged = all(new is old for new, old in zip(mended, value, strict=True))
        return value if unchanged else mended


def _item_schemas(schema: Mapping[str, Any], count: int) -> list[Any]:
    """What is asked of each of *count* items."""
    items, prefix = schema.get("items", True), as_array(schema.get("prefixItems"))
    if is_array(items):  # how drafts before 2020-12 wrote prefixItems
        items, prefix = True, as_array(items)
    return [*prefix[:count], *([items] * (count - len(prefix)))]


def _is_lossless(repairs: Sequence[Repair]) -> bool:
    return all(repair.grade is Grade.LOSSLESS for repair in repairs)
