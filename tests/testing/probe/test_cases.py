"""The requests that a probe asks."""

from __future__ import annotations

import copy
import json
import tomllib
from collections import Counter
from importlib.resources import files

import pytest

from toolproto import Chunk, UsageError, check_call, get_paradigm
from toolproto.testing.probe import PARADIGMS, CaseKind, load_cases
from toolproto.testing.probe.cases import read_cases
from toolproto.testing.probe.score import mark, read_reply

HERE = files("toolproto.testing.probe")
TOLD = tomllib.loads(HERE.joinpath("cases.toml").read_text(encoding="utf-8"))
TOOLS = json.loads(HERE.joinpath("tools.json").read_text(encoding="utf-8"))
CASES = load_cases()


def test_there_are_enough_of_every_kind():
    kinds = Counter(case.kind for case in CASES)
    assert len(CASES) >= 60
    assert min(kinds[kind] for kind in CaseKind) >= 6


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_calls_that_are_due_are_ones_their_tools_accept(case):
    for due in case.calls:
        assert check_call(due.sample(), case.offer) == due.sample()


@pytest.mark.parametrize("name", PARADIGMS)
def test_a_case_is_right_when_answered_by_its_own_calls(name):
    paradigm = get_paradigm(name)
    for case in CASES:
        written = paradigm.encode_calls([due.sample() for due in case.calls])
        assert mark(case, read_reply(paradigm, case.offer, Chunk(written), "stop")).right, case.id


def test_no_two_cases_ask_the_same():
    asked = [case.ask for case in CASES]
    assert len(set(asked)) == len(asked)


def test_nothing_is_asked_that_the_examples_have_answered():
    for case in CASES:
        if case.calls:
            shown = get_paradigm("json_strict").examples(case.offer)[0].content
            assert case.ask.casefold() != shown.casefold()


def _changed(**changes):
    told = copy.deepcopy(TOLD)
    told["case"][0].update(changes)
    return told


CALL = {"name": "get_weather", "arguments": {"city": "Rome"}}
HOSTILE = [
    ({"kind": "three_tools"}, "is of kind 'three_tools'"),
    ({"offer": "nothing"}, "offers 'nothing'"),
    ({"ask": "  "}, "'ask' must be text"),
    ({"ask": 3}, "'ask' must be text"),
    ({"id": 3}, "every case has an id"),
    ({"id": "currency_yen"}, "two cases have the id 'currency_yen'"),
    ({"expected": []}, "has 'expected'"),
    ({"calls": []}, "expects 0 calls"),
    ({"calls": [CALL, CALL]}, "expects 2 calls"),
    ({"calls": [{"name": "get_weather"}]}, "a name and arguments"),
    ({"calls": [{"name": "get_wether", "arguments": {}}]}, "would be refused"),
    ({"calls": [{"name": "getWeather", "arguments": {"city": "x"}}]}, "would have to be mended"),
    ({"calls": [{"name": "get_weather", "arguments": {}}]}, "would be refused"),
    ({"calls": [{"name": "get_weather", "arguments": {"city": 3}}]}, "mended|refused"),
    ({"calls": [{"name": "get_weather", "arguments": {"city": {"$any": []}}}]}, "list of values"),
    ({"result": "4 degrees"}, "belong to cases of kind 'result'"),
    ({"answer": [["4"]], "result": "4"}, "belong to cases of kind 'result'"),
    ({"answer": ["4"]}, "list of lists"),
    ({"answer": [[]]}, "list of lists"),
    ({"kind": "result"}, "belong to cases of kind 'result'"),
    ({"kind": "several_tools"}, "offers 1 tools"),
]


@pytest.mark.parametrize("changes, told", HOSTILE)
def test_a_case_that_contradicts_itself_is_refused(changes, told):
    with pytest.raises(UsageError, match=told):
        read_cases(_changed(**changes), TOOLS)


@pytest.mark.parametrize(
    "told, words",
    [
        ({}, r"no table \[offers\]"),
        ({"offers": {}}, r"no \[\[case\]\]"),
        ({"offers": {}, "case": [3]}, "every case has an id"),
        ({"offers": {"x": ["get_wether"]}}, "offer 'x'"),
        ({"offers": {"x": "get_weather"}}, "offer 'x'"),
    ],
)
def test_a_set_that_is_none_is_refused(told, words):
    with pytest.raises(UsageError, match=words):
        read_cases(told, TOOLS)
