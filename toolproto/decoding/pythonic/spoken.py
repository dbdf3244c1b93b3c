"""The arguments of one Python call, told in the order in which they become certain.

Those by keyword are told at once. Those by position wait until a keyword, or the end of the call,
shows that they were not its one dict of arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...messages import Grade, ProblemKind, Repair
from ..spoken_call import SpokenCall
from ..strict import Refused

__all__ = ["PythonCall"]


class PythonCall(SpokenCall):
    """A call that may give arguments by position, too."""

    by_keyword = False  # was any argument given by keyword?
    _positional: list[Any] | None = None

    def keyword(self, key: str) -> None:
        """An argument is given by keyword; its value comes."""
        self._tell_positional()
        self.by_keyword = True
        self.key(key)

    def positional(self, value: Any) -> None:
        """An argument is given without its name."""
        if self.by_keyword:
            raise Refused(
                ProblemKind.MALFORMED, "an argument without its name stands behind one with a name"
            )
        if self._positional is None:
            self._positional = []
        self._positional.append(value)

    def spread(self, value: Any) -> None:
        """Arguments are given as ``**{...}``."""
        if not isinstance(value, dict):
            raise Refused(ProblemKind.MALFORMED, "only a dict can stand behind **")
        for key, each in value.items():
            self.keyword(key)
            self.value(each)

    def settle(self) -> None:
        """No more arguments come."""
        given = self._positional or []
        if len(given) == 1 and isinstance(given[0], dict) and not self.by_keyword:
            repair = self._as_arguments(given[0])
            if repair is not None:
                self._positional = None
                self.mended(repair)
                self.spread(given[0])
        self._tell_positional()

    def _as_arguments(self, given: Mapping[str, Any]) -> Repair | None:
        """How sure it is that the one dict given holds all the arguments; None if it does not."""
        if self.tool is None:
            return Repair("dict_argument")
        properties = self.tool.properties
        known = [key for key in given if key in properties]
        if len(known) == len(given):
            return Repair("dict_argument")
        first = next(iter(properties.values()), None)
        wants_object = isinstance(first, Mapping) and first.get("type") == "object"
        doubtful = known or not properties
        return Repair("dict_argument", Grade.GUESSED) if doubtful and not wants_object else None

    def _tell_positional(self) -> None:
        given, self._positional = self._positional, None
        if not given:
            return
        if self.tool is None or not self.tool.properties:
            message = "its arguments have no names; write each as name=value"
            raise Refused(ProblemKind.MALFORMED, message)
        names = list(self.tool.properties)
        if len(given) > len(names):
            message = f"it takes {len(names)} arguments but {len(given)} came"
            raise Refused(ProblemKind.MALFORMED, f"{message}; write each as name=value")
        grade = Grade.GUESSED if len(given) > 1 else Grade.LOSSLESS
        self.mended(Repair("positional_arguments", grade))
        for name, value in zip(names, given, strict=False):
            self.key(name)
            self.value(value)

    def tail(self, count: int) -> str:
        """The last characters of its text so far."""
        if not count:
            return ""
        self._raw.seek(max(0, self._raw.tell() - count))
        return self._raw.read()
