"""The server of mlx-lm, with a tiny model on the processor.

``make libraries`` runs it where mlx-lm is installed; the usual run has none.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from toolproto.endpoints import HttpEndpoint

mx = pytest.importorskip("mlx.core")
pytest.importorskip("mlx_lm")
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours

from mlx.utils import tree_flatten  # noqa: E402
from mlx_lm.models import llama  # noqa: E402

from .same_for_all import (  # noqa: E402, F401
    test_a_reply_is_streamed_with_its_end_and_its_counts,
    test_a_session_is_cancelled_and_goes_on,
    test_leaving_a_reply_leaves_the_server_free,
    test_the_same_from_an_event_loop,
)
from .serving import serving  # noqa: E402
from .tiny import tokenizer  # noqa: E402


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    mx.set_default_device(mx.cpu)
    mx.random.seed(3)
    terms = llama.ModelArgs(
        model_type="llama", hidden_size=16, num_hidden_layers=1, intermediate_size=32,
        num_attention_heads=2, num_key_value_heads=2, rms_norm_eps=1e-5, vocab_size=257,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny")
    weights = dict(tree_flatten(llama.Model(terms).parameters()))
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})
    known = {name: value for name, value in asdict(terms).items() if value is not None}
    (folder / "config.json").write_text(json.dumps({**known, "max_position_embeddings": 4096}))
    tokenizer().save_pretrained(folder)
    with serving("mlx_lm.server", "--model", str(folder), folder=folder) as url:
        yield url


@pytest.fixture
def make(url):
    return lambda **params: HttpEndpoint(url, model="default_model", params=params)
