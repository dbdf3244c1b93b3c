"""vLLM's server, with a tiny model on the processor, also held to grammars.

``make libraries`` runs it where vLLM is installed; the usual run has none.
"""

from __future__ import annotations

import pytest

from toolproto import ChatRequest, ChatSession, EndpointError, Message, TurnLimits, tool
from toolproto.endpoints import HttpEndpoint

pytest.importorskip("vllm")
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours

from .same_for_all import (  # noqa: E402, F401
    test_a_reply_is_streamed_with_its_end_and_its_counts,
    test_a_session_is_cancelled_and_goes_on,
    test_leaving_a_reply_leaves_the_server_free,
    test_the_same_from_an_event_loop,
)
from .serving import serving  # noqa: E402
from .tiny import chunks_of, save_llama  # noqa: E402

#: The model's dtype is that of its weights; the rest keeps the server small.
OPTIONS = (
    *("--served-model-name", "tiny", "--dtype", "float32", "--enforce-eager"),
    *("--max-model-len", "2048", "--max-num-seqs", "4"),
)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    folder = save_llama(tmp_path_factory.mktemp("tiny"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
        patch.setenv("VLLM_NO_USAGE_STATS", "1")
        patch.setenv("HF_HUB_OFFLINE", "1")
        # What ``vllm serve`` runs; that command itself looks for a package called "vllm", and the
        # one for processors has another name.
        server = ("python", "-m", "vllm.entrypoints.openai.api_server", "--model", str(folder))
        with serving(*server, *OPTIONS, folder=folder) as url:
            yield url


@pytest.fixture
def make(url):
    return lambda **params: HttpEndpoint(url, model="tiny", service="vllm", params=params)


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
