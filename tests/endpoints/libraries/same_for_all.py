"""What every model that the program has loaded does: a reply, a stream, stops, a cancel, an error.

A file of tests imports these functions, and has a fixture ``make`` that gives an endpoint over a
tiny model, whose template refuses a system message, with the parameters that it is called with.
"""

from __future__ import annotations

import asyncio

import pytest

from toolproto import (
    AsyncChatSession,
    Attachment,
    ChatRequest,
    ChatSession,
    EndpointError,
    Message,
    UsageError,
)

from .tiny import REQUEST, chunks_of, text_of


def test_a_reply_is_streamed_with_its_end_and_its_counts(make):
    chunks = chunks_of(make())
    assert len(chunks) > 3 and text_of(chunks)
    assert chunks[-1].finish_reason == "length"
    counted = chunks[-1].usage
    asked = len("<user>Be brief.\n\nHi<model>")
    assert (counted.input_tokens, counted.output_tokens) == (asked, 24)


def test_greedy_replies_and_seeds_are_the_same_again(make):
    endpoint = make()
    assert text_of(chunks_of(endpoint)) == text_of(chunks_of(endpoint))
    drawn = ChatRequest(REQUEST.messages, params={"max_tokens": 12, "temperature": 1, "seed": 5})
    assert text_of(chunks_of(endpoint, drawn)) == text_of(chunks_of(endpoint, drawn))


def test_a_stop_sequence_ends_the_reply_and_is_no_part_of_it(make):
    endpoint = make()
    whole = text_of(chunks_of(endpoint))
    stop = whole[6:9]
    cut = chunks_of(endpoint, ChatRequest(REQUEST.messages, (stop,), REQUEST.params))
    assert text_of(cut) == whole[: whole.index(stop)]
    assert cut[-1].finish_reason == "stop" and cut[-1].usage.output_tokens < 24


def test_leaving_a_reply_stops_the_model(make):
    with make(max_tokens=1800).stream(ChatRequest(REQUEST.messages)) as chunks:
        next(iter(chunks))
    # The model is free again long before 1,800 tokens were written.
    assert len(chunks_of(make())) > 1


def test_a_session_is_cancelled_and_goes_on(make):
    session = ChatSession(make(max_tokens=1800, temperature=0))
    with session.stream("Hi") as events:
        for _ in zip(events, range(8), strict=False):
            pass
        session.cancel()
        list(events)
    assert session.result.status == "aborted"
    again = ChatSession(make(max_tokens=3, temperature=0))
    assert again.send("Hi").usage.output_tokens == 3


def test_the_same_from_an_event_loop(make):
    async def run() -> int:
        async with AsyncChatSession(make(max_tokens=8, temperature=0)) as session:
            return (await session.send("Hi")).usage.output_tokens

    assert asyncio.run(run()) == 8


def test_what_the_model_raises_is_an_endpoint_error(make):
    with pytest.raises(EndpointError, match="no_such_option"):
        chunks_of(make(no_such_option=1))
    assert chunks_of(make())[-1].finish_reason == "length"


def test_pictures_are_refused(make):
    seen = Message("user", "look", attachments=(Attachment("image/png", data="aA=="),))
    with pytest.raises(UsageError, match="cannot be shown pictures"):
        chunks_of(make(), ChatRequest((seen,)))
