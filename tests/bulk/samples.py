"""Replies, tools and batches that several of these tests read."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from toolproto.bulk import Fields, Reading
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
