"""Kept conversations as a person looks at them: a list, and one whole."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..conversation.journal.log import SessionLog, conversation_of
from ..conversation.stores import SessionInfo, Store
from ..conversation.turn.setup import Conversation
from ..protocol.foreign_text import visible
from ..protocol.messages import Message
from .chat import drawing
from .chat.cards import Card
from .chat.folding import counted, one_line
from .chat.live_text import thought
from .chat.markdown_view import answer

__all__ = ["conversation", "message_json", "session_table", "transcript"]

_BLANK = Text("")


def conversation(store: Store, id: str) -> Conversation:
    """What was said in the session *id*, as it stands."""
    log = SessionLog(store, id)
    return conversation_of(log.way(log.head))


def session_table(sessions: Sequence[SessionInfo]) -> Table:
    """One line for each of *sessions*."""
    has_workspaces = any(each.workspace for each in sessions)
    columns = ["id", "last used", *["workspace"] * has_workspaces, "title"]
    table = Table(*columns, box=None, pad_edge=False)
    for each in sessions:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.updated))
        where = [Text(one_line(each.workspace, 30))] * has_workspaces
        table.add_row(Text(visible(each.id)), used, *where, Text(one_line(each.title, 60)))
    return table


def transcript(
    said: Conversation, width: int, *, whole: bool = False, thinking: bool = False
) -> Iterator[RenderableType]:
    """*said*, drawn as the chat draws it; long arguments and results are folded unless *whole*."""
    for message in said.messages:
        yield from _message(message, width, whole, thinking)
    if said.pending:
        for request in said.pending.waiting.values():
            yield _BLANK
            yield Text(visible(f"{request.call.name} waits: {request.reason}"), style="yellow")


def _message(message: Message, width: int, whole: bool, thinking: bool) -> Iterator[RenderableType]:
    if message.reasoning:
        size = counted(len(message.reasoning), "character")
        folded = Text(f"∴ thought, {size}", style="dim")
        yield from (_BLANK, thought(visible(message.reasoning)) if thinking else folded)
    if message.content and not message.results:
        yield _BLANK
        is_ours = message.role == "user"
        yield _quoted(message.content) if is_ours else answer(visible(message.content))
    for call in message.calls:
        yield from (_BLANK, Card(call, whole=whole))
    for result in message.results:
        if whole:
            yield drawing.Whole(result.call.name, result.content)
        else:
            yield drawing.result(result, width, "--whole")


def _quoted(text: str) -> Text:
    """What the person said, each line behind the mark it was typed at."""
    return Text("\n".join(f"> {line}" for line in visible(text).split("\n")), style="bold")


def message_json(message: Message) -> dict[str, Any]:
    """*message* as a value of JSON."""
    calls = [{"id": c.id, "name": c.name, "arguments": dict(c.arguments)} for c in message.calls]
    results = [
        {"id": r.call.id, "name": r.call.name, "content": r.content, "is_error": r.is_error}
        for r in message.results
    ]
    told = {"role": message.role, "content": message.content, "reasoning": message.reasoning}
    return {**told, "calls": calls, "results": results}
