"""Sessions as files: lines of JSON that can be read back, and Markdown that people read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import UsageError
from ..messages import Message
from ..stores.base import Record, Store
from ..turn.journal import VERSION
from .log import SessionLog, conversation_of

__all__ = ["export_jsonl", "export_markdown", "import_jsonl"]

_FORMAT = "toolproto session"
_BATCH = 500


def export_jsonl(store: Store, id: str) -> Iterator[str]:
    """The whole session, all its branches, line by line; what was redacted stays so."""
    info = store.info(id)
    if info is None:
        raise UsageError(f"the store has no session {id!r}")
    yield _line({"format": _FORMAT, "version": VERSION, "id": id, "title": info.title})
    for record in store.read(id):
        yield _line({"kind": record.kind, "data": record.data})


def import_jsonl(store: Store, lines: Iterable[str], id: str | None = None) -> str:
    """Make a session of exported *lines*, under *id* if that is given; its id.

    Nothing is kept of lines that cannot be read.
    """
    read = [_read(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not read or read[0].get("format") != _FORMAT:
        raise UsageError("line 1 is not the beginning of an exported session")
    if read[0]["version"] > VERSION:
        raise UsageError(f"it was exported by a newer toolproto (journal {read[0]['version']})")
    records = [_record(number, each) for number, each in enumerate(read[1:], 2)]
    id = id or str(read[0]["id"])
    store.create(id, str(read[0].get("title", "")))
    for at in range(0, len(records), _BATCH):
        store.append(id, records[at : at + _BATCH], at, durable=True)
    return id


def export_markdown(store: Store, id: str) -> str:
    """The conversation as it goes to the head, for people to read."""
    info = store.info(id)
    if info is None:
        raise UsageError(f"the store has no session {id!r}")
    log = SessionLog(store, id)
    messages = conversation_of(log.way(log.head)).messages
    parts = [f"# {info.title or id}", *(part for each in messages for part in _shown(each))]
    return "\n\n".join(parts) + "\n"


def _shown(message: Message) -> Iterator[str]:
    if message.content and not message.results:
        who = {"user": "You", "assistant": "Model", "system": "System"}[message.role]
        yield f"**{who}:** {message.content}"
    for call in message.calls:
        arguments = json.dumps(call.arguments, ensure_ascii=False, indent=1, default=str)
        yield f"→ `{call.name}`\n\n{_fenced(arguments, 'json')}"
    for result in message.results:
        mark = "✗" if result.is_error else "←"
        yield f"{mark} `{result.call.name}`\n\n{_fenced(result.content)}"


def _fenced(text: str, language: str = "") -> str:
    """*text* in a fence that nothing in it can end."""
    longest = max(
        (len(run) for run in text.replace("\n", " ").split(" ") if "```" in run), default=2
    )
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _line(told: dict[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False) + "\n"


def _read(number: int, line: str) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise UsageError(f"line {number} is not a JSON object")
    return told


def _record(number: int, told: dict[str, Any]) -> Record:
    kind, data = told.get("kind"), told.get("data")
    if not isinstance(kind, str) or not isinstance(data, dict):
        raise UsageError(f"line {number} is not a record; expected 'kind' and 'data'")
    return Record(kind, data)
