"""A tiny model of transformers: a reply, a stream, stop sequences, a cancel, an error.

``make libraries`` runs it where they are installed; the usual run has no torch.
"""

from __future__ import annotations

import asyncio

import pytest

from toolproto import AsyncChatSession, ChatRequest, ChatSession, EndpointError, UsageError
from toolproto.endpoints import TransformersEndpoint

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours

from .tiny import REQUEST, chunks_of, text_of, tokenizer  # noqa: E402


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=257, hidden_size=16, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=4096,
        bos_token_id=None, eos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    made = transformers.LlamaForCausalLM(config)
    made.eval()
    return made


def test_a_reply_is_streamed_with_its_end_and_its_counts(model):
    chunks = chunks_of(TransformersEndpoint(model, tokenizer()))
    assert len(chunks) > 3 and text_of(chunks)
    assert chunks[-1].finish_reason == "length"
    assert (chunks[-1].usage.input_tokens, chunks[-1].usage.output_tokens) == (
        len("<user>Be brief.\n\nHi<model>"),
        24,
    )


def test_greedy_replies_and_seeds_are_the_same_again(model):
    endpoint = TransformersEndpoint(model, tokenizer())
    assert text_of(chunks_of(endpoint)) == text_of(chunks_of(endpoint))
    drawn = ChatRequest(REQUEST.messages, params={"max_tokens": 12, "temperature": 1, "seed": 5})
    assert text_of(chunks_of(endpoint, drawn)) == text_of(chunks_of(endpoint, drawn))


def test_a_stop_sequence_ends_the_reply_and_is_no_part_of_it(model):
    endpoint = TransformersEndpoint(model, tokenizer())
    whole = text_of(chunks_of(endpoint))
    stop = whole[6:9]
    cut = chunks_of(endpoint, ChatRequest(REQUEST.messages, (stop,), REQUEST.params))
    assert text_of(cut) == whole[: whole.index(stop)]
    assert cut[-1].finish_reason == "stop" and cut[-1].usage.output_tokens < 24


def test_a_pipeline_and_a_model_without_a_template_work(model):
    pipeline = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer(None))
    chunks = chunks_of(TransformersEndpoint(pipeline, params={"max_new_tokens": 5}))
    assert chunks[-1].usage.input_tokens > len("<|im_start|>system")


def test_leaving_a_reply_stops_the_model(model):
    endpoint = TransformersEndpoint(model, tokenizer(), params={"max_tokens": 4000})
    request = ChatRequest(REQUEST.messages, params={"temperature": 0})
    with endpoint.stream(request) as chunks:
        next(iter(chunks))
    # The model is free again long before 4,000 tokens were written.
    assert len(chunks_of(endpoint)) > 1


def test_a_session_is_cancelled_and_goes_on(model):
    endpoint = TransformersEndpoint(
        model, tokenizer(), params={"max_tokens": 2000, "temperature": 0}
    )
    session = ChatSession(endpoint)
    with session.stream("Hi") as events:
        for _ in zip(events, range(8), strict=False):
            pass
        session.cancel()
        list(events)
    assert session.result.status == "aborted"


def test_the_same_from_an_event_loop(model):
    async def run() -> str:
        params = {"max_tokens": 8, "temperature": 0}
        endpoint = TransformersEndpoint(model, tokenizer(), params=params)
        async with AsyncChatSession(endpoint) as session:
            return (await session.send("Hi")).partial_text

    assert isinstance(asyncio.run(run()), str)


def test_what_the_model_raises_is_an_endpoint_error(model):
    endpoint = TransformersEndpoint(model, tokenizer(), params={"no_such_option": 1})
    with pytest.raises(EndpointError, match="no_such_option"):
        chunks_of(endpoint)


def test_what_is_no_model_is_refused(model):
    with pytest.raises(UsageError, match="a text-generation pipeline"):
        TransformersEndpoint(model)
    with pytest.raises(UsageError):
        TransformersEndpoint(object(), tokenizer())
