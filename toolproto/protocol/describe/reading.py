"""Reading what a tool takes off its JSON Schema.

A schema may refer to itself, nest without end and enumerate a dictionary. Here that is settled:
references are followed, depth and number of parts are bounded, and what is left is a tree of
:mod:`~toolproto.protocol.describe.types`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..errors import UsageError
from ..schemas.schema import resolve
from ..tools.spec import ToolSpec
from .limits import limits
from .text import literal, one_line, shortened
from .types import ANYTHING, Either, ListOf, MapOf, Member, ObjectType, OneOf, Scalar, Type

__all__ = ["arguments", "followed", "read_type"]

_KINDS = ("string", "integer", "number", "boolean", "null", "object", "array")
_DEPTH = 4  # what is nested deeper than this explains nothing
_MOST = 50  # and neither do more alternatives or members than this
_LONGEST = 2000  # characters of one argument's description
# Parts that all arguments of one tool may have: ten in each of four levels are ten thousand.
_PARTS = 1000


def arguments(tool: ToolSpec) -> tuple[Member, ...]:
    """What *tool* takes, in the order of its schema; required names without a schema come last."""
    return _Reader(tool.parameters).members(tool.parameters, 0)


def read_type(schema: Any, root: Mapping[str, Any]) -> Type:
    """What a value of *schema* is; *root* is where its references lead."""
    return _Reader(root).type(schema, 0)


def followed(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """*schema*, or what its local ``$ref`` leads to; an empty schema where that leads nowhere.

    What stands beside a reference, usually a description, wins over what it leads to.
    """
    beside: dict[str, Any] = {}
    for _ in range(_DEPTH):
        if not isinstance(schema, Mapping):
            return {}
        if "$ref" not in schema:
            return {**schema, **beside} if beside else schema
        beside = {key: part for key, part in schema.items() if key != "$ref"} | beside
        try:
            schema = resolve(schema["$ref"], root)
        except UsageError:
            return beside
    return beside


class _Reader:
    """Reads the parts of one tool's schema, as many as are worth showing."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _PARTS
        self._choices: dict[int, Type] = {}

    def type(self, schema: Any, depth: int) -> Type:
        self._left -= 1
        schema = self._whole(schema)
        if depth > _DEPTH or self._left < 0:
            return ANYTHING
        if "const" in schema:
            return OneOf((schema["const"],))
        if isinstance(schema.get("enum"), list | tuple):
            return self._choice(schema["enum"])
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list | tuple):
                return Either(tuple(self.type(part, depth + 1) for part in schema[key][:_MOST]))
        kind = schema.get("type", "object" if "properties" in schema else ANYTHING.name)
        if isinstance(kind, list | tuple):
            return Either(tuple(self._of_kind(str(each), schema, depth) for each in kind[:_MOST]))
        return self._of_kind(str(kind), schema, depth)

    def _of_kind(self, kind: str, schema: Mapping[str, Any], depth: int) -> Type:
        if kind == "array":
            return ListOf(self.type(schema.get("items"), depth + 1))
        if kind == "object" and isinstance(schema.get("properties"), Mapping):
            return ObjectType(self.members(schema, depth + 1))
        if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
            return MapOf(self.type(schema["additionalProperties"], depth + 1))
        form = schema.get("format")
        shown = one_line(form) if kind == "string" and isinstance(form, str) else ""
        return Scalar(kind, shown) if kind in _KINDS else ANYTHING

    def _choice(self, values: Sequence[Any]) -> Type:
        """One of *values*; those of a definition that is referred to again are read once."""
        if id(values) not in self._choices:
            self._choices[id(values)] = _choice(values)
        return self._choices[id(values)]

    def members(self, schema: Mapping[str, Any], depth: int) -> tuple[Member, ...]:
        properties = schema.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        required = schema.get("required")
        required = dict.fromkeys(map(str, required)) if isinstance(required, list | tuple) else {}
        # The arguments themselves are all named, however many; only what is in them is bounded.
        most = None if depth == 0 else max(min(self._left, _MOST), 0)
        names = islice(dict.fromkeys([*properties, *required]), most)
        return tuple(
            self._member(str(name), properties.get(name), name in required, depth) for name in names
        )

    def _member(self, name: str, schema: Any, required: bool, depth: int) -> Member:
        schema = self._whole(schema)
        description = _described(schema.get("description"))
        default = literal(schema["default"]) if schema.get("default") is not None else ""
        type = self.type(schema, depth)
        bounds = (*_bounds(schema), *self._of_each(schema))
        return Member(name, type, required, description, default, bounds)

    def _of_each(self, schema: Mapping[str, Any]) -> Iterator[str]:
        """What a list says about its items; those of an object say it themselves."""
        items = self._whole(schema.get("items"))
        if schema.get("type") == "array" and "properties" not in items:
            said = (_described(items.get("description")).rstrip("."), *_bounds(items))
            yield from (f"each: {part}" for part in said if part)

    def _whole(self, schema: Any) -> Mapping[str, Any]:
        """*schema* with its reference followed and the parts of its ``allOf`` put together."""
        whole = followed(schema, self._root)
        parts = whole.get("allOf")
        if not isinstance(parts, list | tuple) or self._left < 0:
            return whole
        own = {key: value for key, value in whole.items() if key != "allOf"}
        whole = {}
        for part in (*parts[:_MOST], own):
            self._left -= 1
            whole = _joined(whole, followed(part, self._root))
        return whole


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Two schemas that must both be met, as far as their members tell."""
    both: dict[str, Any] = {**one, **other}
    if isinstance(one.get("properties"), Mapping) and isinstance(other.get("properties"), Mapping):
        both["properties"] = {**one["properties"], **other["properties"]}
    if isinstance(one.get("required"), list) and isinstance(other.get("required"), list):
        both["required"] = [*one["required"], *other["required"]]
    return both


def _choice(values: Sequence[Any]) -> Type:
    looked_at = values[: 4 * _MOST]
    different = list({literal(value): value for value in looked_at}.values())
    if not different:
        return ANYTHING
    unseen = len(values) - len(looked_at)
    return OneOf(tuple(different[:_MOST]), max(len(different) - _MOST, 0) + unseen)


def _described(words: Any) -> str:
    return one_line(shortened(words, _LONGEST)) if isinstance(words, str) else ""


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    yield from limits(schema)
    examples = schema.get("examples")
    if isinstance(examples, list | tuple) and examples:
        yield f"such as {' or '.join(literal(each) for each in examples[:2])}"
