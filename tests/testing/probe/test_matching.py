"""When arguments are right."""

from __future__ import annotations

import pytest

from toolproto import ToolSpec, UsageError
from toolproto.testing.probe.matching import (
    arguments_match,
    check_pattern,
    contains,
    matches,
    sample_of,
)

RIGHT = [
    ("Oslo", "Oslo"),
    ("São Paulo", "Sa\u0303o Paulo"),
    (3, 3.0),
    (12.5, 12.5),
    ([1, "a"], [1, "a"]),
    ({"a": {"b": 1}}, {"a": {"b": 1}}),
    ({"a": 1}, {"a": 1, "b": []}),
    ({"$any": ["data", "./data"]}, "./data"),
    ({"$any": [{"$text": "tent"}, 5]}, "Tent."),
    ({"$text": "I will be late."}, "  i will  be late"),
    ({"$text": "Shall we?"}, '"Shall we?"'),
    ({"$code": "print(1)"}, "\nprint(1)  \n"),
    ({"$code": "\nif a:\n    b\n"}, "if a:\r\n    b"),
    ({"$code": "if a:\n    b"}, "    if a:\n        b\n"),
]
WRONG = [
    ("Oslo", "oslo"),
    ("Oslo", "Oslo "),
    ("½", "1/2"),
    (1, True),
    (True, 1),
    (0, False),
    (3, "3"),
    ("3", 3),
    ([1, 2], [2, 1]),
    ([1], [1, 2]),
    ([1], (1,)),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, {}),
    ({"a": 1}, "a"),
    ({"$any": ["a", "b"]}, "c"),
    ({"$text": "late"}, "not late"),
    ({"$text": "3"}, 3),
    ({"$code": "if a:\n    b"}, "if a:\n  b"),
    ({"$code": "a"}, None),
]


@pytest.mark.parametrize("due, made", RIGHT)
def test_these_are_right(due, made):
    assert matches(due, made)


@pytest.mark.parametrize("due, made", WRONG)
def test_these_are_wrong(due, made):
    assert not matches(due, made)


@pytest.mark.parametrize("due", [due for due, _ in RIGHT])
def test_the_sample_of_a_pattern_is_right_by_it(due):
    assert matches(due, sample_of(due))


LIGHT = ToolSpec(
    "light",
    "",
    {"type": "object", "properties": {"on": {"default": True}, "room": {"type": "string"}}},
)


@pytest.mark.parametrize(
    "made, right",
    [
        ({"room": "hall"}, True),
        ({"room": "hall", "on": True}, True),
        ({"room": "hall", "on": False}, False),
        ({"room": "hall", "colour": ""}, True),
        ({"room": "hall", "colour": None}, True),
        ({"room": "hall", "colour": "red"}, False),
        ({"on": True}, False),
    ],
)
def test_what_is_not_due_may_say_nothing_only(made, right):
    assert arguments_match({"room": "hall"}, made, LIGHT) is right


def test_an_answer_contains_one_phrase_of_each_group():
    groups = (("-7", "minus 7"), ("snow",))
    assert contains("It is MINUS  7 and Snowing.", groups)
    assert not contains("It is minus 7.", groups)
    assert contains("anything", ())


@pytest.mark.parametrize(
    "pattern, told",
    [
        ({"$any": []}, "list of values"),
        ({"$any": "abc"}, "list of values"),
        ({"$text": 3}, "must be text"),
        ({"$code": None}, "must be text"),
        ({"$text": "a", "b": 1}, "no other key"),
        ([{"x": {"$any": 1}}], "list of values"),
    ],
)
def test_a_pattern_that_means_nothing_is_refused(pattern, told):
    with pytest.raises(UsageError, match=told):
        check_pattern(pattern, "case 'x'")


def test_a_pattern_may_not_nest_without_end():
    deep: object = 1
    for _ in range(1000):
        deep = [deep]
    with pytest.raises(UsageError, match="too deeply"):
        check_pattern(deep, "case 'x'")
