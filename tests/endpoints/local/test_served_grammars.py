"""llama.cpp's own HTTP server takes our grammars, as a service that somebody else runs."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import replace

import pytest

from tests.amount import some
from tests.endpoints.local.llama_server import serving
from tests.patience import PATIENCE
from toolproto.endpoints import HttpEndpoint
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.grammar import departure
from toolproto.protocol.grammar.constraint import Constraint
from toolproto.protocol.grammar.gbnf import gbnf
from toolproto.protocol.messages import ChatRequest, Message
from toolproto.protocol.paradigms import get_paradigm
from toolproto.testing import STANDARD_OFFER

ASKED = (Message("user", "Tell me a joke."),)
NOW = replace(STANDARD_OFFER, choice="now", parallel=False)


@pytest.fixture(scope="module")
def address(model_path):
    with serving(model_path) as address:
        yield address


@pytest.fixture(scope="module")
def quick_address(quick_path):
    with serving(quick_path) as address:
        yield address


@pytest.fixture
def served(quick_address):
    with HttpEndpoint(f"{quick_address}/v1", model="m", service="llama.cpp") as made:
        yield made


@pytest.fixture
def served_well(address):
    """By a model that goes on as it was shown."""
    with HttpEndpoint(f"{address}/v1", model="m", service="llama.cpp") as made:
        yield made


def said(endpoint, request):
    with endpoint.stream(request) as chunks:
        return "".join(chunk.text for chunk in chunks)


def test_the_server_holds_the_model_to_a_demanded_call(served):
    paradigm = get_paradigm("json_strict")
    constraint = Constraint(lambda: paradigm.grammar(NOW), demanded=True)
    params = {"max_tokens": 60, "temperature": 0}
    text = said(served, ChatRequest(ASKED, params=params, constraint=constraint))
    assert departure(paradigm.grammar(NOW), text) is None
    assert [call.name for call in paradigm.parse_response(text, NOW).calls] == ["now"]
    assert constraint.rendering == "gbnf" and not served.holding.refused


def test_words_stay_free_under_the_whole_grammar(served):
    paradigm = get_paradigm("hermes")
    held = Constraint(lambda: paradigm.grammar(STANDARD_OFFER))
    params = {"max_tokens": 6, "temperature": 0}
    with_grammar = said(served, ChatRequest(ASKED, params=params, constraint=held))
    assert held.rendering == "gbnf"
    assert with_grammar == said(served, ChatRequest(ASKED, params=params))


# What the model goes on to write by itself: a call that is none.
SHOWN = '<tool_call>\n{"name": "now", "at": 1}\n</tool_call>'
CALL = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'


def test_words_are_held_from_a_known_name_on_under_the_whole_grammar(served_well):
    paradigm = get_paradigm("hermes")
    one = replace(STANDARD_OFFER, tools=STANDARD_OFFER.tools[-1:], parallel=False)
    turns = (Message("user", "one"), Message("assistant", SHOWN)) * 2
    params = {"max_tokens": 30, "temperature": 0}
    asked = ChatRequest((*turns, Message("user", "one")), params=params)
    assert said(served_well, asked).startswith(SHOWN)
    held = Constraint(lambda: paradigm.grammar(one))
    assert said(served_well, replace(asked, constraint=held)) == CALL


def completed(address, path, **body):
    asked = urllib.request.Request(
        f"{address}{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
        return json.load(answer)


def waiting(kind, triggers):
    """A grammar that sleeps until one of *triggers* comes: a word (1) or a pattern (2)."""
    one = replace(STANDARD_OFFER, tools=STANDARD_OFFER.tools[-1:], parallel=False)
    grammar = get_paradigm("hermes").grammar(one)
    listed = [{"type": kind, "value": each} for each in triggers or grammar.triggers]
    return {
        "grammar": gbnf(grammar, lazy=True), "grammar_lazy": True, "grammar_triggers": listed
    }  # fmt: skip


# What the server does by itself, for those who send it a grammar of ours: one will do.
TRIGGERS = [
    pytest.param(1, (), CALL, id="a word"),
    pytest.param(2, ("<tool_[a-z]+>",), CALL, id="a pattern"),
    pytest.param(1, ("<other>",), SHOWN, id="a word that does not come"),
]


@pytest.mark.parametrize(("kind", "triggers", "said"), some(TRIGGERS, 3))
def test_a_grammar_that_waits_wakes_at_its_trigger(address, kind, triggers, said):
    prompt = f"one\n{SHOWN}\n" * 2 + "one\n"
    body = {"prompt": prompt, "n_predict": 30, "temperature": 0}
    told = completed(address, "/completion", **body, **waiting(kind, triggers))
    assert told["generation_settings"]["grammar_lazy"] is True
    assert told["content"].startswith(said)


def test_chats_are_not_told_to_wait_because_the_server_would_not(quick_address):
    # Its own reading of the template decides that for chats: the model is held at once.
    turns = [{"role": "user", "content": "Tell me a joke."}]
    told = completed(
        quick_address, "/v1/chat/completions", messages=turns, max_tokens=3, temperature=0,
        **waiting(1, ()),
    )  # fmt: skip
    assert CALL.startswith(told["choices"][0]["message"]["content"])


def test_a_grammar_that_is_none_is_refused_and_said_so(served):
    request = ChatRequest(ASKED, params={"grammar": "root ::= (", "max_tokens": 3})
    with pytest.raises(EndpointError, match="grammar") as caught:
        said(served, request)
    assert caught.value.status == 400
