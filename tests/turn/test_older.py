"""Journals of every version there was: they are read, and gone on with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolproto import Allow
from toolproto.errors import ToolProtoError
from toolproto.session import export_jsonl, export_markdown, import_jsonl
from toolproto.stores import MemoryStore
from toolproto.turn.journal import VERSION, unpacked
from toolproto.turn.older import renewed
from toolproto.turn.recall import UNKNOWN_OUTCOME
from toolproto.turn.records import Record

from .frozen.make import FOLDER, SESSIONS, opened

VERSIONS = sorted(FOLDER.glob("version_*"))
versions = pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
everything = pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("version_*/*.jsonl")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)


def loaded(path: Path) -> MemoryStore:
    store = MemoryStore()
    import_jsonl(store, path.read_text(encoding="utf-8").splitlines())
    return store


def test_every_version_has_its_frozen_journals():
    assert [path.name for path in VERSIONS] == [f"version_{n}" for n in range(1, VERSION + 1)]
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
    assert result.text == "So be it." and result.stats.rounds == 3
    # In part it is of one version now, in part of another.
    lines = list(export_jsonl(store, "x"))
    other = MemoryStore()
    import_jsonl(other, lines, id="x")
    assert opened(other, []).messages == opened(store, []).messages


def told(path: Path) -> list[Record]:
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines()[1:])
    records = [renewed(Record(each["kind"], each["data"])) for each in lines]
    return [each for record in records for each in unpacked(record)]


@pytest.mark.parametrize("name", SESSIONS)
def test_a_record_is_the_same_in_every_version(name):
    first, *others = ([_timeless(each) for each in told(v / f"{name}.jsonl")] for v in VERSIONS)
    assert all(each == first for each in others)


def _timeless(record: Record) -> Record:
    """*record* without the time, and without what one version leaves out where another says no."""
    said = {key: value for key, value in record.data.items() if value is not None}
    for key in ("at", "date", "version", "terms"):
        said.pop(key, None)
    return Record(record.kind, said)


@everything
def test_what_is_new_stays_as_it_is(path):
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        once = renewed(Record(**json.loads(line)))
        assert renewed(once) == once


@pytest.mark.parametrize("data", [
    {"before": [["message"]]}, {"before": [["message", 1]]}, {"before": ["message"]},
    {"before": 7}, {"before": [[]]}, {"before": [["message", {"message": 3}]]},
    {"before": [["reply", {"parts": [["text"]]}]]}, {"before": {"message": {}}},
])  # fmt: skip
@pytest.mark.parametrize("version", range(1, VERSION + 1))
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
