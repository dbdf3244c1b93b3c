"""A tiny model of mlx-lm, on the processor.

``make libraries`` runs it where mlx-lm is installed; the usual run has none.
"""

from __future__ import annotations

import pytest

from toolproto import UsageError
from toolproto.endpoints import MlxEndpoint

mx = pytest.importorskip("mlx.core")
mlx_lm = pytest.importorskip("mlx_lm")
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours

from mlx_lm.models import llama  # noqa: E402
from mlx_lm.tokenizer_utils import TokenizerWrapper  # noqa: E402

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

mx.set_default_device(mx.cpu)


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


@pytest.fixture
def make(model):
    return lambda **params: MlxEndpoint(model, TokenizerWrapper(tokenizer()), params=params)


def test_a_model_without_a_template_works(model):
    bare = TokenizerWrapper(tokenizer(template=None))
    chunks = chunks_of(MlxEndpoint(model, bare, params={"max_tokens": 5}))
    assert chunks[-1].usage.input_tokens > len("<|im_start|>system")


def test_what_is_no_model_is_refused(model):
    with pytest.raises(UsageError, match="mlx_lm"):
        MlxEndpoint("a name", TokenizerWrapper(tokenizer()))
    with pytest.raises(UsageError, match="mlx_lm"):
        MlxEndpoint(model, None)
