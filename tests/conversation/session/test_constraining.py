"""A session holds the model to the form where its endpoint can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from toolproto import ChatRequest, ChatSession, ToolCall, UsageError, get_paradigm, tool
from toolproto.conversation.turn import ReplyConstrained
from toolproto.protocol.grammar import departure
from toolproto.protocol.messages import Chunk

CALL = '{"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]}'


@tool
def get_weather(city: str) -> str:
    """Current weather for a city."""
    return "4 °C"


class Held:
    """An endpoint that takes grammars, and keeps the requests it got."""

    def __init__(self, *replies: str) -> None:
        self.requests: list[ChatRequest] = []
        self._replies = list(replies)

    @contextmanager
    def stream(self, request: ChatRequest, /) -> Iterator[Any]:
        self.requests.append(request)
        if request.constraint is not None and request.constraint.grammar is not None:
            request.constraint.rendering = "gbnf"
        yield iter([Chunk(self._replies.pop(0)), Chunk(finish_reason="stop")])


def test_every_request_brings_the_grammar_of_its_offer() -> None:
    endpoint = Held(CALL, "Four degrees.")
    session = ChatSession(endpoint, "json_strict", [get_weather])
    assert session.send("Oslo?", choice="required").text == "Four degrees."
    first, second = (request.constraint.grammar for request in endpoint.requests)
    assert departure(first, CALL) is None and departure(first, "Four degrees.") is not None
    # The call was made: what was demanded is met.
    assert departure(second, "Four degrees.") is None


def test_the_events_say_that_a_reply_was_held() -> None:
    session = ChatSession(Held(CALL, "Four degrees."), "json_strict", [get_weather])
    with session.stream("Oslo?") as events:
        told = [event for event in events if isinstance(event, ReplyConstrained)]
    assert told == [ReplyConstrained("gbnf")] * 2


@pytest.mark.parametrize("options", [{"constrain": "off"}, {"tools": []}])
def test_without_tools_or_with_off_there_is_no_grammar(options: dict[str, Any]) -> None:
    endpoint = Held("Hello.")
    options = {"tools": [get_weather], **options}
    ChatSession(endpoint, "json_strict", **options).send("Hello.")
    assert endpoint.requests[0].constraint is None


def test_calls_makes_it_a_demand() -> None:
    endpoint = Held("Hello.")
    ChatSession(endpoint, "json_strict", [get_weather], constrain="calls").send("Hello.")
    assert endpoint.requests[0].constraint.demanded


def test_another_word_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="constrain is 'yes'"):
        ChatSession(Held(), "json_strict", [get_weather], constrain="yes")


def test_an_endpoint_that_takes_none_is_asked_as_before() -> None:
    asked: list[ChatRequest] = []

    def plain(request: ChatRequest) -> str:
        asked.append(request)
        return "Hello."

    session = ChatSession(plain, "json_strict", [get_weather])
    with session.stream("Hello.") as events:
        assert not [event for event in events if isinstance(event, ReplyConstrained)]
    assert asked[0].constraint.rendering == ""


@dataclass
class Place:
    """Somewhere."""

    name: str
    people: int


ANSWERS: list[tuple[Any, Any, Any]] = [
    (Place, {"name": "Oslo", "people": 717710}, {"name": "Oslo", "people": "many"}),
    (list[int], {"value": [1, 2]}, {"value": ["one"]}),
    (Literal["yes", "no"], {"value": "no"}, {"value": "perhaps"}),
]


@pytest.mark.parametrize("paradigm", ["json_strict", "xml_tag", "hermes", "pythonic"])
@pytest.mark.parametrize("form, right, wrong", ANSWERS)
def test_a_structured_answer_is_held_to_its_schema(paradigm, form, right, wrong) -> None:
    made = get_paradigm(paradigm)
    said = made.encode_call(ToolCall("answer", right))
    endpoint = Held(said)
    session = ChatSession(endpoint, paradigm)
    with session.stream("Where?", output=form) as events:
        told = [event for event in events if isinstance(event, ReplyConstrained)]
    assert session.result.output is not None and told == [ReplyConstrained("gbnf")]
    grammar = endpoint.requests[0].constraint.grammar
    assert departure(grammar, said) is None
    assert departure(grammar, made.encode_call(ToolCall("answer", wrong))) is not None
    # Nothing but the answer can be said, since nothing else was asked for.
    assert departure(grammar, "I would rather not say.") is not None
