"""An endpoint over a client of the program's own, with whatever that client brings."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import contextmanager

import httpx
import pytest

from tests.endpoints.asking import both_ways
from tests.endpoints.fault_server import TEXT, Fault, FaultServer, Raw
from tests.endpoints.leaks import nothing_left
from tests.patience import PATIENCE
from toolproto.endpoints import HttpEndpoint, Retries, Timeouts
from toolproto.protocol.errors import EndpointError, EndpointTimeout, UsageError
from toolproto.protocol.messages import ChatRequest, Message

REQUEST = ChatRequest((Message("user", "hello"),))
ONCE = Retries(attempts=1)
ask, ask_async = both_ways(REQUEST)
KINDS = {"client": (httpx.Client, ask), "async client": (httpx.AsyncClient, ask_async)}
both = pytest.mark.parametrize("kind", KINDS)
SSE = b'data: {"choices":[{"index":0,"delta":{"content":"mocked"},"finish_reason":"stop"}]}\n\n'


def text_of(chunks):
    return "".join(chunk.text for chunk in chunks)


@contextmanager
def lending(*plans, **options):
    """A server, a client, and an endpoint that asks over the client."""
    with (
        nothing_left(),
        FaultServer(*plans) as server,
        httpx.Client() as client,
        HttpEndpoint(
            server.url, model="m", **{"retries": ONCE, **options}, http_client=client
        ) as endpoint,
    ):
        yield server, client, endpoint


@both
def test_a_transport_of_the_programs_own_answers(kind):
    make, asking = KINDS[kind]
    heard = []

    def answered(request):
        heard.append(request)
        return httpx.Response(200, content=SSE, headers={"content-type": "text/event-stream"})

    client = make(transport=httpx.MockTransport(answered), headers={"x-team": "blue"})
    with HttpEndpoint("http://model/v1", model="m", api_key="sk", http_client=client) as endpoint:
        assert text_of(asking(endpoint)) == "mocked"
    (request,) = heard
    assert str(request.url) == "http://model/v1/chat/completions"
    assert (request.headers["x-team"], request.headers["authorization"]) == ("blue", "Bearer sk")
    assert request.headers["accept-encoding"] == "identity"
    # The endpoint is closed, and the client is not its own to close.
    assert not client.is_closed


@both
def test_what_a_transport_raises_is_an_error_of_the_endpoint(kind):
    make, asking = KINDS[kind]

    def refused(request):
        raise httpx.ConnectError("no such place")

    client = make(transport=httpx.MockTransport(refused))
    endpoint = HttpEndpoint("http://model/v1", model="m", retries=ONCE, http_client=client)
    with pytest.raises(EndpointError, match="no such place"):
        asking(endpoint)


def test_two_endpoints_share_the_connections_and_the_hooks_of_a_client():
    seen = []
    with lending() as (server, client, endpoint):
        client.event_hooks = {"response": [lambda response: seen.append(response.status_code)]}
        other = HttpEndpoint(server.url, model="other", http_client=client)
        for each in (endpoint, other, endpoint):
            assert text_of(ask(each)) == TEXT
        assert (server.connections, seen) == (1, [200, 200, 200])


def test_an_async_client_serves_several_replies_at_once():
    async def run(server):
        async with httpx.AsyncClient() as client:
            endpoint = HttpEndpoint(server.url, model="m", http_client=client)

            async def once():
                async with endpoint.astream(REQUEST) as chunks:
                    return text_of([chunk async for chunk in chunks])

            assert await asyncio.gather(*(once() for _ in range(4))) == [TEXT] * 4
            assert await once() == TEXT
            await endpoint.aclose()
            assert not client.is_closed

    with nothing_left(), FaultServer() as server:
        asyncio.run(run(server))
        assert server.connections == 4


def test_a_list_of_models_is_asked_for_over_the_client():
    def answered(request):
        assert str(request.url) == "http://model/v1/models"
        return httpx.Response(200, json={"data": [{"id": "one"}, {"id": "two"}]})

    client = httpx.Client(transport=httpx.MockTransport(answered))
    assert HttpEndpoint("http://model/v1", model="m", http_client=client).models() == ["one", "two"]


def test_a_client_is_for_the_one_way_of_asking_that_it_has():
    endpoint = HttpEndpoint("http://model/v1", model="m", http_client=httpx.AsyncClient())
    for wrong in (lambda: endpoint.stream(REQUEST), endpoint.models):
        with pytest.raises(UsageError, match=r"AsyncClient; stream asks over an httpx\.Client"):
            wrong()
    with (
        httpx.Client() as client,
        pytest.raises(UsageError, match=r"astream over an httpx\.AsyncClient"),
    ):
        HttpEndpoint("http://model/v1", model="m", http_client=client).astream(REQUEST)


@pytest.mark.parametrize(
    "options, told",
    [
        ({"http_client": "http://proxy"}, "http_client is a str"),
        ({"http_client": httpx.AsyncClient(), "verify": False}, "verify is for connections of its"),
    ],
)
def test_what_a_client_cannot_be_or_have_is_said_at_once(options, told):
    with pytest.raises(UsageError, match=told):
        HttpEndpoint("http://model/v1", model="m", **options)


# -- ending a reply -----------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["request", "head", "body"])
@pytest.mark.parametrize("is_kept", [False, True])
def test_a_reply_that_stalls_is_late_on_a_new_connection_and_on_a_kept_one(phase, is_kept):
    before = [Fault()] if is_kept else []
    timeouts = Timeouts(first_token=0.3, between_tokens=0.3)
    with lending(*before, Fault("stall", phase), timeouts=timeouts) as (server, _, endpoint):
        for _ in before:
            ask(endpoint)
        with pytest.raises(EndpointTimeout):
            ask(endpoint)
        assert server.connections == 1


@pytest.mark.parametrize("is_kept", [False, True])
def test_another_thread_ends_a_reply_that_has_begun(is_kept):
    before = [Fault()] if is_kept else []
    with lending(*before, Fault("stall", "body")) as (server, _, endpoint):
        for _ in before:
            ask(endpoint)
        with endpoint.stream(REQUEST) as chunks:
            next(chunks)
            threading.Timer(0.05, chunks.abort).start()
            began = time.monotonic()
            with pytest.raises(EndpointError, match="aborted"):
                for _ in chunks:
                    pass
        assert time.monotonic() - began < PATIENCE
        assert server.hung_up.wait(PATIENCE)


def test_a_refusal_is_told_and_the_connection_goes_back():
    body = b'{"error": {"message": "slow down"}}'
    head = f"HTTP/1.1 429 Too Many\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    with lending(Raw((head + body,), then="keep"), Fault()) as (server, _, endpoint):
        with pytest.raises(EndpointError, match="slow down"):
            ask(endpoint)
        assert text_of(ask(endpoint)) == TEXT
        assert server.connections == 1
