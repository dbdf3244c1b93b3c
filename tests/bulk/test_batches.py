"""Replies in a batch, read: a row for every row, whatever is in it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from toolproto import ToolOffer, get_paradigm
from toolproto.bulk import Fields, Reading, read_batch, result_schema
from toolproto.bulk import offers as reading_offers
from toolproto.bulk.offers import Offers
from toolproto.protocol.errors import UsageError
from toolproto.testing.fixtures.loading import load_fixture, load_tools

from .samples import OFFER, WEATHER, batch, call, reading

FIXTURES = Path(__file__).parents[2] / "fixtures"
OWN_TOOLS = {"fields": {"tools": "tools"}}


def read(columns, **options):
    return read_batch(batch(**columns), reading(**options)).to_pylist()


def as_json(offer):
    specs = [
        {"name": t.name, "description": t.description, "parameters": dict(t.parameters)}
        for t in offer.tools
    ]
    return json.dumps(specs)


def test_every_fixture_is_read_as_parse_response_reads_it():
    some = sorted(FIXTURES.glob("*/*.txt"))[::8]  # there are many
    fixtures = [load_fixture(path, load_tools(FIXTURES)) for path in some]
    rows = batch(
        reply=[each.reply for each in fixtures],
        form=[each.paradigm for each in fixtures],
        tools=[as_json(each.offer) for each in fixtures],
    )
    asked = Reading(check=False, fields=Fields(tools="tools", paradigm="form"))
    for fixture, row in zip(fixtures, read_batch(rows, asked).to_pylist(), strict=True):
        parsed = get_paradigm(fixture.paradigm).parse_response(fixture.reply, fixture.offer)
        assert [(c["name"], json.loads(c["arguments"])) for c in row["calls"]] == [
            (c.name, c.arguments) for c in parsed.calls
        ]
        assert [[r["name"] for r in c["repairs"]] for c in row["calls"]] == [
            [r.name for r in c.repairs] for c in parsed.calls
        ]
        assert [p["raw"] for p in row["problems"]] == [p.raw for p in parsed.problems]
        assert (row["text"], row["reasoning"]) == (parsed.text, parsed.reasoning)
        assert row["reason"] is None


def test_the_schema_is_the_one_that_is_documented():
    assert str(result_schema()).splitlines()[0] == "outcome: string"
    assert result_schema().names == [
        "outcome", "calls", "problems", "text", "reasoning", "reason", "digest",
    ]  # fmt: skip
    repair = pa.struct([("name", pa.string()), ("grade", pa.string()), ("detail", pa.string())])
    assert result_schema().field("calls").type.value_type == pa.struct(
        [
            ("id", pa.string()),
            ("name", pa.string()),
            ("arguments", pa.string()),
            ("repairs", pa.list_(repair)),
            ("place", pa.string()),
        ]
    )
    for rows in ([], ["x"]):
        out = read_batch(batch(reply=pa.array(rows, pa.string())), reading())
        assert out.schema == result_schema() and out.num_rows == len(rows)


def test_a_row_that_fails_says_so_and_spoils_no_other():
    tools = [None, "[", "[1]", "[]", json.dumps([WEATHER])]
    rows = read({"reply": [call(), call(), call(), None, call(3)], "tools": tools}, **OWN_TOOLS)
    assert [row["outcome"] for row in rows] == [
        "calls", "unreadable", "unreadable", "unreadable", "repaired",
    ]  # fmt: skip
    assert rows[1]["reason"].startswith("its tools are not JSON")
    assert rows[3]["reason"] == "field 'reply' is null, not text"


@pytest.mark.parametrize(
    "kind",
    [pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())],
)
def test_text_may_come_in_any_type_that_holds_text(kind):
    (row,) = read({"reply": pa.array([call()]).cast(kind)})
    assert row["outcome"] == "calls"


def test_text_that_is_no_utf8_spoils_its_row_only():
    whole = pa.array([b"a", b"\xff", b"c"], pa.binary())
    bad = pa.Array.from_buffers(pa.string(), 3, whole.buffers())
    for array in (whole, bad):
        rows = read({"reply": array})
        assert [row["outcome"] for row in rows] == ["no_call", "unreadable", "no_call"]


def test_half_a_character_from_a_call_is_written_out():
    reply = call().replace("Oslo", "\\ud83d")
    (row,) = read({"reply": [reply]})
    assert json.loads(row["calls"][0]["arguments"]) == {"city": "\ud83d"}
    (row,) = read({"reply": ["<tool_code>{\\ud83d</tool_code>"]})
    assert row["problems"]


def test_a_conversation_is_read_by_its_last_reply():
    talk = [
        {"role": "assistant", "content": call("Rome")},
        {"role": "user", "content": "And Oslo?"},
        {"role": "assistant", "content": [{"type": "text", "text": call("Oslo")}]},
        {"role": "user", "content": "Thanks."},
    ]
    nothing = [{"role": "user", "content": "x"}]
    columns = {"talk": [json.dumps(talk), json.dumps(nothing), "{}", "[", None]}
    rows = read(columns, fields={"messages": "talk"})
    assert [json.loads(c["arguments"]) for c in rows[0]["calls"]] == [{"city": "Oslo"}]
    assert [row["reason"] for row in rows[1:]] == [
        "its messages contain no reply of an assistant",
        "its messages are an object, not a list",
        "its messages are not JSON: Expecting value",
        "its messages are null, not a list",
    ]
    (row,) = read({"talk": [talk[:1]]}, fields={"messages": "talk"})
    assert row["outcome"] == "calls"


def test_a_row_may_name_its_tools_its_form_and_its_end():
    offers = {"weather": OFFER, "none": ToolOffer()}
    hermes = call().replace("tool_code", "tool_call")
    columns = {
        "reply": [hermes, call()[:-13], hermes, hermes],
        "tools": ["weather", "weather", "nope", None],
        "form": ["hermes", None, "hermes", "nope"],
        "end": ["stop", "length", None, None],
    }
    fields = {"tools": "tools", "paradigm": "form", "finish_reason": "end"}
    rows = read(columns, fields=fields, offers=offers)
    assert [row["outcome"] for row in rows] == ["calls", "truncated", "unreadable", "unreadable"]
    assert rows[2]["reason"] == "no tools are known as nope; there are: weather, none"


def test_auto_is_the_form_that_suits_the_rows_model():
    hermes = call().replace("tool_code", "tool_call")
    columns = {"reply": [hermes], "model": ["NousResearch/Hermes-3-Llama-3.1-8B"]}
    (row,) = read(columns, paradigm="auto", fields={"model": "model"})
    assert row["outcome"] == "calls"
    with pytest.raises(UsageError, match="--model-field"):
        reading(paradigm="auto")


def test_columns_are_carried_through_with_their_types():
    columns = {"reply": ["x"], "n": [7], "deep": [{"a": [1, 2]}]}
    out = read_batch(
        batch(**columns), reading(fields={"keep": (("number", "n"), ("inner", "deep.a.1"))})
    )
    assert out.schema.field("number").type == pa.int64()
    assert (out.column("number").to_pylist(), out.column("inner").to_pylist()) == ([7], ["2"])
    with pytest.raises(UsageError, match="digest"):
        Fields(keep=(("digest", "n"),))


def test_a_reply_may_stand_inside_a_column():
    columns = {"answer": [{"choices": [{"text": call()}]}, None]}
    rows = read(columns, fields={"reply": "answer.choices.0.text"})
    assert [row["outcome"] for row in rows] == ["calls", "unreadable"]
    assert read({"other": ["x"]})[0]["reason"] == "no column 'reply'"


def test_what_is_no_batch_or_has_a_column_twice_is_refused_by_name():
    with pytest.raises(UsageError, match="RecordBatch of Arrow, not list"):
        read_batch([{"reply": "hi"}], reading())
    twice = pa.RecordBatch.from_arrays([pa.array(["a"]), pa.array(["b"])], ["reply", "reply"])
    with pytest.raises(UsageError, match="several columns 'reply'"):
        read_batch(twice, reading())


def test_two_rows_share_a_digest_if_they_say_the_same():
    rows = read({"reply": [call(), call(), call("Rome"), "x", call() + "x"]})
    one, two, *others = (row["digest"] for row in rows)
    assert one == two and len({one, *others}) == 4
    assert len(one) == 32


def test_offers_are_read_once_and_only_so_many_are_kept(monkeypatch):
    text = json.dumps([WEATHER])
    monkeypatch.setattr(reading_offers, "_REMEMBERED", 2 * len(text))
    offers = Offers({})
    first = offers(text)
    assert offers(text) is first
    offers(text.replace("Current", "The")), offers(text.replace("Current", "Some"))
    assert offers(text) is not first
    assert sum(map(len, offers._read)) <= 2 * len(text)
    assert [tool.name for tool in offers([WEATHER]).tools] == ["get_weather"]


def test_threads_do_not_count_each_others_calls():
    asked = reading()
    rows = batch(reply=[call() + call("Rome")] * 60)
    with ThreadPoolExecutor(4) as pool:
        for out in pool.map(lambda _: read_batch(rows, asked), range(4)):
            ids = {tuple(c["id"] for c in row) for row in out.column("calls").to_pylist()}
            assert ids == {("call_1", "call_2")}


def test_any_form_is_read_for_each_rows_own_tools():
    columns = {
        "reply": [call(), '[get_weather(city="Oslo")]'],
        "tools": [json.dumps([WEATHER])] * 2,
    }
    rows = read(columns, paradigm="any", **OWN_TOOLS)
    assert [len(row["calls"]) for row in rows] == [1, 1]
