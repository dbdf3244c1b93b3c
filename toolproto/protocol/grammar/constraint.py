"""What a request wishes of its endpoint: that the model be held to a grammar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

from ..errors import UsageError
from .ir import Grammar

__all__ = ["CONSTRAIN", "Constrain", "Constraint", "checked_mode"]

#: ``auto``: where that is known to work, and without it elsewhere. ``calls``: an endpoint that
#: cannot, or that refuses, is an error. ``off``: never.
Constrain = Literal["auto", "calls", "off"]
CONSTRAIN: tuple[str, ...] = get_args(Constrain)


def checked_mode(mode: str) -> str:
    """*mode*, if it is one; UsageError otherwise."""
    if mode not in CONSTRAIN:
        raise UsageError(f"constrain is {mode!r}; use one of {CONSTRAIN}")
    return mode


class Constraint:
    """A grammar that is made when an endpoint asks for it.

    *rendering* is set by the endpoint that sends the request: in which words the service was told
    the grammar, or nothing if it was not. *demanded*: to go without it is an error.
    """

    __slots__ = ("_grammar", "_make", "demanded", "rendering")

    def __init__(self, make: Callable[[], Grammar | None], demanded: bool = False) -> None:
        self.demanded = demanded
        self.rendering = ""
        self._make: Callable[[], Grammar | None] | None = make
        self._grammar: Grammar | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # What makes the grammar belongs to a session; the grammar can go anywhere.
        return _known, (self.grammar, self.demanded, self.rendering)

    @property
    def grammar(self) -> Grammar | None:
        """The grammar; None if there is none for what is asked."""
        if self._make is not None:
            self._grammar, self._make = self._make(), None
        return self._grammar


def _known(grammar: Grammar | None, demanded: bool, rendering: str) -> Constraint:
    constraint = Constraint(lambda: grammar, demanded)
    constraint.rendering = rendering
    return constraint
