"""A batch, read: a line for every row, whatever is in it."""

from __future__ import annotations

import gzip
import json

from toolproto.bulk.counts import ReplyCounts
from toolproto.bulk.files import find_inputs, read_batches
from toolproto.bulk.outputs import RowFormat, encoded
from toolproto.protocol.events import CallCompleted
from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import XmlTag, registry

from .samples import batches, call, parser, read_lines, write_lines


def work(*paths, max_row=10**6, **options):
    """The rows that come of *paths*, and their counts."""
    reading = {name: value for name, value in options.items() if name != "named"}
    done = [parser(**options)(batch) for batch in batches(*paths, max_row=max_row, **reading)]
    counts = ReplyCounts()
    for each in done:
        counts.add(each.counts)
    return [row for each in done for row in read_lines(each.data)], counts


HOSTILE = [
    {"reply": call()},
    b"not json",
    b"",
    b" \t\r",
    {"answer": "no reply"},
    b'{"reply": "\xff\xfe"}',
    b'{"reply": "' + b"x" * 200_000 + b'"}',
    {"reply": "a\u2028b\u0085c\x00\ud800\r\n" + call("Zürich \U0001f600")},
    json.dumps({"reply": "raw \u2028 separators \u2029"}, ensure_ascii=False).encode(),
    b'{"reply": "crlf"}\r',
    {"reply": "\ufeff" + call()},
    {"reply": "[" * 5_000},
    {"reply": call(name="x" * 5_000)},
    {"reply": call("9" * 5_000)},
    {"reply": '<tool_code>{"name": "get_weather", "arguments": {"city": 1e999}}</tool_code>'},
    {"reply": "\u202e" + call()},
]


def test_every_row_becomes_a_row(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", HOSTILE)
    rows, counts = work(path, max_row=100_000)
    assert [row["row"] for row in rows] == [1, 2, *range(5, 17)]
    faults = {row["row"]: row["reason"] for row in rows if row["outcome"] == "unreadable"}
    assert set(faults) == {2, 5, 6, 7}
    assert faults[7] == "longer than 100,000 bytes (--max-row-bytes)"
    texts = {row["row"]: row["text"] for row in rows}
    assert texts[8] == "a\u2028b\u0085c\x00\ud800\r\n"
    assert texts[9] == "raw \u2028 separators \u2029"
    assert counts.replies == len(rows) and counts.outcomes["unreadable"] == 4
    assert counts.first_fault == "row 2: not JSON: Expecting value at character 0"


def test_the_output_is_ascii_and_has_a_line_for_each_row(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", HOSTILE)
    data = b"".join(parser()(batch).data for batch in batches(path))
    assert data.isascii() and data.count(b"\n") == len(data.splitlines()) == 14


def test_a_byte_order_mark_is_no_part_of_the_first_row(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"reply": "one"}\r\n{"reply": "two"}\r\n')
    rows, _ = work(path)
    assert [row["text"] for row in rows] == ["one", "two"]


def test_only_the_first_row_may_have_one(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"reply": "one"}\n\xef\xbb\xbf{"reply": "two"}\n')
    rows, _ = work(path)
    assert [row["outcome"] for row in rows] == ["no_call", "unreadable"]


def test_a_file_may_be_one_reply(tmp_path):
    (tmp_path / "1.txt").write_bytes(b"\xef\xbb\xbf" + call().encode())
    (tmp_path / "2.txt").write_bytes(b"one\r\ntwo\x00")
    (tmp_path / "3.txt").write_bytes(b"\xff")
    (tmp_path / "4.txt.gz").write_bytes(gzip.compress(b"packed"))
    (tmp_path / "5.txt.gz").write_bytes(gzip.compress(b"packed" * 99)[:-9])
    (tmp_path / "6.txt").write_bytes(b"x" * 2_000)
    (tmp_path / "7.txt").write_bytes(b"")
    rows, counts = work(*sorted(tmp_path.iterdir()), max_row=1_000)
    assert [row["outcome"] for row in rows] == [
        "calls", "no_call", "unreadable", "no_call", "unreadable", "unreadable", "no_call",
    ]  # fmt: skip
    assert [row["source"] for row in rows] == [str(path) for path in sorted(tmp_path.iterdir())]
    assert rows[1]["text"] == "one\r\ntwo\x00"
    assert rows[3]["text"] == "packed"
    assert counts.first_fault.endswith("3.txt: not UTF-8: invalid start byte at byte 0")


def test_a_file_that_went_away_is_one_bad_row(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("hello")
    files = find_inputs([str(path)])
    path.unlink()
    (batch,) = read_batches(files, [], 10**6)
    (row,) = read_lines(parser()(batch).data)
    assert "No such file" in row["reason"]


def test_with_several_inputs_a_row_says_which(tmp_path):
    one = write_lines(tmp_path / "1.jsonl", [{"reply": "a"}])
    two = write_lines(tmp_path / "2.jsonl", [{"reply": "b"}, b"?"])
    rows, counts = work(one, two, named=True)
    assert [(row["source"], row["row"]) for row in rows] == [
        (str(one), 1), (str(two), 1), (str(two), 2),
    ]  # fmt: skip
    assert counts.first_fault.startswith(f"{two}, row 2: not JSON")


def test_kept_columns_come_first_and_may_be_anything(tmp_path):
    values = {"reply": "x", "n": 1e999, "deep": [[{"a": None}]], "t": "ü", "q": -0.0}
    path = write_lines(tmp_path / "a.jsonl", [values])
    keep = tuple((name, name) for name in ("n", "deep", "t", "none"))
    (row,), _ = work(path, fields={"id": "q", "keep": keep})
    assert list(row)[:6] == ["row", "id", "n", "deep", "t", "none"]
    assert (row["n"], row["deep"], row["none"]) == (None, [[{"a": None}]], None)


def test_a_column_too_deep_to_be_written_spoils_its_row_only(tmp_path):
    def nested(depth):
        return b'{"reply": "x", "deep": ' + b"[" * depth + b"]" * depth + b"}"

    # Somewhere between these, what can be read cannot be written.
    path = write_lines(tmp_path / "a.jsonl", [nested(depth) for depth in range(900, 1_010)])
    rows, counts = work(path, fields={"keep": (("deep", "deep"),)}, max_row=10_000)
    assert counts.replies == len(rows) == 110
    assert {row["outcome"] for row in rows} <= {"no_call", "unreadable"}


class Broken(XmlTag):
    """A paradigm with two mistakes."""

    name = "broken"

    def decoder(self, offer=None):
        return self

    def feed(self, text):
        if text == "x":
            raise ZeroDivisionError("oops" * 1_000)
        return [CallCompleted(0, ToolCall("get_weather", {"city": text, "more": object()}))]

    def finish(self, reason):
        return []


def test_a_paradigm_that_fails_spoils_its_rows_only(tmp_path, monkeypatch):
    monkeypatch.setitem(registry._registered, "broken", Broken)
    forms = {"x": "broken", "y": "broken", call(): None, "z": "nope"}
    path = write_lines(
        tmp_path / "a.jsonl", [{"reply": text, "form": form} for text, form in forms.items()]
    )
    rows, _ = work(path, fields={"paradigm": "form"})
    assert [row["outcome"] for row in rows] == ["unreadable", "unreadable", "calls", "unreadable"]
    assert rows[0]["reason"].startswith("reading failed: ZeroDivisionError: oops")
    assert len(rows[0]["reason"]) == 500
    assert rows[1]["reason"].startswith("cannot be written as JSON: Object of type object")
    assert rows[3]["reason"].startswith("no paradigm named 'nope'")


def test_a_packed_part_is_the_same_bytes_every_time():
    one, two = (encoded(RowFormat.PACKED, ["{}"]) for _ in range(2))
    assert one == two
    assert gzip.decompress(one) == encoded(RowFormat.JSONL, ["{}"]) == b"{}\n"
    assert encoded(RowFormat.PACKED, []) == b""
