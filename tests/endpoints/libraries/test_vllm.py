"""A tiny model in vLLM, on the processor, also held to grammars.

``make libraries`` runs it where vLLM is installed; the usual run has none.
"""

from __future__ import annotations

import os

import pytest

from toolproto import (
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

from .same_for_all import (  # noqa: E402, F401
    test_a_reply_is_streamed_with_its_end_and_its_counts,
    test_a_session_is_cancelled_and_goes_on,
    test_a_stop_sequence_ends_the_reply_and_is_no_part_of_it,
    test_greedy_replies_and_seeds_are_the_same_again,
    test_leaving_a_reply_stops_the_model,
    test_pictures_are_refused,
    test_the_same_from_an_event_loop,
    test_what_the_model_raises_is_an_endpoint_error,
)
from .tiny import chunks_of, tokenizer  # noqa: E402


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


@pytest.fixture
def make(llm):
    yield lambda **params: VllmEndpoint(llm, params=params)
    assert not llm.llm_engine.has_unfinished_requests()


@tool
def go(way: bool) -> str:
    """Go on or not."""
    return "gone"


def test_a_reply_is_held_to_the_grammar_of_its_calls(make):
    """A random model writes noise; only a grammar can make a call of it."""
    endpoint = make(temperature=0, max_tokens=300)
    session = ChatSession(endpoint, "json_strict", [go], limits=TurnLimits(rounds=1))
    result = session.send("Go.", choice="go")
    assert endpoint.holding.refused == ""
    assert [record.call.name for record in result.calls][:1] == ["go"]


def test_a_structured_answer_is_held_to_its_schema(make):
    session = ChatSession(make(temperature=0, max_tokens=300), "json_strict")
    result = session.send("Yes or no?", output=bool)
    assert result.output in (True, False) and result.stats.reasks == 0


def test_a_prompt_that_is_too_long_is_an_endpoint_error(make):
    with pytest.raises(EndpointError):
        chunks_of(make(), ChatRequest((Message("user", "long " * 2000),)))


def test_what_is_no_model_is_refused():
    with pytest.raises(UsageError, match=r"vllm\.LLM"):
        VllmEndpoint("a name")
