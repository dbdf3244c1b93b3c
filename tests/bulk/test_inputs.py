"""Which files are read, and as what."""

from __future__ import annotations

import os

import pytest

from toolproto.bulk.inputs import Kind, Source, find_sources, fingerprint
from toolproto.protocol.errors import UsageError


def names(sources):
    return [os.path.basename(source.path) for source in sources]


@pytest.mark.parametrize(
    "name, kind",
    [
        ("a.txt", Kind.TEXT),
        ("a.txt.gz", Kind.TEXT),
        ("a.jsonl", Kind.JSONL),
        ("a.JSONL.GZ", Kind.JSONL),
        ("a.ndjson.zst", Kind.JSONL),
        ("a.parquet", Kind.PARQUET),
    ],
)
def test_a_files_name_says_what_it_is(tmp_path, name, kind):
    path = tmp_path / name
    path.touch()
    assert find_sources([str(path)]) == [Source(str(path), kind)]


def test_without_inputs_one_reply_is_read_from_stdin():
    assert find_sources([]) == find_sources(["-"]) == [Source("-", Kind.TEXT)]
    assert find_sources(["-"], Kind.JSONL) == [Source("-", Kind.JSONL)]


def test_a_folder_stands_for_the_files_below_it_in_order(tmp_path):
    for name in ("b/2.txt", "b/10.txt", "a.jsonl", "c.toml", ".hidden.txt", ".git/x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert names(find_sources([str(tmp_path)])) == ["a.jsonl", "10.txt", "2.txt"]
    assert names(find_sources([str(tmp_path)], Kind.TEXT))[:2] == ["a.jsonl", "c.toml"]


def test_a_pattern_is_ours_to_follow_where_the_shell_did_not(tmp_path):
    for name in ("2.txt", "1.txt", "[1].txt"):
        (tmp_path / name).touch()
    assert names(find_sources([f"{tmp_path}/?.txt"])) == ["1.txt", "2.txt"]
    # A file that is called like a pattern is meant itself.
    assert names(find_sources([f"{tmp_path}/[1].txt"])) == ["[1].txt"]


@pytest.mark.parametrize(
    "path, told",
    [
        ("empty", "holds no files to read"),
        ("*.jsonl", "holds no files to read"),
        ("reply.log", "--input-format text|jsonl|parquet"),
        ("rows.parquet.gz", "unpack"),
    ],
)
def test_what_cannot_be_read_is_told_with_a_remedy(tmp_path, path, told):
    (tmp_path / "empty").mkdir()
    (tmp_path / "reply.log").touch()
    (tmp_path / "rows.parquet.gz").touch()
    with pytest.raises(UsageError) as raised:
        find_sources([str(tmp_path / path)])
    assert told in str(raised.value)


def test_a_file_that_is_not_there_is_missed_before_anything_is_read(tmp_path):
    (tmp_path / "a.txt").touch()
    with pytest.raises(FileNotFoundError):
        find_sources([str(tmp_path / "a.txt"), str(tmp_path / "b.txt")])


def test_a_device_is_no_input(tmp_path):
    with pytest.raises(UsageError, match="pipe it in"):
        find_sources(["/dev/null"], Kind.JSONL)


def test_stdin_is_read_once_and_never_as_parquet():
    with pytest.raises(UsageError, match="once"):
        find_sources(["-", "-"])
    with pytest.raises(UsageError, match="Parquet"):
        find_sources(["-"], Kind.PARQUET)


def test_changed_inputs_have_another_fingerprint(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("1")
    source = Source(str(path), Kind.JSONL)
    stat = os.stat(path)
    first = fingerprint([source])
    assert fingerprint([source]) == first
    assert fingerprint([source, source]) != first
    path.write_text("2")  # of the same size, and as old
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert fingerprint([source]) != first
    path.write_text("1")
    os.utime(path, ns=(1, 1))
    assert fingerprint([source]) != first
