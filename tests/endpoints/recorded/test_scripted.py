"""An endpoint that says what a test told it to say."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.endpoints.asking import both_ways
from tests.endpoints.leaks import nothing_left
from tests.patience import PATIENCE
from toolproto.endpoints import (
    Abortable,
    AsyncEndpoint,
    Endpoint,
    Hold,
    ScriptedEndpoint,
    ScriptedReply,
)
from toolproto.protocol.errors import EndpointError, EndpointTimeout, UsageError
from toolproto.protocol.messages import ChatRequest, Chunk, Message, Usage

REQUEST = ChatRequest((Message("user", "hello"),))
STOP = Chunk(finish_reason="stop")


ask, ask_async = both_ways(REQUEST)
both = pytest.mark.parametrize("ask", [ask, ask_async])


@both
@pytest.mark.parametrize(
    "reply, chunks",
    [
        ("Hi", [Chunk("Hi"), STOP]),
        ("", [STOP]),
        (["a", "b"], [Chunk("a"), Chunk("b"), STOP]),
        (["a", Chunk(reasoning="hm")], [Chunk("a"), Chunk(reasoning="hm"), STOP]),
        ([Chunk("a", finish_reason="length")], [Chunk("a", finish_reason="length")]),
        (Chunk("a"), [Chunk("a"), STOP]),
        (ScriptedReply("a", finish_reason=None), [Chunk("a")]),
        (
            ScriptedReply(["a"], finish_reason="length", usage=Usage(1, 2)),
            [Chunk("a"), Chunk(finish_reason="length", usage=Usage(1, 2))],
        ),
        (lambda request: request.messages[0].content, [Chunk("hello"), STOP]),
        (lambda request: ScriptedReply(["a"], None), [Chunk("a")]),
    ],
)
def test_a_reply_may_be_written_in_many_ways(ask, reply, chunks):
    assert ask(ScriptedEndpoint(reply)) == chunks


@both
def test_text_is_cut_into_pieces(ask):
    assert ask(ScriptedEndpoint("abcde", chunk_size=2)) == [
        Chunk("ab"),
        Chunk("cd"),
        Chunk("e"),
        STOP,
    ]


@both
def test_requests_are_kept_and_answered_in_order_until_the_script_ends(ask):
    endpoint = ScriptedEndpoint("one", "two")
    assert [ask(endpoint)[0].text for _ in range(2)] == ["one", "two"]
    with pytest.raises(EndpointError, match="no reply to request 3: it holds 2"):
        ask(endpoint)
    assert endpoint.requests == [REQUEST] * 3
    assert endpoint.open == 0


@both
@pytest.mark.parametrize("error", [EndpointTimeout("late"), ValueError("odd")])
def test_an_error_is_raised_at_its_place(ask, error):
    with pytest.raises(type(error)):
        ask(ScriptedEndpoint(error))
    endpoint = ScriptedEndpoint(["a", error, "b"])
    with endpoint.stream(REQUEST) as chunks:
        assert next(chunks) == Chunk("a")
        with pytest.raises(type(error)):
            next(chunks)


@both
@pytest.mark.parametrize("reply", [5, b"bytes", [5], {"a": 1}, None])
def test_what_is_no_reply_is_a_mistake(ask, reply):
    with pytest.raises(UsageError):
        ask(ScriptedEndpoint(reply))
    with pytest.raises(UsageError):
        ScriptedEndpoint(chunk_size=0)


def test_nothing_is_asked_until_the_first_chunk_is():
    endpoint = ScriptedEndpoint("Hi")
    assert isinstance(endpoint, Endpoint) and isinstance(endpoint, AsyncEndpoint)
    with endpoint.stream(REQUEST) as chunks:
        assert isinstance(chunks, Abortable)
        assert (endpoint.open, endpoint.requests) == (1, [])
    assert endpoint.open == 0


def test_functions_are_called_and_awaited_on_the_way():
    called = []

    async def later():
        await asyncio.sleep(0)
        called.append("later")

    assert ask(ScriptedEndpoint(["a", lambda: called.append("now"), "b"]))[1] == Chunk("b")
    assert ask_async(ScriptedEndpoint(["a", later, "b"]))[1] == Chunk("b")
    assert called == ["now", "later"]


@both
def test_a_hold_lets_the_stream_pass_when_it_is_released(ask):
    hold, other = Hold(), Hold()
    other.release()

    def release():
        assert hold.reached.wait(PATIENCE)
        hold.release()

    with nothing_left():
        thread = threading.Thread(target=release)
        thread.start()
        assert ask(ScriptedEndpoint(["a", other, hold, "b"])) == [Chunk("a"), Chunk("b"), STOP]
        thread.join()


def test_a_stream_that_holds_can_be_aborted():
    hold = Hold()
    endpoint = ScriptedEndpoint(["a", hold, "b"])
    with endpoint.stream(REQUEST) as chunks:
        next(chunks)

        def abort():
            assert hold.reached.wait(PATIENCE)
            chunks.abort()

        thread = threading.Thread(target=abort)
        thread.start()
        for _ in range(2):
            with pytest.raises(EndpointError, match="aborted"):
                next(chunks)
        thread.join()
    assert endpoint.open == 0


def test_a_task_that_holds_can_be_cancelled():
    hold = Hold()
    endpoint = ScriptedEndpoint(["a", hold, "b"])

    async def run():
        async with endpoint.astream(REQUEST) as chunks:
            return [chunk async for chunk in chunks]

    async def cancel():
        task = asyncio.create_task(run())
        await asyncio.to_thread(hold.reached.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(cancel())
    hold.release()  # nobody waits any more, and the loop is closed
    assert endpoint.open == 0
