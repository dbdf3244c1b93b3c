"""What stands here? An answer other than *wait* holds for every longer text."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.decoding.candidates import MORE_KEY
from toolproto.decoding.families.python_names import call_lead, leading_call
from toolproto.decoding.families.python_strings import OPENING, QuoteJudge
from toolproto.decoding.families.python_words import Bracket, Kind
from toolproto.decoding.offered import Offered
from toolproto.decoding.scanner import Marker
from toolproto.decoding.source import Source
from toolproto.tools.spec import ToolOffer, ToolSpec

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
    return WAIT if answer == MORE_KEY else answer


def opening(text: str, final: bool) -> object:
    if not final and OPENING.may_change(text, 0):
        return WAIT
    found = OPENING.match(text, 0)
    return found and found.groups()


def judged(reading: Generator[None, None, bool]) -> object:
    try:
        next(reading)
    except StopIteration as over:
        return over.value
    return WAIT


def judge(brackets: list[Bracket], *, clean: bool, around: str = "", in_list: bool = True):
    def answer(text: str, final: bool) -> object:
        source = Source([Marker("</end>")])
        source.text, source.final = '"' + text, final
        known = frozenset({"city", "days"})
        return judged(QuoteJudge(source, brackets, known, around, in_list).ends(1, clean))

    return answer


def bracket(kind: Kind, *, keyed: bool = False) -> Bracket:
    made = Bracket(kind)
    made.keyed = keyed
    return made


def judges() -> dict[str, Answer]:
    call, keyed = bracket(Kind.CALL), bracket(Kind.CALL, keyed=True)
    inner = [bracket(Kind.LIST), bracket(Kind.DICT), bracket(Kind.DICT, keyed=True)]
    stacks = [[call], [keyed], *([keyed, each] for each in inner)]
    return {
        f"judge {number} {clean} {around} {in_list}": judge(
            stack, clean=clean, around=around, in_list=in_list
        )
        for number, stack in enumerate(stacks)
        for clean in (True, False)
        for around in ("", "'")
        for in_list in (True, False)
    }


ANSWERS: dict[str, tuple[Answer, list[str]]] = {
    "call_lead": (lambda text, final: waiting(call_lead(text, 0, final)), LEADS),
    "leading_call": (lambda text, final: waiting(leading_call(text, 0, final, OFFERED)), LEADS),
    "leading list": (lambda text, final: waiting(leading_call(text, 0, final, NOTHING)), LEADS),
    "opening": (opening, OPENINGS),
    **{name: (answer, BEHIND) for name, answer in judges().items()},
}


@pytest.mark.parametrize("name", ANSWERS)
@given(st.data())
def test_an_answer_holds_for_every_longer_text(name, data):
    answer, atoms = ANSWERS[name]
    drawn = data.draw(st.lists(st.sampled_from(atoms), min_size=1, max_size=8))
    text = "".join(drawn)
    whole = answer(text, False)
    if whole is WAIT:
        whole = answer(text, True)
        assert whole is not WAIT
    ends = {
        len("".join(drawn[:count])) + inside for count in range(len(drawn)) for inside in (0, 1)
    }
    for end in ends:
        assert answer(text[:end], False) in (WAIT, whole), text[:end]
