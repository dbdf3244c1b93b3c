"""What of a session is not written down: keys, and the fields a program names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..endpoints.redaction import REDACTED, Redactor

__all__ = ["Redaction"]


class Redaction:
    """Takes secrets out of records on their way to a store.

    Removed are *secrets*, what *patterns* (regular expressions) match, keys of well-known services
    wherever they stand, and the values of *fields* in arguments and metadata, by name. The session
    that runs knows them still; the one that is opened again does not.
    """

    def __init__(
        self,
        fields: Iterable[str] = (),
        secrets: Iterable[str] = (),
        patterns: Sequence[str] = (),
    ) -> None:
        self._fields = frozenset(field.casefold() for field in fields)
        self._redactors = [Redactor(secrets, patterns)]

    def __repr__(self) -> str:
        return f"Redaction(fields={sorted(self._fields)})"

    def also(self, redactor: Redactor) -> None:
        """Remove what *redactor* knows, too: the keys of an endpoint."""
        self._redactors.append(redactor)

    def __call__(self, value: Any) -> Any:
        """A JSON value without its secrets."""
        match value:
            case str():
                for redactor in self._redactors:
                    value = redactor(value)
                return value
            case Mapping():
                return {key: self._member(key, each) for key, each in value.items()}
            case list() | tuple():
                return [self(each) for each in value]
        return value

    def _member(self, key: Any, value: Any) -> Any:
        return REDACTED if str(key).casefold() in self._fields else self(value)
