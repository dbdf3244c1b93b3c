"""Every registered paradigm keeps every law."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given

from tests.laws.cases import OFFER, calls, cuts, replies, results
from toolproto.messages import ToolCall, ToolResult
from toolproto.paradigms import get_paradigm, paradigms
from toolproto.testing import laws
from toolproto.tools.spec import ToolOffer

EMPTY = ToolOffer()
RESULT = ToolResult(ToolCall("get_weather", {"city": "Oslo"}, "call_7"), "12 °C </tool_result>")


def every_paradigm(test):  # type: ignore[no-untyped-def]
    return pytest.mark.parametrize("paradigm", [get_paradigm(n) for n in paradigms()], ids=str)(
        test
    )


@every_paradigm
@given(call=calls)
def test_what_is_written_reads_back_as_the_same_call(paradigm, call):
    laws.round_trip(paradigm, call, OFFER)


@every_paradigm
@given(reply=replies, places=cuts)
def test_chunking_never_matters(paradigm, reply, places):
    laws.chunking(paradigm, reply, places, OFFER)
    laws.chunking(paradigm, reply, range(len(reply)), OFFER)


@every_paradigm
@given(text=replies)
def test_any_text_gives_events_and_no_exception(paradigm, text):
    laws.totality(paradigm, text, OFFER)
    laws.totality(paradigm, text, EMPTY)


@every_paradigm
@given(reply=replies)
def test_streamed_arguments_join_to_the_arguments(paradigm, reply):
    laws.streamed_arguments(paradigm, reply, OFFER)


@every_paradigm
@given(reply=replies)
def test_segments_cover_the_reply(paradigm, reply):
    laws.lossless(paradigm, reply, OFFER)


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


@every_paradigm
@pytest.mark.parametrize("kind", GROWING)
def test_twice_the_text_is_twice_the_work(paradigm, kind):
    laws.linearity(paradigm, GROWING[kind], OFFER, clock=time.process_time)


@every_paradigm
@given(results=results)
def test_instructions_teach_and_results_answer(paradigm, results):
    laws.teaching(paradigm, OFFER, results)


@every_paradigm
@given(results=results)
def test_what_we_say_runs_nothing_when_quoted(paradigm, results):
    laws.inertness(paradigm, OFFER, [*results, RESULT])


def test_no_law_is_forgotten():
    source = Path(__file__).read_text(encoding="utf-8")
    assert [law for law in laws.LAWS.values() if f"laws.{law.__name__}(" not in source] == []
