"""Replies out of what was recorded: cassettes, logs of exchanges, kept sessions.

A source is a file of JSON lines or the address of a store. A line of a file is an exchange of a
cassette (`endpoints/cassette.py`) or of a log, such as `toolproto serve --log-content` writes::

    {"paradigm": "hermes", "messages": […], "tools": […], "replies": ["…"]}

Only ``replies`` have to be there (or one ``reply``): the texts as the model wrote them. ``tools``
are those on offer, as OpenAI writes them. A file may also be a session that was exported.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from ..conversation.journal.log import LoggedTurn, SessionLog
from ..conversation.journal.packing import in_pairs
from ..conversation.session import import_jsonl
from ..conversation.stores import MemoryStore, SessionInfo, Store, open_store
from ..conversation.stores.base import Record
from ..protocol.errors import UsageError
from ..protocol.tools.spec import ToolOffer, spec_from_openai

__all__ = ["Recorded", "recorded"]

_SQLITE = "sqlite:///"
_PAGE = 100
#: Notes of a journal that stand between the two halves of a reply that was cut and continued.
_ASIDE = ("ids", "clock", "today")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A reply that was recorded. What the source does not tell is None."""

    reply: str
    origin: str
    paradigm: str | None = None
    offer: ToolOffer | None = None
    finish_reason: str | None = None


def recorded(source: str) -> Iterator[Recorded]:
    """The replies of *source*, in their order; those that were broken off, or are empty, are not.

    A source that cannot be read, and a line that is no exchange, is a UsageError that names it.
    """
    if "://" in source or source.endswith((".db", ".sqlite", ".sqlite3")):
        yield from _from_store(source)
        return
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{source} cannot be read: {error}") from None
    lines = text.split("\n")
    if '"toolproto session"' in lines[0]:
        yield from _from_export(lines, path.name)
        return
    yield from _from_lines(lines, path.name)


# -- files --------------------------------------------------------------------------------


def _from_lines(lines: Iterable[str], name: str) -> Iterator[Recorded]:
    found = 0
    for number, line in enumerate(lines, 1):
        # Whoever writes a log to its standard error may write other things there, too.
        if line.startswith("{"):
            exchanges = _exchanges(line, f"{name}, line {number}")
            found += len(exchanges)
            yield from (each for each in exchanges if each.finish_reason and each.reply.strip())
    if not found:
        raise UsageError(
            f"{name} has no replies; expected lines of JSON with 'chunks' or 'replies', as a"
            " cassette has them, or `toolproto serve --log-content`"
        )


def _exchanges(line: str, place: str) -> list[Recorded]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise UsageError(f"{place}: this is not JSON") from None
    if "chunks" in told:
        return [_of_cassette(told, place)]
    if "reply" in told or "replies" in told:
        return _of_log(told, place)
    return []  # a log without what was said


def _of_cassette(told: Mapping[str, Any], place: str) -> Recorded:
    chunks = told["chunks"]
    if not isinstance(chunks, list) or not all(isinstance(each, dict) for each in chunks):
        raise UsageError(f"{place}: 'chunks' must be a list of objects")
    texts = [chunk.get("text", "") for chunk in chunks]
    reasons = [chunk["finish_reason"] for chunk in chunks if chunk.get("finish_reason")]
    if not all(isinstance(each, str) for each in (*texts, *reasons)):
        raise UsageError(f"{place}: the text and the finish reason of a chunk must be texts")
    reason = None if told.get("error") else (reasons or [None])[-1]
    return Recorded("".join(texts), place, finish_reason=reason)


def _of_log(told: Mapping[str, Any], place: str) -> list[Recorded]:
    replies = told["replies"] if "replies" in told else [told["reply"]]
    reason, paradigm = told.get("finish_reason", "stop"), told.get("paradigm")
    if not isinstance(replies, list) or not all(isinstance(each, str) for each in replies):
        raise UsageError(f"{place}: 'replies' must be a list of texts, and 'reply' a text")
    if not isinstance(reason, str | None) or not isinstance(paradigm, str | None):
        raise UsageError(f"{place}: the finish reason and the paradigm must be texts")
    offer = _offer(told.get("tools"), place)
    return [Recorded(each, place, paradigm, offer, reason) for each in replies]


def _offer(tools: Any, place: str) -> ToolOffer | None:
    if tools is None:
        return None
    if not isinstance(tools, list) or not all(isinstance(each, dict) for each in tools):
        raise UsageError(f"{place}: 'tools' must be a list of tools, as OpenAI writes them")
    try:
        return ToolOffer(tuple(map(spec_from_openai, tools)))
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None


# -- sessions -----------------------------------------------------------------------------


def _from_export(lines: Iterable[str], name: str) -> Iterator[Recorded]:
    store = MemoryStore()
    yield from _from_session(store, import_jsonl(store, lines), name)


def _from_store(address: str) -> Iterator[Recorded]:
    file = address.removeprefix(_SQLITE)
    if "://" not in file and not Path(file).is_file():
        raise UsageError(f"there is no store in {file!r}")
    store = open_store(address if "://" in address else Path(address))
    try:
        for id in _session_ids(store):
            yield from _from_session(store, id, f"session {id}")
    finally:
        store.close()


def _session_ids(store: Store) -> list[str]:
    """All of them, the first one made first: an order that using one does not change."""
    found: list[SessionInfo] = []
    while page := store.list(limit=_PAGE, offset=len(found)):
        found += page
    return [info.id for info in sorted(found, key=lambda info: (info.created, info.id))]


def _from_session(store: Store, id: str, origin: str) -> Iterator[Recorded]:
    for turn in SessionLog(store, id).turns.values():
        for reply in _replies(turn):
            text = "".join(_text(record) for record in reply)
            reason = reply[-1].data.get("finish_reason")
            if reason is not None and not reply[-1].data.get("error") and text.strip():
                place = f"{origin}, turn {turn.number}"
                yield Recorded(text, place, finish_reason=str(reason))


def _replies(turn: LoggedTurn) -> Iterator[list[Record]]:
    """The replies of a turn; one that was cut and continued is several records in a row."""
    told = [record for record in turn.told() if record.kind not in _ASIDE]
    for is_reply, records in groupby(told, lambda record: record.kind == "reply"):
        if is_reply:
            yield list(records)


def _text(record: Record) -> str:
    return "".join(text for kind, text in in_pairs(record.data["parts"]) if kind == "text")
