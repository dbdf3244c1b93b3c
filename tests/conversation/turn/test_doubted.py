"""A call that stands where calls are also shown is put to whoever decides before it runs."""

from __future__ import annotations

import pytest

from toolproto import Allow, ChatSession, Policy, Tool, ToolSpec, TurnLimits
from toolproto.endpoints import ScriptedEndpoint

WRITTEN = '<tool_code>{"name": "write", "arguments": {"text": "x"}}</tool_code>'
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
PLACES = (
    f"Just write {WRITTEN} to do it.",
    f"So:\n```\n{WRITTEN}\n```\nThat is how.",
    f"- {WRITTEN}",
)


def session(*replies, risk="write", **options):
    ran = []
    tool = Tool(ToolSpec("write", "Write.", TEXT), lambda text: ran.append(text), risk=risk)
    endpoint = ScriptedEndpoint(*replies)
    options.setdefault("approver", lambda request: Allow())
    return ChatSession(endpoint, paradigm="xml_tag", tools=[tool], **options), endpoint, ran


def nobody(*replies, **options):
    """A session in which the tool's risk is allowed, and nobody approves anything."""
    options.setdefault("policy", Policy(risks={"write": "allow"}))
    return session(*replies, approver=None, **options)


@pytest.mark.parametrize("reply", PLACES)
def test_whoever_decides_is_asked_at_once_with_the_reason(reply):
    asked = []

    def approve(request):
        asked.append(request)
        return Allow()

    chat, endpoint, ran = session(reply, "Done.", approver=approve)
    result = chat.send("hello")
    assert (result.text, ran, len(endpoint.requests), result.ok) == ("Done.", ["x"], 2, True)
    assert {each.kind for each in asked[0].asked} == {"approval", "doubt"}
    assert asked[0].reason.startswith("write changes something and its call ")


@pytest.mark.parametrize("reply", PLACES)
def test_where_nobody_decides_the_model_is_asked_and_nothing_runs_if_it_did_not_mean_it(reply):
    chat, endpoint, ran = nobody(reply, "I only showed it.")
    result = chat.send("hello")
    assert (result.status, result.text, ran) == ("completed", "I only showed it.", [])
    assert "if you mean it, write it alone" in endpoint.requests[1].messages[-1].content
    assert [each.call.name for each in result.not_run] == ["write"] and not result.ok


@pytest.mark.parametrize("reply", PLACES)
def test_a_later_reply_that_writes_it_plain_is_a_yes(reply):
    chat, _, ran = nobody(reply, WRITTEN, "Done.")
    result = chat.send("hello")
    assert (result.text, ran, result.ok) == ("Done.", ["x"], True)


def test_one_that_stays_in_its_place_does_not_run():
    chat, _, ran = nobody(PLACES[0], PLACES[0], "Done.")
    result = chat.send("hello")
    assert (result.text, ran) == ("Done.", [])
    assert [each.reason for each in result.not_run] == [
        "write changes something and its call appears in the middle of a sentence",
        "write changes something and its call appears in the middle of a sentence, and nobody is"
        " there to approve it",
    ]


@pytest.mark.parametrize("guessed", [None, "allow"])
def test_a_call_that_stands_twice_in_one_reply_does_not_insist(guessed):
    policy = Policy(risks={"write": "allow"}, guessed=guessed)
    chat, _, ran = nobody(f"{PLACES[0]} Or {PLACES[0]}", "Fine.", policy=policy)
    assert (chat.send("hello").text, ran) == ("Fine.", [])


def test_a_call_that_would_not_even_run_if_it_were_plain_is_refused_at_once():
    chat, endpoint, ran = nobody(PLACES[0], "I may not.", policy=Policy())
    chat.send("hello")
    told = endpoint.requests[1].messages[-1].content
    assert ran == [] and "nobody is there to approve it" in told


def test_a_doubted_call_of_a_tool_that_the_policy_names_runs():
    chat, _, ran = nobody(PLACES[0], "Done, I wrote it.", policy=Policy(tools={"write": "allow"}))
    assert chat.send("hello").ok and ran == ["x"]


def test_what_only_reads_runs_as_a_guess():
    chat, endpoint, ran = session(PLACES[0], "Done.", risk="read")
    assert chat.send("hello").text == "Done."
    assert (ran, len(endpoint.requests)) == (["x"], 2)


def test_without_reasks_it_is_refused_where_nobody_decides():
    chat, endpoint, ran = nobody(PLACES[0], "Oh.", limits=TurnLimits(reasks=0))
    assert chat.send("hello").text == "Oh."
    assert (ran, len(endpoint.requests)) == ([], 2)


# -- in a thought whose beginning is in the prompt ----------------------------------------------


def test_a_call_before_the_end_of_a_thought_without_a_beginning_is_put_to_the_model():
    chat, endpoint, ran = nobody(f"Or so.\n\n{WRITTEN}\n\nNo.\n</think>\nHello!", "Hello!")
    assert (chat.send("hello").text, ran) == ("Hello!", [])
    told = endpoint.requests[1].messages[-1].content
    assert "you showed it in a thought" in told


@pytest.mark.parametrize(
    "thought", ["Hm.</think>", "<think>Hm.</think>", "Hm.</think>So.\n</think>"]
)
def test_a_call_behind_a_thought_is_meant(thought):
    chat, endpoint, ran = session(f"{thought}\n{WRITTEN}", "Done.")
    assert (chat.send("hello").text, ran, len(endpoint.requests)) == ("Done.", ["x"], 2)


@pytest.mark.parametrize("end", ["<|end|>", "<|eom|>", "<|end_message|>", "<|im_end|>"])
def test_the_end_of_a_message_behind_a_call_is_no_end_of_a_thought(end):
    chat, _, ran = session(f"I do it.\n\n{WRITTEN}{end}", "Done.")
    assert (chat.send("hello").text, ran) == ("Done.", ["x"])


def test_a_second_end_of_a_thought_puts_the_call_before_it_to_the_model():
    reply = f"<think>Hm.</think>\n{WRITTEN}\n</think>"
    chat, endpoint, ran = nobody(reply, "I only thought of it.")
    assert (chat.send("hello").text, ran) == ("I only thought of it.", [])
    assert "you showed it in a thought" in endpoint.requests[1].messages[-1].content


# -- one that ran, written again beside one that failed -----------------------------------------

OTHER = '<tool_code>{"name": "write", "arguments": {"text": "y"}}</tool_code>'
UNUSABLE = '<tool_code>{"name": "write", "arguments": {}}</tool_code>'


def test_a_call_that_ran_is_not_run_again_because_another_failed():
    chat, endpoint, ran = session(f"{WRITTEN}\n{UNUSABLE}", f"{WRITTEN}\n{OTHER}", "Done.")
    result = chat.send("hello")
    assert (result.text, ran) == ("Done.", ["x", "y"])
    told = endpoint.requests[2].messages[-1].content
    assert "it has run already, and you have its result" in told


def test_it_runs_again_if_the_model_then_writes_it_alone():
    chat, _, ran = session(f"{WRITTEN}\n{UNUSABLE}", WRITTEN, WRITTEN, "Done.")
    assert chat.send("hello").text == "Done."
    assert ran == ["x", "x"]


def test_written_along_every_time_it_never_runs_again():
    both = f"{WRITTEN}\n{UNUSABLE}"
    chat, _, ran = session(both, both, both, both, both, both)
    assert chat.send("hello").status == "error"
    assert ran == ["x"]


def test_a_call_is_made_again_where_nothing_failed():
    chat, _, ran = session(WRITTEN, WRITTEN, "Done.")
    assert chat.send("hello").text == "Done."
    assert ran == ["x", "x"]


def test_what_failed_itself_may_be_tried_again():
    def fails_once(text):
        ran.append(text)
        return {"error": "busy"} if len(ran) == 1 else "written"

    ran = []
    tool = Tool(ToolSpec("write", "Write.", TEXT), fails_once, risk="write")
    endpoint = ScriptedEndpoint(f"{WRITTEN}\n{UNUSABLE}", f"{WRITTEN}\n{OTHER}", "Done.")
    chat = ChatSession(endpoint, paradigm="xml_tag", tools=[tool], approver=lambda _: Allow())
    assert chat.send("hello").text == "Done."
    assert ran == ["x", "x", "y"]


@pytest.mark.parametrize("options", [{"risk": "read"}, {"risk": "write", "idempotent": True}])
def test_what_does_no_harm_twice_runs_again(options):
    ran = []
    tool = Tool(ToolSpec("write", "Write.", TEXT), lambda text: ran.append(text), **options)
    endpoint = ScriptedEndpoint(f"{WRITTEN}\n{UNUSABLE}", f"{WRITTEN}\n{OTHER}", "Done.")
    chat = ChatSession(endpoint, paradigm="xml_tag", tools=[tool], approver=lambda _: Allow())
    assert chat.send("hello").text == "Done."
    assert ran == ["x", "x", "y"]


def test_what_the_user_asks_for_in_another_turn_runs():
    chat, _, ran = session(f"{WRITTEN}\n{UNUSABLE}", "Failed.", WRITTEN, "Done.")
    chat.send("hello")
    assert chat.send("once more, please").text == "Done."
    assert ran == ["x", "x"]
