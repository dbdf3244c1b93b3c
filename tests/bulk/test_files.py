"""Which files are read, and their rows in batches."""

from __future__ import annotations

import gzip
import os

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.bulk.files import (
    InputFile,
    InputKind,
    find_inputs,
    fingerprint,
    read_batches,
)
from toolproto.protocol.errors import UsageError

from .samples import batches, parser


def names(files):
    return [os.path.basename(file.path) for file in files]


@pytest.mark.parametrize(
    "name, kind",
    [
        ("a.txt", InputKind.TEXT),
        ("a.txt.gz", InputKind.TEXT),
        ("a.jsonl", InputKind.JSONL),
        ("a.JSONL.GZ", InputKind.JSONL),
        ("a.ndjson.zst", InputKind.JSONL),
        ("a.parquet", InputKind.PARQUET),
    ],
)
def test_a_files_name_says_what_it_is(tmp_path, name, kind):
    path = tmp_path / name
    path.touch()
    assert find_inputs([str(path)]) == [InputFile(str(path), kind)]


def test_without_inputs_one_reply_is_read_from_stdin():
    assert find_inputs([]) == find_inputs(["-"]) == [InputFile("-", InputKind.TEXT)]
    assert find_inputs(["-"], InputKind.JSONL) == [InputFile("-", InputKind.JSONL)]


def test_a_folder_and_a_pattern_are_for_the_shell(tmp_path):
    with pytest.raises(UsageError, match=r"is a folder; name its files, as in .*/\*\.jsonl"):
        find_inputs([str(tmp_path)])
    with pytest.raises(FileNotFoundError):
        find_inputs([f"{tmp_path}/*.jsonl"])
    (tmp_path / "[1].txt").touch()
    assert names(find_inputs([f"{tmp_path}/[1].txt"])) == ["[1].txt"]


@pytest.mark.parametrize(
    "path, told",
    [
        ("empty", "is a folder"),
        ("reply.log", "--input-format text|jsonl|parquet"),
        ("rows.parquet.gz", "unpack"),
    ],
)
def test_what_cannot_be_read_is_told_with_a_remedy(tmp_path, path, told):
    (tmp_path / "empty").mkdir()
    (tmp_path / "reply.log").touch()
    (tmp_path / "rows.parquet.gz").touch()
    with pytest.raises(UsageError) as raised:
        find_inputs([str(tmp_path / path)])
    assert told in str(raised.value)


def test_a_file_that_is_not_there_is_missed_before_anything_is_read(tmp_path):
    (tmp_path / "a.txt").touch()
    with pytest.raises(FileNotFoundError):
        find_inputs([str(tmp_path / "a.txt"), str(tmp_path / "b.txt")])


def test_a_device_is_no_input(tmp_path):
    with pytest.raises(UsageError, match="pipe it in"):
        find_inputs(["/dev/null"], InputKind.JSONL)


def test_stdin_is_read_once_and_never_as_parquet():
    with pytest.raises(UsageError, match="once"):
        find_inputs(["-", "-"])
    with pytest.raises(UsageError, match="Parquet"):
        find_inputs(["-"], InputKind.PARQUET)


def test_changed_inputs_have_another_fingerprint(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("1")
    file = InputFile(str(path), InputKind.JSONL)
    stat = os.stat(path)
    first = fingerprint([file])
    assert fingerprint([file]) == first
    assert fingerprint([file, file]) != first
    os.utime(path, ns=(1, 1))
    assert fingerprint([file]) != first
    path.write_text("12")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert fingerprint([file]) != first


# -- their rows -------------------------------------------------------------------------------


def rows_of(path, max_row=30):
    """What is read together in a file of lines: number of the first, the lines."""
    files = [InputFile(str(path), InputKind.JSONL)]
    found = [some for batch in read_batches(files, ["reply"], max_row, 8) for some in batch]
    assert all(some.rows == len(some.data) for some in found)
    return [(some.first, some.data) for some in found]


def shares(path):
    files = [InputFile(str(path), InputKind.JSONL)]
    return sum(some.share for batch in read_batches(files, ["reply"], 30, 8) for some in batch)


def packed(data, suffix):
    if suffix == ".gz":
        return gzip.compress(data)
    if suffix == ".zst":
        below = pyarrow.BufferOutputStream()
        with pyarrow.CompressedOutputStream(below, "zstd") as stream:
            stream.write(data)
        return below.getvalue().to_pybytes()
    return data


TOO_LONG = "longer than 30 bytes (--max-row-bytes)"
LINES = st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b" ")), max_size=12)


@given(LINES, st.sampled_from([b"", b"\n"]), st.sampled_from(["", ".gz"]))
def test_batches_are_the_lines_of_the_file_in_order(tmp_path_factory, rows, end, suffix):
    path = tmp_path_factory.mktemp("lines") / f"a.jsonl{suffix}"
    whole = b"\n".join(rows) + end
    path.write_bytes(packed(whole, suffix))
    found, at = rows_of(path), 0
    for first, lines in found:
        assert first == at + 1
        assert sum(map(len, lines[:-1])) < 8
        at += len(lines)
    lines = [line for _, lines in found for line in lines]
    known = whole.split(b"\n")[: len(lines)]
    assert whole.split(b"\n")[len(lines) :] in ([], [b""])
    assert [line if line == TOO_LONG else line.removesuffix(b"\n") for line in lines] == [
        TOO_LONG if len(line) > 30 else line for line in known
    ]


def test_rows_have_the_numbers_of_their_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n\n3\n7777\n" + b"4" * 100 + b"\n5\n6")
    assert rows_of(path) == [
        (1, [b"1\n", b"\n", b"3\n", b"7777\n"]),
        (5, [TOO_LONG]),
        (6, [b"5\n", b"6"]),
    ]
    places = [place["row"] for batch in batches(path) for place, _ in parser().replies(batch)]
    assert places == [1, 3, 4, 5, 6, 7]
    assert shares(path) == path.stat().st_size


def test_a_long_line_is_passed_over_without_being_kept(tmp_path):
    path = tmp_path / "a.jsonl"
    with open(path, "wb") as file:
        file.seek(50_000_000)  # a hole: nothing is written
        file.write(b"\n{}\n")
    told = "longer than 10,000 bytes (--max-row-bytes)"
    assert rows_of(path, 10_000) == [(1, [told]), (2, [b"{}\n"])]
    # Without an end, too.
    path.write_bytes(b"x" * 50_000)
    assert rows_of(path, 10_000) == [(1, [told])]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_packed_file_is_unpacked_as_it_is_read(tmp_path, suffix):
    path = tmp_path / f"a.jsonl{suffix}"
    # Two packed files behind each other are one.
    path.write_bytes(packed(b"1\n2\n3\n4\n5\n", suffix) + packed(b"6\n7\n", suffix))
    assert rows_of(path) == [
        (1, [b"1\n", b"2\n", b"3\n", b"4\n"]),
        (5, [b"5\n", b"6\n", b"7\n"]),
    ]
    assert shares(path) == path.stat().st_size


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_what_comes_before_the_damage_in_a_packed_file_is_read(tmp_path, suffix):
    path, rows = tmp_path / f"a.jsonl{suffix}", b"".join(b"%d\n" % (n * n) for n in range(9999))
    data = packed(rows, suffix)
    path.write_bytes(data[: len(data) // 2])
    *found, fault = [line for _, lines in rows_of(path) for line in lines]
    read = b"".join(found)
    assert rows.startswith(read)
    if suffix == ".gz":
        assert len(read) > 1000
    assert "damaged from here on" in fault


def test_a_file_that_is_not_packed_although_it_is_called_so_is_one_bad_row(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_text("{}\n")
    ((first, (fault,)),) = rows_of(path)
    assert first == 1 and "damaged" in fault


def test_nothing_is_no_batch(tmp_path):
    path = tmp_path / "a.jsonl"
    path.touch()
    assert rows_of(path) == []


def test_files_are_read_together_while_they_are_small(tmp_path):
    for number in range(70):
        (tmp_path / f"{number:02}.txt").write_text("x")
    (tmp_path / "30.txt").write_bytes(b"x" * 2_000_000)
    (tmp_path / "32.txt.gz").write_bytes(gzip.compress(b"x"))
    (tmp_path / "33.jsonl").write_text("1\n2\n")
    found = batches(*sorted(tmp_path.iterdir()))
    assert [len(batch) for batch in found] == [31, 41]
    lines = next(some for some in found[1] if some.file.kind is InputKind.JSONL)
    assert (lines.first, lines.data) == (1, [b"1\n", b"2\n"])


def test_a_batch_has_a_bounded_number_of_rows(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n" * 10_000)
    assert [sum(some.rows for some in batch) for batch in batches(path)] == [4096, 4096, 1808]
