"""Which calls did not run: what a person is told, whatever the model says."""

from __future__ import annotations

from toolproto import Allow, ChatSession, Deny, Policy, tool
from toolproto.endpoints import ScriptedEndpoint


def put(n):
    return f'<tool_code>{{"name": "put", "arguments": {{"n": {n}}}}}</tool_code>'


def sent(*replies, **options):
    @tool(risk="write", name="put")
    def function(n: int) -> str:
        return f"put {n}"

    options.setdefault("policy", Policy(tools={"put": "allow"}))
    chat = ChatSession(ScriptedEndpoint(*replies), "xml_tag", [function], **options)
    result = chat.send("go")
    return result, [(each.call.name, each.reason) for each in result.not_run]


def test_what_ran_is_not_listed():
    result, not_run = sent(put(1), "Done.")
    assert result.ok and not_run == []


def test_a_model_that_says_done_of_what_was_denied_is_not_believed():
    result, not_run = sent(put(1), "Done.", policy=Policy(), approver=lambda _: Deny("not today"))
    assert (result.status, result.text, result.ok) == ("completed", "Done.", False)
    assert not_run == [("put", "not today")]


def test_a_call_that_the_model_corrects_is_not_listed():
    result, not_run = sent(put('"one"'), put(1), "Done.")
    assert result.ok and not_run == []


def test_one_that_it_does_not_correct_is():
    result, not_run = sent(put('"one"'), "Done.")
    assert not result.ok
    assert not_run[0][1].startswith("its arguments do not fit")
    assert sent('<tool_code>{"name": "send", "arguments": {}}</tool_code>', "Done.")[1] == [
        ("send", "there is no tool send")
    ]


def test_a_later_call_does_not_make_good_for_another_that_was_denied():
    answers = iter([Deny("no"), Allow()])
    options = {"policy": Policy(), "approver": lambda _: next(answers)}
    result, not_run = sent(put(1), put(2), "Done.", **options)
    assert not_run == [("put", "no")] and not result.ok


def test_the_journal_says_the_same():
    options = {"policy": Policy(), "approver": lambda _: Deny("not today"), "store": "memory:"}

    @tool(risk="write", name="put")
    def function(n: int) -> str:
        return ""

    chat = ChatSession(ScriptedEndpoint(put(1), "Done."), "xml_tag", [function], **options)
    result = chat.send("go")
    kept = chat.turns[-1].result
    assert kept.not_run == result.not_run and not kept.ok
