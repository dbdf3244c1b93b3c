"""A model of llama-cpp-python, whose one function is an endpoint.

The library is compiled when it is installed, for a quarter of an hour, so ``make libraries``
has no environment for it. Where it is installed::

    python -m pytest --noconftest tests/endpoints/libraries/test_llama_cpp.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from toolproto import (
    AsyncChatSession,
    ChatRequest,
    ChatSession,
    EndpointError,
    Message,
    UsageError,
)
from toolproto.endpoints import ClientEndpoint
from toolproto.endpoints.local import find_model

from .tiny import chunks_of, text_of

llama_cpp = pytest.importorskip("llama_cpp")
Make = Callable[..., ClientEndpoint]
SAID = ChatRequest((Message("user", "Count from one to nine."),))


@pytest.fixture(scope="module")
def make() -> Make:
    try:
        path = find_model("smollm2")
    except UsageError as error:
        pytest.skip(str(error))
    model = llama_cpp.Llama(str(path), n_ctx=2048, n_threads=1, verbose=False)

    def made(**params: object) -> ClientEndpoint:
        usual = {"max_tokens": 16, "temperature": 0}
        return ClientEndpoint(model.create_chat_completion, params={**usual, **params})

    return made


def test_a_reply_is_streamed_with_its_end(make: Make):
    chunks = chunks_of(make(), SAID)
    assert len(chunks) > 8 and text_of(chunks)
    assert chunks[-1].finish_reason == "length"
    assert text_of(chunks_of(make(), SAID)) == text_of(chunks)


def test_a_stop_sequence_ends_the_reply(make: Make):
    whole = text_of(chunks_of(make(), SAID))
    stop = whole[6:9]
    cut = chunks_of(make(), ChatRequest(SAID.messages, (stop,)))
    assert text_of(cut) == whole[: whole.index(stop)] and cut[-1].finish_reason == "stop"


def test_a_session_is_cancelled_and_goes_on(make: Make):
    session = ChatSession(make(max_tokens=1500))
    with session.stream("Tell me a long story.") as events:
        for _ in zip(events, range(8), strict=False):
            pass
        session.cancel()
        list(events)
    assert session.result.status == "aborted"
    assert ChatSession(make()).send("Say hello.").partial_text


def test_what_the_model_raises_is_an_endpoint_error(make: Make):
    with pytest.raises(EndpointError, match="no_such_option"):
        chunks_of(make(no_such_option=1), SAID)
    with pytest.raises(EndpointError, match="context window"):
        chunks_of(make(), ChatRequest((Message("user", "one two " * 2000),)))
    assert text_of(chunks_of(make(), SAID))


def test_the_same_from_an_event_loop(make: Make):
    async def run() -> str:
        async with AsyncChatSession(make()) as session:
            return (await session.send("Say hello.")).partial_text

    assert asyncio.run(run())
