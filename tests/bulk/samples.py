"""Replies, tools and batches that several of these tests read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from toolproto.bulk import Fields, Reading
from toolproto.bulk.inputs import find_sources
from toolproto.bulk.pieces import Piece, cut
from toolproto.bulk.run import Report, Run
from toolproto.bulk.work import MAX_ROW, BulkWork, Task
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


def pieces(*paths: Path, max_row: int = MAX_ROW, **options: Any) -> list[Piece]:
    """What the files at *paths* are cut into."""
    sources = find_sources([str(path) for path in paths])
    return list(cut(sources, reading(**options).fields.paths, max_row))


def work(max_row: int = MAX_ROW, named: bool = False, **options: Any) -> BulkWork:
    """What reads pieces, and gives lines back."""
    return BulkWork(Task(reading(**options), max_row=max_row, named=named))


def run(source: Path | str, output: Path | None, **options: Any) -> Report:
    """A run over *source*, with options of ``Run``, and those of ``Reading`` in *reading*."""
    watch = options.pop("watch", lambda seen, rows: None)
    asked = reading(**options.pop("reading", {}))
    return Run(find_sources([str(source)]), asked, output, **options)(watch)
