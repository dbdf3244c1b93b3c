"""Who decides about a call: all of it, as a table in the docs and as rules that hold everywhere."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from toolproto import Policy, Tool
from toolproto.protocol.deciding.decisions import (
    Facts,
    Question,
    Refusal,
    Run,
    Yes,
    decide,
    reason_for,
)
from toolproto.protocol.deciding.pins import Grant, changes, pin_of
from toolproto.protocol.guard.concerns import Concern
from toolproto.protocol.messages import ECHOED, Grade, Repair, ToolCall

PAGE = Path(__file__).parents[3] / "docs" / "who-decides.md"

PLAIN = ToolCall("pay", {"to": "Ann"})
WRITES = Tool.from_schema("pay", "Pay.", None, risk="write")
READS = Tool.from_schema("pay", "Look.", None)
CLAIMS = replace(READS, is_claimed=True, origin="shop", pin="1f")
STRANGER = Concern("argument", "fetch", "to", "Ann", "pay Ann")
WORD_FOR_WORD = Concern("echo", "fetch", quote="pay Ann")
ALWAYS = Grant(pin_of(WRITES))

#: How a call may be written, with what the guard says of it.
CALLS = {
    "plain": (PLAIN, ()),
    "its form was guessed": (replace(PLAIN, repairs=(Repair("fenced", Grade.GUESSED),)), ()),
    "in a doubtful place": (replace(PLAIN, place="sentence"), ()),
    "with a stranger's value": (PLAIN, (STRANGER,)),
    "word for word a stranger's": (
        replace(PLAIN, repairs=(Repair(ECHOED, Grade.GUESSED, "fetch"),)),
        (WORD_FOR_WORD,),
    ),
    "barred by a strict guard": (PLAIN, (replace(STRANGER, barred=True),)),
}
#: What was said about the tool before.
SAID = {
    "it only reads": (READS, Policy(), None),
    "its server says it reads": (CLAIMS, Policy(), None),
    "its risk is allowed": (WRITES, Policy(risks={"write": "allow"}), None),
    "its name is allowed": (WRITES, Policy(tools={"pay": "allow"}), None),
    "always, to a plain call": (WRITES, Policy(), ALWAYS),
    "always, to a doubted call": (WRITES, Policy(), replace(ALWAYS, plain_only=True)),
    "nothing": (WRITES, Policy(), None),
    "it is denied": (WRITES, Policy(tools={"pay": "deny"}), None),
}


def case(call, said, **more):
    (written, concerns), (tool, policy, granted) = CALLS[call], SAID[said]
    if tool.risk == "read":  # the guard looks at the arguments of what does more
        concerns = tuple(each for each in concerns if each.kind == "echo")
    return Facts(written, tool, policy, concerns, granted, **more)


def words(ruling):
    match ruling:
        case Run():
            return "runs"
        case Question("model"):
            return "the model"
        case Question(_, topics):
            return " + ".join(dict.fromkeys(each.kind for each in topics))
        case Refusal():
            return "no"


def table(**more):
    """Return what is decided, a row for each way to write a call."""
    rows = [["call", *SAID], ["---"] * (len(SAID) + 1)]
    rows += [[call, *(words(decide(case(call, said, **more))) for said in SAID)] for call in CALLS]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


@pytest.mark.parametrize("attended", [True, False])
def test_the_docs_show_what_is_decided(attended):
    assert table(attended=attended) in PAGE.read_text(encoding="utf-8"), table(attended=attended)


ALL = list(product(CALLS, SAID))


@pytest.mark.parametrize("call, said", ALL)
def test_every_concern_is_in_the_question(call, said):
    asked = case(call, said)
    ruling = decide(asked)
    if asked.concerns and not isinstance(ruling, Refusal):
        assert isinstance(ruling, Question)
        told = [each.kind for each in ruling.topics]
        assert told.count("concern") == len(asked.concerns)
        assert asked.concerns[0].brief in reason_for(asked.tool, ruling.topics)


@pytest.mark.parametrize("call, said", ALL)
def test_a_yes_covers_what_its_question_listed_and_no_more(call, said):
    asked = case(call, said)
    if not isinstance(ruling := decide(asked), Question):
        return
    vouched = tuple(each.argument for each in asked.concerns)
    yes = Yes(ruling.topics, pin_of(asked.tool), vouched)
    assert decide(replace(asked, answered=yes)) == Run()
    for left_out in ruling.topics:
        less = tuple(each for each in ruling.topics if each != left_out)
        again = decide(replace(asked, answered=replace(yes, topics=less)))
        assert isinstance(again, Question) and set(again.topics) == set(ruling.topics)


@pytest.mark.parametrize("call, said", ALL)
@pytest.mark.parametrize(
    "now",
    [
        {"risk": "exec"},
        {"origin": "mall"},
        {"pin": "2e"},
        {"spec": replace(WRITES.spec, description="Wire money.")},
        {"spec": replace(WRITES.spec, parameters={"type": "object", "required": ["to"]})},
    ],
)
def test_a_yes_does_not_cover_a_tool_that_changed(call, said, now):
    asked = case(call, said)
    if not isinstance(ruling := decide(asked), Question):
        return
    before = pin_of(asked.tool)
    changed = replace(asked.tool, **now)
    yes = Yes(ruling.topics, before, tuple(each.argument for each in asked.concerns))
    again = decide(replace(asked, tool=changed, answered=yes))
    assert isinstance(again, Question) and again.before == before
    assert [part for part, _, _ in changes(before, pin_of(changed))]
    assert "not as it was when it was decided about" in reason_for(changed, again.topics)
    # The answer to that question is about the tool as it is.
    yes = Yes(again.topics, pin_of(changed), yes.vouched)
    assert decide(replace(asked, tool=changed, answered=yes)) == Run()


def test_an_always_does_not_cover_a_tool_that_changed():
    now = replace(WRITES, risk="exec")
    ruling = decide(Facts(PLAIN, now, Policy(), granted=ALWAYS))
    assert isinstance(ruling, Question) and ruling.before == ALWAYS.pin
    assert list(changes(ALWAYS.pin, pin_of(now))) == [("risk", "write", "exec")]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("attended", [True, False])
def test_stricter_rules_for_guesses_let_nothing_more_run(call, said, attended):
    asked = case(call, said, attended=attended)
    usual = decide(asked)
    for guessed in ("ask", "deny"):
        strict = decide(replace(asked, policy=replace(asked.policy, guessed=guessed)))
        assert not isinstance(strict, Run) or isinstance(usual, Run)


def test_a_guessed_form_may_be_let_pass_but_no_doubtful_place():
    lax = Policy(risks={"write": "allow"}, guessed="allow")
    form, place = CALLS["its form was guessed"][0], CALLS["in a doubtful place"][0]
    assert decide(Facts(form, WRITES, lax)) == Run()
    assert words(decide(Facts(place, WRITES, lax))) == "doubt"
    assert words(decide(Facts(place, WRITES, lax, attended=False))) == "the model"


def test_a_call_that_is_doubted_again_is_refused_where_nobody_decides():
    asked = case("in a doubtful place", "its risk is allowed", attended=False, told=True)
    ruling = decide(asked)
    assert isinstance(ruling, Refusal) and "nobody is there to approve it" in ruling.advice


def test_what_is_barred_is_refused_unless_somebody_vouches():
    asked = case("barred by a strict guard", "nothing")
    ruling = decide(asked)
    yes = Yes(ruling.topics, pin_of(WRITES))
    assert "may only use values" in decide(replace(asked, answered=yes)).advice
    assert decide(replace(asked, answered=replace(yes, vouched=("to",)))) == Run()


def test_a_tool_that_needs_caution_is_asked_about_whatever_was_allowed():
    for policy in (Policy(), Policy(tools={"pay": "allow"})):
        tool = replace(READS, caution="its description changed")
        ruling = decide(Facts(PLAIN, tool, policy))
        assert words(ruling) == "approval"
        assert reason_for(tool, ruling.topics).endswith(", and its description changed")


def test_the_reason_names_the_tool_what_it_does_and_all_that_is_open():
    call = replace(PLAIN, place="sentence", repairs=(Repair("fenced", Grade.GUESSED),))
    ruling = decide(Facts(call, WRITES, Policy(), (STRANGER,)))
    assert reason_for(WRITES, ruling.topics) == (
        "pay changes something and its call had to be guessed at (fenced) and its call appears in"
        " the middle of a sentence; to comes from the result of fetch"
    )
