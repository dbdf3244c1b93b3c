"""Which of several models a service has: asked at a terminal, or answered with their names."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ..protocol.errors import UsageError
from ..protocol.foreign_text import visible
from .console import note

__all__ = ["ask_model", "which_model"]

_MOST_SHOWN = 30


def which_model(names: Sequence[str]) -> str:
    """Refuse to choose: the person is told the *names*."""
    raise UsageError(f"which model? give --model NAME; the service has {_listed(names, 5)}")


def ask_model(names: Sequence[str]) -> str:
    """The model that the person at the terminal chooses, by its number or its name."""
    for number, name in enumerate(names[:_MOST_SHOWN], 1):
        note(f"{number:3}  {name}")
    if len(names) > _MOST_SHOWN:
        note(f"     … and {len(names) - _MOST_SHOWN} more")
    while True:
        said = click.prompt("which model", default="1", err=True).strip()
        if said in names:
            return str(said)
        if said.isdecimal() and 1 <= int(said) <= len(names):
            return names[int(said) - 1]
        note(f"a number from 1 to {len(names)}, or a name")


def _listed(names: Sequence[str], most: int) -> str:
    shown = ", ".join(visible(name[:100]) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
