"""Sessions as files: lines of JSON that can be read back, and Markdown that people read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...protocol.errors import StoreError, UsageError
from ...protocol.messages import Message
from ..stores.base import Record, Store
from ..stores.memory import MemoryStore
from .disarming import disarmed
from .journal import VERSION
from .log import SessionLog, conversation_of

__all__ = ["export_jsonl", "export_markdown", "import_jsonl"]

_FORMAT = "toolproto session"
_TICKS = re.compile("`+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_AWKWARD = re.compile("[\x85\u2028\u2029\ud800-\udfff]")


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

    Nothing is kept of lines that cannot be read. A file approves nothing: its grants and decisions
    are left behind, a call that waits is asked about here, and a turn that broke off is over.
    """
    read = [_read(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not read or read[0].get("format") != _FORMAT:
        raise UsageError("line 1 is not the beginning of an exported session")
    version, id = read[0].get("version"), id or read[0].get("id")
    if not isinstance(version, int) or not isinstance(id, str):
        raise UsageError("line 1 does not give the version and the id of the session")
    if version > VERSION:
        raise UsageError(f"it was exported by a newer toolproto (journal {version})")
    if version < VERSION:
        raise UsageError(f"it was exported before toolproto was released (journal {version})")
    records = [_record(number, each) for number, each in enumerate(read[1:], 2)]
    records = _harmless(records)
    store.create(id, str(read[0].get("title", "")))
    try:
        store.append(id, records, 0, durable=True)
    except BaseException:
        store.delete(id)
        raise
    return id


def export_markdown(store: Store, id: str) -> str:
    """The conversation as it goes to the head, for people to read."""
    info = store.info(id)
    if info is None:
        raise UsageError(f"the store has no session {id!r}")
    log = SessionLog(store, id)
    messages = conversation_of(log.way(log.head)).messages
    parts = [
        f"# {' '.join((info.title or id).split())}",
        *(part for each in messages for part in _shown(each)),
    ]
    return "\n\n".join(parts) + "\n"


def _shown(message: Message) -> Iterator[str]:
    if message.content and not message.results:
        who = {"user": "You", "assistant": "Model", "system": "System"}[message.role]
        gap = "\n\n" if _FENCE.match(message.content) else " "  # a fence has its own line
        yield f"**{who}:**{gap}{_closed(message.content)}"
    for call in message.calls:
        arguments = json.dumps(call.arguments, ensure_ascii=False, indent=1, default=str)
        yield f"→ `{call.name}`\n\n{_fenced(arguments, 'json')}"
    for result in message.results:
        mark = "✗" if result.is_error else "←"
        yield f"{mark} `{result.call.name}`\n\n{_fenced(result.content)}"


def _fenced(text: str, language: str = "") -> str:
    """*text* in a fence that nothing in it can end."""
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _closed(text: str) -> str:
    """*text*, its last fence closed, so that what follows stays outside."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line[found.end() :].strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text


def _line(told: dict[str, Any]) -> str:
    line = json.dumps(told, ensure_ascii=False)
    # Half a surrogate pair goes into no file, and some readers end a line at U+2028.
    if _AWKWARD.search(line):
        line = json.dumps(told)
    return line + "\n"


def _harmless(records: list[Record]) -> list[Record]:
    """*records* without approvals; UsageError unless a session can be led on from them."""
    tried = MemoryStore()
    tried.create("tried")
    try:
        tried.append("tried", [disarmed(each) for each in records], 0, durable=False)
        log = SessionLog(tried, "tried")
        # Going on with it would follow the decisions that were written down for it.
        log.close_unfinished()
        for turn in log.turns.values():
            conversation_of([turn])
    except StoreError as error:
        raise UsageError(f"it is not a session: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"it is not a session: a record is damaged ({error!r})") from None
    return list(tried.read("tried"))


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
