"""What a server said before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import UsageError
from toolproto.conversation.mcp.pins import Pins, digest_of
from toolproto.conversation.mcp.results import result_from
from toolproto.conversation.mcp.words import plain

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=12,
)
TOOL = {"name": "a", "description": "b", "inputSchema": {"type": "object"}, "annotations": {}}


def test_a_tool_is_pinned_when_it_is_first_seen():
    pins = Pins()
    assert pins.changed("server", {"a": "1"}) == set()
    assert pins.changed("server", {"a": "1", "b": "1"}) == set()
    assert pins.changed("server", {"a": "2", "b": "1"}) == {"a"}
    assert pins.changed("other", {"a": "2"}) == set()
    pins.accept("server", "a", "2")
    assert pins.changed("server", {"a": "2"}) == set()
    assert pins.changed("server", {"a": "1"}) == {"a"}


@pytest.mark.parametrize("key", ["name", "description", "inputSchema", "annotations"])
def test_all_that_decides_how_a_tool_is_used_is_pinned(key):
    assert digest_of(TOOL) != digest_of({**TOOL, key: "other"})
    assert digest_of(TOOL) == digest_of({**TOOL, "icons": []})


def test_programs_that_share_a_file_keep_what_the_other_pinned(tmp_path):
    file = tmp_path / "pins.json"
    one, two = Pins(file), Pins(file)
    one.changed("server", {"a": "1"})
    two.changed("server", {"b": "1"})
    assert Pins(file).changed("server", {"a": "2", "b": "2"}) == {"a", "b"}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"server": 3}'])
def test_a_file_that_somebody_broke_is_named(tmp_path, text):
    file = tmp_path / "pins.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"pins\.json no longer contains pins"):
        Pins(file)


def test_a_list_that_is_made_up_anew_every_minute_does_not_grow_for_ever():
    pins = Pins()
    for minute in range(20):
        pins.changed("server", {f"{minute}_{n}": "1" for n in range(500)})
    assert pins.changed("server", {"one_more": "1"}) == {"one_more"}


@given(JSON)
def test_anything_is_a_result(raw):
    result = result_from(raw, "server", "tool")
    assert isinstance(result.content, str) and result.content


@given(st.lists(JSON, max_size=5), JSON)
def test_any_content_is_a_result(blocks, structured):
    raw = {"content": blocks, "structuredContent": structured, "isError": True}
    assert result_from(raw, "server", "tool").is_error


@given(st.text(), st.integers(1, 40))
def test_plain_words_are_seen_and_short(text, longest):
    said = plain(text, longest)
    assert len(said) <= longest
    assert all(char.isprintable() or char in "\n\t\u2028\u2029" or char.isspace() for char in said)
