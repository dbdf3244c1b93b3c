"""What a store writes down: a record as JSON text, and the text it is found by."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import normalize

from ...protocol.errors import StoreError, UsageError
from .base import Record

__all__ = ["Written", "checked_id", "counted", "folded", "readable", "unwritten", "written"]

#: Lists and objects within one another. Whoever reads may have less stack left than who wrote.
_DEEPEST = 100
_LONGEST_ID = 200
#: More than anybody has; every database can still add to it.
_LARGEST = 2**53
_LONGEST_KIND = 100


class Written(NamedTuple):
    """A record as it lies in a store."""

    kind: str
    data: str
    search: str


def written(record: Record) -> Written:
    """*record* as text; a UsageError if JSON cannot hold it."""
    content = record.data
    if _unstorable(record.kind) or not 0 < len(record.kind) <= _LONGEST_KIND:
        raise UsageError(f"a record's kind is a short word, not {record.kind!r}")
    text = _json(content, record.kind)
    if text.count("{") + text.count("[") > _DEEPEST:
        _check_depth(content, record.kind)
    return Written(record.kind, text, folded("\n".join(_strings(content))))


def unwritten(rows: Sequence[tuple[str, Any]]) -> list[Record]:
    """The records that were written as these kinds and data; a StoreError if they were not."""
    texts = [data if isinstance(data, str) else "" for _, data in rows]
    # Reading one long text takes half as long as reading many short ones.
    contents = _read(f"[{','.join(texts)}]")
    if not isinstance(contents, list) or len(contents) != len(rows):
        contents = [_read(text) for text in texts]
    return [_record(kind, content) for (kind, _), content in zip(rows, contents, strict=True)]


def folded(text: str) -> str:
    """*text* as it is searched: without case, and with one way of writing each character."""
    if text.isascii():
        return readable(text.lower())
    return readable(normalize("NFC", normalize("NFD", text).casefold()))


def readable(text: str) -> str:
    """*text* with U+FFFD for what databases do not keep: NUL, and halves of surrogate pairs."""
    if _unstorable(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\ufffd")


def checked_id(id: object) -> str:
    """*id*, or a UsageError if no session may be called so."""
    if not isinstance(id, str) or _unstorable(id) or not 0 < len(id) <= _LONGEST_ID:
        raise UsageError(
            f"a session's id is text of 1 to {_LONGEST_ID} characters without NUL, "
            f"not {_shortened(id)}"
        )
    return id


def counted(name: str, number: object) -> int:
    """*number*, or a UsageError if it counts nothing."""
    if not isinstance(number, int) or not 0 <= number <= _LARGEST:
        raise UsageError(f"{name} must be a number, 0 or more, not {_shortened(number)}")
    return number


def _json(content: Mapping[str, Any], kind: str) -> str:
    try:
        text = _AS_IT_IS(content)
        if _unstorable(text):
            text = _ESCAPED(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"JSON cannot express the record of kind {kind!r}: {error}") from None
    return text


def _read(text: str) -> Any:
    """What JSON says in *text*, None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _record(kind: str, content: Any) -> Record:
    if not isinstance(content, dict):
        raise StoreError(f"a record of kind {kind!r} is damaged: it is not a JSON object")
    return Record(kind, content)


def _plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


_AS_IT_IS = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode
_ESCAPED = json.JSONEncoder(separators=(",", ":"), default=_plain).encode


def _unstorable(text: str) -> bool:
    """Whether *text* holds what UTF-8, or PostgreSQL, has no place for."""
    if text.isascii():
        return "\0" in text
    try:
        return b"\0" in text.encode()
    except UnicodeEncodeError:
        return True


def _check_depth(content: Any, kind: str) -> None:
    level = [content]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return
    raise UsageError(f"the record of kind {kind!r} is nested more than {_DEEPEST} deep")


def _strings(content: Any) -> Iterator[str]:
    """Every text in *content* but the names of things, in order."""
    waiting = [content]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif type(each) is dict:
            waiting.extend(reversed(each.values()))
        else:
            waiting.extend(reversed(_inside(each)))


def _inside(value: Any) -> Sequence[Any]:
    if isinstance(value, list | tuple):
        return value
    return list(value.values()) if isinstance(value, Mapping) else ()


def _shortened(value: object) -> str:
    # An id of a million characters, or a number of as many digits, makes no message.
    return f"{value[:20]!r}…" if isinstance(value, str) and len(value) > 20 else f"{value!r:.40}"
