"""Pieces of native calls become calls, whatever servers do to indexes, ids, names and JSON."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.decoding.contract import Limits
from toolproto.protocol.events import ArgumentsDelta, CallCompleted, CallRejected, CallStarted
from toolproto.protocol.messages import (
    CallProblem,
    Grade,
    NativePiece,
    ProblemKind,
    ToolCall,
    counted_ids,
)
from toolproto.protocol.native.calls import NativeCalls
from toolproto.protocol.tools.check import check_call
from toolproto.testing import STANDARD_OFFER

OSLO, BERGEN = {"city": "Oslo"}, {"city": "Bergen"}
AS_OSLO, AS_BERGEN = '{"city": "Oslo"}', '{"city": "Bergen"}'


def read(*pieces: NativePiece, reason: str | None = "stop", **options: Any):
    """The events of *pieces*, and what read them."""
    calls = NativeCalls(STANDARD_OFFER, ids=counted_ids("drawn_"), **options)
    events = [event for piece in pieces for event in calls.take([piece])]
    return [*events, *calls.finish(reason)], calls


def calls_in(*pieces: NativePiece, **options: Any) -> list[ToolCall]:
    events, _ = read(*pieces, **options)
    assert not [event for event in events if isinstance(event, CallRejected)]
    whole = [event for event in events if isinstance(event, CallCompleted)]
    for done in whole:
        told = [e.text for e in events if isinstance(e, ArgumentsDelta) and e.index == done.index]
        assert json.loads("".join(told)) == done.call.arguments
    return [done.call for done in whole]


def problem_in(*pieces: NativePiece, **options: Any) -> CallProblem:
    events, _ = read(*pieces, **options)
    assert not [event for event in events if isinstance(event, CallCompleted)]
    [rejected] = [event for event in events if isinstance(event, CallRejected)]
    return rejected.problem


def one(text: Any, name: str = "get_weather") -> NativePiece:
    return NativePiece(0, "a", name, text)


def names(call: ToolCall) -> list[str]:
    return [repair.name for repair in call.repairs]


def test_strict_json_goes_out_as_it_comes():
    texts = ['{"ci', 'ty": "Os', "lo", '"}']
    calls = NativeCalls(STANDARD_OFFER)
    assert calls.take([one("")]) == [CallStarted(0, "get_weather")]
    told = [calls.take([NativePiece(0, arguments=text)]) for text in texts]
    assert told[2] == [ArgumentsDelta(0, "lo")]
    assert "".join(event.text for events in told for event in events) == AS_OSLO
    assert not (calls.holding or calls.changed or calls.loose)
    assert calls.finish("tool_calls") == [CallCompleted(0, ToolCall("get_weather", OSLO))]


TWO = [ToolCall("get_weather", OSLO), ToolCall("get_weather", BERGEN)]
SLOTS = {
    "as it should be": (NativePiece(0, "a", "get_weather"), NativePiece(1, "b", "get_weather")),
    "all of index 0": (NativePiece(0, "a", "get_weather"), NativePiece(0, "b", "get_weather")),
    "no index": (NativePiece(None, "a", "get_weather"), NativePiece(None, "b", "get_weather")),
    "no id": (NativePiece(0, "", "get_weather"), NativePiece(1, "", "get_weather")),
    "neither": (NativePiece(None, "", "get_weather"), NativePiece(None, "", "get_weather")),
    "one id twice": (NativePiece(0, "a", "get_weather"), NativePiece(1, "a", "get_weather")),
    "one id, one index": (NativePiece(0, "a", "get_weather"), NativePiece(0, "a", "get_weather")),
}


@pytest.mark.parametrize("heads", SLOTS.values(), ids=SLOTS)
@pytest.mark.parametrize("size", (1, 7, 100))
def test_two_calls_are_two_whatever_tells_them_apart(heads, size):
    pieces = []
    for head, text in zip(heads, (AS_OSLO, AS_BERGEN), strict=True):
        pieces.append(head)
        slot = head.slot
        pieces += [
            NativePiece(slot, arguments=text[at : at + size]) for at in range(0, len(text), size)
        ]
    calls = calls_in(*pieces)
    assert calls == TWO
    assert len({call.id for call in calls}) == 2


def test_calls_whose_pieces_alternate_are_kept_apart():
    pieces = [
        NativePiece(0, "a", "get_weather"),
        NativePiece(1, "b", "write_file"),
        NativePiece(0, arguments='{"city": '),
        NativePiece(1, arguments='{"path": "x", '),
        NativePiece(0, arguments='"Oslo"}'),
        NativePiece(1, arguments='"content": ""}'),
    ]
    written = ToolCall("write_file", {"path": "x", "content": ""})
    assert calls_in(*pieces) == [ToolCall("get_weather", OSLO), written]


def test_blanks_that_come_alone_belong_to_their_string():
    pieces = (NativePiece(0, arguments=text) for text in ('{"city": "', "New", " ", "York", '"}'))
    assert calls_in(one(""), *pieces) == [ToolCall("get_weather", {"city": "New York"})]


def test_two_equal_calls_under_one_id_are_one():
    again = NativePiece(1, "a", "get_weather", '{ "city":"Oslo" }')
    events, calls = read(one(AS_OSLO), again)
    assert [type(event) for event in events] == [CallStarted, ArgumentsDelta, CallCompleted]
    assert calls.changed


def test_two_equal_calls_with_an_id_each_are_two():
    assert len(calls_in(one(AS_OSLO), NativePiece(1, "b", "get_weather", AS_OSLO))) == 2


@pytest.mark.parametrize("repeated", ("name", "id", "both"))
def test_a_name_or_an_id_in_every_piece_is_said_once(repeated):
    name = "get_weather" if repeated != "id" else ""
    id = "a" if repeated != "name" else ""
    more = [NativePiece(0, id, name, AS_OSLO[at : at + 3]) for at in range(0, len(AS_OSLO), 3)]
    pieces = [one(""), *more, NativePiece(0, id, name)]
    assert calls_in(*pieces) == TWO[:1]
    assert read(*pieces)[1].loose


def test_an_id_drawn_anew_for_every_piece_makes_no_new_call():
    pieces = [one(""), *(NativePiece(0, f"x{at}", "", AS_OSLO[at]) for at in range(len(AS_OSLO)))]
    assert calls_in(*pieces) == TWO[:1]


def test_a_number_that_no_call_has_goes_on_with_the_last():
    assert calls_in(one(""), NativePiece(1, arguments=AS_OSLO)) == TWO[:1]


@pytest.mark.parametrize("size", (1, 4))
def test_a_name_may_come_in_pieces(size):
    name = "get_weather"
    parts = [NativePiece(0, "a", name[at : at + size]) for at in range(0, len(name), size)]
    assert calls_in(*parts, NativePiece(0, arguments=AS_OSLO)) == TWO[:1]


def test_a_name_that_grows_with_every_piece_is_the_last_one():
    parts = [NativePiece(0, "a", "get_weather"[:end]) for end in range(1, 12)]
    assert calls_in(*parts, NativePiece(0, arguments=AS_OSLO)) == TWO[:1]


NAMES = ["GET_WEATHER", "functions.get_weather", "get_weather<|channel|>commentary", "getWeather"]


@pytest.mark.parametrize("name", [*NAMES, "functions.get_weather:0", " get_weather"])
def test_a_name_is_mended_if_one_tool_fits(name):
    events, calls = read(one(AS_OSLO, name))
    assert events[0] == CallStarted(0, "get_weather") and calls.changed
    [call] = calls_in(one(AS_OSLO, name))
    assert call == TWO[0] and "native_arguments_mended" not in names(call)


@pytest.mark.parametrize("name", ("no_such_tool", "", "get"))
def test_an_unknown_name_is_told_of_only_as_a_problem(name):
    [rejected] = read(one(AS_OSLO, name))[0]
    assert isinstance(rejected, CallRejected)
    wanted = check_call(ToolCall(name, OSLO), STANDARD_OFFER)
    assert isinstance(wanted, CallProblem)
    assert rejected.problem.message == wanted.message
    assert rejected.problem.kind is ProblemKind.UNKNOWN_TOOL


def test_a_number_with_nothing_else_is_no_call():
    assert read(NativePiece(0))[0] == []
    assert read(NativePiece(0, "a"))[0] == []


MENDED = [
    ("{'city': 'Oslo'}", "quote_style"),
    ('"{\\"city\\": \\"Oslo\\"}"', "arguments_string"),
    ('{"city": "Oslo"', "missing_close"),
    ('{"city": "Oslo",}', "trailing_comma"),
    ('{city: "Oslo"}', "bare_key"),
    ('{"name": "get_weather", "arguments": {"city": "Oslo"}}', "named_twice"),
    ('{"arguments": {"city": "Oslo"}}', "dict_argument"),
    ('{"city": "Oslo"}</tool_call>', "stray_text"),
]


@pytest.mark.parametrize(("text", "repair"), MENDED)
@pytest.mark.parametrize("size", (1, 7, 100))
def test_broken_json_is_mended_and_says_so(text, repair, size):
    pieces = [NativePiece(0, arguments=text[at : at + size]) for at in range(0, len(text), size)]
    [call] = calls_in(one(""), *pieces)
    assert call == TWO[0]
    assert names(call)[0] == "native_arguments_mended" and repair in names(call)
    assert read(one(""), *pieces)[1].changed


def test_a_raw_line_end_is_told_of_as_json():
    [call] = calls_in(one('{"city": "a\nb"}'))
    assert call.arguments == {"city": "a\nb"}
    assert names(call) == ["native_arguments_mended", "control_character"]


def test_arguments_as_a_value_are_told_of_as_json():
    [call] = calls_in(one({"city": "Oslo"}))
    assert call == TWO[0] and not call.repairs


def test_arguments_behind_an_empty_object_are_the_arguments():
    [call] = calls_in(one("{}"), NativePiece(0, arguments=AS_OSLO))
    assert call == TWO[0] and names(call) == ["native_arguments_mended"]


@pytest.mark.parametrize("text", ("", "null", " ", None, [], '""', "{}"))
def test_no_arguments_are_an_empty_object_where_the_tool_needs_none(text):
    [call] = calls_in(one(text, "now"))
    assert call == ToolCall("now", {})
    assert names(call)[:1] == (["native_arguments_mended"] if text != "{}" else [])


@pytest.mark.parametrize("text", ("", "null", "{}", None))
def test_no_arguments_are_a_problem_where_the_tool_needs_some(text):
    problem = problem_in(one(text))
    assert problem.kind is ProblemKind.INVALID_ARGUMENTS
    assert problem.message == "arguments: missing required 'city'"


@pytest.mark.parametrize("text", ("Oslo, please", '["Oslo"]', "17", ["Oslo"], 17))
def test_what_is_no_object_is_a_problem(text):
    problem = problem_in(one(text))
    assert problem.kind is ProblemKind.INVALID_ARGUMENTS
    assert problem.message.startswith("arguments: expected object, got ")


@pytest.mark.parametrize("behind", (AS_OSLO, "{}", '{"city":"Bergen"}'))
def test_two_objects_in_one_call_are_one_only_if_they_are_equal(behind):
    pieces = one(AS_OSLO), NativePiece(0, arguments=behind)
    if behind is AS_OSLO:
        [call] = calls_in(*pieces)
        assert call == TWO[0] and names(call) == ["native_arguments_mended"]
    else:
        assert "in two places" in problem_in(*pieces).message


def test_arguments_that_were_cut_are_not_made_up():
    assert problem_in(one('{"city": "Os'), reason="length").kind is ProblemKind.TRUNCATED
    assert problem_in(one('{"city": "Oslo"'), reason="length").kind is ProblemKind.TRUNCATED


def test_a_wrong_type_is_for_the_check_of_all_calls():
    [call] = calls_in(one('{"city": 3}'))
    assert call.arguments == {"city": 3} and not call.repairs


def test_limits_hold():
    few = Limits(depth=8, characters=200, calls=2)
    deep = '{"city": ' + "[" * 20 + "]" * 20 + "}"
    long = '{"city": "' + "x" * 500 + '"}'
    for text in (deep, long, "x" * 500):
        assert problem_in(one(text), limits=few).kind in (
            ProblemKind.TOO_LARGE,
            ProblemKind.INVALID_ARGUMENTS,
        )
    pieces = [NativePiece(at, str(at), "now", "{}") for at in range(4)]
    events, _ = read(*pieces, limits=few)
    assert len([event for event in events if isinstance(event, CallCompleted)]) == 2
    assert isinstance(events[-1], CallRejected)
    assert events[-1].problem.kind is ProblemKind.TOO_LARGE


def test_a_mended_call_is_as_certain_as_its_least_certain_repair():
    [call] = calls_in(one("{'city': 'Oslo'}"))
    assert call.grade is Grade.LOSSLESS
    [call] = calls_in(one('{"city": "Oslo"'))
    assert call.grade is Grade.GUESSED


TEXTS = st.sampled_from(
    [AS_OSLO, *(text for text, _ in MENDED), "", "null", "prose", '{"city": "Os']
)


@given(TEXTS, st.lists(st.integers(0, 60), max_size=6))
def test_the_same_arguments_in_other_pieces_are_the_same_call(text, cuts):
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    parts = [text[a:b] for a, b in pairwise(places)]

    def ending(pieces):
        events, calls = read(*pieces)
        told = "".join(event.text for event in events if isinstance(event, ArgumentsDelta))
        end = events[-1]
        said = end.call if isinstance(end, CallCompleted) else end.problem
        return said, getattr(said, "repairs", ()), told, calls.changed

    cut = ending([one(""), *(NativePiece(0, arguments=part) for part in parts)])
    assert cut == ending([one(text)])


def test_a_blank_that_comes_alone_stays_in_its_string():
    pieces = [one(""), *(NativePiece(0, arguments=sign) for sign in '{"city": "New  York"}')]
    assert [call.arguments for call in calls_in(*pieces)] == [{"city": "New  York"}]
