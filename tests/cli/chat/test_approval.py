"""A person is asked whether a call may run."""

from __future__ import annotations

import pytest

from toolproto import Allow, Concern, Deny, ToolCall, ToolRegistry, ToolSpec, tool
from toolproto.cli.chat.approval import ApprovalAnswer, ApprovalReply, Asking, read_answer
from toolproto.cli.chat.cards import Card
from toolproto.cli.chat.editing import CallDraft, arguments_json
from toolproto.conversation.deciding.approvals import ApprovalRequest, approval_request, call_digest
from toolproto.protocol.errors import TurnCancelled

from .people import Paper, Typed

ALL = tuple(ApprovalAnswer)
READ = [
    ("y", ApprovalReply(ApprovalAnswer.ONCE)),
    ("  YES ", ApprovalReply(ApprovalAnswer.ONCE)),
    ("a", ApprovalReply(ApprovalAnswer.ALWAYS)),
    ("e", ApprovalReply(ApprovalAnswer.EDIT)),
    ("w", ApprovalReply(ApprovalAnswer.WHOLE)),
    ("n", ApprovalReply(ApprovalAnswer.DENY)),
    ("no, the file is needed", ApprovalReply(ApprovalAnswer.DENY, "the file is needed")),
    ("deny  wrong   folder", ApprovalReply(ApprovalAnswer.DENY, "wrong   folder")),
    ("", None),
    ("   ", None),
    ("yy", None),
    ("yes please", None),
    ("y n", None),
    ("always not", None),
    ("ja", None),
    ("\x1b[A", None),
    ("y\x00", None),
]


@pytest.mark.parametrize("said, meant", READ)
def test_only_a_plain_answer_is_an_answer(said, meant):
    assert read_answer(said, ALL) == meant


def test_an_answer_that_was_not_offered_is_none():
    assert read_answer("w", (ApprovalAnswer.ONCE, ApprovalAnswer.DENY)) is None


@tool(risk="write")
def write_file(path: str, content: str, mode: int = 6) -> str:
    """Write a file."""
    return path


TOOLS = ToolRegistry([write_file])
CALL = ToolCall("write_file", {"path": "a.txt", "content": "hello"}, "call_1")


def ask(typed: Typed, call: ToolCall = CALL, announced: bool = True, request=None):
    """What the person decides, and what they saw."""
    paper, stopped = Paper(), []
    asking = Asking(
        paper.screen,
        typed,
        lambda call: CallDraft(call, TOOLS.check),
        lambda request: announced,
        lambda: stopped.append(True),
    )
    request = request or approval_request(call, write_file, "write_file changes something")
    try:
        return asking(request), paper.text
    except TurnCancelled as error:
        assert stopped
        return error, paper.text


def test_yes_is_yes_once():
    decision, seen = ask(Typed("y"))
    assert decision == Allow()
    assert '│ path     "a.txt"' in seen and "╰─ write_file changes something" in seen


def test_always_is_remembered():
    assert ask(Typed("a"))[0] == Allow(always=True)


def test_a_refusal_may_give_its_reason_at_once_or_when_asked():
    assert ask(Typed("n not today"))[0] == Deny("not today")
    assert ask(Typed("n", "not today"))[0] == Deny("not today")
    assert ask(Typed("n", ""))[0] == Deny()


def test_what_is_no_answer_is_asked_again():
    typed = Typed("", "what?", "yes please", "y")
    decision, seen = ask(typed)
    assert decision == Allow() and len(typed.asked) == 4
    assert seen.count("n denies, and may be followed by the reason") == 3


def test_folded_arguments_are_shown_whole_before_they_are_approved():
    call = ToolCall("write_file", {"path": "a", "content": "\n".join(map(str, range(100)))})
    typed = Typed("w", "y")
    decision, seen = ask(typed, call)
    assert decision == Allow()
    assert "[w]hole" in typed.asked[0] and "[w]hole" not in typed.asked[1]
    assert seen.index("… folded") < seen.index("┆ 99")


def test_an_edited_call_is_shown_and_asked_about_again():
    typed = Typed("e", "y", edits=['{"path": "b.txt", "content": "hello"}'])
    decision, seen = ask(typed)
    assert isinstance(decision, Allow) and decision.instead is not None
    assert decision.instead.arguments == {"path": "b.txt", "content": "hello"}
    assert seen.index('"a.txt"') < seen.index('"b.txt"')


def test_an_edit_may_be_approved_for_always_or_refused_after_all():
    text = '{"path": "b.txt", "content": "x"}'
    assert ask(Typed("e", "a", edits=[text]))[0].always
    assert ask(Typed("e", "n changed my mind", edits=[text]))[0] == Deny("changed my mind")


def test_an_invalid_edit_loses_nothing():
    broken, wrong = '{"path": "b.txt", "content": ', '{"path": "b.txt"}'
    typed = Typed("e", "e", "e", "y", edits=[broken, wrong, '{"path": "b.txt", "content": "x"}'])
    decision, seen = ask(typed)
    assert typed.shown_to_edit == [arguments_json(CALL), broken, wrong]
    assert "it is not JSON" in seen and seen.count("it cannot run like this") == 2
    assert decision.instead.arguments == {"path": "b.txt", "content": "x"}


def test_after_an_invalid_edit_the_call_that_is_shown_would_run():
    decision, seen = ask(Typed("e", "y", edits=["[]"]))
    assert decision == Allow() and "must be an object" in seen
    assert seen.count('│ path     "a.txt"') == 2


@pytest.mark.parametrize("edited", [None, '{"content": "hello", "path": "a.txt"}'])
def test_an_edit_that_changes_nothing_is_none(edited):
    assert ask(Typed("e", "y", edits=[edited]))[0] == Allow()


def test_an_edit_is_mended_as_a_call_of_the_model_would_be_and_shown_so():
    text = '{"path": "a.txt", "content": "hello", "mode": "7"}'
    decision, seen = ask(Typed("e", "y", edits=[text]))
    assert decision.instead.arguments["mode"] == 7 and "│ mode     7" in seen


def test_one_and_true_are_two_values():
    draft = CallDraft(ToolCall("f", {"a": 1}), lambda call: call)
    assert draft.take('{"a": true}') == "" and draft.changed is not None
    assert draft.take('{"a": 1}') == "" and draft.changed is None


@pytest.mark.parametrize("end", [KeyboardInterrupt(), EOFError()])
@pytest.mark.parametrize("before", [(), ("n",), ("nonsense",)])
def test_leaving_the_question_stops_the_turn(end, before):
    decision, _ = ask(Typed(*before, end))
    assert isinstance(decision, TurnCancelled)


def test_a_tool_that_asks_while_it_runs_hears_yes_or_no():
    typed = Typed("e", "y")
    assert ask(typed, announced=False)[0] == Allow()
    assert typed.asked[0].endswith("[y]es · [n]o > ")
    assert ask(Typed("n"), announced=False)[0] == Deny()


def test_what_an_editor_would_hide_is_written_as_an_escape():
    call = ToolCall("f", {"a": "\u202e\u200bé漢\x1b\U000e0041", "b": "\ud83d"})
    text = arguments_json(call)
    assert r"\u202e\u200bé漢\u001b\udb40\udc41" in text and r"\ud83d" in text
    draft = CallDraft(call, lambda call: call)
    assert draft.take(text) == "" and draft.changed is None


# -- forms ------------------------------------------------------------------------------------


FORM = ToolSpec(
    "honest__form",
    "who is it for?",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "whose it is"},
            "count": {"type": "integer", "default": 1},
        },
        "required": ["name"],
    },
)


def fill_in(typed: Typed):
    """What is sent for a form with a default, and what was seen."""
    paper = Paper()
    call = ToolCall(FORM.name, {"count": 1}, "call_1")
    request = ApprovalRequest(call, FORM, "egress", "it asks", call_digest(call), is_form=True)
    asking = Asking(paper.screen, typed, None, lambda request: False, lambda: None)
    return asking(request), paper.text


def test_a_form_is_filled_in_before_it_is_sent():
    typed = Typed("y", "e", "y", edits=['{"name": "Ada", "count": null}'])
    decision, seen = fill_in(typed)
    assert decision == Allow(instead=ToolCall(FORM.name, {"name": "Ada"}))
    assert "it cannot be sent like this" in seen
    assert "name (string), needed: whose it is" in seen and "count (integer)" in seen
    assert typed.shown_to_edit == ['{\n  "name": null,\n  "count": 1\n}\n']


def test_a_form_may_be_refused():
    assert fill_in(Typed("n none of its business"))[0] == Deny("none of its business")


def concerned(barred: bool = False):
    concern = Concern("argument", "fetch", "content", "hello", "say hello to\x1b[2J all", barred)
    return approval_request(CALL, TOOLS["write_file"], "write_file changes something", [concern])


def test_a_card_quotes_the_stranger_whose_words_they_are():
    paper = Paper()
    paper.screen.show(Card(CALL, "write", "", concerns=concerned().concerns))
    assert "! content “hello” comes from the result of fetch: “say hello" in paper.text
    assert "\x1b[2J" not in paper.text


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        (["y", "y"], Allow(vouched=("content",))),
        (["a", "y"], Allow(always=True, vouched=("content",))),
        (["y", "n"], Deny("the user does not vouch for the value of content")),
        (["n no"], Deny("no")),
    ],
)
def test_a_value_that_is_barred_is_asked_about_by_itself(typed, decision):
    said, _ = ask(Typed(*typed), request=concerned(barred=True))
    assert said == decision


def test_a_concern_that_bars_nothing_needs_no_second_yes():
    said, _ = ask(Typed("y"), request=concerned())
    assert said == Allow()
