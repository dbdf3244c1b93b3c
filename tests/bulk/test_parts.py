"""The output in parts, and what is done with those of a run that was broken off."""

from __future__ import annotations

import json
import os

import pyarrow.parquet as pq
import pytest

from toolproto.bulk import runner
from toolproto.bulk.counts import ReplyCounts
from toolproto.bulk.outputs import RowFormat
from toolproto.bulk.parts import MANIFEST, PartFolder
from toolproto.protocol.errors import UsageError

from .samples import batches, parser, read_lines, reading, run, write_lines, write_replies

ABOUT = {"inputs": "abc", **reading().told()}


@pytest.fixture(autouse=True)
def many_batches(monkeypatch):
    monkeypatch.setattr(runner, "ROOM", 1_000)


@pytest.fixture
def parts(tmp_path):
    return PartFolder(tmp_path / "out.parts", RowFormat.JSONL)


def test_a_part_is_whole_or_not_there(parts, monkeypatch):
    parts.begin(ABOUT, anew=False)
    assert parts.part(7).name == "part-000007.jsonl" and not parts.is_begun
    parts.write(7, b"one\n")
    assert parts.part(7).read_bytes() == b"one\n" and parts.is_begun

    def fail(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        parts.write(8, b"two\n")
    assert not parts.part(8).exists()


@pytest.mark.parametrize("kind", RowFormat)
def test_the_rows_of_a_part_are_counted_as_they_were_when_it_was_written(tmp_path, kind):
    rows = [{"reply": "x"}, {"reply": "<tool_code>oops</tool_code>"}, b"?", {"no": 1}]
    path = write_lines(tmp_path / "in.jsonl", rows)
    (batch,) = batches(path)
    parsed = parser(format=kind, named=True)(batch)
    parts = PartFolder(tmp_path / "parts", kind)
    parts.begin(ABOUT, anew=False)
    parts.write(0, parsed.data)
    data, counts = parts.counted(0)
    assert (data, counts) == (None, parsed.counts)
    assert counts.told()["problems"] == {"malformed": 1}
    assert counts.first_fault.startswith(f"{path}, row 3: not JSON")


def test_counts_of_several_parts_are_added():
    one, two = ReplyCounts(first_fault="a"), ReplyCounts(first_fault="b")
    for counts, outcome in ((one, "calls"), (two, "unreadable"), (two, "calls")):
        counts.count({"outcome": outcome, "calls": [], "problems": [{"kind": "malformed"}]})
    one.add(two)
    assert one.told()["outcomes"] == {**dict.fromkeys(one.told()["outcomes"], 0), "calls": 2} | {
        "unreadable": 1
    }
    assert (one.replies, one.problems, one.first_fault) == (3, {"malformed": 3}, "a")
    assert not one.is_clean and not one.is_hopeless


@pytest.mark.parametrize(
    "key, value", [("paradigm", "hermes"), ("tools", "0"), ("inputs", "x"), ("keep", [["a", "a"]])]
)
def test_the_parts_of_another_run_are_refused_and_it_is_said_what_differs(parts, key, value):
    parts.begin(ABOUT, anew=False)
    parts.write(7, b"one\n")
    with pytest.raises(UsageError, match=f"other values of {key};.*--force"):
        parts.begin({**ABOUT, key: value}, anew=False)
    parts.begin({**ABOUT, key: value}, anew=True)
    assert not parts.part(7).exists()


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null"])
def test_what_is_no_manifest_is_refused(parts, text):
    parts.begin(ABOUT, anew=False)
    parts.write(7, b"one\n")
    (parts.folder / MANIFEST).write_text(text)
    with pytest.raises(UsageError, match="was not written by toolproto"):
        parts.begin(ABOUT, anew=False)


def test_an_input_that_cannot_be_read_leaves_nothing_behind(tmp_path):
    source = tmp_path / "in.parquet"
    source.write_bytes(b"PAR1")
    with pytest.raises(UsageError):
        run(source, tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == [source]


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

    def stop(share, rows):
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


@pytest.mark.parametrize("as_folder", [False, True])
def test_other_peoples_files_are_left_alone(tmp_path, as_folder):
    source = write_replies(tmp_path / "in.jsonl", 60)
    output = tmp_path / "a.jsonl"
    folder = output if as_folder else tmp_path / "a.jsonl.parts"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    for force in (False, True):
        run(source, output, force=force, as_folder=as_folder)
        assert (folder / "thesis.txt").read_text() == "mine"
    if not as_folder:
        assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_a_folder_with_parts_of_others_is_refused(tmp_path):
    source = write_replies(tmp_path / "in.jsonl", 60)
    output = tmp_path / "a.jsonl"
    output.mkdir()
    (output / "part-000000.jsonl").write_text("{}\n")
    with pytest.raises(UsageError, match="did not finish"):
        run(source, output, as_folder=True)
    with pytest.raises(UsageError, match="was not written by toolproto"):
        run(source, output, as_folder=True, resume=True)
    assert (output / "part-000000.jsonl").read_text() == "{}\n"


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
