"""Native calls in a batch: checked, written in any form, read back."""

from __future__ import annotations

import json

import pytest

from toolproto import list_paradigms
from toolproto.bulk import Fields, Reading, check_batch, encode_batch, read_batch

from .samples import OFFER, WEATHER, batch, call, reading

OPENAI = [{"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]
ANTHROPIC = [{"type": "tool_use", "id": "b", "name": "get_weather", "input": {"city": "Oslo"}}]
OURS = [{"id": "c", "name": "get_weather", "arguments": '{"city": "Oslo", "days": "2"}'}]


def check(**columns):
    return check_batch(batch(**columns), reading()).to_pylist()


def test_native_calls_are_held_against_their_tools():
    rows = check(calls=[json.dumps(each) for each in (OPENAI, ANTHROPIC, OURS, [], None)])
    assert [row["outcome"] for row in rows] == [
        "problem",
        "calls",
        "repaired",
        "no_call",
        "no_call",
    ]
    assert rows[0]["problems"][0]["kind"] == "invalid_arguments"
    assert json.loads(rows[2]["calls"][0]["arguments"]) == {"city": "Oslo", "days": 2}
    assert [call["id"] for row in rows for call in row["calls"]] == ["b", "c"]


def test_what_was_read_can_be_checked_and_encoded_as_it_is():
    read = read_batch(batch(reply=[call() + call("Rome"), "x"]), reading(check=False))
    assert [row["outcome"] for row in check_batch(read, reading()).to_pylist()] == [
        "calls",
        "no_call",
    ]
    encoded = encode_batch(read, reading(fields={"text": "text"})).to_pylist()
    assert [row["reply"] for row in encoded] == [f"{call()}\n{call('Rome')}", "x"]


@pytest.mark.parametrize(
    "calls, why",
    [
        ("{", "its calls are not JSON"),
        ("{}", "its calls are an object, not a list"),
        ("[3]", "call 1 is a number, not an object"),
        ("[{}]", "call 1 has no name"),
        ('[{"name": "f", "arguments": "{"}]', "the arguments of call 1 are not JSON"),
        ('[{"name": "f", "arguments": [1]}]', "the arguments of call 1 are a list"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_calls_that_are_none_spoil_their_row_only(calls, why):
    bad, good = check(calls=[calls, "[]"])
    assert bad["outcome"] == "unreadable" and bad["reason"].startswith(why)
    assert good["outcome"] == "no_call"
    assert encode_batch(batch(calls=[calls]), reading()).to_pylist()[0]["reply"] is None


def test_a_batch_without_the_column_says_so():
    assert check(other=["x"])[0]["reason"] == "no column 'calls'"


HARD = [
    {"city": "Oslo"},
    {"city": "", "days": 0},
    {"city": '</tool_call>\n```</parameter>{"name": 1}\', days=3)]]>\n', "days": -3},
    {"city": "é😀\u2028 \\n \t\"quoted\" 'so'", "days": 10**12},
]


@pytest.mark.parametrize("paradigm", list_paradigms())
def test_native_calls_come_back_from_every_form(paradigm):
    rows = [[{"name": "get_weather", "arguments": json.dumps(each)}] for each in HARD]
    rows.append([row[0] for row in rows[:2]])
    source = batch(calls=[json.dumps(each) for each in rows])
    asked = Reading(paradigm=paradigm, offer=OFFER)
    written = encode_batch(source, asked)
    assert [row["reason"] for row in written.to_pylist()] == [None] * len(rows)
    assert all(written.column("round_trip").to_pylist())
    read = read_batch(written, asked).to_pylist()
    assert [[json.loads(c["arguments"]) for c in row["calls"]] for row in read] == [
        [json.loads(c["arguments"]) for c in row] for row in rows
    ]


def test_a_row_may_have_its_own_form_and_tools():
    source = batch(
        calls=[json.dumps(ANTHROPIC)] * 3,
        tools=[json.dumps([WEATHER])] * 3,
        form=["hermes", None, "nope"],
    )
    fields = {"tools": "tools", "paradigm": "form"}
    rows = encode_batch(source, reading(fields=fields)).to_pylist()
    assert rows[0]["reply"].startswith("<tool_call>")
    assert rows[1]["reply"].startswith("<tool_code>")
    assert rows[2]["reason"].startswith("no paradigm named 'nope'")
    (row,) = encode_batch(source.slice(0, 1), reading(paradigm="any")).to_pylist()
    assert "name it instead of 'any'" in row["reason"]


def test_the_last_message_of_a_conversation_is_encoded():
    openai = [{"role": "assistant", "content": "Let me see.", "tool_calls": OPENAI}]
    anthropic = [{"role": "assistant", "content": [{"type": "text", "text": "Hm."}, *ANTHROPIC]}]
    source = batch(talk=[json.dumps(openai), json.dumps(anthropic)])
    rows = encode_batch(source, reading(fields={"messages": "talk"})).to_pylist()
    assert [row["reply"].splitlines()[0] for row in rows] == ["Let me see.", "Hm."]
    assert [row["round_trip"] for row in rows] == [True, True]


def test_what_does_not_come_back_is_told():
    # Without a schema nothing in this form says that 3 is no text.
    source = batch(calls=['[{"name": "f", "arguments": {"n": 3}}]'])
    (row,) = encode_batch(source, Reading(paradigm="qwen3_coder", fields=Fields())).to_pylist()
    assert row["round_trip"] is False
    assert row["reason"] == (
        "reads back as f({'n': '3'}); name its tools: many forms need them to tell types apart"
    )
