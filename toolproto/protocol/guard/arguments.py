"""The values of a call's arguments one by one, with where each stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from ..tools.spec import ToolSpec

T = TypeVar("T")
__all__ = ["THE_REST", "Leaf", "destinations", "leaves", "pieces", "spellings", "without_said"]

#: Values of one call that are looked at; whoever sends more is told of those.
_MOST_LEAVES = 2_000
_MOST_PIECES = 400
_MOST_NAMES = 2_000
#: As many words in a row are nobody's by accident.
_RUN = 6
_FEW = 3
_LEAST = 12
_EDGES = ".,;:!?()[]{}<>\"'`*“”\u2018\u2019„«»…"
#: What a word has in it that means one thing in the world: an address, a number, a path, a name.
_TELLING = re.compile(r"\w[@./:\\#?=&%+_-]+\w|\d")
#: Where something can be sent: addresses for mail, hosts, accounts, numbers; and a sign without
#: which there is none.
_DESTINATIONS = (
    ("@", re.compile(r"(?<![\w.+-])[\w.+-]{1,256}+@[\w.-]{1,253}")),
    (":/", re.compile(r"(?<=://)[^\s/?#\"'<>()]{1,253}")),
    ("www.", re.compile(r"(?<=\bwww\.)[^\s/?#\"'<>()]{1,253}")),
    ("", re.compile(r"\b[A-Za-z]{2}\d\d(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,4})?\b")),
    ("", re.compile(r"\b\d{4}(?:[ -]\d{4}){2,}\b|(?<![\w.])\+?\d{9,34}(?![\w.])")),
)
_MOST_DESTINATIONS = 50
_STEP = re.compile(r"(?=[.\[])")
_INDEX = re.compile(r"\[\d+\]")


class Leaf(NamedTuple):
    """A value, and where it stands: ``recipients[0]``."""

    path: str
    value: Any


#: Stands for the values behind those that are looked at.
THE_REST = Leaf("arguments", "")


def leaves(arguments: Mapping[str, Any], spec: ToolSpec) -> Iterator[Leaf]:
    """Every value in *arguments* that somebody chose.

    Not those that the tool's own schema names, nor yes, no and nothing; but the names of members
    that the schema does not have.
    """
    named, given = _in_schema(spec.parameters)
    waiting: list[Leaf] = [Leaf(str(key), value) for key, value in _some(arguments.items())][::-1]
    for _ in range(_MOST_LEAVES):
        if not waiting:
            return
        path, value = waiting.pop()
        match value:
            case Mapping():
                waiting += [Leaf(f"{path}.{key}", each) for key, each in _some(value.items())][::-1]
                odd = (key for key in _some(value) if key not in named)
                yield from (Leaf(f"{path}.{key}", str(key)) for key in odd)
            case str() if value.strip() and value not in given:
                yield Leaf(path, value)
            case bool() | None | str():
                continue
            case Sequence():
                waiting += [Leaf(f"{path}[{at}]", each) for at, each in _some(enumerate(value))][
                    ::-1
                ]
            case int() | float() if value in given:
                continue
            case _:
                yield Leaf(path, value)
    yield THE_REST


def without_said(path: str, spec: ToolSpec) -> str:
    """*path* as far as the schema names it: for logs, since other names are what somebody said."""
    named, _ = _in_schema(spec.parameters)
    kept: list[str] = []
    for step in _STEP.split(path):
        if not _INDEX.fullmatch(step) and step.lstrip(".") not in named:
            return "".join([*kept, "…"])
        kept.append(step)
    return path


def _some(several: Iterable[T]) -> Iterable[T]:
    """As many of *several* as are looked at, and one more, so that the rest is told of."""
    return islice(several, _MOST_LEAVES + 1)


def spellings(value: Any) -> tuple[str, ...]:
    """How *value* may be written."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, int):
        # Python writes no number of thousands of digits but in a base like 16.
        return (str(value), f"{value:,}") if abs(value) < 10**30 else (f"{value:#x}"[:100],)
    if not isinstance(value, float):
        return (str(value),)
    if value.is_integer() and abs(value) < 1e15:
        return (*spellings(int(value)), f"{value:.1f}", f"{value:.2f}", f"{value:,.2f}")
    cents = (f"{value:.2f}", f"{value:,.2f}") if round(value, 2) == value else ()
    return (repr(value), *cents)


def pieces(text: str) -> Iterator[str]:
    """Parts of *text* that tell where it came from: addresses, numbers, names, runs of words."""
    words = text.split()
    told = 0
    for word in words:
        bare = word.strip(_EDGES)
        if len(bare) > 3 and _TELLING.search(bare):
            yield bare
            told += 1
            if told >= _MOST_PIECES:
                break
    if len(words) <= 2 * _RUN:
        # A title says in three words whose it is.
        few = (" ".join(words[at : at + _FEW]) for at in range(len(words) - _FEW + 1))
        yield from (each for each in few if len(each) >= _LEAST)
        return
    # Every run of twice the length has one of these in it.
    runs = range(0, len(words) - _RUN + 1, _RUN)
    for at in runs[:: max(1, len(runs) // _MOST_PIECES)]:
        yield " ".join(words[at : at + _RUN])


def destinations(text: str) -> Iterator[str]:
    """The places in *text* that something can be sent to: addresses, hosts, accounts, numbers."""
    for sign, pattern in _DESTINATIONS:
        if sign in text:
            found = islice(pattern.finditer(text), _MOST_DESTINATIONS)
            yield from (each.group().rstrip(".-,;:!?") for each in found)


def _in_schema(schema: Any) -> tuple[frozenset[str], frozenset[Any]]:
    """The names of members that *schema* has, and the values it gives."""
    names: set[str] = set()
    values: set[Any] = set()
    waiting: list[Any] = [schema]
    for _ in range(_MOST_NAMES):
        if not waiting:
            break
        match waiting.pop():
            case Mapping() as table:
                if isinstance(table.get("properties"), Mapping):
                    names |= {str(name) for name in table["properties"]}
                values |= {each for each in _given(table) if isinstance(each, str | int | float)}
                waiting += table.values()
            case list() | tuple() as several:
                waiting += several
    return frozenset(names), frozenset(values)


def _given(table: Mapping[str, Any]) -> Iterator[Any]:
    enum = table.get("enum")
    yield from (each for each in (enum if isinstance(enum, list | tuple) else ()))
    yield from (table.get("const"), table.get("default"))
