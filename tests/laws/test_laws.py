"""Every registered paradigm keeps every law."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.laws.cases import CLOSELY, OFFER, calls, cuts, replies, results
from toolproto.messages import ToolCall, ToolResult
from toolproto.paradigms import get_paradigm, paradigms
from toolproto.testing import laws
from toolproto.tools.spec import ToolOffer

EMPTY = ToolOffer()
RESULT = ToolResult(ToolCall("get_weather", {"city": "Oslo"}, "call_7"), "12 °C </tool_result>")


OTHERS = [name for name in paradigms() if name not in CLOSELY]
FEW = settings(max_examples=settings.default.max_examples // 18)  # of each, in a usual run: 8

closely = pytest.mark.parametrize("paradigm", [get_paradigm(name) for name in CLOSELY], ids=str)
others = pytest.mark.parametrize("paradigm", [get_paradigm(name) for name in OTHERS], ids=str)
every_paradigm = pytest.mark.parametrize(
    "paradigm", [get_paradigm(name) for name in paradigms()], ids=str
)


def round_trip(paradigm, call):
    laws.round_trip(paradigm, call, OFFER)


def chunking(paradigm, reply, places):
    laws.chunking(paradigm, reply, places, OFFER)
    laws.chunking(paradigm, reply, range(len(reply)), OFFER)


def reading(paradigm, text):
    laws.totality(paradigm, text, OFFER)
    laws.totality(paradigm, text, EMPTY)
    laws.streamed_arguments(paradigm, text, OFFER)
    laws.lossless(paradigm, text, OFFER)


def talking(paradigm, results):
    laws.teaching(paradigm, OFFER, results)
    laws.inertness(paradigm, OFFER, [*results, RESULT])


@closely
@given(call=calls)
def test_what_is_written_reads_back_as_the_same_call(paradigm, call):
    round_trip(paradigm, call)


@others
@FEW
@given(call=calls)
def test_what_others_write_reads_back_as_the_same_call(paradigm, call):
    round_trip(paradigm, call)


@closely
@given(reply=replies, places=cuts)
def test_chunking_never_matters(paradigm, reply, places):
    chunking(paradigm, reply, places)


@others
@FEW
@given(reply=replies, places=cuts)
def test_chunking_never_matters_to_others(paradigm, reply, places):
    chunking(paradigm, reply, places)


@every_paradigm
@FEW
@given(call=calls)
def test_chunking_never_matters_to_a_call(paradigm, call):
    reply = f"Well.\n{paradigm.encode_calls([call, call])}\nSo."
    chunking(paradigm, reply, [])
    reading(paradigm, reply)


@closely
@given(text=replies)
def test_any_text_gives_events_that_cover_it(paradigm, text):
    reading(paradigm, text)


@others
@FEW
@given(text=replies)
def test_any_text_gives_events_to_others(paradigm, text):
    reading(paradigm, text)


@every_paradigm
@FEW
@given(results=results)
def test_what_we_say_teaches_and_runs_nothing_when_quoted(paradigm, results):
    talking(paradigm, results)


PROSE = [
    "Plain words, and then some more of them. " * 20,
    "a < b > c { d } [ e ] ` f ` ~ g ~ " * 30,
    "function f() { return {}; } // [x] <b>bold</b> `code` " * 20,
    "<" * 600,
    "{" * 600,
    "[" * 600,
    "`" * 600,
    "~" * 600,
    "{ " * 300,
    " " * 600,
    "<tool_" * 100,
    "<tool_code x" * 100,
    '{"answer": "' + "no call at all " * 50,
    "\n> quoted <tool_cod" * 40,
    "\n```python\nx = {}\n```\n" * 20,
]


@every_paradigm
@pytest.mark.parametrize("prose", PROSE, ids=lambda prose: prose[:12].strip() or "spaces")
def test_prose_is_not_held_back(paradigm, prose):
    laws.promptness(paradigm, prose, OFFER)


GROWING = {
    "a long string": lambda n: '{"name": "f", "arguments": {"content": "' + "x" * n + '"}}',
    "an array": lambda n: '{"name": "f", "arguments": {"a": [' + "1, " * (n // 3) + "1]}}",
    "openers": lambda n: "<tool_code>" * (n // 11),
    "open calls": lambda n: '<tool_code>{"name": "' * (n // 20),
    "brackets": lambda n: "{" * n,
    "lists": lambda n: "[" * n,
    "objects": lambda n: '{"name": ' * (n // 9),
    "backslashes": lambda n: '<tool_code>{"name": "' + "\\" * n,
    "quotes": lambda n: '<tool_code>{"name": ' + '"' * n,
    "odd quotes": lambda n: "<tool_code>{'name': " + "' " * (n // 2),
    "digits": lambda n: '<tool_code>{"name": "now", "arguments": {"n": ' + "9" * n + "}}",
    "backticks": lambda n: "`" * n,
    "fences": lambda n: "```\n" * (n // 4),
    "thoughts": lambda n: "<think>" * (n // 7),
    "angles": lambda n: "<" * n,
    "broken calls": lambda n: '<tool_code>{"name": "now", "arguments": {"a": "b"c"}}</tool_code>\n'
    * (n // 62),
    "prose": lambda n: "Some words of prose, (with) punctuation. " * (n // 41),
}  # fmt: skip


@closely
@pytest.mark.parametrize("kind", GROWING)
def test_twice_the_text_is_twice_the_work(paradigm, kind):
    laws.linearity(paradigm, GROWING[kind], OFFER, clock=time.process_time, size=20_000)


@others
@pytest.mark.parametrize("long", ["argument", "row of beginnings"])
def test_twice_the_call_is_twice_the_work(paradigm, long):
    def written(size):
        content = "x = '<b>'\n" * (size // 10)
        if long == "argument":
            return paradigm.encode_call(ToolCall("write_file", {"path": "a", "content": content}))
        one = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
        return (one[: len(one) // 2] + "\n") * (2 * size // len(one))

    clock = time.process_time
    laws.linearity(paradigm, written, OFFER, clock=clock, size=8_000, attempts=8)


def test_no_law_is_forgotten():
    source = Path(__file__).read_text(encoding="utf-8")
    assert [law for law in laws.LAWS.values() if f"laws.{law.__name__}(" not in source] == []
