"""The proxy holds a model to the form, and its log says so."""

from __future__ import annotations

from typing import Any

import pytest

from toolproto.bridge.asked import Asked
from toolproto.bridge.exchange import Exchange
from toolproto.errors import UsageError
from toolproto.grammar import departure
from toolproto.messages import Message
from toolproto.paradigms import get_paradigm
from toolproto.proxy.config import ModelTerms, Upstream, config_from
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
