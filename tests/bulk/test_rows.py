"""What one row says."""

from __future__ import annotations

import json

import pytest

from toolproto.bulk.reading import Fields
from toolproto.bulk.work import _rows
from toolproto.protocol.errors import UsageError

from .samples import OFFER, WEATHER, batches, parser, write_lines


@pytest.fixture
def row(tmp_path):
    def read(value, **options):
        ((some,),) = batches(write_lines(tmp_path / "a.jsonl", [value]), **options)
        ((_, values),) = _rows(some)
        return parser(**options)._row(values)

    return read


@pytest.fixture
def told(tmp_path):
    def read(value, **options):
        source = write_lines(tmp_path / "a.jsonl", [value])
        (batch,) = batches(source, **options)
        row = json.loads(parser(**options)(batch).data)
        return {name: row[name] for name in row if name in ("id", "q", "score", "reason")}

    return read


def test_a_row_holds_a_reply_and_what_was_asked_for(row):
    read = row({"reply": "hello", "other": 1})
    assert (read.text, read.offer, read.paradigm) == ("hello", OFFER, "xml_tag")
    assert (read.finish_reason, read.fault) == (None, "")


def test_a_row_may_say_what_differs_in_it(row, told):
    fields = {"id": "n", "paradigm": "form", "finish_reason": "end", "keep": (("q", "question"),)}
    values = {"reply": "x", "n": 7, "form": "hermes", "end": "length", "question": "Why?"}
    read = row(values, fields=fields)
    assert (read.paradigm, read.finish_reason) == ("hermes", "length")
    assert told(values, fields=fields) == {"id": 7, "q": "Why?"}
    # What it does not say is as for all others.
    read = row({"reply": "x", "form": None}, fields=fields, finish_reason="stop")
    assert (read.paradigm, read.finish_reason) == ("xml_tag", "stop")
    assert told({"reply": "x"}, fields=fields) == {"id": None, "q": None}


def test_a_field_may_stand_inside_others(row):
    nested = {"response": {"choices": [{"message": {"content": "hello"}}]}}
    path = "response.choices.0.message.content"
    assert row(nested, fields={"reply": path}).text == "hello"
    assert row({path: "as it is"}, fields={"reply": path}).text == "as it is"
    for other in ("response.choices.1.message", "response.choices.x", "response.choices.0.no"):
        assert "no field" in row(nested, fields={"reply": other}).fault


BAD = [
    (b"{", "not JSON: Expecting property name enclosed in double quotes at character 1"),
    (b'{"reply": "\x00"}', "not JSON: Invalid control character at at character 11"),
    (b'{"reply": "\xff"}', "not UTF-8: invalid start byte at byte 11"),
    ("{}".encode("utf-16"), "not UTF-8: invalid start byte at byte 0"),
    (b"[1]", "a row must be an object, not a list"),
    (b'"text"', "a row must be an object, not text"),
    (b"null", "a row must be an object, not null"),
    (b"3", "a row must be an object, not a number"),
    (b"{}", "no field 'reply' (--field); there are: "),
    (b'{"text": 1, "id": 2}', "no field 'reply' (--field); there are: text, id"),
    (b'{"reply": null}', "field 'reply' is null, not text"),
    (b'{"reply": {}}', "field 'reply' is an object, not text"),
    (b'{"reply": true}', "field 'reply' is true or false, not text"),
    (b"[" * 100_000, "nested too deeply to be read"),
    (b'{"reply": "x"} {"reply": "y"}', "not JSON: Extra data at character 15"),
]


@pytest.mark.parametrize("line, fault", BAD, ids=range(len(BAD)))
def test_a_row_that_cannot_be_used_says_why(row, line, fault):
    read = row(line)
    assert (read.text, read.fault) == ("", fault)


def test_a_number_of_ten_thousand_digits_spoils_its_row_only(row):
    assert "digits" in row(b'{"reply": "x", "n": %s}' % (b"9" * 10_000)).fault


def test_an_unusable_row_still_says_which_it_is(told):
    row = told({"n": 7, "q": "Why?"}, fields={"id": "n", "keep": (("q", "q"),)})
    assert row.pop("reason") and row == {"id": 7, "q": "Why?"}


def test_what_is_no_number_in_json_becomes_null(told):
    line = b'{"reply": "x", "score": [NaN, -Infinity]}'
    assert told(line, fields={"keep": (("score", "score"),)}) == {"score": [None, None]}


OPENAI = {"type": "function", "function": WEATHER}


@pytest.mark.parametrize(
    "tools", [[WEATHER], [OPENAI], json.dumps([WEATHER]), json.dumps([OPENAI])]
)
def test_a_row_may_bring_its_own_tools(row, tools):
    read = row({"reply": "x", "tools": tools}, fields={"tools": "tools"})
    assert [tool.name for tool in read.offer.tools] == ["get_weather"]


def test_a_row_may_bring_no_tools_at_all(row):
    read = row({"reply": "x", "tools": []}, fields={"tools": "tools"})
    assert read.offer.tools == ()
    assert row({"reply": "x"}, fields={"tools": "tools"}).offer is OFFER


@pytest.mark.parametrize(
    "tools, fault",
    [
        ("{", "its tools are not JSON: Expecting property name"),
        (3, "its tools must be a list of definitions"),
        ([1], "its tools must be a list of definitions"),
        ([{"name": "not a name"}], "its tools cannot be used: 'not a name' cannot name a tool"),
        ([{"name": "f", "description": 3}], "its tools cannot be used: description of 'f' must be"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_tools_that_cannot_be_used_spoil_their_row_only(row, tools, fault):
    assert row({"reply": "x", "tools": tools}, fields={"tools": "tools"}).fault.startswith(fault)


def test_tools_too_long_to_be_remembered_are_read_all_the_same(row):
    long = {**WEATHER, "description": "x" * 100_000}
    read = row({"reply": "x", "tools": [long]}, fields={"tools": "tools"})
    assert len(read.offer.tools[0].description) == 100_000


@pytest.mark.parametrize("field", ["paradigm", "finish_reason"])
def test_a_word_that_is_no_text_spoils_its_row(row, field):
    read = row({"reply": "x", "f": 3}, fields={field: "f"})
    assert read.fault == "field 'f' is a number, not text"


def test_a_kept_column_cannot_take_the_name_of_a_result():
    with pytest.raises(UsageError, match="--keep my_text=text"):
        Fields(keep=(("text", "text"),))
    assert Fields(id="n", keep=(("my_text", "text"),)).kept == (("id", "n"), ("my_text", "text"))
