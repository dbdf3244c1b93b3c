"""Journals of every version that was released: they are read, and gone on with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolproto import Allow
from toolproto.conversation.journal.journal import VERSION
from toolproto.conversation.session import export_jsonl, export_markdown, import_jsonl
from toolproto.conversation.stores import MemoryStore, Record
from toolproto.conversation.turn.call_results import UNKNOWN_OUTCOME
from toolproto.protocol.errors import StoreError, ToolProtoError

from .frozen.make import FOLDER, SESSIONS, opened

#: The first version that anybody may have journals of.
FIRST = 2
VERSIONS = sorted(FOLDER.glob("version_*"))
versions = pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
everything = pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("version_*/*.jsonl")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)


def loaded(path: Path) -> MemoryStore:
    """A store that has the journal as it was written; an import would end what broke off."""
    store = MemoryStore()
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    store.create(head["id"], head["title"])
    records = [Record(line["kind"], line["data"]) for line in lines]
    store.append(head["id"], records, 0, durable=True)
    return store


def test_every_version_has_its_frozen_journals():
    assert [path.name for path in VERSIONS] == [f"version_{n}" for n in range(FIRST, VERSION + 1)]
    for path in VERSIONS:
        assert {each.stem for each in path.glob("*.jsonl")} == set(SESSIONS)


@everything
def test_a_frozen_journal_says_what_it_said(path):
    assert export_markdown(loaded(path), "x") == path.with_suffix(".md").read_text(encoding="utf-8")


@everything
def test_a_frozen_session_goes_on(path):
    store = loaded(path)
    session = opened(store, ["Fine."] * 4)
    if session.pending:
        session.resume({request.call.id: Allow() for request in session.pending})
    assert session.send("And now?").status == "completed"
    again = opened(store, [])
    assert again.messages == session.messages and not again.interrupted


@versions
def test_a_turn_that_broke_off_is_told_again(version):
    store = loaded(version / "interrupted.jsonl")
    result = opened(store, ["So be it."]).resume({})
    assert [each.result.content[:12] for each in result.calls] == [
        "booked LH 1.",
        UNKNOWN_OUTCOME[:12],
    ]
    assert result.text == "So be it." and result.stats.requests == 3
    lines = list(export_jsonl(store, "x"))
    other = MemoryStore()
    import_jsonl(other, lines, id="x")
    assert opened(other, []).messages == opened(store, []).messages


@pytest.mark.parametrize("data", [
    {"before": [["message"]]}, {"before": [["message", 1]]}, {"before": ["message"]},
    {"before": 7}, {"before": [[]]}, {"before": [["message", {"message": 3}]]},
    {"before": [["reply", {"parts": [["text"]]}]]}, {"before": {"message": {}}},
])  # fmt: skip
@pytest.mark.parametrize("version", range(FIRST, VERSION + 1))
def test_a_damaged_record_is_refused(version, data):
    store = MemoryStore()
    lines = [
        {"format": "toolproto session", "version": version, "id": "x"},
        {"kind": "turn", "data": {"version": version, "turn": 1, "parent": None,
                                  "message": {"role": "user", "content": "hi"}}},
        {"kind": "ended", "data": {"status": "completed", "pending": None, **data}},
    ]  # fmt: skip
    with pytest.raises(ToolProtoError):
        import_jsonl(store, map(json.dumps, lines))
    assert store.info("x") is None


def test_a_journal_that_was_never_released_is_refused():
    head = {"format": "toolproto session", "version": 1, "id": "x"}
    with pytest.raises(ToolProtoError, match="before toolproto was released"):
        import_jsonl(MemoryStore(), [json.dumps(head)])
    store = MemoryStore()
    store.create("x")
    turn = {"version": 1, "turn": 1, "parent": None, "message": {"role": "user"}}
    store.append("x", [Record("turn", turn)], 0, durable=True)
    with pytest.raises(StoreError, match="before toolproto was released"):
        opened(store, [])
