"""Which tool a model meant by the name it wrote.

Models change case and separators, put a namespace in front, leave a module out, say the name
twice, or escape the underscore for Markdown. Each such reading is tried in order, the surest first,
and taken only if it leads to exactly one tool; two candidates are no answer, and both become
suggestions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from difflib import SequenceMatcher
from typing import NamedTuple

from ..errors import UsageError
from ..messages import Grade, Repair

__all__ = [
    "NameMatch",
    "check_name",
    "comparing",
    "fold",
    "mistyped",
    "reading",
    "resolve_name",
    "suggest",
]

# MCP allows 128 characters, and its servers put dots, slashes and colons after a namespace.
_VALID = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/\-]{0,127}")
# Namespaces that models learned from other vendors' prompts.
_PREFIXES = (
    *("functions.", "functions:", "functions/", "tools.", "tool."),
    *("default_api.", "default_api:", "api."),
)
_SEPARATORS = str.maketrans("", "", "-_. ")
_MODULE_END = re.compile(r"[.:/]|__")
# Longer names are not compared: the work grows with the product of the lengths.
_MAX_COMPARED = 256
_NEAR = 0.85  # one slip in seven letters
_ALIKE = 0.6  # worth mentioning
# Pairs of letters looked at for one name, a hundredth of a second per 100,000: enough for 500
# names of twenty letters. Of more, those with the most letters in common are compared.
_MOST_PAIRS = 200_000


class NameMatch(NamedTuple):
    """The tool a name leads to, and what reading it so took: None if it was written right."""

    name: str
    repair: Repair | None


def check_name(name: object) -> str:
    """*name*, if a tool may have it; UsageError otherwise.

    Whitespace, quotes and brackets are refused because some paradigm uses each to end a name.
    """
    if isinstance(name, str) and _VALID.fullmatch(name):
        return name
    raise UsageError(
        f"{name!r} cannot name a tool; use letters, digits and any of '_-.:/', "
        "starting with a letter or '_', at most 128 in all"
    )


def resolve_name(name: str, names: Iterable[str], *, near: bool = False) -> NameMatch | None:
    """The one tool of *names* that *name* can mean, or None.

    With *near*, a misspelt name counts if exactly one tool resembles it closely.
    """
    known = list(dict.fromkeys(names))
    if name in known:
        return NameMatch(name, None)
    if len(name) > _MAX_COMPARED:
        return None
    for repair, read in _READINGS:
        found = read(name, known)
        if len(found) == 1:
            return NameMatch(found[0], Repair(repair, Grade.LOSSLESS, name))
        if found:
            return None
    slip = mistyped(name, known, _NEAR) if near else None
    return NameMatch(slip, Repair("name_near", Grade.GUESSED, name)) if slip else None


def suggest(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """The few of *names* that look most like *name*, the likest first."""
    if len(name) > _MAX_COMPARED:
        return []
    return _alike(name, names, _ALIKE)[0][:limit]


def comparing(name: str, names: Collection[str]) -> int:
    """What it may cost to find out which of *names* is meant by *name*, in visits of ``Work``."""
    pairs = len(name) * sum(map(len, names)) if len(name) <= _MAX_COMPARED else 0
    return reading(names) + min(pairs, _MOST_PAIRS) // 20


def reading(names: Collection[str]) -> int:
    """What it costs to find out the same without comparing them letter by letter."""
    return 5 * len(names)


def mistyped(name: str, names: Iterable[str], least: float) -> str | None:
    """The only one of *names* that *name* can be a slip of; *least* is how alike, up to 1."""
    # A slip in the first letter or in a number is another tool: get_user, set_user; step_1, step_2.
    wanted = fold(_bare(name))
    possible = [
        each
        for each in names
        if fold(each)[:1] == wanted[:1] and _numbers(each) == _numbers(wanted)
    ]
    found, is_all = _alike(name, possible, least)
    return found[0] if len(found) == 1 and is_all else None


def fold(name: str) -> str:
    """*name* without what models get wrong: case and separators."""
    return name.translate(_SEPARATORS).casefold()


def _alike(name: str, names: Iterable[str], least: float) -> tuple[list[str], bool]:
    """Those of *names* that are at least so alike, the likest first, and whether those are all."""
    wanted = fold(_bare(name))
    folded = [(each, fold(each)) for each in names]
    likely = [(_most_alike(wanted, two), each, two) for each, two in folded]
    # The likeliest first, in case there are too many to compare.
    likely = sorted((part for part in likely if part[0] >= least), key=lambda part: -part[0])
    left, scores = _MOST_PAIRS, {}
    for _, each, two in likely:
        left -= len(wanted) * len(two)
        if left < 0:
            break
        scores[each] = _likeness(wanted, two)
    close = [each for each, _ in folded if scores.get(each, 0.0) >= least]
    return sorted(close, key=lambda each: -scores[each]), left >= 0


def _numbers(name: str) -> list[str]:
    return [char for char in name if char.isdigit()]


def _likeness(one: str, two: str) -> float:
    """How alike two names are, up to 1; one under another namespace shares only its end."""
    return max(_ratio(one, two), _ALIKE) if _shares_end(one, two) else _ratio(one, two)


def _most_alike(one: str, two: str) -> float:
    """How alike two names can be, told by their letters in any order; 0 if not worth a look."""
    if not one or not two or len(two) > _MAX_COMPARED:
        return 0.0
    common = sum(min(one.count(letter), two.count(letter)) for letter in set(one))
    most = 2.0 * common / (len(one) + len(two))
    return max(most, _ALIKE) if _shares_end(one, two) else most


def _shares_end(one: str, two: str) -> bool:
    return one.endswith(two) or two.endswith(one)


def _ratio(one: str, two: str) -> float:
    return SequenceMatcher(None, one, two, autojunk=False).ratio()


def _bare(name: str) -> str:
    """*name* as Markdown and quoting leave it: ``get\\_weather``, ``"get_weather"``."""
    return name.replace("\\", "").strip(" \t\r\n`'\"*")


def _unwrapped(name: str, known: Collection[str]) -> list[str]:
    return _equal(_bare(name), known, str)


def _same_case(name: str, known: Collection[str]) -> list[str]:
    return _equal(_bare(name), known, str.casefold)


def _same_words(name: str, known: Collection[str]) -> list[str]:
    return _equal(_bare(name), known, fold)


def _without_prefix(name: str, known: Collection[str]) -> list[str]:
    bare = _bare(name)
    rest = next((bare[len(each) :] for each in _PREFIXES if bare.startswith(each)), None)
    return [] if rest is None else _equal(rest, known, fold)


def _said_twice(name: str, known: Collection[str]) -> list[str]:
    return [each for each in known if each * 2 == name]


def _without_module(name: str, known: Collection[str]) -> list[str]:
    wanted = fold(_bare(name))
    return [each for each in known if wanted and fold(_MODULE_END.split(each)[-1]) == wanted]


def _equal(name: str, known: Collection[str], key: Callable[[str], str]) -> list[str]:
    wanted = key(name)
    return [each for each in known if wanted and key(each) == wanted]


_READINGS: tuple[tuple[str, Callable[[str, Collection[str]], list[str]]], ...] = (
    ("name_markup", _unwrapped),
    ("name_case", _same_case),
    ("name_separator", _same_words),
    ("name_prefix", _without_prefix),
    ("name_module", _without_module),
    ("named_twice", _said_twice),
)
