"""Which paradigm suits a model, looked up by its name in a table that anyone can read.

The table is ``recommendations.toml`` beside this module. What it says is where to start, not what
must be: a model served under its own chat template was trained on one form, and a prompt that asks
for the same form usually does best.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ..describe.styles import get_style
from ..errors import UsageError
from .teaching import teaching_of

__all__ = ["Recommendation", "recommend"]

_SHIPPED = "recommendations.toml"
_TEXTS = ("paradigm", "describe", "teaching", "why", "source")
_NEEDED = ("match", "paradigm")
_SEPARATORS = re.compile(r"[\s_/:]")
_LONGEST_NAME = 500


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A *paradigm*, *why*, and the *source* of that.

    *describe* is the style in which the model should see tools, and *teaching* is the preset for
    its instructions; None means the paradigm's default.
    """

    paradigm: str
    describe: str | None = None
    why: str = ""
    source: str = ""
    teaching: str | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    patterns: tuple[str, ...]
    recommendation: Recommendation

    def matches(self, name: str) -> bool:
        return any(_matches(name, pattern) for pattern in self.patterns)


def recommend(
    model: str,
    table: Iterable[Mapping[str, Any]] | None = None,
) -> Recommendation:
    """Return the recommendation for the model of that name, as in ``"Qwen/Qwen2.5-7B-Instruct"``.

    *table* holds rows of your own, which are tried before the built-in ones: mappings with
    ``match``, ``paradigm`` and, if you like, ``describe``, ``teaching``, ``why`` and ``source``. If
    they stand in a TOML file as ``[[model]]``, pass ``tomllib.load(file)["model"]``.
    """
    if not isinstance(model, str):
        raise UsageError(f"recommend() takes a model's name, got {model!r}")
    name = _folded(model[:_LONGEST_NAME])
    own = () if table is None else _rows(table, "the table")
    rows = (*own, *_shipped())
    # The last row matches everything; a test holds that.
    return next(row.recommendation for row in rows if row.matches(name))


def _folded(name: str) -> str:
    return _SEPARATORS.sub("-", name.strip().lower())


def _matches(name: str, pattern: str) -> bool:
    """Whether *pattern* covers *name*; the parts between its stars are found one by one."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    if not name.startswith(first) or len(name) < len(first) + len(rest[-1]):
        return False
    at, end = len(first), len(name) - len(rest[-1])
    for part in rest[:-1]:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(rest[-1])


@cache
def _shipped() -> tuple[_Row, ...]:
    text = files(__package__).joinpath(_SHIPPED).read_text(encoding="utf-8")
    return _rows(tomllib.loads(text)["model"], _SHIPPED)


def _rows(rows: Any, origin: str) -> tuple[_Row, ...]:
    if not isinstance(rows, Iterable) or isinstance(rows, str):
        raise UsageError(f"{origin} must be a list of rows, got {rows!r}")
    return tuple(_row(row, f"row {number} of {origin}") for number, row in enumerate(rows, 1))


def _row(row: Any, where: str) -> _Row:
    if not isinstance(row, Mapping):
        raise UsageError(f"{where} must be a mapping with 'match' and 'paradigm', got {row!r}")
    missing = [key for key in _NEEDED if not row.get(key)]
    unknown = sorted(str(key) for key in row.keys() - {"match", *_TEXTS})
    if missing or unknown:
        what = f"lacks {missing}" if missing else f"has {unknown}"
        raise UsageError(f"{where} {what}; a row has 'match' and {_TEXTS}")
    texts = {key: row[key] for key in _TEXTS if key in row}
    wrong = [key for key, value in texts.items() if not isinstance(value, str)]
    if wrong:
        raise UsageError(f"{where}: {wrong[0]!r} must be text, got {texts[wrong[0]]!r}")
    recommendation = Recommendation(**texts)
    if recommendation.describe is not None:
        get_style(recommendation.describe)
    if recommendation.teaching is not None:
        teaching_of(recommendation.teaching)
    return _Row(_patterns(row["match"], where), recommendation)


def _patterns(match: Any, where: str) -> tuple[str, ...]:
    patterns: Sequence[Any] = [match] if isinstance(match, str) else match
    if not isinstance(patterns, list | tuple) or not all(isinstance(p, str) for p in patterns):
        raise UsageError(f"{where}: 'match' must be a pattern or a list of them, got {match!r}")
    return tuple(_folded(pattern) for pattern in patterns)
