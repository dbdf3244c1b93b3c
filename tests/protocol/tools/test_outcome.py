"""From whatever a tool does to text for the model."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import pathlib

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.errors import ToolFailed
from toolproto.protocol.messages import ToolCall, ToolResult
from toolproto.protocol.tools.outcome import ToolOutput, bounded, error_result, result_of

CALL = ToolCall("t", {"x": 1}, "call_1")


class City(pydantic.BaseModel):
    name: str
    tags: set[str] = set()


@dataclasses.dataclass
class Point:
    x: int
    y: float


class Colour(enum.Enum):
    RED = "red"


class Silent:
    def __str__(self):
        raise RuntimeError("I do not talk")

    __repr__ = __str__


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError("I do not talk")


class Tagged(str):
    pass


def cyclic():
    ring = [1]
    ring.append(ring)
    return ring


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value, content",
    [
        ("text", "text"),
        ("", "(no output)"),
        (None, "(no output)"),
        (Tagged("text"), "text"),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
        ({"ü": "é"}, '{"ü": "é"}'),
        ((1, 2), "[1, 2]"),
        (b"\x00\xff", "(2 bytes of binary data)"),
        (bytearray(b"abc"), "(3 bytes of binary data)"),
        (memoryview(b""), "(0 bytes of binary data)"),
        (City(name="Oslo"), '{"name": "Oslo", "tags": []}'),
        ([City(name="Oslo", tags={"n"})], '[{"name": "Oslo", "tags": ["n"]}]'),
        (Point(1, 2.5), '{"x": 1, "y": 2.5}'),
        (Colour.RED, '"red"'),
        ({1}, "[1]"),
        ({1: {"a": None}}, '{"1": {"a": null}}'),
        ((n for n in range(3)), "[0, 1, 2]"),
        (datetime.date(2024, 2, 29), '"2024-02-29"'),
        (pathlib.PurePosixPath("a/b"), '"a/b"'),
        ({"inner": b"ok"}, '{"inner": "ok"}'),
        (cyclic(), "[1, [...]]"),
    ],
)
def test_what_a_tool_returns_becomes_text(value, content):
    result = result_of(CALL, value)
    assert (result.content, result.is_error, result.call) == (content, False, CALL)
    assert type(result.content) is str or isinstance(value, Tagged)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {"x": float("nan")}, [b"\xff"], object(), {(1, 2): 3}]
)
def test_what_json_cannot_hold_is_text_all_the_same(value):
    assert result_of(CALL, value).content


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_json_can_be_read_back(value):
    content = result_of(CALL, [value]).content
    assert json.loads(content) == [value]


@pytest.mark.parametrize("value", [Silent(), [Silent()], {"x": Silent()}, nested(100_000)])
def test_what_cannot_be_written_is_an_ordinary_exception(value):
    """The session makes an error result of it."""
    try:
        content = result_of(CALL, value).content
    except Exception:
        return
    assert isinstance(content, str)


def test_an_output_carries_more_than_text():
    value = ToolOutput({"n": 1}, "a title", {"took": 3}, ["picture"])
    assert result_of(CALL, value) == ToolResult(
        CALL, '{"n": 1}', False, "a title", {"took": 3}, ("picture",)
    )


def test_metadata_is_a_copy():
    metadata = {"n": 1}
    result = result_of(CALL, ToolOutput("x", metadata=metadata))
    metadata["n"] = 2
    assert result.metadata == {"n": 1}


def test_a_result_always_belongs_to_the_call_that_ran():
    other = ToolResult(ToolCall("other", {}, "call_9"), "x", is_error=True, title="t")
    result = result_of(CALL, other)
    assert result.call is CALL and result.call.id == "call_1"
    assert (result.content, result.is_error, result.title) == ("x", True, "t")


@pytest.mark.parametrize("content", [42, None, {"a": 1}, b"x"])
def test_a_result_with_a_content_that_is_no_text_becomes_text(content):
    assert isinstance(result_of(CALL, ToolResult(CALL, content)).content, str)


@pytest.mark.parametrize(
    "error, content",
    [
        (ValueError("no such city"), "ValueError: no such city"),
        (ValueError(), "ValueError"),
        (KeyError("x"), "KeyError: 'x'"),
        (ToolFailed("try Oslo"), "try Oslo"),
        (ToolFailed(), "it failed"),
        (SystemExit(3), "SystemExit: 3"),
        (AssertionError(""), "AssertionError"),
    ],
)
def test_what_a_tool_raises_becomes_text(error, content):
    result = error_result(CALL, error)
    assert (result.content, result.is_error) == (content, True)
    assert result.metadata == {"exception": type(error).__name__}


def test_an_error_that_cannot_tell_itself_is_named():
    result = error_result(CALL, SilentError())
    assert result.is_error and "SilentError" in result.content


def test_a_short_result_is_left_as_it_is():
    result = ToolResult(CALL, "x" * 100)
    assert bounded(result, 100) is result


def test_a_long_result_keeps_its_beginning_and_its_end():
    whole = "".join(f"line {number}\n" for number in range(1000))
    result = bounded(ToolResult(CALL, whole, metadata={"took": 3}), 400)
    head, _, rest = result.content.partition("\n[… ")
    note, _, tail = rest.partition(" …]\n")
    assert whole.startswith(head) and whole.endswith(tail) and len(head) > len(tail) > 50
    left_out = len(whole) - len(head) - len(tail)
    assert note == f"{left_out:,} of {len(whole):,} characters left out"
    assert result.metadata == {"took": 3, "full": whole}


@given(st.text(max_size=600), st.integers(100, 400))
def test_no_more_than_the_limit_and_a_note_is_shown(content, limit):
    result = bounded(ToolResult(CALL, content), limit)
    assert len(result.content) <= limit + 60
    assert result.metadata.get("full", result.content) == content


def test_the_note_counts_towards_the_limit():
    result = bounded(ToolResult(CALL, "x" * 5_000_000), 100)
    assert len(result.content) <= 100 and bounded(result, 100) is result
