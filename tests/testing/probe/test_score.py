"""What a reply gets right."""

from __future__ import annotations

import json

import pytest

from toolproto import Chunk, get_paradigm
from toolproto.testing.probe import Marks, load_cases
from toolproto.testing.probe.score import mark, read_reply

CASES = {case.id: case for case in load_cases()}
PARADIGM = get_paradigm("json_strict")


def _marks(case: str, reply: str, answer: str | None = None, reason: str = "stop") -> Marks:
    offer = CASES[case].offer
    read = read_reply(PARADIGM, offer, Chunk(reply), reason)
    told = None if answer is None else read_reply(PARADIGM, offer, Chunk(answer), "stop")
    return mark(CASES[case], read, told)


def _calls(*calls: tuple[str, dict[str, object]]) -> str:
    listed = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return json.dumps({"tool_calls": listed})


LISBON = ("get_weather", {"city": "Lisbon"})
RIGHT, WRONG_VALUE = Marks(True, True, True, True), Marks(True, True, False, False)
WRONG_TOOL, NO_CALL = Marks(True, False, False, False), Marks(False, False, False, False)
REPLIES = [
    ("weather_lisbon", _calls(LISBON), RIGHT),
    ("weather_lisbon", f"Let me look. {_calls(LISBON)}", RIGHT),
    ("weather_lisbon", _calls(("getWeather", {"city": "Lisbon"})), RIGHT),
    (
        "weather_lisbon",
        _calls(("get_weather", {"city": "lisbon"})),
        WRONG_VALUE,
    ),
    ("weather_lisbon", _calls(LISBON, LISBON), WRONG_TOOL),
    ("weather_lisbon", _calls(*[LISBON] * 50), WRONG_TOOL),
    ("weather_lisbon", _calls(("get_time", {"city": "Lisbon"})), WRONG_TOOL),
    ("weather_lisbon", "It is sunny in Lisbon.", NO_CALL),
    ("weather_lisbon", "", NO_CALL),
    ("timer_eggs", _calls(("set_timer", {"minutes": "7"})), RIGHT),
    ("timer_eggs", _calls(("set_timer", {"minutes": "soon"})), WRONG_VALUE),
    ("none_capital", "Paris.", Marks(needless=False)),
    ("none_capital", _calls(LISBON), Marks(needless=True)),
]


@pytest.mark.parametrize("case, reply, marks", REPLIES)
def test_a_reply_has_these_marks(case, reply, marks):
    assert _marks(case, reply) == marks


def test_a_call_that_cannot_be_read_is_not_well_formed_but_needless():
    broken = '{"tool_calls": [{"name": "get_weather", "arguments": {"city": '
    assert _marks("weather_lisbon", broken, reason="length") == Marks(False, False, False, False)
    assert _marks("none_capital", broken, reason="length") == Marks(needless=True)


def test_a_call_that_had_to_be_guessed_at_is_right_but_not_sure():
    fenced = 'So:\n```json\n{"name": "get_weather", "arguments": {"city": "Lisbon"}}\n```'
    assert _marks("weather_lisbon", fenced) == Marks(True, True, True, False)


def test_two_calls_are_right_in_any_order():
    paris, madrid = (("get_weather", {"city": city}) for city in ("Paris", "Madrid"))
    assert _marks("two_cities", _calls(paris, madrid)).right
    assert _marks("two_cities", _calls(madrid, paris)).right
    assert not _marks("two_cities", _calls(paris, paris)).right
    assert not _marks("two_cities", _calls(paris)).right_tool


def test_an_answer_must_say_what_the_tool_gave_back():
    call = _calls(("get_weather", {"city": "Reykjavik"}))
    assert _marks("result_weather", call, "Light snow at -7 °C.").used_result
    assert not _marks("result_weather", call, "It is lovely.").used_result


def test_what_stands_in_another_call_is_no_answer():
    call = _calls(("get_time", {"city": "Lima"}))
    again = _calls(("send_message", {"to": "me", "text": "16:42"}))
    assert _marks("result_time", call, again).used_result is False


def test_right_is_a_right_call_or_none_where_none_is_due():
    assert Marks(True, True, True, True).right and Marks(needless=False).right
    assert not Marks(True, True, False, False).right and not Marks(needless=True).right
