"""Writes the frozen journals of the present version.

Run ``python -m tests.conversation.journal.frozen.make``.

Run once for each version, by whoever makes it. A journal that was published is never written again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolproto import Allow, ChatSession, Defer, Deny, tool
from toolproto.conversation.journal.journal import VERSION
from toolproto.conversation.session import export_jsonl, export_markdown
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.stores.base import Record
from toolproto.conversation.turn.compaction import Compaction
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.messages import Chunk, counted_ids
from toolproto.protocol.paradigms.registry import get_paradigm

FOLDER = Path(__file__).parent
THINKING = [Chunk(reasoning="Hm, "), Chunk("Hel"), Chunk("lo."), Chunk(reasoning="So."), Chunk("!")]


@tool(risk="write")
def book(flight: str) -> str:
    """Book a flight."""
    return f"booked {flight}. " + "Have a nice trip. " * 20


def call(flight: str) -> str:
    """A call as the model writes it."""
    arguments = f'{{"flight": "{flight}"}}'
    return f'<tool_code>{{"name": "book", "arguments": {arguments}}}</tool_code>'


def opened(store: MemoryStore, replies: Iterable[Any], **options: Any) -> ChatSession:
    """The session that *store* keeps."""
    paradigm = get_paradigm("xml_tag")
    paradigm.ids = counted_ids()
    return ChatSession(ScriptedEndpoint(*replies), paradigm, [book], store=store, id="x", **options)


def talk(store: MemoryStore) -> None:
    """Turns without calls, one of them run again."""
    session = opened(store, [THINKING, "Two.", "Three.", "Four."])
    session.send("Hello")
    session.send("And?", params={"temperature": 0})
    session.rerun()
    session.send("And then?")


def calls(store: MemoryStore) -> None:
    """Calls that are allowed, refused, changed, and cannot be read."""
    decisions = iter([Allow(), Deny("too dear"), Allow(always=True)])
    replies = [call("LH 1") + call("LH 2"), "<tool_code>{</tool_code>", call("LH 3"), "Done."]
    session = opened(store, replies, approver=lambda request: next(decisions))
    session.send("Book")


def pending(store: MemoryStore) -> None:
    """A turn that waits for a decision about one of two calls, in its second resumption."""
    session = opened(store, [call("LH 1") + call("LH 2")], approver=lambda request: Defer())
    session.send("Book")
    session.resume({session.pending[0].call.id: Allow()})


def compacted(store: MemoryStore) -> None:
    """A conversation that grew too long."""
    options = {"compaction": Compaction(600, keep_turns=1), "limits": TurnLimits(repeats=9)}
    replies = [
        call("LH 1"),
        "One. " * 50,
        "A summary.",
        call("LH 2"),
        "Two.",
        "A summary.",
        "Three.",
    ]
    session = opened(store, replies, approver=lambda request: Allow(), **options)
    for text in ("Book one", "Book two", "Book three"):
        session.send(text)


def interrupted(store: MemoryStore) -> None:
    """A turn that broke off with one call done and one that nobody knows of."""
    whole = MemoryStore()
    opened(whole, [call("LH 1"), call("LH 2"), "Done."], approver=lambda request: Allow()).send(
        "Book"
    )
    records: list[Record] = list(whole.read("x"))
    starts = [at for at, record in enumerate(records) if record.kind == "started"]
    store.create("x", "Book")
    store.append("x", records[: starts[1] + 1], 0, durable=True)


SESSIONS = {each.__name__: each for each in (talk, calls, pending, compacted, interrupted)}


def main() -> None:
    folder = FOLDER / f"version_{VERSION}"
    folder.mkdir()  # one that is there is published
    for name, play in SESSIONS.items():
        store = MemoryStore()
        play(store)
        (folder / f"{name}.jsonl").write_text("".join(export_jsonl(store, "x")), encoding="utf-8")
        (folder / f"{name}.md").write_text(export_markdown(store, "x"), encoding="utf-8")


if __name__ == "__main__":
    main()
