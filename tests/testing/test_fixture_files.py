"""A fixture that was written reads as the same fixture, and a mistake in one names its file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import Limits, ToolOffer, ToolSpec, UsageError
from toolproto.testing import Fixture, load_fixture, load_fixtures, write_fixture
from toolproto.testing.fixtures import ReadingPolicy
from toolproto.testing.fixtures.toml_text import toml_lines

NOW = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
NULLABLE = ToolSpec(
    "find",
    'It says "so",\nthen \x7f.',
    {"type": "object", "properties": {"a b": {"enum": [None, 1.5, True]}}, "required": []},
)
WRITTEN = [
    Fixture("hermes", "bare", "Hello."),
    Fixture("hermes", "empty", ""),
    Fixture("hermes", "odd", "a\r\nb\x00\ud800\u2028"),
    Fixture("hermes", "tools", "x", ToolOffer((NOW, NULLABLE)), "a model", "It shows tools."),
    Fixture("hermes", "problems", "x", problems=(), classes=("cut",), finish_reason="length"),
    Fixture("hermes", "kinds", "x", problems=("truncated", "malformed")),
    Fixture(
        "xml_tag",
        "policy",
        "x",
        policy=ReadingPolicy(True, True, (("<a>", "</a>"),), Limits(depth=3, recoveries=1)),
    ),
]


@pytest.mark.parametrize("fixture", WRITTEN, ids=lambda fixture: fixture.case)
def test_what_is_written_reads_back_as_the_same_fixture(tmp_path, fixture):
    path = write_fixture(tmp_path, fixture)
    assert path == tmp_path / fixture.paradigm / f"{fixture.case}.txt"
    assert load_fixture(path) == fixture


def test_tools_of_the_folder_are_named_and_others_written_out(tmp_path):
    listed = [{"name": "now", "description": "The time.", "parameters": dict(NOW.parameters)}]
    (tmp_path / "tools.json").write_text(json.dumps(listed))
    other = ToolSpec("now", "Another.", {"type": "object", "properties": {}})
    fixtures = [
        Fixture("hermes", "all", "x", ToolOffer((NOW,))),
        Fixture("hermes", "both", "x", ToolOffer((NOW, NULLABLE))),
        Fixture("hermes", "none", "x"),
        Fixture("hermes", "other", "x", ToolOffer((other,))),
    ]
    for fixture in fixtures:
        write_fixture(tmp_path, fixture)
    assert list(load_fixtures(tmp_path)) == fixtures
    assert "tools" not in (tmp_path / "hermes/all.toml").read_text()
    assert 'tools = ["now", {' in (tmp_path / "hermes/both.toml").read_text()


def test_without_a_toml_the_tools_of_the_folder_are_offered(tmp_path):
    path = tmp_path / "hermes" / "one.txt"
    path.parent.mkdir()
    path.write_text("x")
    assert load_fixture(path) == Fixture("hermes", "one", "x")
    (tmp_path / "tools.json").write_text('[{"name": "now", "parameters": {"type": "object"}}]')
    assert load_fixture(path).offer.names == {"now"}


def test_a_fixture_is_not_overwritten_by_chance(tmp_path):
    fixture = Fixture("hermes", "one", "x")
    write_fixture(tmp_path, fixture)
    with pytest.raises(UsageError, match="exists; delete it first"):
        write_fixture(tmp_path, fixture)
    write_fixture(tmp_path, Fixture("hermes", "one", "y"), replace=True)
    assert load_fixture(tmp_path / "hermes/one.txt").reply == "y"


@pytest.mark.parametrize("name", ["", "..", "a/b", "../x", ".hidden", "a\x00", "a" * 200, "é"])
def test_a_name_cannot_leave_the_folder(tmp_path, name):
    for fixture in (Fixture("hermes", name, "x"), Fixture(name, "one", "x")):
        with pytest.raises(UsageError, match="cannot name a fixture"):
            write_fixture(tmp_path, fixture)
    assert list(tmp_path.iterdir()) == []


TOLD = {
    "[": "cannot be read",
    "x = " + "[" * 20_000: "cannot be read",
    'colour = "red"': "unknown keys ['colour']; known are ['classes', 'finish_reason'",
    "note = 1": "note is 1, and should be a text",
    'classes = "a"': "classes is 'a', and should be a list",
    "classes = [1]": "classes is [1], and should be a list of texts",
    'problems = ["lost"]': "there are no kinds of problem called ['lost']; there are ['malformed'",
    'tools = ["now"]': "no tool named 'now' in tools.json; add it there, or write a table",
    "tools = [1]": "no tool named 1 in tools.json",
    "tools = [{}]": "a table in tools is not a tool",
    'tools = [{ name = "a b" }]': "a table in tools is not a tool",
    'tools = [{ name = "f", parameters = "{" }]': "a table in tools is not a tool",
    "policy = 1": "policy is 1, and should be a table",
    "[policy]\nsalvage = 1": "policy.salvage is 1, and should be true or false",
    "[policy]\ndepth = true": "policy.depth is True, and should be a number above 0",
    "[policy]\ndepth = 0": "policy.depth is 0, and should be a number above 0",
    '[policy]\nthinking = [["a"]]': "policy.thinking holds ['a']; it should contain pairs",
    "[policy]\nx = 1": "unknown keys ['policy.x']",
}


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told[:40])
def test_a_mistake_in_a_toml_is_said_with_its_file(tmp_path, told):
    path = write_fixture(tmp_path, Fixture("hermes", "one", "x"))
    path.with_suffix(".toml").write_text(told)
    with pytest.raises(UsageError) as raised:
        load_fixture(path)
    assert str(path.with_suffix(".toml")) in str(raised.value)
    assert TOLD[told] in str(raised.value)


@pytest.mark.parametrize("listed", ["", "{}", "[1]", '[{"name": ""}]', "[" * 20_000, "\xff"])
def test_a_mistake_in_tools_json_is_said_with_its_file(tmp_path, listed):
    path = write_fixture(tmp_path, Fixture("hermes", "one", "x"))
    (tmp_path / "tools.json").write_bytes(listed.encode("latin-1"))
    with pytest.raises(UsageError, match=r"tools\.json: cannot be read"):
        load_fixture(path)


def test_a_file_that_is_no_text_is_said(tmp_path):
    path = write_fixture(tmp_path, Fixture("hermes", "one", "x"))
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"one\.txt: cannot be read"):
        load_fixture(path)


def test_a_reply_is_read_in_its_own_paradigm_or_another():
    reply = '<tool_call>{"name": "now", "arguments": {}}</tool_call>'
    fixture = Fixture("hermes", "one", reply, ToolOffer((NOW,)))
    assert [call.repairs for call in fixture.read().calls] == [()]
    assert fixture.read(size=3).events == fixture.read().events
    assert fixture.read(paradigm="xml_tag").calls[0].repairs


text = st.text(st.characters(exclude_categories=["Cs"]))
tables = st.recursive(
    text | st.booleans() | st.integers() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(text, tables, max_size=4))
def test_toml_says_what_it_was_given(table):
    import tomllib

    assert tomllib.loads(toml_lines(table)) == table


def test_toml_cannot_say_half_a_character():
    assert toml_lines({"a": "x\ud800", "b": None}) == 'a = "x\ufffd"\n'
