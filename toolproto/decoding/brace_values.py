"""The lists and objects that are open in the arguments of a call between braces."""

from __future__ import annotations

from typing import Any

from ..messages import ProblemKind
from .quoted_text import QuotingCall
from .strict import DUPLICATE_KEY, Refused, same_value

__all__ = ["BraceValues"]


class _Frame:
    """An open list or object, and the key of the member being read."""

    __slots__ = ("key", "value")

    def __init__(self, value: dict[str, Any] | list[Any]) -> None:
        self.value = value
        self.key = ""


class BraceValues:
    """What is open, from the arguments of *call* down; at most *depth* levels of it.

    The arguments themselves go to the call one by one, what is inside them is built here.
    """

    def __init__(self, call: QuotingCall, depth: int) -> None:
        self._call = call
        self._depth = depth
        self._frames = [_Frame(call.arguments)]

    @property
    def is_over(self) -> bool:
        """Are the arguments closed?"""
        return not self._frames

    @property
    def is_outermost(self) -> bool:
        """Is nothing open but the arguments?"""
        return len(self._frames) == 1

    @property
    def in_list(self) -> bool:
        """Is a list the innermost that is open?"""
        return isinstance(self._frames[-1].value, list)

    @property
    def is_empty(self) -> bool:
        """Does the innermost that is open hold nothing yet?"""
        return not self._frames[-1].value

    @property
    def key(self) -> str:
        """The key of the member being read."""
        return self._frames[-1].key

    def named(self, key: str) -> None:
        """A member is called *key*; its value comes."""
        self._frames[-1].key = key
        if self.is_outermost:
            self._call.key(key)

    def opened(self, value: dict[str, Any] | list[Any]) -> None:
        """The value being read is a list or an object, still empty."""
        if len(self._frames) >= self._depth:
            message = f"nested deeper than {self._depth} levels"
            raise Refused(ProblemKind.TOO_LARGE, message)
        self._frames.append(_Frame(value))

    def closed(self) -> None:
        """The innermost that is open is over."""
        frame = self._frames.pop()
        if self._frames:
            self.put(frame.value)

    def put(self, value: Any) -> None:
        """The value being read is *value*."""
        frame = self._frames[-1]
        if self.is_outermost:
            self._call.value(value)
        elif isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.key not in frame.value:
            frame.value[frame.key] = value
        elif same_value(frame.value[frame.key], value):
            self._call.mended(DUPLICATE_KEY)
        else:
            message = f"the key {frame.key[:80]!r} is given twice with different values"
            raise Refused(ProblemKind.MALFORMED, message)
