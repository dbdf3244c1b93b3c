"""Programs ask through the bridge: by hand, or over an endpoint."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from toolproto import LimitReached, UsageError, tool
from toolproto.endpoints import ScriptedEndpoint, ScriptedReply
from toolproto.endpoints.apis.pieces import Ended, Failed, Piece, joined
from toolproto.gateway.bridge.driving import apieces_of, pieces_of
from toolproto.gateway.bridge.entry import Bridge
from toolproto.gateway.bridge.exchange import AskAgain, Exchange
from toolproto.gateway.bridge.terms import ModelTerms
from toolproto.protocol.errors import EndpointError, WireError
from toolproto.protocol.events import ArgumentsDelta, CallCompleted, CallStarted, TextDelta
from toolproto.protocol.guard.levels import Guard
from toolproto.protocol.messages import Chunk, Message, ToolCall, ToolResult, Usage

BRIDGE = Bridge("xml_tag")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"type": "function", "function": {"name": "get_weather", "parameters": CITY}}
ASKED = [{"role": "user", "content": "Weather in Oslo?"}]


def call(name: str = "get_weather", **arguments: Any) -> str:
    written = json.dumps({"name": name, "arguments": arguments})
    return f"<tool_code>{written}</tool_code>"


OSLO = call(city="Oslo")
BROKEN = call(town="Oslo")


def heard(exchange: Exchange, text: str) -> list[Piece]:
    out = exchange.feed(Chunk(text))
    exchange.feed(Chunk(finish_reason="stop"))
    return [*out, *exchange.finish()]


def played(exchange: Exchange, *replies: Any, driver: str = "sync") -> list[Piece]:
    endpoint = ScriptedEndpoint(*replies, chunk_size=3)
    if driver == "sync":
        return list(pieces_of(exchange, endpoint.stream))

    async def collect() -> list[Piece]:
        return [piece async for piece in apieces_of(exchange, endpoint.astream)]

    return asyncio.run(collect())


def test_a_reply_is_read_as_it_comes_and_the_verdict_is_the_end():
    exchange = BRIDGE.ask(ASKED, [WEATHER])
    assert "get_weather" in exchange.request.messages[0].content
    assert exchange.verdict is None and not exchange.done
    pieces = heard(exchange, f"Let me see. {OSLO}")
    assert pieces[0] == TextDelta("Let me see. ")
    assert CallCompleted(0, ToolCall("get_weather", {"city": "Oslo"})) in pieces
    assert exchange.verdict == pieces[-1] == Ended("tool_calls", Usage())


def test_a_mistake_is_to_be_asked_about_again_and_in_the_end_it_fails():
    exchange = Bridge("xml_tag", ModelTerms(reasks=1)).ask(ASKED, [WEATHER], stream=False)
    assert heard(exchange, BROKEN) == []
    verdict = exchange.verdict
    assert isinstance(verdict, AskAgain) and not exchange.done
    assert verdict.messages == exchange.request.messages
    assert verdict.messages[-2:] == (Message("assistant", BROKEN), Message("user", verdict.advice))
    assert "city" in verdict.advice
    (failed,) = heard(exchange, BROKEN)
    assert isinstance(failed, Failed) and failed.code == "unusable_tool_call"
    assert exchange.verdict == failed and exchange.done


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_driver_asks_until_the_answer_is_one(driver: str, stream: bool):
    broken = "<tool_code>{oh dear</tool_code>"
    exchange = BRIDGE.ask(ASKED, [WEATHER], "get_weather", stream=stream)
    pieces = played(exchange, broken, f"Well. {OSLO}", driver=driver)
    text, started, arguments, completed, ended = joined(pieces)
    assert text == TextDelta("Well. ") and isinstance(ended, Ended)
    assert isinstance(started, CallStarted) and isinstance(completed, CallCompleted)
    assert isinstance(arguments, ArgumentsDelta)
    assert json.loads(arguments.text) == completed.call.arguments == {"city": "Oslo"}
    assert started.id == completed.call.id
    assert exchange.reasked == 1


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_a_model_that_does_not_mend_its_ways_is_a_limit_that_was_reached(driver: str):
    with pytest.raises(LimitReached, match="asked for a call, and wrote prose") as caught:
        played(BRIDGE.ask(ASKED, [WEATHER], "required"), *["No."] * 4, driver=driver)
    assert caught.value.limit == "reasks"


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_what_the_endpoint_raises_passes_and_a_broken_reply_is_told_of(driver: str):
    with pytest.raises(EndpointError, match="away"):
        played(BRIDGE.ask(ASKED), EndpointError("away"), driver=driver)
    with pytest.raises(WireError, match="broke off"):
        played(BRIDGE.ask(ASKED), ScriptedReply("Hel", None), driver=driver)


def test_leaving_off_hangs_up():
    endpoint = ScriptedEndpoint("many words that nobody waits for", chunk_size=3)
    pieces = pieces_of(BRIDGE.ask(ASKED), endpoint.stream)
    next(pieces)
    assert endpoint.open == 1
    pieces.close()
    assert endpoint.open == 0


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_a_tool_is_called_by_the_name_its_program_knows(driver: str):
    odd = {"type": "function", "function": {"name": "get weather!", "parameters": CITY}}
    exchange = BRIDGE.ask(ASKED, [odd], "get weather!")
    pieces = played(exchange, call("get_weather_", city="Oslo"), driver=driver)
    started, _, completed, _ = joined(pieces)
    assert isinstance(started, CallStarted) and started.name == "get weather!"
    assert isinstance(completed, CallCompleted) and completed.call.name == "get weather!"


def test_messages_and_tools_of_ours_are_the_same_as_written_ones():
    @tool
    def get_weather(city: str) -> str:
        """Weather of a city."""
        raise NotImplementedError

    made = ToolCall("get_weather", {"city": "Oslo"}, "1")
    ours = [
        Message("user", "Weather in Oslo?"),
        Message("assistant", "", (made,)),
        Message("user", "", results=(ToolResult(made, "rain"),)),
    ]
    function = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
    written = [
        *ASKED,
        {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]},
        {"role": "tool", "tool_call_id": "1", "content": "rain"},
    ]
    spec = get_weather.spec
    described = {**WEATHER["function"], "description": spec.description}  # type: ignore[dict-item]
    described["parameters"] = spec.parameters
    requests = [
        BRIDGE.ask(ours, [get_weather]).request,
        BRIDGE.ask(ours, [spec]).request,
        BRIDGE.ask(written, [{"type": "function", "function": described}]).request,
    ]
    assert requests[0] == requests[1] == requests[2]


def test_a_picture_reaches_a_model_that_sees_and_another_is_told_of_it():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    asked = [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}]
    (message,) = BRIDGE.ask(asked, sees=lambda attachment: True).request.messages
    assert [each.data for each in message.attachments] == ["aGk="]
    (message,) = BRIDGE.ask(asked).request.messages
    assert message.attachments == () and "image/png" in message.content


def test_an_answer_in_a_shape_is_nothing_but_its_json():
    exchange = BRIDGE.ask(ASKED, schema=CITY)
    pieces = played(exchange, "Of course!", '```json\n{"city": "Oslo"}\n```')
    assert joined(pieces)[0] == TextDelta('{"city": "Oslo"}')


@pytest.mark.parametrize(
    "given, told",
    [
        ({"messages": []}, "at least one message"),
        ({"messages": [*ASKED, Message("user", "a")]}, "use only one kind"),
        ({"messages": ASKED, "choice": "required"}, "there are no tools"),
        ({"messages": ASKED, "tools": [WEATHER], "choice": "other"}, "not among the tools"),
        ({"messages": ASKED, "tools": [{"type": "function"}]}, "function"),
        ({"messages": [{"role": "tool", "content": ""}]}, "tool_call_id is missing"),
    ],
)
def test_what_cannot_be_asked_is_said_at_once(given: dict[str, Any], told: str):
    with pytest.raises(UsageError, match=told):
        BRIDGE.ask(**given)


def test_a_nonce_that_nobody_could_keep_is_refused():
    with pytest.raises(UsageError, match="nonce=True needs a session"):
        ModelTerms(guard=Guard(nonce=True))  # type: ignore[arg-type]
