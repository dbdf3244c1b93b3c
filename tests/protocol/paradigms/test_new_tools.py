"""Tools that come while a conversation goes on, shown behind the request that they come with."""

from __future__ import annotations

import pytest

from toolproto import ChatSession, Message, Policy, Tool
from toolproto.conversation.journal.messages import read_message, write_message
from toolproto.conversation.stores import MemoryStore
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.paradigms import XmlTag
from toolproto.protocol.paradigms.retelling import NEW_TOOL

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FORM = '<tool_code>{"name": "weather", "arguments": {"city": "<city>"}}</tool_code>'


def made(name: str, trusted: bool | None = None) -> Tool:
    return Tool.from_schema(name, "Does it.", CITY, lambda city: city, risk="read", trusted=trusted)


TIME, WEATHER = made("time"), made("weather")


def told(*turns: tuple[list[Tool], str], teaching: str = "stepwise", **given) -> list[str]:
    """What the last request of each turn says last, if the model answers each in words."""
    endpoint = ScriptedEndpoint(*("Well." for _ in turns))
    session = ChatSession(endpoint, paradigm=XmlTag(teaching=teaching), **given)
    for tools, said in turns:
        session.tools = tools
        session.send(said)
    return [request.messages[-1].content for request in endpoint.requests]


@pytest.mark.parametrize("teaching", ["stepwise", "exact"])
def test_a_tool_that_comes_late_stands_behind_the_request(teaching):
    first, second = told(([TIME], "Rain?"), ([TIME, WEATHER], "And now?"), teaching=teaching)
    assert first == "Rain?"
    assert second == f"And now?\n\n{NEW_TOOL}\n{FORM}"


def test_two_that_come_at_once_stand_there_together():
    _, second = told(([], "Rain?"), ([WEATHER, TIME], "And now?"))
    assert "These tools are new" in second
    assert second.endswith(f"{FORM}\n{FORM.replace('weather', 'time')}")


@pytest.mark.parametrize("teaching", ["balanced", "guided", "brief"])
def test_other_models_are_told_by_the_list_only(teaching):
    assert told(([TIME], "Hi."), ([TIME, WEATHER], "Hi."), teaching=teaching) == ["Hi.", "Hi."]


def test_it_is_new_once():
    turns = [([TIME], "a"), ([TIME, WEATHER], "b"), ([TIME], "c"), ([TIME, WEATHER], "d")]
    assert [NEW_TOOL in each for each in told(*turns)] == [False, True, False, False]


@pytest.mark.parametrize(
    ("late", "given"),
    [
        ([made("weather", trusted=False)], {}),
        ([WEATHER], {"policy": Policy({"weather": "deny"})}),
        ([made(f"tool_{number}") for number in range(7)], {}),
    ],
    ids=["a stranger's", "denied", "too many"],
)
def test_what_is_not_pointed_at(late, given):
    assert told(([TIME], "Hi."), ([TIME, *late], "And now?"), **given)[1] == "And now?"


def test_no_tool_is_shown_in_a_turn_without_tools():
    endpoint = ScriptedEndpoint("Well.", "Well.")
    session = ChatSession(endpoint, paradigm=XmlTag(teaching="stepwise"), tools=[TIME])
    session.send("Hi.")
    session.tools = [TIME, WEATHER]
    session.send("And now?", choice="none")
    assert endpoint.requests[-1].messages[-1].content == "And now?"


def test_later_requests_begin_as_those_before_until_the_tool_goes():
    endpoint = ScriptedEndpoint(*["Well."] * 4)
    session = ChatSession(endpoint, paradigm=XmlTag(teaching="stepwise"), tools=[TIME])
    session.send("a")
    session.tools = [TIME, WEATHER]
    session.send("b")
    session.send("c")
    session.tools = [TIME]
    session.send("d")
    _, second, third, fourth = (request.messages[1:] for request in endpoint.requests)
    assert third[: len(second)] == second
    assert [each.content for each in fourth if each.role == "user"] == ["a", "b", "c", "d"]


def test_a_kept_conversation_shows_it_again():
    store, endpoint = MemoryStore(), ScriptedEndpoint("Well.", "Well.", "Well.")
    ways = {"paradigm": XmlTag(teaching="stepwise"), "store": store, "id": "s"}
    kept = ChatSession(endpoint, tools=[TIME], **ways)
    kept.send("a")
    kept.tools = [TIME, WEATHER]
    kept.send("b")
    ChatSession(endpoint, tools=[TIME, WEATHER], **ways).send("c")
    _, second, third = (request.messages[1:] for request in endpoint.requests)
    assert second[-1].content.endswith(FORM)
    assert third[: len(second)] == second
    assert third[-1].content == "c"


def test_a_message_keeps_which_tools_came_with_it():
    message = Message("user", "And now?", new_tools=("weather",))
    assert read_message(write_message(message)) == message
    assert "new_tools" not in write_message(Message("user", "Hi."))
