"""Tools as the service takes them: names that it allows, schemas that it compiles, over HTTP."""

from __future__ import annotations

import logging

import pytest

from tests.endpoints.asking import both_ways
from tests.endpoints.http.test_native import answer, call, delta, events, serving
from toolproto import ToolCall, ToolOffer, ToolSpec
from toolproto.protocol.errors import ToolsRefused
from toolproto.protocol.messages import ChatRequest, Message, ToolResult

EMAIL = {
    "type": "object",
    "properties": {"to": {"type": "string", "pattern": "^.+@.+$", "maxLength": 10_000}},
    "required": ["to"],
}
OFFER = ToolOffer((ToolSpec("mail.send", "Send.", EMAIL), ToolSpec("now", "The time.", {})))
EARLIER = ToolCall("mail.send", {"to": "a@b.no"}, "c0")
REQUEST = ChatRequest(
    (
        Message("user", "Write to Ann."),
        Message("assistant", "", calls=(EARLIER,)),
        Message("user", "", results=(ToolResult(EARLIER, "sent"),)),
    ),
    offer=OFFER,
)
ask, ask_async = both_ways(REQUEST)
both = pytest.mark.parametrize("ask", [ask, ask_async])
#: What llama.cpp says of a schema that its grammar cannot hold.
GRAMMAR = {"error": {"code": 400, "message": "failed to parse grammar", "type": "invalid"}}
REFUSED = answer(GRAMMAR, "400 Bad Request")
DONE = events(delta(content="Done."), delta("stop"))


def bodies(server):
    return [request.body for request in server.requests]


def schema(body, at=0):
    return body["tools"][at]["function"]["parameters"]


@both
def test_a_name_that_the_service_does_not_allow_is_shortened_and_given_back(ask):
    with serving(DONE) as (server, endpoint):
        ask(endpoint)
        (body,) = bodies(server)
    name = body["tools"][0]["function"]["name"]
    assert name.startswith("mail_send_")
    assert body["messages"][1]["tool_calls"][0]["function"]["name"] == name
    reply = events(delta(tool_calls=[call(0, "c1", name, "{}")]), delta("tool_calls"))
    with serving(reply) as (server, endpoint):
        chunks = ask(endpoint)
    assert [piece.name for chunk in chunks for piece in chunk.calls] == ["mail.send"]


@both
def test_a_schema_that_the_service_cannot_compile_is_sent_as_far_as_it_can(ask):
    with serving(DONE, service="llama.cpp") as (server, endpoint):
        ask(endpoint)
        (body,) = bodies(server)
    assert "maxLength" not in schema(body)["properties"]["to"]
    assert schema(body)["required"] == ["to"]


@both
def test_a_schema_that_is_refused_is_sent_with_less_and_named_in_the_log(ask, caplog):
    caplog.set_level(logging.WARNING, "toolproto")
    with serving(REFUSED, DONE, DONE) as (server, endpoint):
        assert "".join(chunk.text for chunk in ask(endpoint)) == "Done."
        assert "".join(chunk.text for chunk in ask(endpoint)) == "Done."
        first, second, later = bodies(server)
        assert endpoint.offers_tools
    assert schema(first)["properties"]["to"]["pattern"] == "^.+@.+$"
    least = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    assert schema(second) == schema(later) == least
    assert "mail.send" in caplog.text and "failed to parse grammar" in caplog.text


@both
def test_a_service_that_refuses_the_least_as_well_is_asked_without_its_tools(ask):
    with serving(REFUSED, REFUSED) as (server, endpoint):
        with pytest.raises(ToolsRefused):
            ask(endpoint)
        assert len(bodies(server)) == 2 and endpoint.offers_tools
