"""The output in parts, and what is done with those of a run that was broken off."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from toolproto.bulk import pieces as cutting
from toolproto.bulk.columns import failed
from toolproto.bulk.formats import Format
from toolproto.bulk.inputs import Kind, Source
from toolproto.bulk.parts import Parts
from toolproto.bulk.pieces import Piece
from toolproto.bulk.run import MANIFEST
from toolproto.bulk.tally import Tally
from toolproto.bulk.work import Done
from toolproto.protocol.errors import ToolProtoError, UsageError

from .samples import read_lines, reading, run, write_lines, write_replies

ABOUT = {"inputs": "abc", **reading().told()}


@pytest.fixture(autouse=True)
def many_pieces(monkeypatch):
    monkeypatch.setattr(cutting, "BLOCK", 1_000)


@pytest.fixture
def parts(tmp_path):
    return Parts(tmp_path / "out.parts", Format.JSONL)


def done():
    counted = Tally()
    counted.count({"row": 3}, failed("no JSON"))
    return Done(b"one\n", counted, "bad\n")


PIECE = Piece(7, Source("a.jsonl", Kind.JSONL), first=3, data=b"?\n")


def test_a_part_is_whole_or_not_there(parts):
    with parts.planned(ABOUT, anew=False):
        assert not parts.has(PIECE)
        parts.write(PIECE, done())
        assert parts.has(PIECE)
        slip = parts.slip(7)
    assert (slip.path.name, slip.path.read_bytes()) == ("part-000007.jsonl", b"one\n")
    assert (slip.tally, slip.bad) == (done().tally, "bad\n")
    assert sorted(path.name for path in parts.folder.iterdir()) == [
        "part-000007.jsonl", "part-000007.slip", "plan.json",
    ]  # fmt: skip


def test_a_part_of_which_only_the_slip_was_written_is_not_there(parts, monkeypatch):
    def fail(*paths):
        raise OSError(28, "No space left on device")

    with parts.planned(ABOUT, anew=False):
        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space"):
            parts.write(PIECE, done())
        assert (parts.folder / "part-000007.slip").exists() and not parts.has(PIECE)


def test_a_part_of_another_piece_counts_for_nothing(parts):
    with parts.planned(ABOUT, anew=False):
        parts.write(PIECE, done())
        for other in ({"first": 4}, {"data": b"??\n"}, {"fault": "x"}):
            assert not parts.has(replace(PIECE, **other))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"piece": "x"}'])
def test_a_slip_that_is_none_counts_for_nothing(parts, text):
    with parts.planned(ABOUT, anew=False):
        parts.write(PIECE, done())
        (parts.folder / "part-000007.slip").write_text(text)
        assert not parts.has(PIECE)


def test_a_part_that_somebody_took_away_is_missed(parts):
    with parts.planned(ABOUT, anew=False):
        parts.write(PIECE, done())
        (parts.folder / "part-000007.jsonl").unlink()
        with pytest.raises(ToolProtoError, match="has disappeared; continue with --resume"):
            parts.slip(7)


@pytest.mark.parametrize(
    "key, value", [("paradigm", "hermes"), ("tools", "0"), ("inputs", "x"), ("keep", [["a", "a"]])]
)
def test_the_parts_of_another_run_are_refused_and_it_is_said_what_differs(parts, key, value):
    with parts.planned(ABOUT, anew=False):
        parts.write(PIECE, done())
    other = parts.planned({**ABOUT, key: value}, anew=False)
    with pytest.raises(UsageError, match=f"other values of {key};.*--force"), other:
        pass
    with parts.planned({**ABOUT, key: value}, anew=True):
        assert not parts.has(PIECE)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null"])
def test_what_is_no_plan_is_refused(parts, text):
    with parts.planned(ABOUT, anew=False):
        parts.write(PIECE, done())
    (parts.folder / "plan.json").write_text(text)
    with (
        pytest.raises(UsageError, match="was not written by toolproto"),
        parts.planned(ABOUT, anew=False),
    ):
        pass


def test_two_runs_do_not_write_to_one_output(parts):
    with parts.planned(ABOUT, anew=False):
        second = parts.planned(ABOUT, anew=False)
        with pytest.raises(UsageError, match="another run writes"), second:
            pass


def test_a_run_that_fails_before_its_first_row_leaves_nothing(parts):
    with pytest.raises(UsageError), parts.planned(ABOUT, anew=False):
        raise UsageError
    assert not parts.folder.exists()


def test_a_paradigm_that_was_edited_is_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = []
    for text in ("one", "two"):
        (tmp_path / "mine.py").write_text(text)
        told.append(reading(paradigm="mine.py").told()["paradigm"])
    assert told[0] != told[1]


# -- whether a run may begin ------------------------------------------------------------------


def test_a_file_that_is_there_is_written_over_only_if_asked(tmp_path):
    source, output = write_replies(tmp_path / "in.jsonl", 3), tmp_path / "a.jsonl"
    output.touch()
    run(source, output)  # an empty file is as good as none
    with pytest.raises(UsageError, match="exists already; --force"):
        run(source, output)
    assert run(source, output, resume=True).was_complete
    assert run(source, output, force=True).replies == 3


def test_a_run_that_was_broken_off_is_gone_on_with_only_if_asked(tmp_path):
    source, output = write_replies(tmp_path / "in.jsonl", 60), tmp_path / "a.jsonl"

    def stop(seen, rows):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(source, output, watch=stop)
    with pytest.raises(UsageError, match="did not finish; continue it with --resume"):
        run(source, output)
    assert 0 < run(source, output, resume=True).replies < 60
    assert len(read_lines(output)) == 60


@pytest.mark.parametrize(
    "name, told",
    [
        (".", "is a folder"),
        ("no/a.jsonl", "there is no folder"),
        ("a.jsonl.zst", "use one that ends in .jsonl"),
        ("a.csv", "use one that ends in .jsonl"),
        ("in.jsonl", "both input and output"),
        ("./in.jsonl", "both input and output"),
    ],
)
def test_an_output_that_cannot_be_is_refused(tmp_path, name, told):
    source = write_replies(tmp_path / "in.jsonl", 1)
    with pytest.raises(UsageError, match=told):
        run(source, tmp_path / name)


def test_no_run_reads_its_own_parts(tmp_path):
    (tmp_path / "a.jsonl.parts").mkdir()
    source = write_replies(tmp_path / "a.jsonl.parts" / "x.jsonl", 1)
    with pytest.raises(UsageError, match="both input and output"):
        run(source, tmp_path / "a.jsonl")


def test_other_peoples_files_are_left_alone(tmp_path):
    source = write_replies(tmp_path / "in.jsonl", 1)
    (tmp_path / "a.jsonl.parts").mkdir()
    (tmp_path / "a.jsonl.parts" / "thesis.txt").write_text("mine")
    (tmp_path / "b.jsonl").mkdir()
    (tmp_path / "b.jsonl" / "thesis.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(UsageError, match=r"contains 'thesis\.txt'"):
            run(source, tmp_path / "a.jsonl", force=force)
        with pytest.raises(UsageError, match="not one of ours"):
            run(source, tmp_path / "b.jsonl", force=force, as_folder=True)
    assert len(list(tmp_path.glob("*/thesis.txt"))) == 2


def test_a_folder_for_bad_rows_is_missed_before_anything_is_read(tmp_path):
    source = write_replies(tmp_path / "in.jsonl", 1)
    with pytest.raises(UsageError, match="there is no folder"):
        run(source, tmp_path / "a.jsonl", bad_rows=tmp_path / "no" / "bad.jsonl")


# -- what else a run leaves -------------------------------------------------------------------


def test_an_output_may_stay_in_parts_with_a_manifest(tmp_path):
    source = write_replies(tmp_path / "in.jsonl", 60)
    output = tmp_path / "out.parquet"
    run(source, output, as_folder=True)
    told = json.loads((output / MANIFEST).read_text())
    assert told["rows"] == 60 and len(told["parts"]) > 3
    names = [part["name"] for part in told["parts"]]
    assert sorted(path.name for path in output.iterdir()) == [MANIFEST, *names]
    assert [part["rows"] for part in told["parts"]] == [
        pq.ParquetFile(output / name).metadata.num_rows for name in names
    ]
    assert run(source, output, as_folder=True, resume=True).was_complete
    run(source, output, as_folder=True, force=True, reading={"check": False})
    assert json.loads((output / MANIFEST).read_text())["rows"] == 60


def test_rows_that_cannot_be_read_are_told_of_in_a_file(tmp_path):
    rows = [{"id": 1, "reply": "x"}, {"id": 2}, b"?"]
    source = write_lines(tmp_path / "in.jsonl", rows * 20)
    bad = tmp_path / "bad.jsonl"
    options = {"bad_rows": bad, "reading": {"fields": {"id": "id"}}}
    report = run(source, tmp_path / "out.jsonl", **options)
    told = read_lines(bad)
    assert len(told) == report.tally.outcomes["unreadable"] == 40
    assert told[0] == {"row": 2, "id": 2, "reason": "no field 'reply' (--field); there are: id"}
    assert told[1]["row"] == 3
    assert [row["row"] for row in told] == sorted(row["row"] for row in told)
