"""A reply, from its first byte to why it ended."""

from __future__ import annotations

import json

import pytest

from tests.endpoints.fault_server import TEXT, Fault, reply_bytes
from toolproto.endpoints.apis.dialects import DIALECTS
from toolproto.endpoints.apis.frames import MAX_FRAME
from toolproto.endpoints.http.reply_reader import HttpReplyReader, read_retry_after, refusal
from toolproto.protocol.errors import EndpointError, WireError
from toolproto.protocol.messages import Chunk, Usage


def read(dialect, *pieces):
    reader = HttpReplyReader(DIALECTS[dialect])
    chunks = [chunk for piece in pieces for chunk in reader.feed(piece)]
    return chunks + list(reader.finish())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_last_chunk_says_why_it_ended_and_what_it_took(dialect):
    _, body, _ = reply_bytes(Fault(dialect=dialect), chunked=False)
    for pieces in ([body], [body[at : at + 1] for at in range(len(body))]):
        chunks = read(dialect, *pieces)
        assert "".join(chunk.text for chunk in chunks) == TEXT
        assert chunks[-1].finish_reason == "stop" and chunks[-1].usage.input_tokens == 5
        assert all(chunk.finish_reason is None and chunk.usage is None for chunk in chunks[:-1])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_chunk_has_the_block_that_it_was_read_from(dialect):
    _, body, _ = reply_bytes(Fault(dialect=dialect), chunked=False)
    blocks = [frame.data for frame in DIALECTS[dialect].frames().feed(body)]
    chunks = read(dialect, body)
    said = [blocks.index(chunk.raw) for chunk in chunks if chunk.text]
    assert said and said == sorted(set(said))
    assert chunks[-1].raw in blocks[said[-1] :] or not chunks[-1].raw


def test_done_without_a_reason_counts_as_stopped():
    text = b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: [DONE]\n\n'
    assert read("openai_chat", text) == [Chunk("Hi"), Chunk(finish_reason="stop")]


@pytest.mark.parametrize(
    "dialect, text",
    [
        ("openai_chat", b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\n'),
        ("openai_completions", b'data: {"choices": [{"text": "Hi"}]}\n\n'),
        ("anthropic", b'data: {"type": "message_stop"}\n\n'),
        ("ollama", b'{"message": {"content": "Hi"}}\n'),
        ("openai_chat", b""),
        ("openai_chat", b": only comments\n\n"),
    ],
)
def test_no_reason_is_made_up_for_a_reply_that_was_broken_off(dialect, text):
    with pytest.raises(WireError, match="without a finish reason") as caught:
        read(dialect, text)
    assert caught.value.body == text.decode().lstrip()


@pytest.mark.parametrize("text", [b"%PDF-1.7\n\xe2\xe3", b"plain words, no stream"])
def test_what_is_no_reply_at_all_is_shown_and_the_address_doubted(text):
    with pytest.raises(WireError, match=r"not a chat reply .it begins with '%?P") as caught:
        read("openai_chat", text.replace(b"plain", b"Plain"))
    assert str(caught.value).endswith("check the address")


def test_a_frame_that_was_cut_off_is_an_error():
    with pytest.raises(WireError, match="not a JSON object"):
        read("openai_chat", b'data: {"choices": [{"delta": {"con')


def test_a_broken_last_frame_costs_nothing_once_the_reason_is_known():
    text = b'data: {"choices": [{"delta": {}, "finish_reason": "length"}]}\n\ndata: {"us'
    assert read("openai_chat", text) == [Chunk(finish_reason="length")]


def test_what_comes_before_an_error_is_handed_on_first():
    reader = HttpReplyReader(DIALECTS["openai_chat"])
    chunks = reader.feed(
        b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: {"error": "boom"}\n\n'
    )
    assert next(chunks) == Chunk("Hi")
    with pytest.raises(EndpointError, match="boom"):
        next(chunks)


@pytest.mark.parametrize("reason", ["length", None])
def test_one_json_value_instead_of_a_stream_is_read(reason):
    choice = {"message": {"content": "Hi"}, "finish_reason": reason}
    body = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 1}}, indent=2).encode()
    expected = [Chunk("Hi"), Chunk(finish_reason=reason or "stop", usage=Usage(1, 0))]
    assert read("openai_chat", b" \r\n", body[:9], body[9:]) == expected


@pytest.mark.parametrize("body", [b'{"choices": [', b"[]", b'"sorry"', b"{}", b'{"choices": []}'])
def test_one_json_value_that_is_no_reply_is_an_error(body):
    with pytest.raises(WireError):
        read("openai_chat", body)


def test_one_json_value_without_end_is_refused():
    reader = HttpReplyReader(DIALECTS["openai_chat"])
    with pytest.raises(WireError, match="more than"):
        for _ in range(MAX_FRAME // 65536 + 1):
            list(reader.feed(b"{" * 65536))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_page_is_no_reply_and_its_beginning_is_kept(dialect):
    with pytest.raises(WireError, match="a page") as caught:
        read(dialect, b"\n <!DOCTYPE html>", b"<html>Sign in</html>")
    assert caught.value.body.startswith("<!DOCTYPE html>")


def test_counts_that_come_bit_by_bit_are_put_together():
    text = (
        b'data: {"type": "message_start", "message": {"usage": {"input_tokens": 9, '
        b'"output_tokens": 1}}}\n\ndata: {"type": "message_delta", "delta": {"stop_reason": '
        b'"end_turn"}, "usage": {"output_tokens": 30}}\n\ndata: {"type": "message_stop"}\n\n'
    )
    assert read("anthropic", text) == [Chunk(finish_reason="stop", usage=Usage(9, 30))]


# -- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body, words",
    [
        (b'{"error": {"message": "slow down", "type": "x"}}', "slow down"),
        (b'{"error": "slow down"}', "slow down"),
        (b'{"detail": [{"loc": ["body"], "msg": "bad"}]}', "bad"),
        (b'{"message": "slow down"}', "slow down"),
        (b"<h1>slow\n  down</h1>", "<h1>slow down</h1>"),
        (b'[{"error": 1}]', "error"),
        (b"\xff\xfe", "\ufffd"),
        (b"[" * 100_000, "[["),
        (b"", "429 Too Many Requests"),
    ],
)
def test_a_refusal_says_what_the_service_said(body, words):
    error = refusal(429, {"retry-after": "3"}, body, 0.0)
    assert words in str(error) and len(str(error)) < 500
    assert (error.status, error.retry_after) == (429, 3.0)


def test_a_status_nobody_knows_is_a_refusal_too():
    assert "299" not in str(refusal(599, {}, b"", 0.0))
    assert "599" in str(refusal(599, {}, b"", 0.0))


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        *(
            ({"retry-after": nonsense}, None)
            for nonsense in ("", "soon", "-5", "inf", "nan", "1e999", "9" * 400, "٣", "1.2.3")
        ),
        ({"retry-after": "Thu, 99 Foo 9999999999 00:00:00 GMT"}, None),
        ({}, None),
    ],
)
def test_how_long_a_service_asks_to_be_left_alone(headers, seconds):
    assert read_retry_after(headers, 100.0) == seconds
