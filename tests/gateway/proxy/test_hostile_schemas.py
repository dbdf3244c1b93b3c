"""What a client's schemas may cost the proxy, and whom they may keep waiting."""

from __future__ import annotations

import json
import threading
import time

from tests import plain
from tests.gateway.proxy.backend import Backend, served
from tests.gateway.proxy.wire import CHAT
from toolproto import get_paradigm
from toolproto.endpoints.apis.asked import AnswerShape, Asked
from toolproto.gateway.bridge.calls import work_of_request
from toolproto.gateway.bridge.exchange import Exchange
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream
from toolproto.protocol.messages import Chunk, Message
from toolproto.protocol.schemas.work import LEAST_VISITS
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec


def many_ways(levels: int = 12, ways: int = 8) -> dict[str, object]:
    """A schema of two kilobytes with 8 ** 12 ways to its leaf."""
    defs: dict[str, object] = {
        f"d{at}": {("anyOf", "allOf")[at % 2]: [{"$ref": f"#/$defs/d{at + 1}"}] * ways}
        for at in range(levels)
    }
    defs[f"d{levels}"] = {"type": "integer"}
    return {"type": "object", "$defs": defs, "properties": {"x": {"$ref": "#/$defs/d0"}}}


def deep_tree(depth: int = 12) -> dict[str, object]:
    """One without a reference, in which each level is asked about by the one above."""
    inner: dict[str, object] = {"type": "integer"}
    for at in range(depth):
        inner = {("anyOf", "oneOf")[at % 2]: [{"type": "boolean"}, inner, {"allOf": [inner]}]}
        if len(json.dumps(inner)) > 8_000:
            break
    return {"type": "object", "properties": {"x": inner}}


CALL = '<tool_call>{"name": "f", "arguments": {"x": "a"}}</tool_call>'


def replied(exchange: Exchange, reply: str) -> None:
    while not exchange.done:
        exchange.feed(Chunk(reply, finish_reason="stop"))
        exchange.finish()


def test_all_replies_to_a_request_share_what_checking_may_cost():
    for schema in (many_ways(), deep_tree()):
        offer, work = ToolOffer((ToolSpec("f", "", schema),)), work_of_request()
        asked = Asked("m", (Message("user", "hi"),), offer)
        for _ in range(4):  # answers that are wanted, with two more replies each
            replied(Exchange(asked, get_paradigm("hermes"), work=work), CALL * 10)
        assert LEAST_VISITS - 25_000 < work.visits < LEAST_VISITS - 200


def test_an_answer_in_a_shape_is_checked_within_the_same_bounds():
    asked = Asked("m", (Message("user", "hi"),), shape=AnswerShape(many_ways()))
    exchange = Exchange(asked, get_paradigm("hermes"), reasks=2)
    began = time.process_time()
    replied(exchange, '{"x": "a"}')
    # It was three seconds.
    assert time.process_time() - began < 1


def test_nobody_waits_for_a_check_of_anothers_schema():
    waits: list[float] = []
    told: list[int] = []
    tools = [
        {"type": "function", "function": {"name": "f", "parameters": many_ways()}},
        {"type": "function", "function": {"name": "g", "parameters": deep_tree()}},
    ]
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": tools}
    said = CALL + CALL.replace('"f"', '"g"')
    with served(Backend(lambda messages: said).app) as url:
        config = ProxyConfig((Upstream(url + "/v1"),), ModelTerms("hermes"))
        with served(make_app(config)) as here:

            def ask() -> None:
                with plain.Client(timeout=60) as client:
                    told.append(client.post(here + CHAT, json=body).status_code)

            asking = [threading.Thread(target=ask) for _ in range(3)]
            for thread in asking:
                thread.start()
            while any(thread.is_alive() for thread in asking):
                began = time.monotonic()
                assert plain.get(f"{here}/healthz").status_code == 200
                waits.append(time.monotonic() - began)
            for thread in asking:
                thread.join()
    assert told == [400] * 3
    assert max(waits) < 1  # it was five seconds
