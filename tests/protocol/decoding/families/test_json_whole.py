"""Calls that are there at once are read by another way than those that come piece by piece."""

from __future__ import annotations

import ast
import json
from itertools import product

import pytest

from tests.amount import some
from tests.laws.test_beginnings import check_beginnings
from toolproto import ToolCall, ToolOffer, ToolSpec, get_paradigm
from toolproto.protocol.decoding.calls.names import Offered
from toolproto.protocol.decoding.calls.record import CallSetting
from toolproto.protocol.decoding.calls.shape import CallShape
from toolproto.protocol.decoding.contract import Limits
from toolproto.protocol.decoding.families.json_whole import data_end, whole_call
from toolproto.protocol.decoding.reply.events_out import EventsOut
from toolproto.protocol.events import merge

OFFER = ToolOffer(
    (
        ToolSpec("look", "", {"type": "object", "properties": {"at": {"type": "string"}}}),
        ToolSpec("type", "", {"type": "object", "properties": {"type": {"type": "string"}}}),
    )
)
DEEP = '{"at": ' + "[" * 120 + "]" * 120 + "}"
AT_ONCE = [
    '{"name": "look", "arguments": {"at": "Oslo"}}',
    '{"arguments": {"at": "Oslo"}, "name": "look"}',
    '{ "name" :\t"look",\n"arguments" : { } }',
    '{"name": "look", "parameters": {"at": "a\\"b\\u00e9\\ud83d\\ude00"}}',
    '{"tool": "look", "args": {"at": {"x": [1, {"y": null}], "z": 1e3}}}',
    '{"step": "1. Look", "tool": "look", "param": {"at": "Oslo"}}',
    '{"thought": "I } look", "arguments": {"at": "Oslo"}, "name": "look"}',
    '{"type": "function", "name": "look", "arguments": {"type": "object"}}',
    '{"name": "type", "arguments": {"type": "x"}}',
    '{"name": "nobody", "arguments": {"at": "Oslo"}}',
    '{"name": "two words", "arguments": {}}',
    # Brackets in a string are not nested.
    json.dumps({"name": "look", "arguments": {"at": "f([{x}])" * 200}}),
]
IN_DOUBT = [
    '{"type": "function", "name": "look", "arguments": {"type": "object", "properties": {}}}',
    '{"name": "look", "arguments": {"type": "object", "properties": {"at": {}}}}',
    '{"name": "", "arguments": {}}',
    '{"name": "look", "arguments": {"at": 1, "at": 2}}',
    '{"name": "look", "arguments": {"at": 1, "at": 1}}',
    '{"name": "look", "arguments": {"at": NaN}}',
    '{"name": "look", "arguments": {"at": "line\nline"}}',
    '{"name": "look", "arguments": {"at": 1}, "id": "7"}',
    '{"name": "look", "arguments": {"at": 1}',
    '{"name": "look", "arguments": "{}"}',
    '{"name": "l\\u006fok", "arguments": {}}',
    f'{{"name": "look", "arguments": {DEEP}}}',
]
IN_PYTHON = [
    "{'name': 'look', 'arguments': {'at': 'Oslo'}}",
    "{'arguments': {'at': [1, -2.5, {'x': None}], 'y': True}, 'name': 'look'}",
    "{'step': '1. Look', 'tool': 'look', 'param': {}}",
    """{"name": "look", "arguments": {'at': "it's Oslo", "y": False}}""",
    """{"name": "look", "arguments": {"at": "Oslo", 'y': True}}""",
    """{'name': 'look', 'arguments': {"at": "Oslo"}}""",
    '{"name": "look", "arguments": {"at": None}}',
]
IN_PYTHON_IN_DOUBT = [
    "{'name': 'look', 'arguments': {'at': 'Oslo',}}",
    "{'name': 'look', 'arguments': {'at': 'it's'}}",
    "{'name': 'look', 'arguments': {'at': 'say \"it\"'}}",
    r"{'name': 'look', 'arguments': {'at': 'a\'b\n'}}",
    "{'name': 'look', 'arguments': {'at': 'Oslo', 'at': 'Rome'}}",
    "{'name': 'look', 'arguments': {'at': ('Oslo',)}}",
    "{'name': 'look', 'arguments': {'at': 1e3}}",
    "{'name': 'look', 'arguments': {'at': [[[[[1]]]]]}}",
    "{'name': 'look' 'arguments': {'at': 'Oslo'}}",
    "{'name': 'look', 'arguments': {'at': 'Oslo'}",
    # Handed out as it stands up to the first apostrophe, and that is not how we write it.
    """{"name": "look", "arguments": {"at":"Oslo", 'y': 1}}""",
    """{'name': 'look', 'arguments': {"at" : "Oslo"}}""",
]
RECORDS = [
    '{"name": "Bob", "age": 31}',
    '{"id": 7, "type": "x", "text": "look"}',
    '{"name": "look", "at": "Oslo"}',
    '{"name": "Bob", "arguments": "{}"}',
    '{"name": 3, "text": "}"}',
    '{"name": "Bob", "name": "Ann"}',
    '{"name": "Bob", "of": ["a"]}',
    '{"n": 1, "of": {"name": "look", "arguments": {"at": "Oslo"}}}',
    '{\n\n  "n": "</think>",\n\n  "of": {"name": "look", "arguments": {"at": "Oslo"}}\n}',
    '{"n": 1,\n \n"of": "{"}',
    '{"tool_calls": "x", "name": "look", "arguments": {"at": "Oslo"}}',
]
DATA = [
    '{"name": "Bob", "age": 31}',
    '{"id": 7, "type": "x", "text": "look"}',
    '{"name": "Bob", "of": ["a", {"name": "look", "arguments": {}}]}',
    '[{"id": 1, "city": {"name": "Oslo"}},\n {"id": 2}]',
    '{\n  "rows": [[1, 2], [3, 4]]\n}',
]
MAY_BE_CALLS = [
    '{"name": "look", "at": "Oslo"}',
    '{"name": "Bob", "arguments": {}}',
    '{"id": 7, "function": {"name": "look", "arguments": {}}}',
    '{"id": 7, "tool_calls": [{"name": "look", "arguments": {}}]}',
    '{"action": {"name": "look"}}',
    '[{"id": 1}, {"name": "look"}]',
    '[{"id": 1}, [{"name": "look"}]]',
    '{"id": 1,\n\n"of": 2}',
    '{"id": 1, "of": "' + "x" * 1000 + '"}',
    '{"id": 1, "id": 2}',
    '{"id": 1',
    "{'id': 1}",
]
AROUND = ["%s", "<tool_call>%s</tool_call>", "[%s, %s]}", '{"tool_calls": [%s,\n%s]}', "So:\n%s ok"]


FORMS = ["hermes", "json_strict", "xml_tag", "llama3_json"]


def read(form: str, text: str, size: int, **options) -> list[object]:
    paradigm = get_paradigm(form, ids=iter(map(str, range(99))).__next__, **options)
    decoder = paradigm.decoder(OFFER)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    events = merge([*(e for piece in pieces for e in decoder.feed(piece)), *decoder.finish()])
    told = [(e, getattr(e, "call", None) or getattr(e, "problem", None)) for e in events]
    return [(e, each and (each.raw, each.span), getattr(each, "repairs", ())) for e, each in told]


# Every form, and everything around, but not each with each.
@pytest.mark.parametrize("form, around", some([*product(FORMS, AROUND)], 2))
def test_a_call_comes_out_the_same_whole_and_in_pieces(form, around):
    calls = AT_ONCE + IN_DOUBT + IN_PYTHON + IN_PYTHON_IN_DOUBT
    for call in calls + RECORDS + DATA + MAY_BE_CALLS:
        text = around.replace("%s", call)
        assert read(form, text, len(text)) == read(form, text, 1) == read(form, text, 11), text


def test_limits_hold_for_a_call_that_is_there_at_once():
    call = '{"name": "look", "arguments": {"at": [[["Oslo", "Rome"]]]}}'
    for limits in (Limits(characters=40), Limits(depth=3), Limits(depth=5)):
        read_whole, in_pieces = (read("hermes", call, n, limits=limits) for n in (99, 1))
        assert read_whole == in_pieces


@pytest.mark.parametrize("call", AT_ONCE)
def test_a_call_that_leaves_no_doubt_is_read_at_once(call):
    found = whole_call(f"{call}}}", 0, CallShape(), 50)
    assert found is not None and found.end == len(call)
    assert json.loads(call)[found.name_key] == found.name
    assert json.loads(call[found.start : found.stop]) == found.arguments


@pytest.mark.parametrize("call", IN_PYTHON)
def test_so_is_one_in_pythons_spelling(call):
    found = whole_call(f"{call}}}", 0, CallShape(), 50)
    assert found is not None and found.end == len(call)
    meant = ast.literal_eval(call)
    assert meant[found.name_key] == found.name and found.arguments in meant.values()
    assert json.loads(found.written) == found.arguments
    renamed = {"name_key", "arguments_key"}
    assert {repair.name for repair in found.repairs} - renamed <= {"quote_style", "literal"}


@pytest.mark.parametrize("call", IN_DOUBT + IN_PYTHON_IN_DOUBT)
def test_any_other_is_not(call):
    assert whole_call(call, 0, CallShape(), 50) is None


SETTING = CallSetting(CallShape(), Offered(OFFER), EventsOut(str), Limits())


@pytest.mark.parametrize("data", DATA)
def test_data_is_told_from_calls_at_once(data):
    assert data_end(f"so {data}, ok", 3, SETTING) == 3 + len(data)


@pytest.mark.parametrize("data", MAY_BE_CALLS)
def test_what_may_hold_a_call_is_not_taken_for_data(data):
    assert data_end(data, 0, SETTING) == 0


def test_a_bracket_behind_data_that_may_begin_a_marker_is_told_when_that_is_decided():
    check_beginnings(get_paradigm("minimax_m3"), ['so [{"a": {"b": 1', "}}", "]"])


@pytest.mark.parametrize("form", FORMS)
def test_a_call_below_hundreds_of_lines_of_data_is_read(form):
    call = get_paradigm(form).encode_call(ToolCall("look", {"at": "Oslo"}))
    parsed = get_paradigm(form).parse_response("\n".join(DATA * 100) + f"\n\n{call}", OFFER)
    assert [each.arguments for each in parsed.calls] == [{"at": "Oslo"}]
