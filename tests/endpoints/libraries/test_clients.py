"""LiteLLM, with it Bedrock, and OpenAI's own SDK as endpoints.

They speak to a server on this machine. ``make libraries`` runs it where they are installed.
"""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any
from zlib import crc32

import pytest

from tests.endpoints.fault_server import TEXT, Fault, FaultServer, Raw
from tests.patience import PATIENCE
from toolproto import (
    AsyncChatSession,
    Attachment,
    ChatRequest,
    ChatSession,
    EndpointError,
    Message,
    Usage,
    tool,
)
from toolproto.endpoints import ClientEndpoint

from .tiny import chunks_of

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours


def test_litellm_is_one_line():
    litellm = pytest.importorskip("litellm")
    with FaultServer(Fault()) as server:
        terms = {"api_base": server.url, "api_key": "k"}
        endpoint = ClientEndpoint(litellm.completion, model="openai/m", params=terms)
        assert ChatSession(endpoint).send("hi").text == TEXT.strip()

        async def run() -> str:
            later = ClientEndpoint(litellm.acompletion, model="openai/m", params=terms)
            async with AsyncChatSession(later) as session:
                return (await session.send("hi")).text

        assert asyncio.run(run()) == TEXT.strip()
        assert server.requests[0].body["model"] == "m"


def test_the_sdk_of_openai_is_one_line():
    openai = pytest.importorskip("openai")
    with FaultServer(Fault()) as server:
        client = openai.OpenAI(base_url=server.url, api_key="k")
        endpoint = ClientEndpoint(client.chat.completions.create, model="m", include_usage=True)
        result = ChatSession(endpoint).send("hi")
        assert (result.text, result.usage.output_tokens) == (TEXT.strip(), 7)


def creating(library: str, url: str):
    """The endpoint of a client's function, that asks once."""
    if library == "litellm":
        litellm = pytest.importorskip("litellm")
        terms = {"api_base": url, "api_key": "k", "num_retries": 0, "max_retries": 0}
        return ClientEndpoint(litellm.completion, model="openai/m", params=terms)
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(base_url=url, api_key="k", max_retries=0)
    return ClientEndpoint(client.chat.completions.create, model="m")


@pytest.mark.parametrize("library", ["litellm", "openai"])
def test_a_reply_of_a_client_is_streamed(library: str):
    with FaultServer(Fault()) as server:
        session = ChatSession(creating(library, server.url))
        pieces = list(session.stream_text("hi"))
    assert len(pieces) > 1 and "".join(pieces).strip() == TEXT.strip()


@pytest.mark.parametrize("library", ["litellm", "openai"])
def test_cancelling_hangs_up_on_the_service(library: str):
    with FaultServer(Fault("endless", "body")) as server:
        session = ChatSession(creating(library, server.url))
        with session.stream("hi") as events:
            for _ in zip(events, range(6), strict=False):
                pass
            session.cancel()
            list(events)
        assert session.result.status == "aborted"
        assert server.hung_up.wait(PATIENCE)


#: Not for LiteLLM: it says of a reply that was cut that the model stopped.
CUT = [("openai", "truncate")]


@pytest.mark.parametrize(
    "library, fault",
    [*((each, fault) for each in ("litellm", "openai") for fault in ("503", "429", "reset")), *CUT],
)
def test_what_goes_wrong_with_a_client_is_an_endpoint_error(library: str, fault: str):
    with FaultServer(Fault(fault, "body" if fault == "truncate" else "request")) as server:
        result = ChatSession(creating(library, server.url)).send("hi")
    assert result.status == "error" and isinstance(result.error, EndpointError)


# -- Bedrock, through LiteLLM ----------------------------------------------------------------

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\n\r\n"


def event(name: str, body: Any, kind: str = "event") -> bytes:
    """A message of an event stream of AWS."""
    payload = json.dumps(body, ensure_ascii=False).encode()
    known = {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}
    headers = b"".join(
        struct.pack(f">B{len(key)}sBH", len(key), key.encode(), 7, len(value)) + value.encode()
        for key, value in known.items()
    )
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return message + struct.pack(">I", crc32(message))


OPENING = event("messageStart", {"role": "assistant"})
PIECES = [
    event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": text}})
    for text in ("Hel", "lo.")
]
CLOSING = [
    event("contentBlockStop", {"contentBlockIndex": 0}),
    event("messageStop", {"stopReason": "end_turn"}),
    event(
        "metadata",
        {
            "usage": {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12},
            "metrics": {"latencyMs": 9},  # LiteLLM overlooks the counts where this is missing
        },
    ),
]


@tool
def double(number: int) -> int:
    """Twice a number."""
    return 2 * number


def bedrock(url: str, **terms: Any) -> ClientEndpoint:
    """The endpoint of the docs, with the address and the keys given."""
    litellm = pytest.importorskip("litellm")
    pytest.importorskip("boto3")
    known = {
        "aws_bedrock_runtime_endpoint": url.removesuffix("/v1"),
        "aws_access_key_id": "AKIDEXAMPLE",
        "aws_secret_access_key": "secret",
        "aws_region_name": "eu-north-1",
    }
    model = "bedrock/anthropic.claude-3-haiku-20240307-v1:0"
    params = {**known, "num_retries": 0, **terms}
    return ClientEndpoint(litellm.completion, model=model, params=params, include_usage=True)


def asked() -> ChatRequest:
    seen = (
        Attachment("image/png", data="aGk="),
        Attachment("application/pdf", data="JVBERg==", name="a.pdf"),
    )
    messages = (
        Message("system", "Be brief."),
        Message("user", "What is this?", attachments=seen),
        Message("assistant", "A dot."),
        Message("user", "Go on."),
    )
    return ChatRequest(messages, stop=("</c>",), params={"max_tokens": 9, "temperature": 0.0})


def test_bedrock_is_reached_through_litellm():
    with FaultServer(Raw((_HEAD + OPENING, *PIECES, *CLOSING))) as server:
        chunks = chunks_of(bedrock(server.url), asked())
        [request] = server.requests
    assert "".join(chunk.text for chunk in chunks) == "Hello."
    assert [chunk.finish_reason for chunk in chunks if chunk.finish_reason] == ["stop"]
    assert [chunk.usage for chunk in chunks if chunk.usage] == [Usage(5, 7)]
    assert request.path.endswith("/converse-stream") and "claude-3-haiku" in request.path
    assert "eu-north-1/bedrock/aws4_request" in request.headers["authorization"]
    told = request.body
    assert told["system"] == [{"text": "Be brief."}]
    assert told["inferenceConfig"] == {"stopSequences": ["</c>"], "maxTokens": 9, "temperature": 0}
    assert [each["role"] for each in told["messages"]] == ["user", "assistant", "user"]
    text, image, document = told["messages"][0]["content"]
    assert text == {"text": "What is this?"}
    assert image["image"] == {"format": "png", "source": {"bytes": "aGk="}}
    assert document["document"]["source"] == {"bytes": "JVBERg=="}


def test_a_session_over_bedrock_calls_a_tool():
    call = '<tool_code>{"name": "double", "arguments": {"number": 4}}</tool_code>'
    said = event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": call}})
    plans = [Raw((_HEAD + OPENING, *pieces, *CLOSING)) for pieces in ([said], PIECES)]
    with FaultServer(*plans) as server:
        result = ChatSession(bedrock(server.url), "xml_tag", [double]).send("Twice four?")
    assert (result.text, [record.result.content for record in result.calls]) == ("Hello.", ["8"])


def test_what_bedrock_says_against_it_is_an_endpoint_error():
    body = json.dumps({"message": "Too many requests"}).encode()
    head = b"HTTP/1.1 429 no\r\nx-amzn-errortype: ThrottlingException\r\ncontent-length: %d\r\n\r\n"
    midway = event("throttlingException", {"message": "Too many tokens"}, "exception")
    for plan in (Raw((head % len(body) + body,)), Raw((_HEAD + OPENING, PIECES[0], midway))):
        with FaultServer(plan) as server:
            result = ChatSession(bedrock(server.url)).send("hi")
        assert result.status == "error" and isinstance(result.error, EndpointError)


def test_a_reply_of_bedrock_that_is_cut_passes_for_a_whole_one():
    """LiteLLM's limit, which the docs state: it makes up the reason and counts tokens itself."""
    with FaultServer(Raw((_HEAD + OPENING, PIECES[0]))) as server:
        chunks = chunks_of(bedrock(server.url))
    assert [chunk.finish_reason for chunk in chunks if chunk.finish_reason] == ["stop"]
