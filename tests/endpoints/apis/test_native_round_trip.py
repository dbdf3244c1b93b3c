"""What our servers of an API are asked by our clients of it, and answer them, is what was meant."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolproto.endpoints.apis.dialect import END
from toolproto.endpoints.apis.dialects import DIALECTS
from toolproto.endpoints.apis.served import APIS, GOOGLE
from toolproto.endpoints.http.reply_reader import HttpReplyReader
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.events import TextDelta
from toolproto.protocol.messages import Chunk

from .offers import OFFER, REQUEST, choosing
from .samples import PIECES, streamed

SERVERS = {
    "openai_chat": APIS["/v1/chat/completions"],
    "anthropic": APIS["/v1/messages"],
    "ollama": APIS["/api/chat"],
    "gemini": GOOGLE[True],
}
both = pytest.mark.parametrize("name", SERVERS)


def received(name, request):
    """What our server reads in the request that our client writes."""
    # Google has the model in the path.
    body = {"model": "m", **DIALECTS[name].body(request, "m")}
    return SERVERS[name].read(body, lambda attachment: True)


def told(messages):
    """What stands in *messages*, whatever they were divided into."""
    for message in messages:
        for result in message.results:
            yield "result", result.call.id, result.call.name, result.content, result.is_error
        if message.content:
            yield message.role, message.content
        for call in message.calls:
            yield "call", call.id, call.name, dict(call.arguments)


@both
def test_a_request_is_read_as_it_was_meant(name):
    plain = tuple(
        replace(each, results=tuple(replace(result, attachments=()) for result in each.results))
        for each in REQUEST.messages
    )
    asked = received(name, replace(REQUEST, messages=plain))
    # Where there is no field for an error, the words say it.
    marked = name in ("openai_chat", "ollama")
    meant = [
        ("result", *each[1:3], "Error: it is broken", False)
        if each[-1] is True and marked
        else each
        for each in told(plain)
    ]
    assert list(told(asked.messages)) == meant
    assert [tool.name for tool in asked.offer.tools] == ["get_weather", "clock"]
    assert asked.offer.tools[0] == OFFER.tools[0] and asked.offer.choice == "auto"


@both
def test_pictures_of_results_arrive(name):
    asked = received(name, REQUEST)
    seen = [
        each
        for message in asked.messages
        for each in (
            *message.attachments,
            *(shown for result in message.results for shown in result.attachments),
        )
    ]
    assert [each.data for each in seen] == ["aGk="]


@pytest.mark.parametrize("name", ["openai_chat", "anthropic", "gemini"])
@pytest.mark.parametrize("choice", ["required", "none", "clock"])
def test_a_choice_is_read_as_it_was_meant(name, choice):
    assert received(name, choosing(choice)).offer.choice == choice


@pytest.mark.parametrize("name", ["openai_chat", "anthropic"])
def test_one_call_at_a_time_is_read_as_it_was_meant(name):
    assert not received(name, choosing("auto", parallel=False)).offer.parallel


# -- answers ------------------------------------------------------------------------------


def put_together(pieces):
    """The calls that *pieces* of servers that number theirs, or send them whole, make."""
    calls: list[list] = []
    slots: dict = {}
    for piece in pieces:
        if piece.name:
            slots[piece.slot] = len(calls)
            calls.append([piece.id, piece.name, ""])
        call = calls[slots[piece.slot]]
        call[2] = call[2] + piece.arguments if isinstance(piece.arguments, str) else piece.arguments
    return [
        (id, name, json.loads(given) if isinstance(given, str) else given)
        for id, name, given in calls
    ]


CALLED = [("call_a", "get_weather", {"city": "Oslo"}), ("call_b", "now", {})]


@both
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_an_answer_is_read_as_it_was_meant_however_it_is_cut(name, size):
    api = SERVERS[name]
    body = streamed(api, received(name, REQUEST), PIECES).encode()
    reader = HttpReplyReader(DIALECTS[name])
    chunks = [
        chunk for at in range(0, len(body), size) for chunk in reader.feed(body[at : at + size])
    ]
    chunks += reader.finish()
    pieces = [piece for chunk in chunks for piece in chunk.calls]
    assert put_together(pieces) == CALLED
    said = "".join(each.text for each in PIECES if isinstance(each, TextDelta))
    assert "".join(chunk.text for chunk in chunks) == said
    assert chunks[-1].finish_reason and not chunks[-1].calls


ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


def places(value, path=()):
    """The path of everything in *value*."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


@both
@settings(max_examples=settings.default.max_examples // 3)
@given(data=st.data())
def test_whatever_stands_in_a_field_of_a_call_is_read_or_refused(name, data):
    dialect = DIALECTS[name].answering(REQUEST)
    body = streamed(SERVERS[name], received(name, REQUEST), PIECES).encode()
    frame = data.draw(st.sampled_from(dialect.frames().feed(body)))
    if not frame.data.startswith("{"):
        return
    value = json.loads(frame.data)
    path = data.draw(st.sampled_from([each for each in places(value) if each]))
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = data.draw(ANY)
    with suppress(EndpointError):
        chunk = dialect.read(frame._replace(data=json.dumps(value)))
        assert chunk is None or isinstance(chunk, Chunk) or chunk is END
