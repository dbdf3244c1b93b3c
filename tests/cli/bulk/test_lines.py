"""JSONL in batches."""

from __future__ import annotations

import gzip

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.cli.bulk import lines
from toolproto.cli.bulk.batches import Position
from toolproto.cli.bulk.inputs import Kind, Source
from toolproto.cli.bulk.lines import cut_lines

from .samples import START, batches


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(lines, "_BLOCK", 8)


def cut(path, start=START, max_row=30):
    return list(cut_lines(Source(str(path), Kind.JSONL), start, 0, max_row))


def packed(data, suffix):
    if suffix == ".gz":
        return gzip.compress(data)
    if suffix == ".zst":
        below = pyarrow.BufferOutputStream()
        with pyarrow.CompressedOutputStream(below, "zstd") as stream:
            stream.write(data)
        return below.getvalue().to_pybytes()
    return data


LINES = st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b" ")), max_size=12)


@given(LINES, st.sampled_from([b"", b"\n"]), st.sampled_from(["", ".gz"]))
def test_batches_are_the_file_and_go_on_from_any_of_them(tmp_path_factory, rows, end, suffix):
    path = tmp_path_factory.mktemp("lines") / f"a.jsonl{suffix}"
    path.write_bytes(packed(b"\n".join(rows) + end, suffix))
    found = cut(path)
    for number, batch in enumerate(found):
        assert cut(path, batch.after) == found[number + 1 :]
    short = [line for line in (b"\n".join(rows) + end).split(b"\n") if len(line) <= 30]
    told = [line for batch in found for line in batch.data.split(b"\n") if line]
    # Lines longer than a row may be come as faults, or are left to the worker to refuse.
    assert [line for line in told if len(line) <= 30] == [line for line in short if line]


def test_rows_have_the_numbers_of_their_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n\n3\n" + b"4" * 100 + b"\n5\n6")
    found = cut(path)
    assert [(batch.first, batch.data) for batch in found] == [
        (1, b"1\n\n3\n"),
        (4, b"\n"),
        (5, b"5\n"),
        (6, b"6"),
    ]
    assert found[1].faults == {4: "longer than 30 bytes (--max-row-bytes)"}
    assert found[-1].after == Position(0, path.stat().st_size, 6)
    assert found[-1].seen == path.stat().st_size


def test_a_long_line_is_passed_over_without_being_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_BLOCK", 1024)
    path = tmp_path / "a.jsonl"
    with open(path, "wb") as file:
        file.seek(50_000_000)  # a hole: nothing is written
        file.write(b"\n{}\n")
    found = cut(path, max_row=10_000)
    assert [(batch.first, batch.data) for batch in found] == [(1, b"\n"), (2, b"{}\n")]
    assert "longer than 10,000 bytes" in found[0].faults[1]
    # Without an end, too.
    path.write_bytes(b"x" * 50_000)
    (batch,) = cut(path, max_row=10_000)
    assert batch.faults and batch.after == Position(0, 50_000, 1)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_packed_file_is_unpacked_as_it_is_read(tmp_path, suffix):
    path = tmp_path / f"a.jsonl{suffix}"
    # Two packed files behind each other are one.
    path.write_bytes(packed(b"1\n2\n3\n4\n5\n", suffix) + packed(b"6\n7\n", suffix))
    found = cut(path)
    assert b"".join(batch.data for batch in found) == b"1\n2\n3\n4\n5\n6\n7\n"
    assert cut(path, found[0].after) == found[1:]
    assert found[-1].seen == path.stat().st_size


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_what_comes_before_the_damage_in_a_packed_file_is_read(tmp_path, suffix):
    path, rows = tmp_path / f"a.jsonl{suffix}", b"".join(b"%d\n" % (n * n) for n in range(9999))
    data = packed(rows, suffix)
    path.write_bytes(data[: len(data) // 2])
    found = cut(path)
    read = b"".join(batch.data for batch in found[:-1])
    assert rows.startswith(read)
    if suffix == ".gz":
        assert len(read) > 1000
    (fault,) = found[-1].faults.items()
    assert fault[0] == read.count(b"\n") + 1
    assert "damaged from here on" in fault[1]


def test_a_file_that_is_not_packed_although_it_is_called_so_is_one_bad_row(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_text("{}\n")
    (batch,) = cut(path)
    assert "damaged" in batch.faults[1]


def test_nothing_is_no_batch(tmp_path):
    path = tmp_path / "a.jsonl"
    path.touch()
    assert cut(path) == []


def test_several_files_follow_each_other(tmp_path):
    for name in ("a.jsonl", "b.txt", "c.txt", "d.jsonl"):
        (tmp_path / name).write_text("1\n")
    found = batches(*sorted(tmp_path.iterdir()))
    assert [batch.after.source for batch in found] == [0, 3, 3]
    assert [batch.seen for batch in found] == [2, 6, 8]
    paths = sorted(tmp_path.iterdir())
    for number, batch in enumerate(found):
        assert batches(*paths, start=batch.after) == found[number + 1 :]
