"""One row: the reply in it, and what else it says.

A row that cannot be used is no error: why it cannot be is one of the values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ..protocol.errors import UsageError
from ..protocol.paradigms.recommendations import recommend
from ..protocol.tools.spec import ToolOffer
from .offers import Offers, decode_json
from .reading import AUTO, Reading

__all__ = [
    "MISSING",
    "ReplyRow",
    "RowReader",
    "column",
    "content",
    "kind",
    "last_message",
    "listed",
    "named",
    "value_at",
]

MISSING: Any = object()


class ReplyRow(NamedTuple):
    """What a row says; with a *fault*, that is why nothing can be read."""

    text: str
    offer: ToolOffer
    paradigm: str
    finish_reason: str | None
    fault: str = ""


_recommended = lru_cache(maxsize=256)(lambda model: recommend(model).paradigm)


class RowReader:
    """Takes from each row of many what *reading* says is in it; offers are made once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._offers = Offers(reading.offers)

    def rows(self, batch: Any) -> Iterator[ReplyRow]:
        """Each row of *batch*, a RecordBatch."""
        fields = self._reading.fields
        paths = (fields.said, fields.tools, fields.paradigm, fields.model, fields.finish_reason)
        columns = [column(batch, path) for path in paths]
        for *values, fault in zip(*columns, column(batch, fields.fault), strict=True):
            yield self.failed(fault) if isinstance(fault, str) else self.row(*values)

    def failed(self, fault: str) -> ReplyRow:
        """A row of which nothing but a *fault* is known."""
        return ReplyRow("", self._reading.offer, self._reading.paradigm, None, fault)

    def offer(self, tools: Any) -> ToolOffer:
        """What *tools*, the value of a row, offers; ValueError if it cannot be used."""
        if tools is None or tools is MISSING:
            return self._reading.offer
        return self._offers(tools)

    def whole(self, text: str) -> ReplyRow:
        """A row of which nothing but its reply is known."""
        asked = self._reading
        return ReplyRow(text, asked.offer, asked.paradigm, asked.finish_reason)

    def row(self, said: Any, tools: Any, paradigm: Any, model: Any, reason: Any) -> ReplyRow:
        """The row with these values, those that it does not have None or missing."""
        asked, fields = self._reading, self._reading.fields
        try:
            text = (
                content(last_message(said).get("content"))
                if fields.messages
                else _text(said, fields.reply)
            )
            return ReplyRow(
                text,
                self.offer(tools),
                self._form(_word(paradigm, fields.paradigm), _word(model, fields.model)),
                _word(reason, fields.finish_reason) or asked.finish_reason,
            )
        except RecursionError:
            return self.failed("nested too deeply to be read")
        except ValueError as error:
            return self.failed(str(error))

    def _form(self, paradigm: str, model: str) -> str:
        form = paradigm or self._reading.paradigm
        return _recommended(model[:200]) if form == AUTO else form


def column(batch: Any, path: str | None) -> list[Any]:
    """The values at *path*, one for each row: those of a column, or of something inside one."""
    names = _names(batch)
    if path is None:
        return [None] * batch.num_rows
    if path in names:
        return values(named(batch, path))
    first, _, rest = path.partition(".")
    if not rest or first not in names:
        return [MISSING] * batch.num_rows
    found = values(named(batch, first))
    return [each if each is MISSING else value_at({"": each}, f".{rest}") for each in found]


def _names(batch: Any) -> list[str]:
    try:
        names: list[str] = batch.schema.names
    except AttributeError:
        told = f"a batch must be a RecordBatch of Arrow, not {type(batch).__name__}"
        raise UsageError(f"{told}; pyarrow.RecordBatch.from_pylist makes one of dicts") from None
    return names


def named(batch: Any, name: str) -> Any:
    """The column *name*, which a batch may have twice; then nobody knows which one is meant."""
    if batch.schema.names.count(name) > 1:
        raise UsageError(f"there are several columns {name!r} in the batch; rename the others")
    return batch.column(name)


def values(array: Any) -> list[Any]:
    """What *array* holds; a value that Python cannot hold, as text that is no UTF-8, is missing."""
    try:
        return list(array.to_pylist())
    except ValueError:
        return [_value(array[number]) for number in range(len(array))]


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except ValueError as error:
        return Unreadable(f"cannot be read: {error}")


class Unreadable(str):
    """Why a value is none."""


def _text(value: Any, path: str) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, Unreadable):
        raise ValueError(str(value))
    if value is MISSING:
        raise ValueError(f"no column {path!r}")
    if not isinstance(value, str):
        raise ValueError(f"field {path!r} is {kind(value)}, not text")
    return value


def last_message(messages: Any) -> Mapping[str, Any]:
    """The last message of an assistant in *messages*: a list, or the text of one."""
    for message in reversed(listed(messages, "messages")):
        if isinstance(message, Mapping) and message.get("role") == "assistant":
            return message
    raise ValueError("its messages contain no reply of an assistant")


def listed(value: Any, what: str) -> list[Any]:
    """*value*, which is a list, or the JSON of one; *what* it is, for the error."""
    if isinstance(value, str | bytes):
        try:
            value = decode_json(_text(value, what))
        except json.JSONDecodeError as error:
            raise ValueError(f"its {what} are not JSON: {error.msg}") from None
    if not isinstance(value, list):
        raise ValueError(f"its {what} are {kind(value)}, not a list")
    return value


def content(content: Any) -> str:
    """What a message says: text, or the text among its parts."""
    if isinstance(content, list):
        parts = [each for each in content if isinstance(each, Mapping)]
        return "".join(each["text"] for each in parts if isinstance(each.get("text"), str))
    if content is None:
        return ""
    return _text(content, "content")


def _word(value: Any, path: str | None) -> str:
    if value is None or value is MISSING:
        return ""
    return _text(value, path or "")


def value_at(row: Mapping[str, Any], path: str, default: Any = MISSING) -> Any:
    """What stands at *path*: a field of that very name, or one inside others."""
    if path in row or "." not in path:
        return row.get(path, default)
    found: Any = row
    for part in path.split("."):
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdecimal() and int(part) < len(found):
            found = found[int(part)]
        else:
            return default
    return found


def kind(value: Any) -> str:
    """What *value* is, for a sentence."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    if value is None or value is MISSING:
        return "null"
    return names.get(type(value), "a number")
