"""The embedded model under a grammar: whatever it would have written, it writes a call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toolproto import ChatSession, tool
from toolproto.conversation.turn import ReplyConstrained
from toolproto.protocol.grammar import departure
from toolproto.protocol.grammar.constraint import Constraint
from toolproto.protocol.messages import CallProblem, ChatRequest, Message
from toolproto.protocol.paradigms import get_paradigm
from toolproto.protocol.tools.check import check_call
from toolproto.testing import STANDARD_OFFER


@pytest.mark.parametrize("name", ["json_strict", "qwen3_coder", "pythonic"])
def test_a_demanded_call_is_written_in_any_form(endpoint, name):
    paradigm = get_paradigm(name)
    # A tool that takes no text: what a small model says in one has no end.
    offer = replace(STANDARD_OFFER, choice="now", parallel=False)
    constraint = Constraint(lambda: paradigm.grammar(offer), demanded=True)
    request = ChatRequest(
        (Message("user", "Tell me a joke."),), params={"max_tokens": 60}, constraint=constraint
    )
    with endpoint.stream(request) as chunks:
        text = "".join(chunk.text for chunk in chunks)
    assert departure(paradigm.grammar(offer), text) is None
    [call] = paradigm.parse_response(text, offer).calls
    assert not isinstance(check_call(call, offer), CallProblem)
    assert constraint.rendering == "gbnf"


def test_a_session_says_that_the_model_was_held(endpoint):
    @tool
    def toss() -> str:
        """Toss a coin."""
        return "heads"

    # The shortest prompt that there is, since a small machine reads forty words a second.
    session = ChatSession(endpoint, "cline", [toss], params={"max_tokens": 2})
    with session.stream("Hello.") as events:
        assert ReplyConstrained("gbnf") in list(events)
