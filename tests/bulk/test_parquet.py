"""Parquet in, and Parquet out."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from mmap import ACCESS_READ, mmap

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.patience import PATIENCE
from toolproto.bulk import parquet_pages, parquet_rows, runner
from toolproto.protocol.errors import UsageError

from . import samples
from .samples import batches, call, parser, read_lines, write_lines, write_replies


def run(source, output, *, watch=lambda share, rows: None, resume=False, **options):
    samples.run(source, output, watch=watch, resume=resume, reading=options)
    return output


def write_table(path, table, **options):
    pq.write_table(pa.table(table), path, **options)
    return path


def test_rows_of_parquet_are_read_as_lines_are(tmp_path):
    rows = read_lines(write_replies(tmp_path / "in.jsonl", 700))
    columns = {name: [row[name] for row in rows] for name in ("id", "reply")}
    source = write_table(tmp_path / "in.parquet", columns, row_group_size=300)
    fields = {"fields": {"id": "id"}}
    ours = run(source, tmp_path / "a.jsonl", **fields)
    theirs = run(tmp_path / "in.jsonl", tmp_path / "b.jsonl", **fields)
    assert ours.read_bytes() == theirs.read_bytes()


def test_batches_of_parquet_are_some_rows_of_a_row_group(tmp_path, monkeypatch):
    source = write_table(
        tmp_path / "in.parquet", {"reply": [str(n) for n in range(1_000)]}, row_group_size=300
    )
    monkeypatch.setattr(parquet_rows, "ROWS", 256)
    found = batches(source)
    assert [some.first for batch in found for some in batch] == [1, 257, 301, 557, 601, 857, 901]
    shares = sum(some.share for batch in found for some in batch)
    assert shares == pytest.approx(source.stat().st_size, abs=7)
    rows = [row for batch in found for row in read_lines(parser()(batch).data)]
    assert [(row["row"], row["text"]) for row in rows] == [(n + 1, str(n)) for n in range(1_000)]


def test_a_batch_of_parquet_holds_few_bytes_however_few_the_file_has(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_rows, "ROOM", 50_000)
    monkeypatch.setattr(parquet_rows, "WORST", 2_000_000)
    replies = ["x" * 10_000, "y" * 20_000, "z"] * 300
    said = [[{"role": "assistant", "content": text}] for text in replies]
    source = write_table(tmp_path / "in.parquet", {"reply": replies, "messages": said})
    assert source.stat().st_size < 40_000
    for options in ({}, {"fields": {"messages": "messages"}}):
        found = batches(source, **options)
        assert max(some.size for batch in found for some in batch) < 55_000
        texts = [parser(**options)(batch) for batch in found[:3]]
        rows = [row for each in texts for row in read_lines(each.data)]
        assert [row["text"] for row in rows] == replies[: len(rows)] and len(rows) >= 3


def test_a_row_of_parquet_is_measured_as_it_is_unpacked(tmp_path):
    long = "x" * 3_000_000
    for table in ({"reply": ["a", long, "b"] * 9}, {"reply": ["a" * 50, "b" * 200, "c" * 50]}):
        source = write_table(tmp_path / "in.parquet", table)
        limit = 1_500_000 if long in table["reply"] else 120
        output = tmp_path / "out.jsonl"
        samples.run(source, output, max_row=limit, force=True)
        rows = read_lines(output)
        assert [row["row"] for row in rows] == [n + 1 for n in range(len(table["reply"]))]
        told = f"longer than {limit:,} bytes (--max-row-bytes)"
        assert [row.get("reason") for row in rows] == [None, told, None] * (len(rows) // 3)


def test_kilobytes_that_stand_for_gigabytes_are_refused_before_they_are_unpacked(tmp_path):
    source, output = tmp_path / "in.parquet", tmp_path / "out.jsonl"
    long = pa.DictionaryArray.from_arrays([0] * 8, ["x" * 200_000_000])
    write_table(source, {"reply": long}, compression="zstd")
    assert source.stat().st_size < 20_000
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000,) * 2)\n"
        "from toolproto.cli import run; run()"
    )
    words = ["parse", str(source), "-o", str(output), "-p", "xml_tag", "--jobs", "1"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 1
    told = "its row group of 8 rows has 200,000,"
    assert f"first unreadable: row 1: {told}" in done.stderr, done.stderr
    (row,) = read_lines(output)
    assert row["reason"].endswith("longer than 16,777,216 bytes (--max-row-bytes) each")


def test_pages_are_counted_and_not_what_the_footer_says_of_them(tmp_path):
    long = pa.DictionaryArray.from_arrays([0] * 8, ["x" * 80_000_000])
    source = write_table(tmp_path / "in.parquet", {"reply": long}, compression="zstd")
    told = pq.ParquetFile(source).metadata.row_group(0).column(0).total_uncompressed_size
    honest = varint(told)
    lie = bytes([varint(1000)[0] | 128, *[128] * (len(honest) - 2), 0])
    content = source.read_bytes()
    assert content.count(honest) == 2  # of the column, and of its row group
    source.write_bytes(content.replace(honest, lie))
    assert pq.ParquetFile(source).metadata.row_group(0).total_byte_size < 10_000
    (row,) = parquet_rows.read_table(str(source), ["reply"], 1_000_000)
    assert row[0].startswith("its row group of 8 rows has 80,000,") and row[1] == 8


def varint(number):
    """As Thrift's compact protocol writes a whole number."""
    number, written = number << 1, []
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def test_the_pages_of_a_file_come_to_what_its_footer_says(tmp_path):
    table = {"reply": ["a" * n for n in range(3_000)], "nested": [{"a": [1, None]}] * 3_000}
    for options in ({}, {"data_page_version": "2.0"}, {"use_dictionary": False}):
        source = write_table(tmp_path / "in.parquet", table, data_page_size=10_000, **options)
        group = pq.ParquetFile(source).metadata.row_group(0)
        with source.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            for chunk in map(group.column, range(group.num_columns)):
                pages = parquet_pages.pages_of(content, chunk)
                # The footer counts the headers of the pages, too.
                assert 0.8 * chunk.total_uncompressed_size < pages.size
                assert pages.size < chunk.total_uncompressed_size
                assert pages.values == chunk.num_values


def test_headers_of_pages_that_are_broken_are_told(tmp_path):
    source = write_table(tmp_path / "in.parquet", {"reply": ["a", "b"] * 50})
    content = bytearray(source.read_bytes())
    for at in range(4, 30):
        for byte in (0, 0x1C, 0x4C, 0x98, 0xFF):
            changed = content[:at] + bytes([byte]) + content[at + 1 :]
            source.write_bytes(changed)
            with suppress(UsageError):
                for _ in parquet_rows.read_table(str(source), ["reply"], 1_000):
                    pass


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_values_that_stand_for_each_other_are_read_a_few_at_a_time(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr(parquet_rows, "ROOM", 50_000)
    replies = ["x" * 5_000] * 60 + ["y"]
    source = write_table(
        tmp_path / "in.parquet", {"reply": replies}, use_dictionary=False, column_encoding=encoding
    )
    found = batches(source)
    assert len([some for batch in found for some in batch]) > 5
    assert max(some.size for batch in found for some in batch) < 55_000
    rows = [row for batch in found for row in read_lines(parser()(batch).data)]
    assert [row["text"] for row in rows] == replies


def test_a_row_longer_than_the_limit_keeps_its_place_among_short_ones(tmp_path):
    source = write_table(tmp_path / "in.parquet", {"reply": ["a", "b" * 900, "c", "d" * 900]})
    samples.run(source, tmp_path / "out.jsonl", max_row=500)
    rows = read_lines(tmp_path / "out.jsonl")
    assert [(row["row"], row["outcome"]) for row in rows] == [
        (1, "no_call"), (2, "unreadable"), (3, "no_call"), (4, "unreadable"),
    ]  # fmt: skip


def test_columns_hold_what_they_like(tmp_path):
    table = {
        "reply": [b"one", b"\xff", b"three"],
        "when": [datetime(2024, 5, 1, tzinfo=UTC)] * 3,
        "price": [Decimal("1.50")] * 3,
        "score": [1.0, 2.0, float("nan")],
        "nested": [{"a": [1, 2]}] * 3,
        "unread": [b"\xff"] * 3,
    }
    source = write_table(tmp_path / "in.parquet", table)
    keep = tuple((name, name) for name in ("when", "price", "score", "nested.a", "no"))
    rows = read_lines(run(source, tmp_path / "a.jsonl", fields={"keep": keep}))
    assert [row["outcome"] for row in rows] == ["no_call", "unreadable", "no_call"]
    assert "can't decode byte 0xff" in rows[1]["reason"]
    assert rows[0]["when"] == "2024-05-01T00:00:00+00:00"
    assert (rows[0]["price"], rows[0]["nested.a"], rows[0]["no"]) == ("1.50", [1, 2], None)
    assert [row.get("score") for row in rows] == [1.0, 2.0, None]


def test_text_that_is_no_utf8_spoils_its_row_only(tmp_path):
    # What writers of other languages leave in a column of strings.
    bad = pa.Array.from_buffers(
        pa.string(), 3, pa.array([b"a", b"\xff", b"c"], pa.binary()).buffers()
    )
    source = write_table(tmp_path / "in.parquet", {"reply": bad})
    rows = read_lines(run(source, tmp_path / "a.jsonl"))
    assert [row["outcome"] for row in rows] == ["no_call", "unreadable", "no_call"]


def test_a_table_without_the_column_says_which_there_are(tmp_path):
    source = write_table(tmp_path / "in.parquet", {"answer": ["x"], "n": [1]})
    with pytest.raises(UsageError, match=r"no column 'reply'; give --field with one of: answer, n"):
        run(source, tmp_path / "a.jsonl")


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + b"\0" * 50 + b"PAR1", b"{}\n"])
def test_what_is_no_parquet_is_told(tmp_path, data):
    (tmp_path / "in.parquet").write_bytes(data)
    with pytest.raises(UsageError, match="cannot be read as Parquet"):
        run(tmp_path / "in.parquet", tmp_path / "a.jsonl")


def test_an_empty_table_has_no_rows(tmp_path):
    source = write_table(tmp_path / "in.parquet", {"reply": pa.array([], pa.string())})
    assert run(source, tmp_path / "a.jsonl").read_bytes() == b""


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    source = write_replies(tmp_path / "in.jsonl", 1)
    for paths in (
        ("in.jsonl", "a.parquet"),
        ("in.parquet", "a.jsonl"),
        ("in.jsonl.zst", "a.jsonl"),
    ):
        (tmp_path / paths[0]).write_bytes(source.read_bytes())
        with pytest.raises(UsageError, match=r"pip install .*\[bulk\]'"):
            run(tmp_path / paths[0], tmp_path / paths[1])


# -- out --------------------------------------------------------------------------------------

ROWS = [
    {"n": 1, "reply": call(name="getWeather"), "deep": {"a": [1]}},
    {"n": "two", "reply": "half a character: \ud83d", "deep": "text"},
    b"?",
    {"reply": call(name="no")},
]


def test_rows_become_columns(tmp_path):
    source = write_lines(tmp_path / "in.jsonl", ROWS)
    fields = {"id": "n", "keep": (("deep", "deep"),)}
    output = run(source, tmp_path / "out.parquet", fields=fields)
    rows = pq.read_table(output).to_pylist()
    assert [row["outcome"] for row in rows] == ["repaired", "no_call", "unreadable", "problem"]
    assert [row["id"] for row in rows] == ["1", "two", None, None]
    assert [row["deep"] for row in rows] == ['{"a": [1]}', "text", None, None]
    assert json.loads(rows[0]["calls"][0]["arguments"]) == {"city": "Oslo"}
    assert rows[0]["calls"][0]["repairs"][0]["grade"] == "lossless"
    assert rows[1]["text"] == "half a character: \\ud83d"
    assert rows[3]["problems"][0]["kind"] == "unknown_tool"
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == ["out.parquet"]


def test_a_broken_off_run_into_parquet_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "ROOM", 1_500)
    source = write_replies(tmp_path / "in.jsonl", 60)
    whole = run(source, tmp_path / "whole.parquet")

    def stop(share, rows):
        raise KeyboardInterrupt

    output = tmp_path / "out.parquet"
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            run(source, output, watch=stop, resume=True)
        assert not output.exists()
    assert run(source, output, resume=True).read_bytes() == whole.read_bytes()
    assert pq.ParquetFile(output).metadata.num_rows == 60
    assert len(list(tmp_path.iterdir())) == 3
