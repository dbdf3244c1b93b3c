"""Arguments while they are written: nothing is said that a later character could change."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolproto import ToolOffer, ToolSpec
from toolproto.protocol.decoding.calls.draft import remainder
from toolproto.protocol.decoding.calls.names import Head, offered
from toolproto.protocol.decoding.calls.record import Beginning, CallSetting
from toolproto.protocol.decoding.calls.shape import CallShape
from toolproto.protocol.decoding.contract import Limits
from toolproto.protocol.decoding.families.json_calls import JsonCalls
from toolproto.protocol.decoding.reply.events_out import EventsOut
from toolproto.protocol.events import ArgumentsDelta, CallCompleted, CallRejected


class Arguments:
    """One arguments object, fed in pieces, of a tool that has the keys *known*."""

    def __init__(self, known: frozenset[str] | None = None) -> None:
        schema = {"properties": {key: {} for key in known or ()}}
        offer = ToolOffer(() if known is None else (ToolSpec("f", "", schema),))
        self._out = EventsOut(lambda: "id")
        setting = CallSetting(CallShape(), offered(offer), self._out, Limits())
        self._calls = JsonCalls(Beginning(setting, head=Head("f", "", 0)))
        self._unread = ""
        self._read = 0

    def feed(self, piece: str) -> str:
        """What *piece* makes certain."""
        text = self._unread + piece
        stop = self._calls.feed(text, 0, self._read, False)
        self._read += stop
        self._unread = text[stop:]
        events = self._out.take()
        if any(isinstance(event, CallCompleted | CallRejected) for event in events):
            events = events[: -1 - isinstance(events[-2], ArgumentsDelta)]  # all is certain
        return "".join(event.text for event in events if isinstance(event, ArgumentsDelta))

    @property
    def in_value(self) -> bool:
        """Does text go straight out?"""
        return self._calls.streaming is not None


def said(text: str, known: frozenset[str] | None = None, size: int = 1) -> str:
    """All that is certain of *text*, fed in pieces of *size*."""
    arguments = Arguments(known)
    return "".join(arguments.feed(text[at : at + size]) for at in range(0, len(text), size))


characters = st.characters(max_codepoint=0xFFFF) | st.sampled_from(list('"\\{}[]:,é\n\x00'))
strings = st.text(characters, max_size=8)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(strings, values, max_size=5)
layouts = st.sampled_from([None, 0, 2])


# -- while it is written ------------------------------------------------------------------


@given(value=objects, ascii=st.booleans(), indent=layouts, size=st.integers(1, 9))
def test_what_is_certain_is_the_beginning_of_what_was_written(value, ascii, indent, size):
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    assert text.startswith(said(text, size=size))


@given(value=objects, indent=layouts, cut=st.integers(0, 200))
def test_what_is_certain_of_a_beginning_can_be_completed_to_the_value(value, indent, cut):
    text = json.dumps(value, indent=indent)
    arguments = Arguments()
    prefix = arguments.feed(text[:cut])
    rest = remainder(prefix, value)
    assert rest is not None
    assert json.loads(prefix + rest) == value


@given(value=objects, size=st.integers(1, 9))
def test_pieces_do_not_matter(value, size):
    text = json.dumps(value)
    assert said(text, size=size) == said(text, size=len(text))


@given(text=st.text(st.sampled_from(list("{}[]:,\"'\\ \n1atrue")), max_size=40))
def test_whatever_is_written_pieces_do_not_matter(text):
    assert said(text, size=1) == said(text, size=len(text) or 1)


CERTAIN = [
    ("", ""),
    ("{", "{"),
    ("{}", "{"),
    ('{"', "{"),
    ('{"a"', "{"),
    ('{"a": ', "{"),
    ('{"a": "', '{"a": "'),
    ('{"a": "b', '{"a": "b'),
    ('{"a": "b\\', '{"a": "b'),
    ('{"a": "b\\u00', '{"a": "b'),
    ('{"a": "b"', '{"a": "b'),
    ('{"a": "b", ', '{"a": "b'),
    ('{"a": "b", "c"', '{"a": "b'),
    ('{"a": "b", "c": "', '{"a": "b", "c": "'),
    ('{"a": "b", "c": [', '{"a": "b", "c": ['),
    ('{"a": 1', "{"),
    ('{"a": 1, "b": ', "{"),
    ('{"a": 1, "b": {', '{"a": 1, "b": {'),
    ('{"a": [1, 2', '{"a": ['),
    ('{"a": [[', '{"a": [['),
    ('{"a": "line\nbreak', '{"a": "line\\nbreak'),
]


@pytest.mark.parametrize("text, certain", CERTAIN)
def test_this_much_is_certain(text, certain):
    assert said(text) == certain


#: From the first token that JSON would not have, nothing more is said.
SILENT = [
    ("{'a': \"b\"", "{"),
    ('{a: "b"', "{"),
    ('{"a": True, "b": "', "{"),
    ('{"a": 01, "b": "', "{"),
    ('{"a": NaN, "b": "', "{"),
    ('{"a" "b"', "{"),
    ('{"a": "b" "c": "', '{"a": "b'),
    ('{"a": "b",, "c": "', '{"a": "b'),
    ('{"a": "b\\d", "c": "', '{"a": "b'),
    ('{"a\n": "b', "{"),
    ('{"a": ["b"}, "c": "', '{"a": ["b'),
    ('{, "a": "', "{"),
    ('{"a": : "', "{"),
]


@pytest.mark.parametrize("text, certain", SILENT)
def test_behind_what_json_does_not_have_nothing_is_certain(text, certain):
    assert said(text) == certain


def test_a_key_that_the_tool_does_not_have_may_be_the_inside_of_a_string():
    text = '{"content": "say "hi", "then": "go'
    assert said(text, frozenset({"content", "path"})) == '{"content": "say '


def test_a_key_that_the_tool_has_is_certain():
    text = '{"content": "say", "path": "go'
    assert said(text, frozenset({"content", "path"})) == text


def test_keys_further_down_are_anybodys():
    text = '{"content": {"any": "go'
    assert said(text, frozenset({"content"})) == text


def test_nothing_is_taken_twice():
    arguments = Arguments()
    assert arguments.feed('{"a": "b') == '{"a": "b'
    assert arguments.feed("") == ""
    assert arguments.feed("c") == "c"


@pytest.mark.parametrize(
    "text, inside", [("{", False), ('{"a', False), ('{"a": "', True), ('{"a": "b"', False)]
)
def test_it_says_whether_text_goes_straight_out(text, inside):
    arguments = Arguments()
    arguments.feed(text)
    assert arguments.in_value is inside


# -- what is missing ----------------------------------------------------------------------

REMAINDERS = [
    ("", {"a": 1}, '{"a": 1}'),
    ("{", {}, "}"),
    ("{", {"a": 1}, '"a": 1}'),
    ('{"a": "', {"a": "b"}, 'b"}'),
    ('{"a": "b', {"a": "bc"}, 'c"}'),
    ('{"a": "b', {"a": "b"}, '"}'),
    ('{"a": "b', {"a": "b", "c": [1]}, '", "c": [1]}'),
    ('{"a": "\\n', {"a": "\n\t"}, '\\t"}'),
    ('{"a": [', {"a": []}, "]}"),
    ('{"a": [', {"a": [1, 2]}, "1, 2]}"),
    ('{"a": ["x', {"a": ["xy", 2], "b": None}, 'y", 2], "b": null}'),
    ('{"a": {"b": "', {"a": {"b": "", "c": 1}}, '", "c": 1}}'),
    ('{"a": 1, "b": {', {"a": 1, "b": {}}, "}}"),
    ('{"a": [], "b": "', {"a": [], "b": "x"}, 'x"}'),
    ('{"a": [[1], ["', {"a": [[1], ["x"]]}, 'x"]]}'),
]


@pytest.mark.parametrize("prefix, value, rest", REMAINDERS)
def test_this_is_missing(prefix, value, rest):
    assert remainder(prefix, value) == rest


IMPOSSIBLE = [
    ('{"a": "x', {"a": "y"}),
    ('{"a": "xy', {"a": "x"}),
    ('{"a": "', {"a": 1}),
    ('{"a": "', {"b": "x"}),
    ('{"a": [', {"a": {}}),
    ('{"a": {', {"a": []}),
    ('{"a": 1, "b": "', {"a": 2, "b": ""}),
    ('{"a": [1, "', {"a": [1]}),
    ('{"a": "x", "b": "', {"b": "y"}),
]


@pytest.mark.parametrize("prefix, value", IMPOSSIBLE)
def test_a_value_that_does_not_begin_so_has_no_remainder(prefix, value):
    assert remainder(prefix, value) is None


@given(value=objects, ascii=st.booleans(), indent=layouts, cut=st.integers(0, 300))
@example(value={"": [{}]}, ascii=True, indent=0, cut=7)
def test_any_value_can_be_completed_from_any_certain_beginning(value, ascii, indent, cut):
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    prefix = said(text[:cut], size=3)
    rest = remainder(prefix, value)
    assert rest is not None
    assert json.loads(prefix + rest) == value


@given(value=objects, other=objects, cut=st.integers(0, 60))
def test_a_remainder_is_right_or_there_is_none(value, other, cut):
    prefix = said(json.dumps(other)[:cut])
    rest = remainder(prefix, value)
    assert rest is None or json.loads(prefix + rest) == value


def test_a_character_written_as_two_escapes_is_completed_between_them():
    prefix = said('{"a": "\\ud83d')
    rest = remainder(prefix, {"a": "😀"})
    assert rest is not None
    assert json.loads(prefix + rest) == {"a": "😀"}
