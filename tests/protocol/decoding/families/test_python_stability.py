"""What stands here? An answer other than *wait* holds for every longer text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolproto.protocol.decoding.calls.names import Offered
from toolproto.protocol.decoding.families import python_arguments, python_calls, python_strings
from toolproto.protocol.decoding.families.python_calls import leading_call
from toolproto.protocol.decoding.families.python_strings import OPENING
from toolproto.protocol.decoding.markers import MORE, Marker
from toolproto.protocol.decoding.patterns import Pattern
from toolproto.protocol.decoding.values import quotes
from toolproto.protocol.decoding.values.quotes import PythonJudge
from toolproto.protocol.decoding.values.state import State, Wait
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

WAIT = object()
Answer = Callable[[str, bool], object]

SPEC = ToolSpec("get_weather", "", {"type": "object", "properties": {"city": {}, "days": {}}})
OFFERED, NOTHING = Offered(ToolOffer((SPEC,))), Offered(ToolOffer())
LEADS = [
    "[", "{", " ", '"', "'", "get_weather", "f", "(", "city", "=", "\\_", '\\"', "\\", ".", "`",
    "“", "”", ")", "\n", "-", "é", "_", " " * 79,
]  # fmt: skip
OPENINGS = ["r", "b", "f", "u", "R", '"', "'", '\\"', "\\", "“", "`", "x", " "]
BEHIND = [
    ",", ")", "]", "}", " ", "\n", "city", "days", "=", ":", '"', "'", "\\", '\\"', "\\_", "*",
    "#", "f", "r", "1", "-", ".", "x", "(", "+", "%", ";", "<", "</end>", "</e", "“", "é", "\r",
    " " * 199, "w" * 60,
]  # fmt: skip


def waiting(answer: object) -> object:
    return WAIT if answer == MORE else answer


def opening(text: str, final: bool) -> object:
    if not final and OPENING.may_change(text, 0):
        return WAIT
    found = OPENING.match(text, 0)
    return found and found.groups()


def judge(brackets: list[tuple[str, str | None]], *, inner: int, around: str, in_list: bool):
    def answer(text: str, final: bool) -> object:
        state = State(frozenset({"city", "days"}), [Marker("</end>")], "<")
        state.text, state.final = f'"{text}', final
        for opener, key in brackets:
            state.push(opener)
            state.open[-1].key = key
        state.open[0].value = {}
        try:
            return PythonJudge(state, around, in_list).ends(1, inner)
        except Wait:
            return WAIT

    return answer


STACKS = [
    [("(", None)],
    [("(", "city")],
    [("(", "city"), ("[", None)],
    [("(", "city"), ("{", None)],
    [("(", "city"), ("{", "x")],
]


ANSWERS: dict[str, tuple[Answer, list[str]]] = {
    "leading_call": (lambda text, final: waiting(leading_call(text, 0, final, OFFERED)), LEADS),
    "leading list": (lambda text, final: waiting(leading_call(text, 0, final, NOTHING)), LEADS),
    "opening": (opening, OPENINGS),
}


def check(answer: Answer, drawn: list[str]) -> None:
    text = "".join(drawn)
    whole = answer(text, False)
    if whole is WAIT:
        whole = answer(text, True)
        assert whole is not WAIT
    starts = [len("".join(drawn[:count])) for count in range(len(drawn))]
    for end in (start + inside for start in starts for inside in (0, 1)):
        assert answer(text[:end], False) in (WAIT, whole), text[:end]


def texts(atoms: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(atoms), min_size=1, max_size=8)


@pytest.mark.parametrize("name", ANSWERS)
@settings(max_examples=4 * settings().max_examples)
@given(st.data())
def test_what_begins_here_holds_for_every_longer_text(name, data):
    answer, atoms = ANSWERS[name]
    check(answer, data.draw(texts(atoms)))


@settings(max_examples=6 * settings().max_examples)
@given(
    st.sampled_from(STACKS),
    st.integers(0, 2),
    st.sampled_from("' "),
    st.booleans(),
    texts(BEHIND),
)
def test_whether_a_quote_ends_its_string_holds_for_every_longer_text(
    stack, inner, around, in_list, drawn
):
    check(judge(stack, inner=inner, around=around.strip(), in_list=in_list), drawn)


PATTERNS = {
    f"{module.__name__.rpartition('.')[2]} {name}": value
    for module in (python_arguments, python_calls, python_strings, quotes)
    for name, value in vars(module).items()
    if isinstance(value, Pattern)
}


@settings(max_examples=4 * settings().max_examples)
@given(st.sampled_from(sorted(PATTERNS)), texts([*BEHIND, *LEADS, "for", "is", "\\u00e9", "u12"]))
def test_a_pattern_that_cannot_change_matches_the_same_in_every_longer_text(name, drawn):
    def answer(text: str, final: bool) -> object:
        if not final and PATTERNS[name].may_change(text, 0):
            return WAIT
        found = PATTERNS[name].match(text, 0)
        return found and (found.span(), found.groups())

    check(answer, drawn)
