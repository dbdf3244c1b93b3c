"""Replies, tools and batches that several of these tests read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from toolproto.bulk import Fields, Reading
from toolproto.bulk.files import MAX_ROW, InputRows, find_inputs, read_batches
from toolproto.bulk.outputs import RowFormat
from toolproto.bulk.runner import ParsePlan, ParseReport
from toolproto.bulk.work import BatchParser, ParseJob
from toolproto.protocol.tools import ToolOffer, ToolSpec

WEATHER = {
    "name": "get_weather",
    "description": "Current weather for a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
OFFER = ToolOffer((ToolSpec(**WEATHER),))


def call(city: Any = "Oslo", name: str = "get_weather") -> str:
    """A call as xml_tag has it."""
    return f"<tool_code>{json.dumps({'name': name, 'arguments': {'city': city}})}</tool_code>"


def reading(**options: Any) -> Reading:
    """How most of the tests read: xml_tag, one tool."""
    fields = Fields(**options.pop("fields", {}))
    return Reading(**{"paradigm": "xml_tag", "offer": OFFER, "fields": fields, **options})


def batch(**columns: Any) -> pa.RecordBatch:
    """A batch of *columns*."""
    return pa.RecordBatch.from_pydict(columns)


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    """*rows* as JSONL; bytes as they are."""
    lines = (row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def write_replies(path: Path, count: int) -> Path:
    """*count* rows of different outcomes."""
    kinds = (call("Oslo %d"), "Nothing to do, %d times.", "<tool_code>oops %d</tool_code>")
    rows = ({"id": n, "reply": kinds[n % 3].replace("%d", str(n))} for n in range(count))
    return write_lines(path, rows)


def read_lines(text: str | bytes | Path) -> list[Any]:
    """Rows of JSON."""
    data = text.read_bytes() if isinstance(text, Path) else text
    return [json.loads(line) for line in data.splitlines()]


def batches(*paths: Path, max_row: int = MAX_ROW, **options: Any) -> list[list[InputRows]]:
    """The rows of the files at *paths*, as workers get them."""
    files = find_inputs([str(path) for path in paths])
    return list(read_batches(files, reading(**options).fields.paths, max_row))


def parser(format: RowFormat = RowFormat.JSONL, named: bool = False, **options: Any) -> BatchParser:
    """What reads batches, and gives the rows of a file back."""
    return BatchParser(ParseJob(reading(**options), format, named))


def run(source: Path | str, output: Path | None, **options: Any) -> ParseReport:
    """A run over *source*, with options of ``ParsePlan``, and those of ``Reading`` in *reading*."""
    watch = options.pop("watch", lambda share, rows: None)
    asked = reading(**options.pop("reading", {}))
    return ParsePlan(find_inputs([str(source)]), asked, output, **options)(watch)
