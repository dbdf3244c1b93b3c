"""How far a run has come, and what is done with that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolproto.cli.bulk.batches import Position
from toolproto.cli.bulk.destination import Destination
from toolproto.cli.bulk.inputs import Kind, Source
from toolproto.cli.bulk.journal import Journal, Progress
from toolproto.cli.bulk.replies import ReplyReader
from toolproto.cli.bulk.tally import Tally
from toolproto.cli.bulk.work import Done
from toolproto.cli.bulk.writing import BEGINNING, RowFile
from toolproto.errors import UsageError

from .samples import OFFER, call, reading

ABOUT = {"inputs": "abc", **reading().told()}
SOME = Progress(Position(1, 2, 3), 6, Tally(3, 2))


def test_what_is_written_is_read(tmp_path):
    tally = Tally()
    reader = ReplyReader(reading())
    for text in ("x", call(), call(name="getWeather"), call(name="no")):
        tally.count(reader.read(text, OFFER, "xml_tag").told())
    progress = Progress(Position(1, 2, 3), 99, tally)
    journal = Journal(tmp_path / "a.progress", ABOUT)
    journal.write(SOME)
    journal.write(progress)
    read = Journal(tmp_path / "a.progress", ABOUT).read()
    assert read == progress
    assert read.tally.told() == tally.told()
    assert [path.name for path in tmp_path.iterdir()] == ["a.progress"]
    journal.remove()
    journal.remove()


@pytest.mark.parametrize(
    "key, value", [("paradigm", "hermes"), ("tools", "0"), ("inputs", "x"), ("keep", [["a", "a"]])]
)
def test_the_journal_of_another_run_is_refused_and_says_what_differs(tmp_path, key, value):
    Journal(tmp_path / "a.progress", ABOUT).write(SOME)
    with pytest.raises(UsageError, match=f"with other {key};.*--force"):
        Journal(tmp_path / "a.progress", {**ABOUT, key: value}).read()


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "{}", '{"about": {}}', "null", "\ufffd"])
def test_what_is_no_journal_is_refused(tmp_path, text):
    (tmp_path / "a.progress").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="no journal of ours"):
        Journal(tmp_path / "a.progress", ABOUT).read()


def test_a_paradigm_that_was_edited_is_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = []
    for text in ("one", "two"):
        (tmp_path / "mine.py").write_text(text)
        told.append(reading(paradigm="mine.py").told()["paradigm"])
    assert told[0] != told[1]


# -- the file and its journal -----------------------------------------------------------------


def opened(tmp_path, progress=BEGINNING):
    return RowFile(tmp_path / "a.jsonl", Journal(tmp_path / "a.progress", ABOUT), progress)


def kept(tmp_path):
    return Journal(tmp_path / "a.progress", ABOUT).read()


def test_the_journal_is_there_before_the_first_row_and_true_at_the_end(tmp_path):
    with opened(tmp_path) as output:
        assert kept(tmp_path) == BEGINNING
        output.write(Done(b"one\n", Tally(1)), Position(0, 4, 1))
    assert kept(tmp_path) == Progress(Position(0, 4, 1), 4, Tally(1))


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, SystemExit, UsageError])
def test_the_journal_is_true_whatever_ends_the_run(tmp_path, error):
    with pytest.raises(error), opened(tmp_path) as output:
        output.write(Done(b"one\n", Tally(1)), Position(0, 4, 1))
        raise error
    assert kept(tmp_path).length == 4


def test_a_run_that_was_stopped_before_its_first_row_can_be_gone_on_with(tmp_path):
    with pytest.raises(KeyboardInterrupt), opened(tmp_path):
        raise KeyboardInterrupt
    assert kept(tmp_path) == BEGINNING


def test_a_run_that_fails_before_its_first_row_leaves_nothing(tmp_path):
    with pytest.raises(UsageError), opened(tmp_path):
        raise UsageError
    assert list(tmp_path.iterdir()) == []


def test_what_the_journal_does_not_know_is_cut_off(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"known\nhalf a l")
    with opened(tmp_path, SOME) as output:
        output.write(Done(b"new\n", Tally(1)), Position(1, 9, 4))
    assert (tmp_path / "a.jsonl").read_bytes() == b"known\nnew\n"
    assert kept(tmp_path) == Progress(Position(1, 9, 4), 10, Tally(4, 2))


def test_a_file_shorter_than_was_written_is_refused_and_left_alone(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"kno")
    with pytest.raises(UsageError, match="3 fewer than were written"), opened(tmp_path, SOME):
        pass
    assert (tmp_path / "a.jsonl").read_bytes() == b"kno"
    assert not (tmp_path / "a.progress").exists()


def test_two_runs_do_not_write_to_one_file(tmp_path):
    with opened(tmp_path) as output:
        output.write(Done(b"one\n", Tally(1)), Position(0, 4, 1))
        with pytest.raises(UsageError, match="another run writes"), opened(tmp_path):
            pass
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\n"
    assert kept(tmp_path).length == 4


# -- whether a run may begin ------------------------------------------------------------------


def begin(path, *, resume=False, force=False):
    return Destination(path).begin(ABOUT, resume=resume, force=force)[1]


def test_a_new_file_is_begun(tmp_path):
    for options in ({}, {"resume": True}, {"force": True}):
        assert begin(tmp_path / "a.jsonl", **options) is BEGINNING


def test_an_empty_file_is_as_good_as_new(tmp_path):
    (tmp_path / "a.jsonl").touch()
    assert begin(tmp_path / "a.jsonl") is BEGINNING


def test_a_file_without_a_journal_is_complete(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("rows\n")
    assert begin(path, resume=True) is None
    assert begin(path, force=True) is BEGINNING
    with pytest.raises(UsageError, match="is there already; --force"):
        begin(path)


def test_a_file_with_a_journal_is_gone_on_with(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("known\n")
    Journal(tmp_path / "a.jsonl.progress", ABOUT).write(SOME)
    assert begin(path, resume=True) == SOME
    assert begin(path, force=True) is BEGINNING
    with pytest.raises(UsageError, match="was broken off; go on with --resume"):
        begin(path)


def test_an_output_that_cannot_be_is_refused(tmp_path):
    for path, told in (
        ("", "is a folder"),
        ("no/a.jsonl", "there is no folder"),
        ("a.jsonl.zst", "call it .jsonl"),
        ("a.csv", "call it .jsonl"),
    ):
        with pytest.raises(UsageError, match=told):
            Destination(tmp_path / path).check([])


@pytest.mark.parametrize("name", ["a.jsonl", "./a.jsonl", "a.jsonl.progress"])
def test_no_run_writes_to_what_it_reads(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="both input and output"):
        Destination(Path("a.jsonl")).check([Source("-", Kind.TEXT), Source(name, Kind.JSONL)])


def test_a_journal_is_small_and_readable(tmp_path):
    Journal(tmp_path / "a.progress", ABOUT).write(SOME)
    told = json.loads((tmp_path / "a.progress").read_text())
    assert told["position"] == [1, 2, 3] and told["length"] == 6
    assert told["about"]["paradigm"] == ["xml_tag", ""]
