"""Two versions of one paradigm in one process, although both have the same name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..paradigms import registry

__all__ = ["free_names"]


@contextmanager
def free_names(names: Iterable[str]) -> Iterator[None]:
    """In here *names* are free to be registered; afterwards they are whose they were, or free."""
    names, registered = set(names), registry._registered
    kept = {name: registered.pop(name) for name in names & registered.keys()}
    try:
        yield
    finally:
        for name in names:
            registered.pop(name, None)
        registered.update(kept)
