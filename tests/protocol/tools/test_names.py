"""Names that are right, nearly right, and wrong."""

from __future__ import annotations

from difflib import SequenceMatcher
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.errors import UsageError
from toolproto.protocol.messages import Grade
from toolproto.protocol.tools import names as names_module
from toolproto.protocol.tools.names import (
    check_name,
    comparing,
    fold,
    mistyped,
    resolve_name,
    suggest,
)

TOOLS = ["get_weather", "geometry.area_circle", "list-files", "mcp__mail__send", "Search"]


@pytest.mark.parametrize(
    "name", ["f", "_private", "get_weather", "geo.area", "ns:tool", "server/tool", "a-b", "x" * 128]
)
def test_these_names_are_allowed(name):
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "1st", "two words", "tab\t", "<b>", 'q"', "line\n", "é", "x" * 129, None, 3]
)
def test_a_name_that_could_end_early_is_refused(name):
    with pytest.raises(UsageError, match="cannot name a tool"):
        check_name(name)


@pytest.mark.parametrize(
    ("written", "meant", "repair"),
    [
        ("get_weather", "get_weather", None),
        ("get\\_weather", "get_weather", "name_markup"),
        ("`get_weather` ", "get_weather", "name_markup"),
        ("Get_Weather", "get_weather", "name_case"),
        ("search", "Search", "name_case"),
        ("getWeather", "get_weather", "name_separator"),
        ("get-weather", "get_weather", "name_separator"),
        ("get weather", "get_weather", "name_separator"),
        ("list_files", "list-files", "name_separator"),
        ("geometry_area_circle", "geometry.area_circle", "name_separator"),
        ("functions.get_weather", "get_weather", "name_prefix"),
        ("default_api.getWeather", "get_weather", "name_prefix"),
        ("tools.list_files", "list-files", "name_prefix"),
        ("area_circle", "geometry.area_circle", "name_module"),
        ("send", "mcp__mail__send", "name_module"),
        ("get_weatherget_weather", "get_weather", "named_twice"),
    ],
)
def test_another_spelling_of_a_name_is_that_name(written, meant, repair):
    match = resolve_name(written, TOOLS)
    assert match is not None
    assert match.name == meant
    assert (match.repair and match.repair.name) == repair
    assert match.repair is None or match.repair.grade is Grade.LOSSLESS


@pytest.mark.parametrize("written", ["", "___", "weather", "get_wether", "delete_everything"])
def test_a_name_that_only_resembles_one_is_not_that_name(written):
    assert resolve_name(written, TOOLS) is None


def test_two_candidates_are_no_answer_but_two_suggestions():
    names = ["gmail.read", "outlook.read", "gmail.write"]
    assert resolve_name("read", names) is None
    assert set(suggest("read", names)) >= {"gmail.read", "outlook.read"}


def test_the_surest_reading_of_a_name_wins():
    match = resolve_name("GET_WEATHER", ["get_weather", "getWeather"])
    assert match is not None and match.name == "get_weather"


def test_a_slip_is_followed_only_when_asked_for():
    match = resolve_name("get_wether", TOOLS, near=True)
    assert match is not None and match.repair is not None
    assert (match.name, match.repair.name) == ("get_weather", "name_near")
    assert match.repair.grade is Grade.GUESSED


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("get_user", ["set_user"]),
        ("step_1", ["step_2"]),
        ("get_wether", ["get_weather", "get_whether"]),
        ("", ["a"]),
        ("x", []),
    ],
)
def test_a_slip_that_may_be_another_tool_is_not_followed(written, names):
    assert resolve_name(written, names, near=True) is None


def test_suggestions_are_few_and_the_likest_first():
    names = ["get_weather", "get_whether", "get_leather", "set_weather", "unrelated"]
    found = suggest("get_weather_", names)
    assert found[0] == "get_weather"
    assert len(found) == 3
    assert "unrelated" not in found


def test_a_name_as_long_as_a_page_is_not_compared():
    assert resolve_name("get_weather" * 1000, TOOLS, near=True) is None
    assert suggest("get_weather" * 1000, TOOLS) == []


def likeness(one, two):
    score = SequenceMatcher(None, one, two, autojunk=False).ratio()
    return max(score, 0.6) if one.endswith(two) or two.endswith(one) else score


words = st.lists(
    st.sampled_from(
        ["get", "set", "list", "user", "users", "file", "issue", "pull", "mcp", "github"]
    ),
    min_size=1,
    max_size=4,
).map("_".join)


@given(words, st.lists(words, max_size=60, unique=True))
def test_of_ordinary_names_every_one_is_compared(name, names):
    scores = {each: likeness(fold(name), fold(each)) for each in names}
    close = sorted((each for each in names if scores[each] >= 0.6), key=lambda each: -scores[each])
    assert suggest(name, names) == close[:3]
    same_start = [each for each in close if scores[each] >= 0.75 and each[0] == name[0]]
    assert mistyped(name, names, 0.75) == (same_start[0] if len(same_start) == 1 else None)


def test_a_name_that_shares_its_end_is_found_among_many_with_more_letters():
    names = [*(f"dear_{number}" for number in range(200)), "a_namespace_of_its_own/read"]
    assert "a_namespace_of_its_own/read" in suggest("read", names, limit=300)


def alike_names(count, length):
    """Names with the same letters, each in an order of its own."""
    letters = "abcdefghij" * 20
    return [f"t{number:03}{letters[number % 7 :][:length]}" for number in range(count)]


@pytest.mark.parametrize("find", [suggest, lambda name, names: mistyped(name, names, 0.75)])
def test_of_many_alike_names_as_many_are_compared_as_time_allows(find, monkeypatch):
    pairs = []

    def counted(one, two):
        pairs.append(len(one) * len(two))
        return SequenceMatcher(None, one, two, autojunk=False).ratio()

    monkeypatch.setattr(names_module, "_ratio", counted)
    for names in (alike_names(512, 100), [name.replace("0", "") for name in alike_names(512, 100)]):
        pairs.clear()
        find("t" + "abcdefghij" * 10, names)
        assert sum(pairs) <= 200_000


def test_a_slip_is_not_followed_if_not_every_tool_could_be_compared():
    right = "t" + "abcdefghij" * 10
    shuffle = Random(1).sample
    others = ["t" + "".join(shuffle("abcdefghij" * 10, 100)) for _ in range(40)]
    slip = right.replace("abc", "acb", 1)
    assert mistyped(slip, [right, *others[:10]], 0.85) == right
    assert mistyped(slip, [right, *others], 0.85) is None


def test_what_comparing_may_cost_is_bounded():
    few, many = comparing("get_weather", TOOLS), comparing("x" * 100, alike_names(512, 100))
    assert few < 100 < many < 20_000
    assert comparing("x" * 1000, TOOLS) < few


@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=5), st.booleans())
def test_any_name_has_an_answer_and_it_is_one_of_the_names(name, names, near):
    match = resolve_name(name, names, near=near)
    assert match is None or match.name in names
    assert set(suggest(name, names)) <= set(names)
