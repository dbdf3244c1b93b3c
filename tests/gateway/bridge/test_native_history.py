"""What a client kept of its conversation goes to a service with tools as the service takes it."""

from __future__ import annotations

import logging

from toolproto import get_paradigm
from toolproto.endpoints.apis.served import APIS
from toolproto.gateway.bridge.prompting import first_request
from toolproto.protocol.native import NativeTools

NATIVE = NativeTools(get_paradigm("json_strict"))
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}}}}]  # fmt: skip


def call(id: str, arguments: str) -> dict[str, object]:
    function = {"name": "get_weather", "arguments": arguments}
    return {"role": "assistant", "content": None,
            "tool_calls": [{"id": id, "type": "function", "function": function}]}  # fmt: skip


def asked(*messages: dict[str, object]):
    body = {
        "model": "m",
        "tools": TOOLS,
        "messages": [{"role": "user", "content": "Hi."}, *messages],
    }
    return APIS["/v1/chat/completions"].read(body)


def test_a_broken_conversation_is_put_right_and_said(caplog):
    messages = [call("a", "{'city': 'Oslo'"), {"role": "user", "content": "And?"}]
    with caplog.at_level(logging.WARNING, "toolproto"):
        request = first_request(asked(*messages), NATIVE)
    said, told = request.messages[1:3]
    assert said.calls[0].arguments == {"city": "Oslo"}
    assert told.results[0].call.id == "a" and told.results[0].is_error
    assert "arguments that were no JSON: 1, calls without a result: 1" in caplog.text


def test_a_sound_conversation_is_sent_as_it_is_without_a_word(caplog):
    result = {"role": "tool", "tool_call_id": "a", "content": "21"}
    sent = asked(call("a", '{"city": "Oslo"}'), result)
    assert first_request(sent, NATIVE).messages == sent.messages
    assert caplog.text == ""


def test_a_service_that_is_taught_is_told_of_it_as_before():
    broken = asked(call("a", "{'city'"), {"role": "user", "content": "And?"})
    texts = [message.content for message in first_request(broken, NATIVE.fallback).messages]
    assert any("{'city'" in text for text in texts)
