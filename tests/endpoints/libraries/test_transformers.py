"""A tiny model of transformers.

``make libraries`` runs it where they are installed; the usual run has no torch.
"""

from __future__ import annotations

import pytest

from toolproto import UsageError
from toolproto.endpoints import TransformersEndpoint

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
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


@pytest.fixture
def make(model):
    return lambda **params: TransformersEndpoint(model, tokenizer(), params=params)


def test_a_pipeline_and_a_model_without_a_template_work(model):
    pipeline = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer(None))
    chunks = chunks_of(TransformersEndpoint(pipeline, params={"max_new_tokens": 5}))
    assert chunks[-1].usage.input_tokens > len("<|im_start|>system")


def test_what_is_no_model_is_refused(model):
    with pytest.raises(UsageError, match="a text-generation pipeline"):
        TransformersEndpoint(model)
    with pytest.raises(UsageError):
        TransformersEndpoint(object(), tokenizer())
