"""What a service refuses or misreads in a schema, one rule for each kind of thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Compiler", "CompilerRule", "Node", "drops", "drops_all", "is_typed"]

#: One schema, apart from those inside it.
Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CompilerRule:
    """What is wrong with a schema in the eyes of one service, and what it is sent instead.

    *what* completes "it holds …"; *source* names the code, the reference or the report that shows
    it. What is *misread* is not refused: the service reads it as something else.
    """

    what: str
    source: str
    applies: Callable[[Node], bool]
    mended: Callable[[Node], dict[str, Any]]
    misread: bool = False
    only_top: bool = False


@dataclass(frozen=True, slots=True)
class Compiler:
    """What one service takes of the definition of a tool.

    *names* matches the names that it allows, of at most *longest* characters. Where it does not
    follow references (*inlines*), what they mean is copied; where it does, those that lead straight
    into the schema stay. It may know no schemas that are only true or false (*booleans*).
    """

    name: str
    title: str
    rules: tuple[CompilerRule, ...] = ()
    names: re.Pattern[str] = re.compile(r".+")
    longest: int = 1_000
    names_source: str = ""
    inlines: bool = False
    booleans: bool = True


def drops(
    keyword: str,
    what: str,
    source: str,
    when: Callable[[Any, Node], bool] = lambda value, node: True,
    *,
    misread: bool = False,
    only_top: bool = False,
) -> CompilerRule:
    """Return the rule that *keyword* is left out, where *when* says so of its value."""
    return CompilerRule(
        what,
        source,
        lambda node: keyword in node and when(node[keyword], node),
        lambda node: {key: value for key, value in node.items() if key != keyword},
        misread,
        only_top,
    )


def drops_all(
    keywords: str,
    source: str,
    when: Callable[[Any, Node], bool] = lambda value, node: True,
    *,
    only_top: bool = False,
) -> tuple[CompilerRule, ...]:
    """Return the rules that each of *keywords* is left out."""
    return tuple(
        drops(keyword, f"`{keyword}`", source, when, only_top=only_top)
        for keyword in keywords.split()
    )


def is_typed(node: Node, *names: str) -> bool:
    """Return True if *node* says that its value may be of one of the types *names*."""
    kind = node.get("type")
    return kind in names if isinstance(kind, str) else bool({*names} & {*(kind or ())})
