"""What of a session is not written down: keys, and the fields a program names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...protocol.messages import ToolCall
from ...protocol.secrets import REDACTED, Redactor, rewritten
from ..stores.base import Record

__all__ = ["Redaction", "is_whole"]

#: What the model and the tools name; everything else in a record is named by us.
_NAMED_BY_OTHERS = ("arguments", "metadata")


class Redaction:
    """Takes secrets out of records on their way to a store.

    Removed are *secrets*, what *patterns* (regular expressions) match, keys of well-known services
    wherever they stand, and the values of *fields* in arguments and metadata, by name; once such a
    value of four characters or more was seen there, it is removed from all text, too. What a call
    holds that cannot be read is text. The session that runs knows what was removed still; the one
    that is opened again does not.
    """

    def __init__(
        self,
        fields: Iterable[str] = (),
        secrets: Iterable[str] = (),
        patterns: Sequence[str] = (),
    ) -> None:
        self._fields = frozenset(field.casefold() for field in fields)
        self._redactors = [Redactor(secrets, patterns)]
        self._learnt: set[str] = set()
        self._known: list[Redactor] = []

    def __repr__(self) -> str:
        return f"Redaction(fields={sorted(self._fields)})"

    def fresh(self) -> Redaction:
        """The same for one session, which learns for itself."""
        fresh = Redaction()
        fresh._fields, fresh._redactors = self._fields, list(self._redactors)
        return fresh

    def also(self, redactor: Redactor) -> None:
        """Remove what *redactor* knows, too: the keys of an endpoint."""
        self._redactors.append(redactor)

    def record(self, record: Record) -> Record:
        """*record* as it may be written."""
        if self._fields and (found := set(self._found(record.data)) - self._learnt):
            self._learnt |= found
            self._known = [Redactor(self._learnt)]
        told = dict(record.data)
        if record.kind == "reply":  # they were there to learn from
            told.pop("arguments", None)
        return Record(record.kind, self(told))

    def __call__(self, value: Any) -> Any:
        """Return a JSON value without its secrets."""
        return rewritten(value, self._text, member=self._ours)

    def _text(self, text: str, _: str = "") -> str:
        for redactor in (*self._known, *self._redactors):
            text = redactor(text)
        return text

    def _ours(self, name: str, value: Any) -> Any:
        if name not in _NAMED_BY_OTHERS:
            return value
        return rewritten(value, self._text, key=self._text, member=self._theirs)

    def _theirs(self, name: str, value: Any) -> Any:
        return REDACTED if name.casefold() in self._fields else value

    def _found(self, value: Any, named_by_others: bool = False) -> Iterator[str]:
        """The values of fields, as text."""
        match value:
            case Mapping():
                for key, each in value.items():
                    if named_by_others and key.casefold() in self._fields:
                        yield from (text for text in _texts(each) if text != REDACTED)
                    else:
                        yield from self._found(each, named_by_others or key in _NAMED_BY_OTHERS)
            case list() | tuple():
                for each in value:
                    yield from self._found(each, named_by_others)


def is_whole(call: ToolCall) -> bool:
    """Whether nothing of *call* was redacted."""
    return not any(REDACTED in text for text in _texts(call.arguments))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case bool() | None:
            return
        case str() | int() | float():
            yield str(value)
        case Mapping():
            for key, each in value.items():
                yield str(key)
                yield from _texts(each)
        case list() | tuple():
            for each in value:
                yield from _texts(each)
