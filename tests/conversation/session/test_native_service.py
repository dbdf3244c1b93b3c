"""Sessions over HTTP, with a server that has tools in the form of OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.chat.scripted_service import Refusal, ScriptedService, call, native_call
from toolproto import Deny, HttpEndpoint, tool
from toolproto.conversation.stores import MemoryStore


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(risk="write")
def note(text: str) -> str:
    """Write *text* down."""
    return f"noted: {text}"


@pytest.fixture
def service() -> Iterator[ScriptedService]:
    with ScriptedService() as made:
        yield made


def opened(play, service, *replies, native="auto", **options):
    service.replies(*replies)
    endpoint = HttpEndpoint(service.url, model="m", native=native)
    play.open(endpoint, tools=[add, note], **options)
    return endpoint


def test_calls_and_results_travel_as_the_service_writes_them(play, service):
    opened(play, service, native_call("a1", "add", a=2, b=3), "It is 5.", system="Be brief.")
    result = play.send("2+3?")
    assert (result.text, [step.native for step in result.steps]) == ("It is 5.", [True, True])
    first, second = service.requests
    assert [each["function"]["name"] for each in first["tools"]] == ["add", "note"]
    system, user, said, told = second["messages"]
    assert system["content"].startswith("Be brief.\n\nToday is") and user["content"] == "2+3?"
    assert said["tool_calls"][0]["id"] == told["tool_call_id"] == "a1"
    assert (told["role"], told["content"]) == ("tool", "5")


def test_several_native_calls_are_decided_about_as_ever(play, service):
    both = [*native_call("a1", "add", a=2, b=3), *native_call("a2", "note", 1, text="5")]
    opened(play, service, both, "Not noted.", approver=lambda request: Deny("not today"))
    calls = play.send().calls
    assert [(each.call.name, each.decision) for each in calls] == [
        ("add", None), ("note", Deny("not today")),
    ]  # fmt: skip
    *_, said, added, noted = service.requests[1]["messages"]
    assert [each["id"] for each in said["tool_calls"]] == ["a1", "a2"]
    assert (added["content"], "not today" in noted["content"]) == ("5", True)


def test_a_service_without_tools_is_taught_and_not_asked_again_for_a_while(play, service):
    text = call("add", a=2, b=3)
    endpoint = opened(play, service, Refusal("m does not support tools"), text, "5", "Bye.")
    result = play.send("2+3?")
    assert (result.text, result.stats.requests, result.stats.reasks) == ("5", 2, 0)
    assert play.send("Bye").text == "Bye."
    assert ["tools" in sent for sent in service.requests] == [True, False, False, False]
    assert not endpoint.offers_tools


def test_a_call_that_leaked_as_text_is_run_and_goes_back_as_a_call(play, service):
    leak = 'I add.\n<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 3}}\n</tool_call>'
    opened(play, service, leak, "It is 5.")
    result = play.send("2+3?")
    ((call, told),) = [(record.call, record.result.content) for record in result.calls]
    assert (told, [repair.name for repair in call.repairs]) == ("5", ["leaked_as_text"])
    assert [step.native for step in result.steps] == [True, True]
    said = service.requests[1]["messages"][2]
    assert (said["content"], said["tool_calls"][0]["id"]) == ("I add.", call.id)


def test_a_leak_that_cannot_be_read_is_asked_for_in_the_paradigm(play, service):
    leak = '<tool_call>\n{"name": "add", "arguments": {"a": 2, '
    opened(play, service, leak, call("add", a=2, b=3), "It is 5.")
    result = play.send("2+3?")
    assert (result.text, [step.native for step in result.steps]) == (
        "It is 5.",
        [True, False, False],
    )
    assert not any(leak in str(sent["messages"]) for sent in service.requests)


def test_a_kept_session_goes_on_with_a_service_without_tools(play, service):
    store = MemoryStore()
    opened(play, service, native_call("a1", "add", a=2, b=3), "5", store=store, id="x")
    play.send("2+3?")
    opened(play, service, "Yes.", native="never", store=store, id="x")
    assert play.send("Sure?").text == "Yes."
    last = service.requests[-1]
    assert "tools" not in last and all(isinstance(m["content"], str) for m in last["messages"])
    assert '"add"' in last["messages"][2]["content"]
