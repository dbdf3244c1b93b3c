"""The proxy holds a model to the form, and its log says so."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests import plain
from tests.gateway.proxy.backend import Backend, served
from toolproto.endpoints.apis.asked import AnswerShape, Asked
from toolproto.endpoints.http.holding import Holding
from toolproto.endpoints.http.services import FIELDS
from toolproto.gateway.bridge.exchange import Exchange
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream, config_from
from toolproto.protocol.decoding.reply.thinking_tokens import Reasoning
from toolproto.protocol.errors import UsageError
from toolproto.protocol.grammar import departure
from toolproto.protocol.messages import ChatRequest, Message, ToolCall
from toolproto.protocol.paradigms import get_paradigm
from toolproto.protocol.paradigms.base import NO_TOOLS
from toolproto.protocol.tools.spec import ToolOffer
from toolproto.testing import STANDARD_OFFER


def exchange(**options: Any) -> Exchange:
    asked = Asked("m", (Message("user", "Oslo?"),), STANDARD_OFFER)
    return Exchange(asked, get_paradigm("hermes"), **options)


def test_a_request_brings_the_grammar_of_its_offer() -> None:
    held = exchange(constrain="auto")
    grammar = held.request.constraint.grammar
    assert departure(grammar, "Hello.") is None
    assert held.constrained == ""
    held.request.constraint.rendering = "gbnf"
    assert held.constrained == "gbnf"


PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "kind": {"enum": ["capital", "village"]}},
    "required": ["city", "kind"],
}


def shaped(offer: ToolOffer = NO_TOOLS, mode: str = "auto", **shape: Any) -> ChatRequest:
    asked = Asked("m", (Message("user", "Oslo?"),), offer, shape=AnswerShape(**shape))
    return Exchange(asked, get_paradigm("hermes"), constrain=mode).request


@pytest.mark.parametrize("service", ["llama.cpp", "vllm", "sglang", "openai", "ollama"])
def test_an_answer_is_held_to_the_schema_that_it_is_asked_in(service: str) -> None:
    held = Holding(service).held(shaped(schema=PLACE), {})
    assert held is not None and FIELDS & held.params.keys()
    grammar = held.constraint.grammar
    assert departure(grammar, '{"city": "Oslo", "kind": "capital"}') is None
    assert departure(grammar, '{"city": "Oslo", "kind": "town"}').at == 26
    assert departure(grammar, 'Here it is: {"city": "Oslo", "kind": "capital"}').at == 0


def test_a_backend_that_takes_grammars_is_told_the_format_of_an_answer() -> None:
    backend = Backend(lambda _: '{"city": "Oslo", "kind": "capital"}')
    body = {"model": "m", "stream": False, "format": PLACE}
    body["messages"] = [{"role": "user", "content": "Where?"}]
    with served(backend.app()) as upstream:
        config = ProxyConfig((Upstream(f"{upstream}/v1", service="llama.cpp"),))
        with served(make_app(config)) as url:
            came = plain.post(f"{url}/api/chat", json=body).json()
    assert json.loads(came["message"]["content"]) == {"city": "Oslo", "kind": "capital"}
    [told] = backend.bodies
    assert 'call-answer ::= "{\\"city\\": " string' in told["grammar"]


def test_a_model_that_thinks_thinks_before_its_answer() -> None:
    grammar = get_paradigm("hermes", reasoning=Reasoning()).answer_grammar(PLACE)
    said = '<think>\nA city.\n</think>\n{"city": "Oslo", "kind": "capital"}'
    assert departure(grammar, said) is None


def test_without_a_schema_or_beside_tools_an_answer_is_free() -> None:
    assert shaped().constraint is None
    assert shaped(STANDARD_OFFER, schema=PLACE).constraint is None
    assert shaped(schema=PLACE, mode="off").constraint is None


def test_a_call_that_is_demanded_comes_before_the_shape_of_an_answer() -> None:
    offer = replace(STANDARD_OFFER, choice="required")
    grammar = shaped(offer, schema=PLACE).constraint.grammar
    assert departure(grammar, get_paradigm("hermes").encode_call(ToolCall("now", {}))) is None


def test_an_answer_is_no_call_to_be_demanded() -> None:
    # A service that cannot be told the grammar is an error for calls only.
    assert Holding(None).held(shaped(schema=PLACE, mode="calls"), {}) is None


def test_off_is_off() -> None:
    assert exchange(constrain="off").request.constraint is None


def test_settings_say_which_service_and_which_mode() -> None:
    config = config_from(
        {
            "upstreams": [{"url": "http://localhost:8000/v1", "service": "vllm"}],
            "models": {"small": {"constrain": "calls"}},
        }
    )
    assert config.upstreams[0].service == "vllm"
    assert (config.terms("small").constrain, config.terms("other").constrain) == ("calls", "auto")


def test_a_word_that_is_none_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="constrain is 'yes'"):
        ModelTerms(constrain="yes")
    with pytest.raises(UsageError, match="no service 'x'"):
        Upstream("http://localhost:8000/v1", service="x")
