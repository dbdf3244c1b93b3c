"""A tiny model in vLLM, on the processor: a reply, a stream, stops, a grammar, a cancel, an error.

``make libraries`` runs it where vLLM is installed; the usual run has none.
"""

from __future__ import annotations

import asyncio
import os

import pytest

from toolproto import (
    AsyncChatSession,
    ChatRequest,
    ChatSession,
    EndpointError,
    Message,
    TurnLimits,
    UsageError,
    tool,
)
from toolproto.endpoints import VllmEndpoint

torch = pytest.importorskip("torch")
# Read when vLLM is imported. Not set where there is none: other tests in this process would see it.
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
vllm = pytest.importorskip("vllm")
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours

from .tiny import REQUEST, chunks_of, text_of, tokenizer  # noqa: E402


@pytest.fixture(scope="module")
def llm(tmp_path_factory):
    import transformers

    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=257, hidden_size=64, intermediate_size=64, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=2048,
        bos_token_id=None, eos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny")
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return vllm.LLM(
        str(folder), dtype="float32", enforce_eager=True, max_model_len=2048, max_num_seqs=4
    )


def test_a_reply_is_streamed_with_its_end_and_its_counts(llm):
    chunks = chunks_of(VllmEndpoint(llm))
    assert len(chunks) > 3 and text_of(chunks)
    assert chunks[-1].finish_reason == "length"
    counted = chunks[-1].usage
    asked = len("<user>Be brief.\n\nHi<model>")
    assert (counted.input_tokens, counted.output_tokens) == (asked, 24)


def test_greedy_replies_and_seeds_are_the_same_again(llm):
    endpoint = VllmEndpoint(llm)
    assert text_of(chunks_of(endpoint)) == text_of(chunks_of(endpoint))
    drawn = ChatRequest(REQUEST.messages, params={"max_tokens": 12, "temperature": 1, "seed": 5})
    assert text_of(chunks_of(endpoint, drawn)) == text_of(chunks_of(endpoint, drawn))


def test_a_stop_sequence_ends_the_reply_and_is_no_part_of_it(llm):
    endpoint = VllmEndpoint(llm)
    whole = text_of(chunks_of(endpoint))
    stop = whole[6:9]
    cut = chunks_of(endpoint, ChatRequest(REQUEST.messages, (stop,), REQUEST.params))
    assert text_of(cut) == whole[: whole.index(stop)]
    assert cut[-1].finish_reason == "stop" and cut[-1].usage.output_tokens < 24


@tool
def go(way: bool) -> str:
    """Go on or not."""
    return "gone"


def test_a_reply_is_held_to_the_grammar_of_its_calls(llm):
    """A random model writes noise; only a grammar can make a call of it."""
    endpoint = VllmEndpoint(llm, params={"temperature": 0, "max_tokens": 300})
    session = ChatSession(endpoint, "json_strict", [go], limits=TurnLimits(rounds=1))
    result = session.send("Go.", choice="go")
    assert endpoint.holding.refused == ""
    assert [record.call.name for record in result.calls][:1] == ["go"]


def test_a_structured_answer_is_held_to_its_schema(llm):
    endpoint = VllmEndpoint(llm, params={"temperature": 0, "max_tokens": 300})
    result = ChatSession(endpoint, "json_strict").send("Yes or no?", output=bool)
    assert result.output in (True, False) and result.stats.reasks == 0


def test_a_session_is_cancelled_and_goes_on(llm):
    session = ChatSession(VllmEndpoint(llm, params={"max_tokens": 1800, "temperature": 0}))
    with session.stream("Hi") as events:
        for _ in zip(events, range(8), strict=False):
            pass
        session.cancel()
        list(events)
    assert session.result.status == "aborted"
    assert not llm.llm_engine.has_unfinished_requests()
    again = ChatSession(VllmEndpoint(llm, params={"max_tokens": 3, "temperature": 0}))
    assert again.send("Hi").usage.output_tokens == 3


def test_the_same_from_an_event_loop(llm):
    async def run() -> int:
        params = {"max_tokens": 8, "temperature": 0}
        async with AsyncChatSession(VllmEndpoint(llm, params=params)) as session:
            return (await session.send("Hi")).usage.output_tokens

    assert asyncio.run(run()) == 8


def test_what_the_model_raises_is_an_endpoint_error(llm):
    with pytest.raises(EndpointError, match="no_such_option"):
        chunks_of(VllmEndpoint(llm, params={"no_such_option": 1}))
    with pytest.raises(EndpointError):
        chunks_of(VllmEndpoint(llm), ChatRequest((Message("user", "long " * 2000),)))
    assert chunks_of(VllmEndpoint(llm))[-1].finish_reason == "length"


def test_what_is_no_model_is_refused():
    with pytest.raises(UsageError, match=r"vllm\.LLM"):
        VllmEndpoint("a name")
