"""A schema as one service compiles it, and what had to be changed for that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import UsageError
from ..dialect import LIST, MIXED, NAMED, ONE
from ..schema import resolve
from .rules import Compiler, CompilerRule

__all__ = ["Misfit", "compiled"]

#: A schema that refers to itself has no end; what lies deeper than this is open.
_DEEPEST = 32
_MOST_MISFITS = 200
#: What stands in these may not be made wider: the schema around them would become narrower.
_TURNED = frozenset(["not", "if"])
_BOOLEAN = "a schema that is only true or false"
_REFERENCE = "a `$ref` that it does not follow"
_CIRCLE = "a `$ref` back to itself"


class Misfit(NamedTuple):
    """One thing that a service does not take as it stands, and where: ``properties/city``."""

    place: str
    what: str
    source: str
    misread: bool = False


def compiled(
    schema: Mapping[str, Any], compiler: Compiler
) -> tuple[Mapping[str, Any], tuple[Misfit, ...]]:
    """Return *schema* as *compiler* takes it, and what was wrong with it.

    It is the very schema that was given if nothing was. What is sent may be wider than *schema*,
    never narrower, but for objects that a strict service wants closed.
    """
    walk = _Walk(schema, compiler)
    sent = walk.schema(schema, (), ())
    return (sent, tuple(walk.found)) if walk.found else (schema, ())


class _Walk:
    """One schema on its way to one service."""

    def __init__(self, root: Mapping[str, Any], compiler: Compiler) -> None:
        self._root = root
        self._compiler = compiler
        self.found: list[Misfit] = []

    def schema(self, node: Any, place: tuple[str, ...], followed: tuple[str, ...]) -> Any:
        """Return the schema *node*, which lies at *place*, as the service takes it."""
        if not isinstance(node, Mapping):
            if isinstance(node, bool) and not self._compiler.booleans and self._is_said(place):
                self._note(place, _BOOLEAN, "")
                return self.schema({}, place, followed)
            return node
        if len(place) > _DEEPEST:
            return {}
        node = dict(node)
        if not place and self._compiler.inlines:
            node = {key: each for key, each in node.items() if key not in ("$defs", "definitions")}
        if "$ref" in node:
            node, followed = self._followed(node, place, followed)
        for rule in self._compiler.rules:
            if (not rule.only_top or not place) and rule.applies(node):
                self._note(place, rule.what, rule.source, rule)
                node = rule.mended(node)
        return {key: self._inside(key, each, place, followed) for key, each in node.items()}

    def _is_said(self, place: tuple[str, ...]) -> bool:
        # Objects are open or closed in everybody's words.
        return not place or place[-1] not in ("additionalProperties", "unevaluatedProperties")

    def _inside(
        self, key: str, value: Any, place: tuple[str, ...], followed: tuple[str, ...]
    ) -> Any:
        here = (*place, key)
        if (key in NAMED or key in MIXED) and isinstance(value, Mapping):
            return {
                name: self.schema(each, (*here, name), followed) for name, each in value.items()
            }
        if key in LIST and isinstance(value, list):
            return [self.schema(each, (*here, str(at)), followed) for at, each in enumerate(value)]
        return self.schema(value, here, followed) if key in ONE - _TURNED else value

    def _followed(
        self, node: dict[str, Any], place: tuple[str, ...], followed: tuple[str, ...]
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return *node* without a reference that the service does not follow."""
        while "$ref" in node:
            reference = node["$ref"]
            rest = {key: value for key, value in node.items() if key != "$ref"}
            target = self._target(reference)
            if self._takes(reference, target):
                return node, followed
            is_circle = reference in followed
            self._note(place, _CIRCLE if is_circle else _REFERENCE, "")
            if is_circle or not isinstance(target, Mapping):
                return rest, followed
            node, followed = {**target, **rest}, (*followed, str(reference))
        return node, followed

    def _target(self, reference: Any) -> Any:
        try:
            return resolve(reference, self._root)
        except UsageError:
            return None

    def _takes(self, reference: Any, target: Any) -> bool:
        """Return True if the service follows *reference* by itself: a plain path to a schema."""
        is_plain = isinstance(reference, str) and reference.startswith("#/")
        is_plain = is_plain and not {"~", "%"} & set(reference)
        return is_plain and isinstance(target, Mapping) and not self._compiler.inlines

    def _note(
        self, place: tuple[str, ...], what: str, source: str, rule: CompilerRule | None = None
    ) -> None:
        if len(self.found) < _MOST_MISFITS:
            where = "/".join(place) or "the top"
            self.found.append(Misfit(where, what, source, bool(rule and rule.misread)))
