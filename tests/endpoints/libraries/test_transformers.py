"""Hugging Face's transformers with a tiny model: their server, and the function of the docs.

``make libraries`` runs it where they are installed; the usual run has no torch.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from toolproto import AsyncChatSession, ChatRequest, ChatSession, EndpointError, tool
from toolproto.endpoints import FunctionEndpoint, HttpEndpoint

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours

from .same_for_all import (  # noqa: E402, F401
    test_a_reply_is_streamed_with_its_end_and_its_counts,
    test_a_session_is_cancelled_and_goes_on,
    test_leaving_a_reply_leaves_the_server_free,
    test_the_same_from_an_event_loop,
)
from .serving import serving  # noqa: E402
from .tiny import REQUEST, chunks_of, save_llama, text_of  # noqa: E402

PAGE = Path(__file__).parents[3] / "docs" / "local-models.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_llama(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def url(folder):
    with serving("transformers", "serve", str(folder), "--device", "cpu", folder=folder) as url:
        yield url


@pytest.fixture
def make(url, folder):
    return lambda **params: HttpEndpoint(url, model=str(folder), params=params)


# -- the function of docs/local-models.md ----------------------------------------------------


@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return "sunny"


@pytest.fixture(scope="module")
def written(folder):
    """What the example of the page defines, with the tiny model in place of the one it names."""
    [code] = [
        each
        for each in re.findall(r"```py\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
        if "TextIteratorStreamer" in each
    ]
    world: dict[str, object] = {"get_weather": get_weather}
    exec(code.replace('"Qwen/Qwen2.5-1.5B-Instruct"', repr(str(folder))), world)
    return world


@pytest.fixture
def inside(written):
    return FunctionEndpoint(written["transformers_reply"])


def test_a_function_streams_what_a_model_in_this_process_writes(inside):
    chunks = chunks_of(inside)
    assert len(chunks) > 3 and text_of(chunks) == text_of(chunks_of(inside))
    assert chunks[-1].finish_reason == "stop"


def test_a_function_ends_at_a_stop_sequence(inside):
    whole = text_of(chunks_of(inside))
    stop = next(each for each in whole[6:] if each.isascii())
    cut = text_of(chunks_of(inside, ChatRequest(REQUEST.messages, (stop,), REQUEST.params)))
    assert len(cut) < len(whole) and whole.startswith(cut)


def test_leaving_a_function_stops_the_model(inside, written):
    steps: list[int] = []
    hook = written["model"].register_forward_pre_hook(lambda *_: steps.append(1))
    with inside.stream(ChatRequest(REQUEST.messages, params={"max_tokens": 1800})) as chunks:
        next(iter(chunks))
    hook.remove()
    assert len(steps) < 1800
    assert text_of(chunks_of(inside))


def test_what_a_model_in_a_function_raises_is_an_endpoint_error(inside, written):
    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    hook = written["model"].register_forward_pre_hook(fail)
    with pytest.raises(EndpointError, match="out of memory"):
        chunks_of(inside)
    hook.remove()
    assert text_of(chunks_of(inside))


def test_a_function_is_an_endpoint_for_both_sessions(written):
    reply = written["transformers_reply"]
    params = {"max_tokens": 8, "temperature": 0}
    said = ChatSession(reply, params=params).send("Hi").partial_text

    async def run() -> str:
        async with AsyncChatSession(reply, params=params) as session:
            return (await session.send("Hi")).partial_text

    assert said and asyncio.run(run()) == said
