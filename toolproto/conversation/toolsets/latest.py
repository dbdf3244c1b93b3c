"""A value that several threads change without losing each other's changes, and without a lock.

Values are never changed, only followed by others. Each one has a place for its follower, and
``dict.setdefault`` puts exactly one there, whoever else tries: the one atomic step, with the
interpreter's lock or without. Who comes second starts again from the value that came first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Latest"]

T = TypeVar("T")


class _Version(Generic[T]):
    __slots__ = ("next", "value")

    def __init__(self, value: T) -> None:
        self.value = value
        self.next: dict[str, _Version[T]] = {}


class Latest(Generic[T]):
    """The last of a row of values. Readers keep the one they got; it stays as it is."""

    def __init__(self, value: T) -> None:
        self._version = _Version(value)

    def get(self) -> T:
        """The value as of now."""
        return self._last().value

    def change(self, follow: Callable[[T], T]) -> None:
        """Make ``follow(value)`` the value; what *follow* raises leaves all as it was.

        *follow* must not touch the value it gets, and is called again if another thread was
        faster.
        """
        while True:
            last = self._last()
            made = _Version(follow(last.value))
            if last.next.setdefault("", made) is made:
                self._version = made
                return

    def _last(self) -> _Version[T]:
        # A slow thread may have set self._version back a little; the row itself only grows.
        version = self._version
        while version.next:
            version = version.next[""]
        self._version = version
        return version
