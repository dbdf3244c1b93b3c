"""Calls between braces, as FunctionGemma and Gemma 4 write them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol.decoding.reading import (
    check_cuts,
    check_limit,
    check_refused,
    check_returns_text,
    only,
    read_reply,
    repairs,
)
from toolproto.protocol.decoding.contract import is_over
from toolproto.protocol.events import ArgumentsDelta, CallStarted
from toolproto.protocol.messages import Grade, ProblemKind, Repair, ToolCall
from toolproto.protocol.paradigms import ParsedResponse, get_paradigm
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

WEATHER = ToolSpec(
    "get_weather", "Weather.", {"properties": {"city": {"type": "string"}, "days": {}}}
)
NOW = ToolSpec("now", "The time.", {"type": "object", "properties": {}})
OFFER = ToolOffer((WEATHER, NOW))
#: The token around strings, and the markers around calls.
DIALECTS = {
    "functiongemma": ("<escape>", "<start_function_call>", "<end_function_call>"),
    "gemma4": ('<|"|>', "<|tool_call>", "<tool_call|>"),
}
every_dialect = pytest.mark.parametrize("name", DIALECTS)


def written(name: str, reply: str) -> str:
    """*reply* with the markers for ``<<`` and ``>>``, and the token around strings for ``~``."""
    token, opener, closer = DIALECTS[name]
    return reply.replace("<<", opener).replace(">>", closer).replace("~", token)


def read(name: str, reply: str, offer: ToolOffer = OFFER) -> ParsedResponse:
    return read_reply(name, written(name, reply), offer)


TEXTS = [
    "",
    "Paris",
    "<escape>",
    '<|"|>',
    '<｜"｜>',
    "<escape",
    "<<escape",
    '<|"',
    "<",
    "}<end_function_call>",
    "}<tool_call|>",
    'say "hi" \\ {[,:]}\n',
    "\r\n\x00\u2028\ud800😀",
]


@every_dialect
@pytest.mark.parametrize("text", TEXTS)
def test_any_text_comes_back_as_it_is(name: str, text: str) -> None:
    call = ToolCall("get_weather", {"city": text, text: [text, {text: text}, 3, None, 1.5, True]})
    check_returns_text(name, call, OFFER)


@every_dialect
def test_text_is_handed_out_while_it_comes(name: str) -> None:
    token, opener, _ = DIALECTS[name]
    decoder = get_paradigm(name).decoder(OFFER)
    first = decoder.feed(f"{opener}call:get_weather{{")
    assert [event.name for event in first if isinstance(event, CallStarted)] == ["get_weather"]
    told = decoder.feed(f"city:{token}Par")
    assert "".join(e.text for e in told if isinstance(e, ArgumentsDelta)) == '{"city": "Par'


#: What stands between the braces, and the arguments it is.
ARGUMENTS: list[tuple[str, Any, list[str]]] = [
    ("city:~Paris~,days:3", {"city": "Paris", "days": 3}, []),
    (" city : ~Paris~ , days : 3 ", {"city": "Paris", "days": 3}, []),
    ("", {}, []),
    ("days:[1,[2,{a:~x~}],[]],x:{}", {"days": [1, [2, {"a": "x"}], []], "x": {}}, []),
    ("a:-1.5e3,b:true,c:null", {"a": -1500.0, "b": True, "c": None}, []),
    ('"city": "Par\\u00eds", "days": 3', {"city": "París", "days": 3}, []),
    ("~odd key~:~x~", {"odd key": "x"}, []),
    ("city:Paris", {"city": "Paris"}, ["bare_string"]),
    ("city:Par<i>s", {"city": "Par<i>s"}, ["bare_string"]),
    ("city:New York~,days:3", {"city": "New York", "days": 3}, ["missing_quote"]),
    ("city=~x~", {"city": "x"}, ["odd_separator"]),
    ("city:~x~,", {"city": "x"}, ["trailing_comma"]),
    ("days:[1,]", {"days": [1]}, ["trailing_comma"]),
    ("city:~x~,,days:1", {"city": "x", "days": 1}, ["extra_comma"]),
    ("city:~x~days:1", {"city": "x", "days": 1}, ["missing_comma"]),
    ('city:"say "hi" now"', {"city": 'say "hi" now'}, ["unescaped_quote"]),
    ("city:~x~,city:~x~", {"city": "x"}, ["duplicate_key"]),
    ("days:{a:1,a:1}", {"days": {"a": 1}}, ["duplicate_key"]),
    ("days:True", {"days": True}, ["literal"]),
]


@every_dialect
@pytest.mark.parametrize(("inside", "arguments", "names"), ARGUMENTS)
def test_arguments_are_read(name: str, inside: str, arguments: Any, names: list[str]) -> None:
    parsed = read(name, f"<<call:get_weather{{{inside}}}>>")
    assert only(parsed).arguments == arguments
    assert repairs(parsed) == names


def test_either_token_is_known_in_either_dialect() -> None:
    for name in DIALECTS:
        for token in ("<escape>", '<|"|>', '<｜"｜>'):
            [call] = read(name, f"<<call:get_weather{{city:{token}x{token}}}>>").calls
            assert call.arguments == {"city": "x"}


@every_dialect
def test_calls_stand_in_a_row_with_text_around(name: str) -> None:
    parsed = read(name, "Both.\n<<call:get_weather{city:~x~}>><<call:now{}>> Done.")
    assert [call.name for call in parsed.calls] == ["get_weather", "now"]
    assert parsed.text == "Both.\n Done."


@every_dialect
def test_heads_are_read_in_other_spellings(name: str) -> None:
    heads = {"call: now {}": [], "now{}": ["missing_prefix"], "call:now": ["empty_arguments"]}
    for head, names in heads.items():
        assert repairs(read(name, f"<<{head}>>")) == names


@every_dialect
def test_brackets_that_are_missing_are_mended_at_the_marker(name: str) -> None:
    parsed = read(name, "<<call:get_weather{days:[{a:1>> Bye.")
    assert only(parsed).arguments == {"days": [{"a": 1}]}
    assert repairs(parsed) == ["missing_close"]
    parsed = read(name, "<<call:get_weather{days:[1}>> Bye.")
    assert only(parsed).arguments == {"days": [1]}
    assert repairs(parsed) == ["mismatched_close", "missing_close"]


@every_dialect
@pytest.mark.parametrize("end", ["}>>", ">>", "} >>\n"])
def test_a_string_that_lacks_its_last_token_ends_with_the_reply(name: str, end: str) -> None:
    for text in ("Paris", "a} b", "{x} y", "1 < 2", "{>> {"):
        parsed = read(name, f"<<call:get_weather{{days:1,city:~{text}{end}")
        assert only(parsed).arguments == {"days": 1, "city": written(name, text)}
        assert "missing_quote" in repairs(parsed)


@every_dialect
def test_a_string_in_brackets_that_lacks_its_first_token_ends_at_the_other(name: str) -> None:
    parsed = read(name, "<<call:get_weather{days:[{a:New York~,b:~y~}]}>><<call:now{}>>")
    assert [call.name for call in parsed.calls] == ["get_weather", "now"]
    assert parsed.calls[0].arguments == {"days": [{"a": "New York", "b": "y"}]}
    assert [repair.name for repair in parsed.calls[0].repairs] == ["missing_quote"]


BROKEN = [
    ("<<call:get_weather{days:,city:~x~}>>", ProblemKind.MALFORMED),
    ("<<call:get_weather{city}>>", ProblemKind.MALFORMED),
    ("<<call:get_weather{city:>>", ProblemKind.MALFORMED),
    ("<<call:get_weather{[1]}>>", ProblemKind.MALFORMED),
    ("<<call:get_weather{city:~x~ y}>>", ProblemKind.MALFORMED),
    ("<<call:get_weather{<b>:1}>>", ProblemKind.MALFORMED),
    ("<<call:get_weather{city:~x~,city:~y~}>>", ProblemKind.MALFORMED),
    ("<<call:get_weather{days:{a:~x~,a:~y~}}>>", ProblemKind.MALFORMED),
    ('<<call:get_weather{days:{"a":"x","a":"y"}}>>', ProblemKind.MALFORMED),
    ("<<call:get_weather{days:" + "[" * 500 + "]" * 500 + "}>>", ProblemKind.TOO_LARGE),
    ("<<get weather for Paris>>", ProblemKind.MALFORMED),
    ("<<call:get_weather{city:~Par", ProblemKind.TRUNCATED),
    ("<<call:get_weather{city:~Paris}>> Done.", ProblemKind.TRUNCATED),
    ("<<call:get_weather{city:~Paris, days:3}>>", ProblemKind.TRUNCATED),
    ("<<call:get_weather{days:[1,", ProblemKind.TRUNCATED),
]


@every_dialect
@pytest.mark.parametrize(("reply", "kind"), BROKEN)
def test_a_broken_call_is_a_problem_and_nothing_of_it_is_text(
    name: str, reply: str, kind: ProblemKind
) -> None:
    check_refused(read(name, reply), kind)


@every_dialect
def test_a_marker_in_a_sentence_is_text(name: str) -> None:
    parsed = read(name, "The token << opens a call.")
    assert (parsed.calls, parsed.problems) == ([], [])
    assert parsed.text == parsed.raw


@every_dialect
def test_a_call_beyond_the_limit_is_refused_wherever_it_was_cut(name: str) -> None:
    reply = "<<call:get_weather{city:~" + "x" * 200 + "~}>>"
    check_limit(name, written(name, reply), OFFER)


@every_dialect
def test_nothing_is_waited_for_behind_the_model_s_own_result(name: str) -> None:
    paradigm = get_paradigm(name)
    decoder = paradigm.decoder(OFFER)
    decoder.feed(paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"})))
    assert not is_over(decoder)
    decoder.feed({"functiongemma": "<start_function_response>", "gemma4": "<|tool_response>"}[name])
    assert is_over(decoder)


@every_dialect
def test_a_name_is_the_same_wherever_its_escape_is_cut(name: str) -> None:
    [call] = read(name, "<<call:get\\_weather{city:~x~}>>").calls
    assert call.name == "get_weather"


@every_dialect
def test_a_number_may_begin_with_zeros_where_the_schema_wants_one(name: str) -> None:
    month = ToolSpec("plan", "Plans.", {"properties": {"month": {"type": "integer"}, "zip": {}}})
    [call] = read(name, "<<call:plan{month:07,zip:07}>>", ToolOffer((month,))).calls
    assert call.arguments == {"month": 7, "zip": "07"}
    assert Repair("number_form", Grade.GUESSED) in call.repairs


@every_dialect
def test_a_call_that_is_cut_is_never_taken_for_whole(name: str) -> None:
    whole = written(name, "<<call:get_weather{city:~x~,days:[1,2]}")
    check_cuts(name, whole, len(written(name, "<<call:get_weather{")), OFFER)


def test_a_long_row_of_brackets_is_refused_without_recursion() -> None:
    parsed = read("gemma4", "<<call:get_weather{days:" + "[" * 5_000 + ">>")
    assert [problem.kind for problem in parsed.problems] == [ProblemKind.TOO_LARGE]
