"""A tiny model of mlx-lm, on the processor: a reply, a stream, stop sequences, a cancel, an error.

``make libraries`` runs it where mlx-lm is installed; the usual run has none.
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
from toolproto.endpoints import MlxEndpoint

mx = pytest.importorskip("mlx.core")
mlx_lm = pytest.importorskip("mlx_lm")
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours

from mlx_lm.models import llama  # noqa: E402
from mlx_lm.tokenizer_utils import TokenizerWrapper  # noqa: E402

from .tiny import REQUEST, chunks_of, text_of, tokenizer  # noqa: E402

mx.set_default_device(mx.cpu)


def wrapped(**terms):
    return TokenizerWrapper(tokenizer(**terms))


@pytest.fixture(scope="module")
def model():
    mx.random.seed(3)
    terms = llama.ModelArgs(
        model_type="llama", hidden_size=16, num_hidden_layers=1, intermediate_size=32,
        num_attention_heads=2, num_key_value_heads=2, rms_norm_eps=1e-5, vocab_size=257,
    )  # fmt: skip
    made = llama.Model(terms)
    mx.eval(made.parameters())
    return made


def test_a_reply_is_streamed_with_its_end_and_its_counts(model):
    chunks = chunks_of(MlxEndpoint(model, wrapped()))
    assert len(chunks) > 3 and text_of(chunks)
    assert chunks[-1].finish_reason == "length"
    counted = chunks[-1].usage
    asked = len("<user>Be brief.\n\nHi<model>")
    assert (counted.input_tokens, counted.output_tokens) == (asked, 24)


def test_greedy_replies_and_seeds_are_the_same_again(model):
    endpoint = MlxEndpoint(model, wrapped())
    assert text_of(chunks_of(endpoint)) == text_of(chunks_of(endpoint))
    drawn = ChatRequest(REQUEST.messages, params={"max_tokens": 12, "temperature": 1, "seed": 5})
    assert text_of(chunks_of(endpoint, drawn)) == text_of(chunks_of(endpoint, drawn))


def test_a_stop_sequence_ends_the_reply_and_is_no_part_of_it(model):
    endpoint = MlxEndpoint(model, wrapped())
    whole = text_of(chunks_of(endpoint))
    stop = whole[6:9]
    cut = chunks_of(endpoint, ChatRequest(REQUEST.messages, (stop,), REQUEST.params))
    assert text_of(cut) == whole[: whole.index(stop)]
    assert cut[-1].finish_reason == "stop" and cut[-1].usage.output_tokens < 24


def test_a_model_without_a_template_works(model):
    chunks = chunks_of(MlxEndpoint(model, wrapped(template=None), params={"max_tokens": 5}))
    assert chunks[-1].usage.input_tokens > len("<|im_start|>system")


def test_a_session_is_cancelled_and_goes_on(model):
    session = ChatSession(
        MlxEndpoint(model, wrapped(), params={"max_tokens": 4000, "temperature": 0})
    )
    with session.stream("Hi") as events:
        for _ in zip(events, range(8), strict=False):
            pass
        session.cancel()
        list(events)
    assert session.result.status == "aborted"
    again = ChatSession(MlxEndpoint(model, wrapped(), params={"max_tokens": 3, "temperature": 0}))
    assert again.send("Hi").usage.output_tokens == 3


def test_the_same_from_an_event_loop(model):
    async def run() -> int:
        params = {"max_tokens": 8, "temperature": 0}
        async with AsyncChatSession(MlxEndpoint(model, wrapped(), params=params)) as session:
            return (await session.send("Hi")).usage.output_tokens

    assert asyncio.run(run()) == 8


def test_what_the_model_raises_is_an_endpoint_error(model):
    endpoint = MlxEndpoint(model, wrapped(), params={"no_such_option": 1})
    with pytest.raises(EndpointError, match="no_such_option"):
        chunks_of(endpoint)


def test_what_is_no_model_is_refused(model):
    with pytest.raises(UsageError, match="mlx_lm"):
        MlxEndpoint("a name", wrapped())
    with pytest.raises(UsageError, match="mlx_lm"):
        MlxEndpoint(model, None)


def test_pictures_are_refused(model):
    seen = Message("user", "look", attachments=(Attachment("image/png", data="aA=="),))
    with pytest.raises(UsageError, match="cannot be shown pictures"):
        chunks_of(MlxEndpoint(model, wrapped()), ChatRequest((seen,)))
