"""JSONL in batches."""

from __future__ import annotations

import gzip

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.bulk import pieces as cutting
from toolproto.bulk.inputs import Kind, Source
from toolproto.bulk.pieces import cut

from .samples import pieces, work


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(cutting, "BLOCK", 8)


def cut_file(path, max_row=30):
    return list(cut([Source(str(path), Kind.JSONL)], ["reply"], max_row))


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
def test_pieces_are_the_file_in_order(tmp_path_factory, rows, end, suffix):
    path = tmp_path_factory.mktemp("lines") / f"a.jsonl{suffix}"
    whole = b"\n".join(rows) + end
    path.write_bytes(packed(whole, suffix))
    found = cut_file(path)
    assert [piece.number for piece in found] == list(range(len(found)))
    lines, at = whole.splitlines(keepends=True) if not whole else whole.split(b"\n"), 0
    for piece in found:
        assert piece.first == at + 1
        if piece.fault:
            assert len(lines[at]) > 30
            at += 1
        else:
            theirs = piece.data.removesuffix(b"\n").split(b"\n")
            assert theirs == lines[at : at + len(theirs)]
            assert len(piece.data) <= 8 + 30 + cutting.BLOCK
            at += len(theirs)
    assert lines[at:] in ([], [b""])


def test_rows_have_the_numbers_of_their_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n\n3\n7777\n" + b"4" * 100 + b"\n5\n6")
    found = cut_file(path)
    assert [(piece.first, piece.data, piece.fault) for piece in found] == [
        (1, b"1\n\n3\n", ""),
        (4, b"7777\n", ""),
        (5, b"", "longer than 30 bytes (--max-row-bytes)"),
        (6, b"5\n6", ""),
    ]
    worker = work(max_row=30)
    places = [place["row"] for piece in found for place, _ in worker._loaded(piece)]
    assert places == [1, 3, 4, 5, 6, 7]
    assert sum(piece.share for piece in found) == path.stat().st_size


def test_a_long_line_is_passed_over_without_being_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "BLOCK", 1024)
    path = tmp_path / "a.jsonl"
    with open(path, "wb") as file:
        file.seek(50_000_000)  # a hole: nothing is written
        file.write(b"\n{}\n")
    found = cut_file(path, max_row=10_000)
    assert [(piece.first, piece.data) for piece in found] == [(1, b""), (2, b"{}\n")]
    assert "longer than 10,000 bytes" in found[0].fault
    # Without an end, too.
    path.write_bytes(b"x" * 50_000)
    (piece,) = cut_file(path, max_row=10_000)
    assert piece.fault and piece.data == b""


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_packed_file_is_unpacked_as_it_is_read(tmp_path, suffix):
    path = tmp_path / f"a.jsonl{suffix}"
    # Two packed files behind each other are one.
    path.write_bytes(packed(b"1\n2\n3\n4\n5\n", suffix) + packed(b"6\n7\n", suffix))
    found = cut_file(path)
    assert b"".join(piece.data for piece in found) == b"1\n2\n3\n4\n5\n6\n7\n"
    assert cut_file(path) == found
    assert sum(piece.share for piece in found) == path.stat().st_size


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_what_comes_before_the_damage_in_a_packed_file_is_read(tmp_path, suffix):
    path, rows = tmp_path / f"a.jsonl{suffix}", b"".join(b"%d\n" % (n * n) for n in range(9999))
    data = packed(rows, suffix)
    path.write_bytes(data[: len(data) // 2])
    found = cut_file(path)
    read = b"".join(piece.data for piece in found[:-1])
    assert rows.startswith(read)
    if suffix == ".gz":
        assert len(read) > 1000
    assert found[-1].first == read.count(b"\n") + 1
    assert "damaged from here on" in found[-1].fault


def test_a_file_that_is_not_packed_although_it_is_called_so_is_one_bad_row(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_text("{}\n")
    (piece,) = cut_file(path)
    assert "damaged" in piece.fault


def test_nothing_is_no_batch(tmp_path):
    path = tmp_path / "a.jsonl"
    path.touch()
    assert cut_file(path) == []


def test_several_files_follow_each_other(tmp_path):
    for name in ("a.jsonl", "b.txt", "c.txt", "d.jsonl"):
        (tmp_path / name).write_text("1\n")
    found = pieces(*sorted(tmp_path.iterdir()))
    assert [(piece.number, len(piece.texts)) for piece in found] == [(0, 0), (1, 2), (2, 0)]
    assert [piece.share for piece in found] == [2, 4, 2]


def test_files_are_read_together_only_while_they_are_small(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "FILES", 64)
    for number in range(70):
        (tmp_path / f"{number:02}.txt").write_text("x")
    (tmp_path / "30.txt").write_bytes(b"x" * 2_000_000)
    (tmp_path / "32.txt.gz").write_bytes(gzip.compress(b"x"))
    monkeypatch.setattr(cutting, "BLOCK", 1024 * 1024)
    found = [len(piece.texts) for piece in pieces(*sorted(tmp_path.iterdir()))]
    assert found == [31, 40]
