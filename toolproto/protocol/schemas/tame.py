"""Any schema that a stranger gives a tool, as one that can be taught and checked.

:func:`~toolproto.protocol.schemas.schema.check_schema` refuses what is no schema, for a program
should know of its own mistake. A tool that comes from elsewhere (a client of the proxy, an MCP
server) is to be used all the same: :func:`tame` says the same in today's words where there are
such, leaves out the rest, and says what it did.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from ..errors import UsageError
from .dialect import LIST, MIXED, NAMED, ONE
from .schema import MAX_DEPTH, MAX_LENGTH, MAX_SCHEMAS, resolve
from .tame_words import today
from .work import TooMuchWork, Work

__all__ = ["tame"]

_MOST_LABELS = 16
_LONGEST_PLACE = 80
#: Below the limits of a check, which counts the brackets and commas as well.
_SCHEMAS = MAX_SCHEMAS - 100
_LENGTH = MAX_LENGTH * 9 // 10
#: As many characters as are written while one schema is looked at.
_LENGTH_OF_VISIT = 200
#: How many references are followed to see whether they lead back.
_CHAIN = 32

_Name = TypeVar("_Name", str, int)
_Place = tuple[str | int, ...]


def tame(schema: Any, work: Work | None = None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A private copy of *schema* that ``check_schema`` accepts, and a label for each change.

    A label says what was changed and where: ``odd type at properties/city``. What no reference
    reaches, what is too deep or too long and what is no schema become open: any value fits them.
    *work* is what taming may cost, if several tools share it; what it does not pay for is left
    out. Never raises, never fetches.
    """
    taming = _Taming(work or Work())
    if not isinstance(schema, Mapping | None) and schema is not True:
        taming.note("not a schema", ())
    whole = taming.schema(dict(schema), (), 0) if isinstance(schema, Mapping) else {}
    taming.mend_references(whole)
    _be_object(whole, taming)
    return whole, taming.labels


def _be_object(whole: dict[str, Any], taming: _Taming) -> None:
    """The arguments of a tool are an object, whatever its schema says."""
    kind = whole.get("type", "object")
    if kind != "object":
        taming.note("not an object", ())
        if not isinstance(kind, list) or "object" not in kind:
            whole.clear()
    whole["type"] = "object"


class _Taming:
    """One schema that is being tamed: what may still be copied of it, and what was changed."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._schemas = _SCHEMAS
        self._length = _LENGTH
        self._labels: list[str] = []
        self._unlisted = 0
        #: Where each schema lies that has a name of its own, and all that refer to another.
        self._named: dict[str, _Place] = {}
        self._referring: list[tuple[_Place, dict[str, Any]]] = []

    @property
    def labels(self) -> tuple[str, ...]:
        """What was changed."""
        more = [f"and {self._unlisted} more"] if self._unlisted else []
        return (*self._labels, *more)

    def note(self, what: str, place: _Place) -> None:
        """*what* was done at *place*."""
        if len(self._labels) < _MOST_LABELS:
            where = "/".join(map(str, place))[:_LONGEST_PLACE] or "the top"
            self._labels.append(f"{what} at {where}")
        else:
            self._unlisted += 1

    def schema(self, given: Any, place: _Place, depth: int) -> Any:
        """A tamed copy of *given*, which lies at *place* of the whole."""
        if isinstance(given, bool):
            return given
        if not isinstance(given, dict):
            self.note("not a schema", place)
            return {}
        self._remember(given, place)
        words = {key: value for key, value in given.items() if isinstance(key, str)}
        copy: dict[str, Any] = {}
        for key, value in today(words, lambda what: self.note(what, place)).items():
            self._copy(key, value, copy, place, depth)
        if "$ref" in copy:
            self._referring.append((place, copy))
        return copy

    def _remember(self, given: dict[str, Any], place: _Place) -> None:
        for key in ("$id", "id"):
            if isinstance(given.get(key), str):
                self._named.setdefault(given[key].rstrip("#"), place)
        for key in ("$anchor", "$dynamicAnchor"):
            if isinstance(given.get(key), str):
                self._named.setdefault(f"#{given[key]}", place)

    def _copy(self, key: str, value: Any, copy: dict[str, Any], place: _Place, depth: int) -> None:
        """*value* under *key* into *copy*, with the schemas in it tamed."""
        here = (*place, key)
        if key not in LIST and key not in NAMED and key not in MIXED and key not in ONE:
            self._copy_data(key, value, copy, place)
        elif depth >= MAX_DEPTH:
            self.note("too deep", here)
        elif isinstance(value, list):
            listed = self._inside(enumerate(value), here, depth)
            if listed:
                copy[key] = list(listed.values())
        elif key in ONE:
            copy |= self._inside([(key, value)], place, depth)
        else:
            copy[key] = self._inside(value.items(), here, depth)

    def _inside(
        self, given: Iterable[tuple[_Name, Any]], place: _Place, depth: int
    ) -> dict[_Name, Any]:
        """The schemas in *given*, tamed, as far as there is room for them."""
        kept: dict[_Name, Any] = {}
        for name, each in given:
            if not self._affords(name):
                self.note("too large", place)
                break
            kept[name] = self.schema(each, (*place, name), depth + 1)
        return kept

    def _affords(self, name: str | int) -> bool:
        self._length -= len(json.dumps(name)) + 8
        self._schemas -= 1
        return self._schemas >= 0 and self._length >= 0 and self._pays(1)

    def _pays(self, visits: int) -> bool:
        try:
            self._work.spend(visits)
        except TooMuchWork:
            return False
        return True

    def _copy_data(self, key: str, value: Any, copy: dict[str, Any], place: _Place) -> None:
        try:
            written = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            self.note(f"dropped {key[:40]}", place)
            return
        length = len(written) + len(json.dumps(key)) + 8
        if length > self._length or not self._pays(1 + length // _LENGTH_OF_VISIT):
            self.note(f"dropped long {key[:40]}", place)
            return
        self._length -= length
        copy[key] = json.loads(written)

    # -- references ------------------------------------------------------------------------

    def mend_references(self, whole: dict[str, Any]) -> None:
        """Lead every reference into *whole*, and drop those that lead nowhere or to themselves."""
        for place, schema in self._referring:
            found = self._found(schema["$ref"], whole)
            if found is None:
                del schema["$ref"]
                self.note("open $ref", place)
            elif found != schema["$ref"]:
                schema["$ref"] = found
        for place, schema in self._referring:
            if _leads_back(schema, whole):
                del schema["$ref"]
                self.note("circular $ref", place)

    def _found(self, reference: Any, whole: dict[str, Any]) -> str | None:
        """How *reference* is written that leads into *whole*; None if it cannot."""
        if not isinstance(reference, str):
            return None
        base, mark, path = reference.partition("#")
        last = reference.rsplit("/", 1)[-1]
        candidates = [reference, *self._pointers(reference), *self._pointers(base, path)]
        if not base and mark:
            candidates += [f"#/{folder}/{last}" for folder in ("$defs", "definitions")]
        return next((each for each in candidates if _leads_somewhere(each, whole)), None)

    def _pointers(self, name: str, path: str = "") -> list[str]:
        if not name or name not in self._named:
            return []
        parts = (str(each).replace("~", "~0").replace("/", "~1") for each in self._named[name])
        return ["#" + "".join(f"/{part.replace('%', '%25')}" for part in parts) + path]


def _leads_somewhere(reference: str, whole: dict[str, Any]) -> bool:
    try:
        return isinstance(resolve(reference, whole), dict | bool)
    except UsageError:
        return False


def _leads_back(schema: dict[str, Any], whole: dict[str, Any]) -> bool:
    """Whether the reference of *schema* leads back to it with nothing said on the way."""
    at: Any = schema
    for _ in range(_CHAIN):
        if not isinstance(at, dict) or "$ref" not in at:
            return False
        at = resolve(at["$ref"], whole)
        if at is schema:
            return True
    return True
