"""Python calls: what holds for any arguments, any text, any pieces."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.amount import amount
from toolproto.protocol.decoding.hot_string import StringFeed, string_feed
from toolproto.protocol.events import CallCompleted, Event
from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms.payloads import PythonCall
from toolproto.protocol.tools.spec import ToolOffer

from .test_pythonic import NOTHING, Reading, check_events, read_pieces, repairs, spec

TEXTS = st.text() | st.text(alphabet="\"'\\\n\r\t()[]{},:=#*`_<>naruxN{}0é \u2028😀“”", max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
KEYS = st.sampled_from(["city", "from", "odd key", "_", "é", "x-y", ""]) | TEXTS
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.:/\-]{0,20}", fullmatch=True)


@given(NAMES, st.dictionaries(KEYS, VALUES, max_size=5))
def test_a_written_call_reads_back_as_it_was(name, arguments):
    call = ToolCall(name, arguments)
    text = PythonCall(listed=False).encode(call)
    for offer in (NOTHING, ToolOffer((spec(name, *arguments),))):
        for pieces in ([text], [f"[{text}, {text}]"]):
            whole = read_pieces(pieces, offer=offer)
            assert all(read_back == call for read_back in whole.calls) and whole.calls
            assert not whole.problems and repairs(whole) == set()
            assert json.dumps(whole.calls[0].arguments) == json.dumps(dict(arguments))


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.integers(1, 9))
def test_a_written_call_reads_the_same_in_pieces(arguments, size):
    text = PythonCall().encode(ToolCall("write_file", arguments))
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert read_pieces(pieces) == read_pieces([text])


@given(st.dictionaries(st.sampled_from(["path", "text", "modes"]), VALUES, min_size=1))
def test_what_python_writes_of_a_value_is_read_exactly(arguments):
    keywords = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    positions = repr(tuple(arguments.values()))
    for text in (f"write_file({keywords})", f"[write_file({keywords},\n)]"):
        whole = read_pieces([text])
        assert [call.arguments for call in whole.calls] == [arguments]
        assert repairs(whole) == set()
    whole = read_pieces([f"f{positions}"], offer=ToolOffer((spec("f", *arguments),)))
    if not isinstance(next(iter(arguments.values())), dict):
        assert [call.arguments for call in whole.calls] == [arguments]


ATOMS = [
    "get_time(", "math.hypot(", "other(", "tz=", "x: ", '"y"=', '"', "'", '"""', "\\", '\\"', "\\n",
    "\\u12", "\\ud83d", "\\ude00", "\\N{", "\\_",
    'r"', "{", "}", "[", "]", "(", ")", ",", ", ", ";", "\n", " ", "1", "-2", "0x", "True",
    "null", "two words", "...", "# c\n", "#", "**", "+", ".x",
    "<", "</end>", "</e", "“", "`", "dict(", "=", "==", ":", "It's", " " * 90, "\r\n", "tz='a'",
]  # fmt: skip


@given(
    st.sampled_from(["", "[", "get_time(", '[get_time(tz="']),
    st.lists(st.sampled_from(ATOMS), max_size=25),
    st.integers(1, 7),
    st.booleans(),
    st.sampled_from([None, "length"]),
    st.sampled_from([(), ("</end>",)]),
)
def test_hostile_text_gives_events_and_the_same_in_pieces(lead, atoms, size, marked, reason, ends):
    text = lead + "".join(atoms)
    settings = {"marked": marked, "ends": ends}
    whole = read_pieces([text], reason, **settings)
    check_events(text, whole)
    assert whole.refused == (not whole.events)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert read_pieces(pieces, reason, **settings) == whole


@given(st.lists(st.sampled_from(ATOMS), max_size=40))
def test_little_text_is_held_back(atoms):
    reading = Reading()
    for char in "[get_time(tz=" + "".join(atoms):
        reading.feed(char)
    assert reading.longest_hold < 600


@given(TEXTS, st.sampled_from(['"', "'", '"""']), st.integers(1, 12))
def test_the_hot_path_takes_in_strings_as_the_reader_does(body, quote, size):
    escaped = body.replace("\\", "\\\\").replace(quote[0], "\\" + quote[0])
    text = f"write_file(path={quote}{escaped}{quote}, text='x')"
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert read_hot(pieces) == read_pieces([text]).events


def read_hot(pieces: Sequence[str]) -> list[Event]:
    """The events when the inside of strings goes the way that a decoder gives it."""
    reading = Reading()
    hot: StringFeed | None = None

    def leave() -> None:
        nonlocal hot
        if hot is not None:
            reading.base, reading.text = hot.leave()
        hot = None

    def read(piece: str) -> list[Event]:
        nonlocal hot
        leave()
        reading.feed(piece)
        streamed = reading.calls.streaming
        hot = string_feed(streamed, reading.base, reading.text, read) if streamed else None
        return []

    for piece in pieces:
        reading.events += hot.feed(piece) if hot is not None else read(piece)
    leave()
    return reading.finish().events


# -- hostile input ------------------------------------------------------------------------

HOSTILE = {
    "quotes": ('[get_time(tz="', '"'),
    "quotes and commas": ('[get_time(tz="', '",'),
    "quotes and parentheses": ('get_time(tz="', '")'),
    "brackets": ("[get_time(tz=", "["),
    "closers": ("[get_time(tz=1", ")"),
    "lists": ("[", "["),
    "spaces": ('[get_time(tz="x"', " "),
    "digits": ("[get_time(tz=", "1"),
    "underscored digits": ("[get_time(tz=", "1_"),
    "hexadecimal": ("[get_time(tz=0x", "f_"),
    "words": ("[get_time(tz=", "w "),
    "backslashes": ('[get_time(tz="', "\\"),
    "nested backslashes": ('[get_time(tz=\\"', "\\\\"),
    "half escapes": ('[get_time(tz="', "\\u12"),
    "half pairs": ('[get_time(tz="', "\\ud83d"),
    "pairs of quotes": ('[get_time(tz="""', '"" '),
    "comments": ("[get_time(#", "#"),
    "strings side by side": ("[get_time(tz=", '"x" '),
    "positions": ("[get_time(", "1,"),
    "keys": ("[get_time(tz={", '"k":1,'),
    "parentheses": ("[get_time(tz=1*", "("),
    "lost quotes": ("[get_time(tz='x", ", tz='x"),
    "letters": ("[", "n"),
    "strays": ("[get_time(tz=1)", ', "x"'),
}


@pytest.mark.parametrize(("lead", "again"), HOSTILE.values(), ids=list(HOSTILE))
def test_no_text_makes_reading_slow_or_deep(lead, again):
    text = lead + again * (amount(15_000, 40_000) // len(again))
    started = time.process_time()
    whole = read_pieces([text])
    small = read_pieces([text[at : at + 7] for at in range(0, len(text), 7)])
    assert time.process_time() - started < amount(8, 20)  # it takes well under a second
    assert whole == small


def test_a_long_string_of_code_is_streamed_in_linear_work():
    code = 'def f(x):\n    return x["a"]\n' * 4000
    text = PythonCall().encode(ToolCall("write_file", {"path": "a.py", "text": code}))
    reading_started = time.process_time()
    events = read_hot([text[at : at + 4] for at in range(0, len(text), 4)])
    assert time.process_time() - reading_started < 10
    assert isinstance(events[-1], CallCompleted)
    assert events[-1].call.arguments["text"] == code
