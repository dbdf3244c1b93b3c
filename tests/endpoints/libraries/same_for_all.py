"""What the server of every library does for an HttpEndpoint: stream, count, be left, take a turn.

A file of tests imports these functions, and has a fixture ``make`` that gives an endpoint over a
tiny model with the parameters that it is called with.
"""

from __future__ import annotations

import asyncio

from toolproto import AsyncChatSession, ChatRequest, ChatSession

from .tiny import REQUEST, chunks_of, text_of


def test_a_reply_is_streamed_with_its_end_and_its_counts(make):
    chunks = chunks_of(make())
    assert len(chunks) > 3 and text_of(chunks)
    assert [each.finish_reason for each in chunks if each.finish_reason] == ["length"]
    [counted] = [each.usage for each in chunks if each.usage]
    asked = len("<system>Be brief.<user>Hi<model>")
    assert (counted.input_tokens, counted.output_tokens) == (asked, 24)


def test_leaving_a_reply_leaves_the_server_free(make):
    with make(max_tokens=1800).stream(ChatRequest(REQUEST.messages)) as chunks:
        next(iter(chunks))
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
