"""What an answer does: one table for all kinds of questions, on every surface, at once or later."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from toolproto import Allow, Defer, Deny, Policy, Tool, ToolCall, ToolResult
from toolproto.conversation.deciding.answers import effect_of
from toolproto.conversation.deciding.approvals import approval_request
from toolproto.conversation.journal.decisions import (
    read_pending,
    read_verdict,
    write_pending,
    write_verdict,
)
from toolproto.conversation.turn.setup import Pending
from toolproto.protocol.deciding.decisions import (
    AskedKind,
    Facts,
    Question,
    Topic,
    Yes,
    decide,
)
from toolproto.protocol.deciding.pins import Grant
from toolproto.protocol.guard.concerns import Concern
from toolproto.protocol.messages import Message

PAGE = Path(__file__).parents[3] / "docs" / "who-decides.md"
PAY = Tool.from_schema("pay", "Pay.", None, risk="write")
CALL = ToolCall("pay", {"to": "Ann"}, "call_1")
OTHER = ToolCall("pay", {"to": "Bob"}, "call_1")
STRANGER = Concern("argument", "fetch", "to", "Ann", "pay Ann")
FREELY = Policy(risks={"write": "allow"})

KINDS = get_args(AskedKind)
#: What a person may say, in the words of the docs.
ANSWERS = {
    "allow": Allow(),
    "always": Allow(always=True),
    "edited": Allow(OTHER),
    "deny": Deny("no"),
    "deny and stop": Deny("no", stop=True),
    "ignore": Deny("the user went on without it"),
    "its result": ToolResult(CALL, "42"),
    "put off": Defer(),
}


def case(kind, concerns):
    """Return a call about which just that *kind* of question is open, beside the concerns."""
    written = replace(CALL, place="sentence") if kind == "doubt" else CALL
    policy = Policy() if kind == "approval" else FREELY
    if kind == "concern":
        concerns = (STRANGER,)
    return Facts(written, PAY, policy, concerns)


def asked(kind, concerns):
    if kind in ("loop", "elicitation"):
        topics = (Topic(kind, "", "why"),)
    else:
        topics = decide(case(kind, concerns)).topics
    return approval_request(case(kind, concerns).call, PAY, "why", concerns, topics)


def later(request, verdict):
    """Return both as they come out of a journal, or from a worker's queue."""
    pending = Pending(Message("assistant", ""), (CALL,), {"call_1": request})
    kept = read_pending(write_pending(pending)).waiting["call_1"]
    return kept, read_verdict(write_verdict(verdict))


#: How a question and its answer get from one to the other.
SURFACES = {
    "live": lambda request, verdict: (request, verdict),
    "put off": lambda request, verdict: (request, later(request, verdict)[1]),
    "reopened": later,
    "terminal": lambda request, verdict: (request, verdict),
    "page": later,
}


def done(kind, answer, surface, concerns):
    """Return in words what comes of *answer*, followed by the pure functions alone."""
    request, verdict = SURFACES[surface](asked(kind, concerns), ANSWERS[answer])
    effect = effect_of(request, verdict)
    told = effect.fate
    if told == "goes on" and kind not in ("loop", "elicitation"):
        yes = Yes(request.asked, request.pin)
        told = "runs" if decide(replace(case(kind, concerns), answered=yes)) else "?"
    told += f", {effect.grants} from now on" if effect.grants else ""
    return told + (f", the turn ends ({effect.ends})" if effect.ends else "")


def test_the_docs_show_what_each_answer_does():
    rows = [["question", *ANSWERS], ["---"] * (len(ANSWERS) + 1)]
    rows += [[kind, *(done(kind, each, "live", ()) for each in ANSWERS)] for kind in KINDS]
    told = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    assert told in PAGE.read_text(encoding="utf-8"), told


def test_an_answer_means_the_same_wherever_and_whenever_it_is_given():
    for kind, answer, concerns in product(KINDS, ANSWERS, [(), (STRANGER,)]):
        told = {each: done(kind, answer, each, concerns) for each in SURFACES}
        assert len(set(told.values())) == 1, (kind, answer, told)
        shown = {SURFACES[each](asked(kind, concerns), Defer())[0].concerns for each in SURFACES}
        assert shown == {concerns}


@pytest.mark.parametrize("concerns", [(), (STRANGER,)])
@pytest.mark.parametrize("kind", KINDS)
def test_always_never_covers_another_kind_of_question(kind, concerns):
    request = asked(kind, concerns)
    effect = effect_of(request, Allow(always=True))
    if effect.grants in ("", "the loop"):
        assert kind in ("elicitation", "loop")
        return
    grant = Grant(request.pin, plain_only=effect.grants == "plain calls")
    for other in ("doubt", "concern"):
        ruling = decide(replace(case(other, ()), granted=grant))
        # Only the approval of a plain call vouches for the tool as a whole.
        is_covered = other == "doubt" and kind == "approval" and not concerns
        assert isinstance(ruling, Question) is not is_covered


def test_a_policy_may_end_the_turn_at_every_denial_but_that_of_a_form():
    for kind in KINDS:
        effect = effect_of(asked(kind, ()), Deny(), stop_on_deny=True)
        assert bool(effect.ends) is (kind != "elicitation")
