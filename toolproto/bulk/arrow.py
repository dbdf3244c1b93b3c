"""pyarrow, imported where it is used: who reads one reply does without it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..package import install_command
from ..protocol.errors import UsageError

__all__ = ["arrow", "engine"]


def arrow(name: str = "pyarrow", what: str = "reading many replies") -> Any:
    """A module of pyarrow; where it is not installed, a UsageError that says *what* needs it."""
    return engine(name, "bulk", what)


def engine(name: str, extra: str, what: str) -> Any:
    """The module *name*, which the extra of that name installs, for *what*."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        if missing != name.partition(".")[0]:
            raise
        raise UsageError(f"{what} needs {missing}; run: {install_command(extra)}") from None
