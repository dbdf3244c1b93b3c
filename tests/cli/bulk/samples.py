"""Replies, tools and files that several of these tests read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolproto.cli.bulk.batches import Batch, Position
from toolproto.cli.bulk.cutting import cut_into_batches
from toolproto.cli.bulk.inputs import find_sources
from toolproto.cli.bulk.reading import Fields, Reading
from toolproto.tools import ToolOffer, ToolSpec

WEATHER = {
    "name": "get_weather",
    "description": "Current weather for a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
START = Position()
OFFER = ToolOffer((ToolSpec(**WEATHER),))


def call(city: str = "Oslo", name: str = "get_weather") -> str:
    """A call as xml_tag has it."""
    return f"<tool_code>{json.dumps({'name': name, 'arguments': {'city': city}})}</tool_code>"


def reading(**options: Any) -> Reading:
    """How most of the tests read: xml_tag, one tool."""
    fields = Fields(**options.pop("fields", {}))
    return Reading(**{"paradigm": "xml_tag", "offer": OFFER, "fields": fields, **options})


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


def batches(*paths: Path, start: Position = START, **options: Any) -> list[Batch]:
    """What the files at *paths* are cut into."""
    asked = reading(**options)
    sources = find_sources([str(path) for path in paths])
    return list(cut_into_batches(sources, start, asked.fields.paths, asked.max_row))
