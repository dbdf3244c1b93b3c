"""Which arguments a model meant by keys the schema does not name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from ..messages import Grade
from ..schemas.faults import as_array
from ..schemas.members import known_keys
from ..schemas.work import Work
from .names import comparing, mistyped, reading, resolve_name

__all__ = ["Renames", "find_renames"]

Renames = dict[str, tuple[str, Grade]]

# Comparing names costs the product of both counts; no honest call has this many strays.
_MAX_STRAYS = 32
_MAX_ABSENT = 256
_NEAR = 0.75  # one slip in four letters: fewer candidates than among tools, and one is missing


def find_renames(value: Mapping[str, Any], schema: Mapping[str, Any], work: Work) -> Renames:
    """For each misnamed key of *value*, the argument it stands for and how sure that is.

    Only where something is wrong: a key may not be there, or a required argument is missing.
    A slip of the pen is only mended for a required argument.
    """
    known = known_keys(schema)
    strays = [key for key in value if key not in known]
    absent = [name for name in known if name not in value]
    if not strays or not absent or "patternProperties" in schema:
        return {}
    if len(strays) > _MAX_STRAYS or len(absent) > _MAX_ABSENT:
        return {}
    missing = [name for name in as_array(schema.get("required")) if name in absent]
    closed = schema.get("additionalProperties") is False
    renames = _paired(strays, lambda key: _respelt(key, absent if closed else missing, work))
    taken = {name for name, _ in renames.values()}
    left = [name for name in missing if name not in taken]
    rest = [key for key in strays if key not in renames]
    return renames | _paired(rest, lambda key: _slip(key, left, work))


def _respelt(key: str, names: Collection[str], work: Work) -> tuple[str, Grade] | None:
    work.spend(reading(names))
    match = resolve_name(key, names)
    return (match.name, Grade.LOSSLESS) if match else None


def _slip(key: str, names: Collection[str], work: Work) -> tuple[str, Grade] | None:
    work.spend(comparing(key, names))
    name = mistyped(key, names, _NEAR)
    return (name, Grade.GUESSED) if name else None


def _paired(keys: Iterable[str], find: Callable[[str], tuple[str, Grade] | None]) -> Renames:
    """What each of *keys* stands for, without the arguments that two of them claim."""
    found = {key: target for key in keys if (target := find(key))}
    claims = [name for name, _ in found.values()]
    return {key: target for key, target in found.items() if claims.count(target[0]) == 1}
