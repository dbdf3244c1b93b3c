"""Clients with OpenAI's chat completions as a function, in the shapes that they publish."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from toolproto import (
    AsyncChatSession,
    ChatRequest,
    ChatSession,
    Message,
    ToolCall,
    Usage,
    UsageError,
    WireError,
    get_paradigm,
    image,
    tool,
)
from toolproto.endpoints import ClientEndpoint
from toolproto.protocol.messages import NativePiece

CALL = get_paradigm("xml_tag").encode_call(ToolCall("add", {"a": 1, "b": 2}))


@tool
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def chunk(text: str = "", reason: str | None = None, **more: Any) -> dict[str, Any]:
    delta = {"content": text} if text else {}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}


class Dumped:
    """As LiteLLM and OpenAI's SDK give chunks."""

    def __init__(self, plain: dict[str, Any]) -> None:
        self.plain = plain

    def model_dump(self) -> dict[str, Any]:
        return self.plain


class Client:
    """Remembers what it was asked, and whether its stream was closed."""

    def __init__(self, *replies: str, wrap: Any = dict) -> None:
        self.replies, self.asked, self.wrap = list(replies), list[Any](), wrap
        self.closed = 0

    def create(self, *, messages: Any, stream: bool, **others: Any) -> Iterator[Any]:
        self.asked.append({"messages": messages, "stream": stream, **others})
        return self._chunks(self.replies.pop(0))

    def _chunks(self, text: str) -> Iterator[Any]:
        try:
            for at in range(0, len(text), 5):
                yield self.wrap(chunk(text[at : at + 5]))
            yield self.wrap(chunk("", "stop", usage={"prompt_tokens": 3, "completion_tokens": 4}))
        finally:
            self.closed += 1

    async def acreate(self, **asked: Any) -> AsyncIterator[Any]:
        chunks = self.create(**asked)

        async def each() -> AsyncIterator[Any]:
            for one in chunks:
                yield one

        return each()


@pytest.mark.parametrize("wrap", [dict, Dumped])
def test_a_session_calls_tools_through_a_client(wrap):
    client = Client(CALL, "It is 3.", wrap=wrap)
    endpoint = ClientEndpoint(client.create, model="some/model", params={"temperature": 0})
    result = ChatSession(endpoint, "xml_tag", [add]).send("1 + 2?")
    assert (result.text, result.usage) == ("It is 3.", Usage(6, 8))
    assert [each["model"] for each in client.asked] == ["some/model"] * 2
    assert client.asked[0]["temperature"] == 0 and client.asked[0]["stream"] is True
    assert "tools" not in client.asked[0] and client.closed == 2


def test_the_same_awaited():
    async def run() -> str:
        client = Client(CALL, "It is 3.", wrap=Dumped)
        async with AsyncChatSession(ClientEndpoint(client.acreate), "xml_tag", [add]) as session:
            answer = (await session.send("1 + 2?")).text
            assert "model" not in client.asked[0]
            return answer

    assert asyncio.run(run()) == "It is 3."


def test_calls_that_a_client_reads_by_itself_are_handed_on():
    called = {"index": 0, "id": "c", "type": "function", "function": {"name": "f"}}
    delta = {"role": "assistant", "content": None, "function_call": None, "tool_calls": [called]}

    def create(**_: Any) -> Iterator[Any]:
        yield Dumped({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        yield Dumped(chunk("", "tool_calls"))

    with ClientEndpoint(create).stream(ChatRequest((Message("user", "hi"),))) as chunks:
        called_piece, ended = chunks
    assert called_piece.calls == (NativePiece(0, "c", "f", ""),)
    assert ended.finish_reason == "tool_calls"


def test_leaving_early_closes_the_stream():
    client = Client("one two three four")
    with ClientEndpoint(client.create).stream(ChatRequest((Message("user", "hi"),))) as chunks:
        next(iter(chunks))
    assert client.closed == 1


def test_leaving_early_closes_the_stream_inside_one_that_cannot_be_closed():
    class Wrapper:  # as LiteLLM has it
        def __init__(self, stream: Iterator[Any]) -> None:
            self.completion_stream = stream

        def __iter__(self) -> Iterator[Any]:
            return iter(self.completion_stream)

    client = Client("one two three four")
    endpoint = ClientEndpoint(lambda **asked: Wrapper(client.create(**asked)))
    with endpoint.stream(ChatRequest((Message("user", "hi"),))) as chunks:
        next(iter(chunks))
    assert client.closed == 1


def whole(**_: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "all at once"}, "finish_reason": "stop"}]}


def test_a_reply_that_was_not_streamed_is_read():
    assert ChatSession(ClientEndpoint(whole)).send("hi").text == "all at once"


def test_a_stream_that_breaks_off_is_an_error():
    endpoint = ClientEndpoint(lambda **_: iter([chunk("half")]))
    with pytest.raises(WireError, match="broken off"):
        _ = ChatSession(endpoint).send("hi").text


def test_what_is_no_chunk_is_an_error():
    with pytest.raises(WireError, match="expected chunks"):
        _ = ChatSession(ClientEndpoint(lambda **_: ["text"])).send("hi").text


def test_what_the_client_raises_is_told():
    def create(**_: Any) -> None:
        raise ValueError("no such provider")

    result = ChatSession(ClientEndpoint(create)).send("hi")
    assert result.status == "error" and "no such provider" in str(result.error)


def test_pictures_go_along_unless_the_model_is_blind():
    client = Client("A dot.")
    ChatSession(ClientEndpoint(client.create)).send(["What?", image(b"GIF89a")])
    assert client.asked[0]["messages"][-1]["content"][1]["type"] == "image_url"
    with pytest.raises(UsageError, match="cannot be sent"):
        ChatSession(ClientEndpoint(client.create, vision=False)).send([image(b"GIF89a")])


def test_a_client_is_no_function():
    with pytest.raises(UsageError, match="not its client"):
        ClientEndpoint(Client())  # type: ignore[arg-type]
