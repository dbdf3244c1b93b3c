"""Amazon Bedrock's Converse: what is sent, signed and read. See libraries/test_botocore.py, too."""

from __future__ import annotations

import pytest

from toolproto import ChatRequest, EndpointError, Message, WireError
from toolproto.endpoints import AwsCredentials, BedrockConverse, HttpEndpoint, Retries
from toolproto.endpoints.aws_signing import signed
from toolproto.endpoints.event_stream import EventStream
from toolproto.endpoints.frames import MAX_FRAME, Frame
from toolproto.messages import Attachment

from .fault_server import TEXT, Fault, FaultServer, Raw, aws_message

CREDENTIALS = AwsCredentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
MODEL = "anthropic.claude-3-haiku-20240307-v1:0"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\n\r\n"


def chunks_of(url, request=None, **terms):
    terms = {"dialect": "bedrock_converse", "retries": Retries(attempts=1), **terms}
    request = request or ChatRequest((Message("user", "hello"),))
    with HttpEndpoint(url, model=MODEL, **terms) as endpoint, endpoint.stream(request) as chunks:
        return list(chunks)


def test_a_request_has_the_shape_of_converse():
    picture = Attachment("image/png", data="aGk=")
    request = ChatRequest(
        (
            Message("system", "Be brief."),
            Message(
                "user", "Look:", attachments=(picture, Attachment("application/pdf", data="aA=="))
            ),
            Message("user", "And?"),
            Message("assistant", ""),
            Message("user", "Go on."),
        ),
        stop=("</call>", " "),
        params={
            "max_tokens": 9,
            "temperature": 0,
            "top_k": 5,
            "guardrailConfig": {"trace": "enabled"},
        },
    )
    assert BedrockConverse().body(request, MODEL) == {
        "system": [{"text": "Be brief."}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"text": "Look:"},
                    {"image": {"format": "png", "source": {"bytes": "aGk="}}},
                    {"document": {"format": "pdf", "name": "file 2", "source": {"bytes": "aA=="}}},
                    {"text": "And?"},
                ],
            },
            {"role": "assistant", "content": [{"text": "-"}]},
            {"role": "user", "content": [{"text": "Go on."}]},
        ],
        "inferenceConfig": {"stopSequences": ["</call>"], "maxTokens": 9, "temperature": 0},
        "additionalModelRequestFields": {"top_k": 5},
        "guardrailConfig": {"trace": "enabled"},
    }


def test_a_reply_is_read_with_its_end_and_its_counts():
    with FaultServer(Fault(dialect="bedrock_converse")) as server:
        chunks = chunks_of(server.url.removesuffix("/v1"), api_key="a key of Bedrock")
        asked = server.requests[0]
    assert "".join(chunk.text for chunk in chunks) == TEXT
    assert chunks[-1].finish_reason == "stop"
    assert (chunks[-1].usage.input_tokens, chunks[-1].usage.output_tokens) == (5, 7)
    assert asked.path == f"/model/{MODEL.replace(':', '%3A')}/converse-stream"
    assert asked.headers["authorization"] == "Bearer a key of Bedrock"


def test_without_a_key_the_request_is_signed_and_nothing_secret_is_sent(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDFROMENV")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "never sent")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "for some hours")
    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    with FaultServer(Fault(dialect="bedrock_converse")) as server:
        chunks_of(server.url.removesuffix("/v1"))
        chunks_of(server.url, dialect=BedrockConverse(CREDENTIALS, region="eu-west-3"))
        first, second = (request.headers for request in server.requests)
    assert "Credential=AKIDFROMENV/" in first["authorization"]
    assert "/eu-north-1/bedrock/aws4_request" in first["authorization"]
    assert "content-type;host;x-amz-date;x-amz-security-token" in first["authorization"]
    assert first["x-amz-security-token"] == "for some hours"
    assert "never sent" not in str(first)
    assert "Credential=AKIDEXAMPLE/" in second["authorization"]
    assert "/eu-west-3/bedrock" in second["authorization"]


def test_a_signature_is_that_of_the_published_example():
    """``post-vanilla`` of the test suite that AWS publishes for signers."""
    headers = signed(
        "https://example.amazonaws.com/",
        {},
        b"",
        credentials=CREDENTIALS,
        region="us-east-1",
        service="service",
        now=1440938160,
    )
    assert headers["x-amz-date"] == "20150830T123600Z"
    assert headers["authorization"].endswith(
        "Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
    )


def test_credentials_show_no_secret():
    shown = repr(CREDENTIALS) + repr(BedrockConverse(CREDENTIALS))
    assert "wJalr" not in shown


def test_a_session_token_that_the_service_repeats_is_taken_out():
    token = "IQoJb3JpZ2luX2VjE" * 8
    body = b'{"message": "The Canonical String was x-amz-security-token:%s"}' % token.encode()
    head = b"HTTP/1.1 403 No\r\ncontent-length: %d\r\n\r\n" % len(body)
    with FaultServer(Raw((head + body,))) as server, pytest.raises(EndpointError) as caught:
        chunks_of(server.url, dialect=BedrockConverse(CREDENTIALS))
    assert "Canonical String" in str(caught.value) and "no key was sent" not in str(caught.value)
    assert token[:20] not in str(caught.value) + caught.value.body


def test_thoughts_are_kept_apart():
    dialect = BedrockConverse()
    said = Frame("contentBlockDelta", '{"delta": {"reasoningContent": {"text": "Hm."}}}')
    assert dialect.read(said).reasoning == "Hm."
    signed_thought = Frame(
        "contentBlockDelta", '{"delta": {"reasoningContent": {"signature": "x"}}}'
    )
    assert dialect.read(signed_thought) is None


def test_an_error_in_the_stream_has_its_status():
    words = aws_message("throttlingException", {"message": "Too many tokens"}, "exception")
    begun = aws_message("contentBlockDelta", {"delta": {"text": "I"}})
    error = pytest.raises(EndpointError, match="Too many tokens")
    with FaultServer(Raw((HEAD + begun + words,))) as server, error as caught:
        chunks_of(server.url, api_key="k" * 8)
    assert caught.value.status == 429


def test_a_reply_that_was_not_streamed_is_read():
    content = [{"reasoningContent": {"reasoningText": {"text": "Hm."}}}, {"text": "Hi"}]
    usage = {"inputTokens": 5, "outputTokens": 7, "totalTokens": 14, "cacheReadInputTokens": 2}
    body = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "max_tokens",
        "usage": usage,
    }
    chunk = BedrockConverse().read_whole(body)
    assert (chunk.text, chunk.reasoning, chunk.finish_reason) == ("Hi", "Hm.", "length")
    assert (chunk.usage.input_tokens, chunk.usage.output_tokens) == (7, 7)
    for wrong in ({}, {"output": []}, {"output": {"message": {"content": "x"}}}):
        with pytest.raises(WireError):
            BedrockConverse().read_whole(wrong)


STREAM = aws_message("messageStart", {"role": "assistant"}) + aws_message("x", {"größe": "🌍" * 9})


@pytest.mark.parametrize("size", [1, 2, 3, 7, 12, 13, 100, 1000])
def test_messages_are_the_same_in_any_slices(size):
    frames = EventStream()
    got = [f for at in range(0, len(STREAM), size) for f in frames.feed(STREAM[at : at + size])]
    assert [frame.event for frame in got] == ["messageStart", "x"]
    assert got[1].data == '{"größe": "' + "🌍" * 9 + '"}'
    assert frames.finish() == []


@pytest.mark.parametrize("at", [0, 3, 5, 9, 14, 40, 80, len(STREAM) - 3])
def test_a_damaged_message_is_refused(at):
    broken = bytearray(STREAM)
    broken[at] ^= 0x55
    with pytest.raises(WireError):
        EventStream().feed(bytes(broken))


def test_what_is_no_event_stream_and_what_is_too_long_is_refused():
    with pytest.raises(WireError, match="check the address"):
        EventStream().feed(b"HTTP/1.1 200 OK and so on")
    with pytest.raises(WireError, match="longer than"):
        EventStream().feed(aws_message("x", "y" * (MAX_FRAME + 1))[:100])


def test_pictures_that_are_elsewhere_are_refused_by_name():
    dialect = BedrockConverse()
    assert not dialect.takes(Attachment("image/png", url="https://x/y.png"))
    assert not dialect.takes(Attachment("image/tiff", data="aA=="))
    assert dialect.takes(Attachment("application/pdf", data="aA=="))
