"""llama.cpp's own HTTP server takes our tools, and its calls are read."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from tests.endpoints.apis.offers import WEATHER
from tests.endpoints.asking import both_ways
from tests.endpoints.local.llama_server import serving
from toolproto.endpoints import HttpEndpoint, Retries
from toolproto.protocol.errors import EndpointError, ToolsRefused
from toolproto.protocol.messages import ChatRequest, Message, ToolCall, ToolResult
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

#: That of smollm2 knows no tools: the server takes them, and tells the model nothing of them.
TEMPLATE = """\
{%- if tools %}<|im_start|>system
You may call these tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}{% for message in messages %}{% if message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% elif message.tool_calls %}<|im_start|>assistant
{% for call in message.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def turn(city):
    """What a model goes on with that does as it did before."""
    call = ToolCall("get_weather", {"city": city}, f"call_{city}")
    return (
        Message("user", f"Weather in {city}?"),
        Message("assistant", "", calls=(call,)),
        Message("user", "", results=(ToolResult(call, "sun"),)),
        Message("assistant", "The sun shines."),
    )


ASKED = (*turn("Rome"), *turn("Paris"), Message("user", "Weather in Oslo?"))
OFFER = ToolOffer((WEATHER,))
REQUEST = ChatRequest(ASKED, params={"max_tokens": 80, "temperature": 0}, offer=OFFER)
ask, ask_async = both_ways(REQUEST)
both = pytest.mark.parametrize("ask", [ask, ask_async])


@pytest.fixture(scope="module")
def address(model_path):
    with serving(model_path, context=1024, template=TEMPLATE) as address:
        yield address


@pytest.fixture
def served(address):
    retries = Retries(attempts=1)
    with HttpEndpoint(f"{address}/v1", model="m", native="auto", retries=retries) as made:
        yield made


@both
def test_a_call_of_a_real_model_is_streamed_in_pieces(served, ask):
    chunks = ask(served)
    first, *others = [piece for chunk in chunks for piece in chunk.calls]
    assert first.name == "get_weather" and first.id and first.slot == 0
    assert not any(piece.name or piece.id for piece in others)
    arguments = "".join(piece.arguments for piece in (first, *others))
    assert {*json.loads(arguments)} == {"city"} and len(others) > 2
    assert not any(chunk.text for chunk in chunks) and chunks[-1].finish_reason == "tool_calls"


def test_a_call_comes_whole_where_nothing_is_streamed(address):
    with HttpEndpoint(
        f"{address}/v1",
        model="m",
        native="auto",
        extra_body={"stream": False, "stream_options": None},
    ) as endpoint:
        (called, ended) = ask(endpoint)
    (piece,) = called.calls
    assert piece.name == "get_weather" and {*json.loads(piece.arguments)} == {"city"}
    assert ended.finish_reason == "tool_calls"


def test_where_no_tool_may_be_called_none_is(served):
    params = {"max_tokens": 8, "temperature": 0}
    chunks = ask(served, replace(REQUEST, offer=replace(OFFER, choice="none"), params=params))
    assert not any(chunk.calls for chunk in chunks)


def test_a_schema_that_cannot_be_compiled_is_sent_with_less(served, caplog):
    caplog.set_level(logging.INFO, "toolproto")
    broken = ToolSpec("f", "", {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}})
    assert ask(served, replace(REQUEST, offer=ToolOffer((broken,))))[-1].finish_reason
    assert "f: a `$ref` that it does not follow" in caplog.text and served.offers_tools


def test_a_conversation_that_is_too_long_is_no_refusal_of_tools(served):
    with pytest.raises(EndpointError, match="context size") as caught:
        ask(served, replace(REQUEST, messages=(Message("user", "word " * 2000),)))
    assert type(caught.value) is EndpointError


def test_a_server_without_jinja_has_no_tools(quick_path):
    with (
        serving(quick_path, jinja=False) as address,
        HttpEndpoint(f"{address}/v1", model="m", native="auto") as endpoint,
    ):
        with pytest.raises(ToolsRefused, match="--jinja") as caught:
            ask(endpoint)
        assert caught.value.remembered and not endpoint.offers_tools
        assert ask(endpoint, ChatRequest((Message("user", "Hi"),), params={"max_tokens": 2}))
