"""A call that stands where calls are also shown is put to the model before anybody runs it."""

from __future__ import annotations

import pytest

from toolproto import Allow, ChatSession, Tool, ToolSpec, TurnLimits
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


@pytest.mark.parametrize("reply", PLACES)
def test_the_model_is_asked_and_nothing_runs_if_it_did_not_mean_it(reply):
    chat, endpoint, ran = session(reply, "I only showed it.")
    result = chat.send("hello")
    assert (result.status, result.text, ran) == ("completed", "I only showed it.", [])
    assert "if you mean it, write it alone" in endpoint.requests[1].messages[-1].content


@pytest.mark.parametrize("reply", PLACES)
def test_a_call_that_is_written_alone_then_runs_once(reply):
    chat, _, ran = session(reply, WRITTEN, "Done.")
    assert chat.send("hello").text == "Done."
    assert ran == ["x"]


def test_one_that_stays_in_its_place_is_put_to_a_person_with_the_reason():
    asked = []

    def approve(request):
        asked.append(request.reason)
        return Allow()

    chat, _, ran = session(PLACES[0], PLACES[0], "Done.", approver=approve)
    assert chat.send("hello").text == "Done."
    assert ran == ["x"]
    assert asked == ["write changes something and its call appears in the middle of a sentence"]


def test_what_only_reads_runs_as_a_guess():
    chat, endpoint, ran = session(PLACES[0], "Done.", risk="read")
    assert chat.send("hello").text == "Done."
    assert (ran, len(endpoint.requests)) == (["x"], 2)


def test_without_reasks_a_person_is_asked_at_once():
    chat, endpoint, ran = session(PLACES[0], "Done.", limits=TurnLimits(reasks=0))
    assert chat.send("hello").text == "Done."
    assert (ran, len(endpoint.requests)) == (["x"], 2)


# -- in a thought whose beginning is in the prompt ----------------------------------------------


def test_a_call_before_the_end_of_a_thought_without_a_beginning_is_put_to_the_model():
    chat, endpoint, ran = session(f"Or so.\n\n{WRITTEN}\n\nNo.\n</think>\nHello!", "Hello!")
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
    chat, endpoint, ran = session(reply, "I only thought of it.")
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
