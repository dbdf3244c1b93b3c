"""A client's requests are answered in its own process, by a model that has words only."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import httpx
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests import plain
from tests.gateway.proxy.backend import Backend, served
from tests.gateway.proxy.clients.model import model_of
from tests.gateway.proxy.wire import CHAT, OSLO, asked
from tests.patience import PATIENCE
from toolproto import EndpointError, UsageError
from toolproto.endpoints import Hold, ScriptedEndpoint, ScriptedReply
from toolproto.gateway.bridge.terms import ModelTerms
from toolproto.gateway.transport import AsyncToolTransport, ToolTransport

CALL = '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_code>'
LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
WAYS = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
#: One request of each API: its path, what it sends, and where an error's message stands.
APIS: dict[str, tuple[str, dict[str, Any], Callable[[Any], str]]] = {
    "chat": (CHAT, asked("hi"), lambda body: body["error"]["message"]),
    "responses": (
        "/v1/responses",
        {"model": "m", "input": "hi", "tools": [{"type": "function", "name": "now"}]},
        lambda body: body["error"]["message"],
    ),
    "messages": (
        "/v1/messages",
        {**asked("hi"), "max_tokens": 9, "tools": [{"name": "now", "input_schema": {}}]},
        lambda body: body["error"]["message"],
    ),
    "ollama": ("/api/chat", {**asked("hi"), "stream": False}, lambda body: body["error"]),
}


def sent(
    given: Any,
    path: str = CHAT,
    body: Any = None,
    *,
    method: str = "POST",
    library: ModuleType = httpx,
    is_async: bool = False,
    timeout: Any = 30.0,
    headers: dict[str, str] | None = None,
    **options: Any,
) -> httpx.Response:
    """The response to one request, read to its end."""
    terms: dict[str, Any] = {"base_url": "http://nowhere.invalid", "timeout": timeout}
    options.setdefault("paradigm", "xml_tag")
    request: dict[str, Any] = {"headers": headers, **({} if body is None else {"json": body})}
    if not is_async:
        with library.Client(transport=ToolTransport(given, **options), **terms) as client:
            return client.request(method, path, **request)  # type: ignore[no-any-return]

    async def ask() -> Any:
        transport = AsyncToolTransport(given, **options)
        async with library.AsyncClient(transport=transport, **terms) as client:
            return await client.request(method, path, **request)

    return asyncio.run(ask())  # type: ignore[no-any-return]


@pytest.fixture
def backend() -> Iterator[tuple[str, Backend]]:
    made = Backend(model_of("xml_tag"))
    with served(made.app()) as url:
        yield f"{url}/v1", made


@LIBRARIES
@WAYS
@pytest.mark.parametrize("stream", [False, True])
def test_a_call_comes_back_in_the_words_of_the_api(
    library: ModuleType, is_async: bool, stream: bool
):
    endpoint = ScriptedEndpoint(f"Hm. {CALL}", chunk_size=4)
    response = sent(endpoint, body=asked("hi", stream=stream), library=library, is_async=is_async)
    assert isinstance(response, library.Response) and response.status_code == 200
    if not stream:
        (choice,) = response.json()["choices"]
        (call,) = choice["message"]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
        assert choice["finish_reason"] == "tool_calls"
        return
    assert response.headers["content-type"].startswith("text/event-stream")
    *chunks, done, rest = response.text.split("\n\n")
    assert (done, rest) == ("data: [DONE]", "")
    deltas = [json.loads(each.removeprefix("data: "))["choices"][0]["delta"] for each in chunks]
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    assert json.loads("".join(each["function"]["arguments"] for each in calls)) == {"city": "Oslo"}
    assert endpoint.open == 0


@WAYS
def test_what_is_certain_goes_out_before_the_rest_is_there_and_closing_hangs_up(is_async: bool):
    hold = Hold()
    endpoint = ScriptedEndpoint(["One. ", hold, "Two."])
    body = {**asked("hi"), "stream": True}
    before = threading.active_count()

    def sync() -> str:
        with (
            httpx.Client(transport=ToolTransport(endpoint, "xml_tag")) as client,
            client.stream("POST", f"http://x{CHAT}", json=body) as response,
        ):
            return next(text for text in response.iter_text() if "One" in text)

    async def in_loop() -> str:
        transport = AsyncToolTransport(endpoint, "xml_tag")
        async with (
            httpx.AsyncClient(transport=transport) as client,
            client.stream("POST", f"http://x{CHAT}", json=body) as response,
        ):
            async for text in response.aiter_text():
                if "One" in text:
                    return text
        raise AssertionError("nothing came")

    first = asyncio.run(in_loop()) if is_async else sync()
    assert "One" in first and "Two" not in first
    assert endpoint.open == 0 and threading.active_count() == before


def test_another_thread_may_close_a_response_that_is_waited_for():
    hold = Hold()
    endpoint = ScriptedEndpoint(["One. ", hold])
    transport = ToolTransport(endpoint, "xml_tag")
    request = httpx.Request("POST", f"http://x{CHAT}", json=asked("hi", stream=True))
    response = transport.handle_request(request)
    heard: list[bytes] = []

    def listen() -> None:
        heard.extend(response.stream)

    thread = threading.Thread(target=listen)
    thread.start()
    assert hold.reached.wait(PATIENCE)
    response.close()
    thread.join(PATIENCE)
    assert not thread.is_alive() and endpoint.open == 0
    assert b"Two" not in b"".join(heard)


def test_a_cancelled_request_hangs_up():
    hold = Hold()
    endpoint = ScriptedEndpoint([hold, "never"])

    async def ask() -> None:
        transport = AsyncToolTransport(endpoint, "xml_tag")
        async with httpx.AsyncClient(transport=transport) as client:
            task = asyncio.create_task(client.post(f"http://x{CHAT}", json=asked("hi")))
            while not hold.reached.is_set():
                await asyncio.sleep(0)
            assert endpoint.open == 1
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(ask())
    assert endpoint.open == 0


@LIBRARIES
@WAYS
def test_a_clients_timeout_is_its_own(library: ModuleType, is_async: bool):
    slow = Backend(lambda messages: "One two three.", pause=20.0)
    with served(slow.app()) as url, pytest.raises(library.ReadTimeout):
        patient = library.Timeout(PATIENCE, read=0.3)  # a crowded machine may be slow to connect
        sent(f"{url}/v1", body=asked("hi"), library=library, is_async=is_async, timeout=patient)


@LIBRARIES
@WAYS
def test_a_backend_that_is_not_there_is_what_the_clients_library_raises(
    library: ModuleType, is_async: bool
):
    with pytest.raises(library.ConnectError) as caught:
        sent("http://127.0.0.1:1/v1", body=asked("hi"), library=library, is_async=is_async)
    assert caught.value.__context__ is None  # which might show a key


@WAYS
@pytest.mark.parametrize("api", APIS)
def test_what_the_backend_refuses_is_told_in_the_words_of_the_api(api: str, is_async: bool):
    path, body, message = APIS[api]
    busy = EndpointError("busy", status=429, body='{"error": "not now"}', retry_after=7)
    response = sent(ScriptedEndpoint(busy), path, body, is_async=is_async)
    assert (response.status_code, response.headers["retry-after"]) == (429, "7")
    assert "not now" in message(response.json())


@pytest.mark.parametrize("api", APIS)
def test_a_model_that_does_not_mend_its_call_is_no_reason_to_try_again(api: str):
    path, body, message = APIS[api]
    endpoint = ScriptedEndpoint(*['<tool_code>{"name": "other"}</tool_code>'] * 4)
    response = sent(endpoint, path, body)
    assert (response.status_code, response.headers["x-should-retry"]) == (400, "false")
    assert "no tool call that can be used" in message(response.json())
    assert len(endpoint.requests) == 4


def test_what_breaks_off_in_the_middle_ends_the_stream_with_an_error():
    endpoint = ScriptedEndpoint(ScriptedReply("Hello to", None))
    response = sent(endpoint, body=asked("hi", stream=True))
    assert response.status_code == 200
    *_, last, done, _ = response.text.split("\n\n")
    assert "error" in last and "broke off" in last and done == "data: [DONE]"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"model": 1}', b'{"model": "m", "messages": 7}']
)
@pytest.mark.parametrize("api", APIS)
def test_what_is_no_request_is_refused_in_the_words_of_the_api(api: str, body: bytes):
    path, _, message = APIS[api]
    with httpx.Client(transport=ToolTransport(ScriptedEndpoint())) as client:
        response = client.post(f"http://x{path}", content=body)
    assert response.status_code == 400 and message(response.json())


def test_ollamas_chat_without_messages_asks_only_whether_the_model_is_there():
    response = sent(ScriptedEndpoint(), "/api/chat", {"model": "m"})
    assert response.json()["done_reason"] == "load"


@WAYS
def test_what_has_no_tools_passes_to_the_backend_as_it_is(
    backend: tuple[str, Backend], is_async: bool
):
    url, made = backend
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "seed": 3}
    headers = {"authorization": "Bearer of-the-client", "x-own": "1"}
    response = sent(url, body=body, is_async=is_async, headers=headers)
    assert response.json()["choices"][0]["message"]["content"] == "Hello to you."
    assert made.bodies == [body]
    assert made.headers[0]["authorization"] == "Bearer of-the-client"
    assert made.headers[0]["x-own"] == "1"


@WAYS
@pytest.mark.parametrize("own", [None, "of-the-transport"])
def test_a_key_of_the_transports_own_takes_the_place_of_the_clients(
    backend: tuple[str, Backend], is_async: bool, own: str | None
):
    url, made = backend
    headers = {"authorization": "Bearer of-the-client"}
    for body in (asked(OSLO), {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}):
        sent(url, body=body, is_async=is_async, headers=headers, api_key=own)
    sent(url, "/v1/models", method="GET", is_async=is_async, headers=headers, api_key=own)
    expected = f"Bearer {own or 'of-the-client'}"
    assert [each["authorization"] for each in made.headers] == [expected] * 3


@WAYS
def test_all_other_paths_pass_with_body_and_query(is_async: bool):
    async def files(request: Request) -> JSONResponse:
        body = (await request.body()).decode()
        return JSONResponse({"query": request.url.query, "body": body}, 201)

    app = Starlette(routes=[Route("/base/v1/files", files, methods=["POST"])])
    with served(app) as url:
        path = "/v1/files?a=1"
        response = sent(f"{url}/base/v1", path, {"b": 2}, is_async=is_async)
    assert response.status_code == 201
    assert response.json() == {"query": "a=1", "body": '{"b":2}'}


@pytest.mark.parametrize(
    "path", ["/v1/files", "/api/pull", "/v1/../secret", "/v2/other", "/v1/messages/batches"]
)
def test_what_nobody_serves_is_not_found(path: str):
    assert sent(ScriptedEndpoint(), path, {"a": 1}).status_code == 404


@pytest.mark.parametrize(
    "path, headers, names",
    [
        ("/v1/models", {}, lambda body: [row["id"] for row in body["data"]]),
        (
            "/v1/models",
            {"anthropic-version": "1"},
            lambda body: [row["display_name"] for row in body["data"]],
        ),
        ("/api/tags", {}, lambda body: [row["model"] for row in body["models"]]),
        ("/v1beta/models", {}, lambda body: [row["baseModelId"] for row in body["models"]]),
        ("/v1/models/m", {}, lambda body: [body["id"]]),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_models_are_listed_in_the_words_of_the_client(
    backend: tuple[str, Backend],
    path: str,
    headers: dict[str, str],
    names: Callable[[Any], list[str]],
    is_async: bool,
):
    response = sent(backend[0], path, method="GET", headers=headers, is_async=is_async)
    assert names(response.json()) == ["m"]
    assert sent(backend[0], "/v1/models/other", method="GET").status_code == 404
    endpoint = ScriptedEndpoint()
    endpoint.model = "m"  # type: ignore[attr-defined]
    assert names(sent(endpoint, path, method="GET", headers=headers).json()) == ["m"]


def test_several_answers_and_what_they_cost():
    endpoint = ScriptedEndpoint("One.", "Two.")
    choices = sent(endpoint, body=asked("hi", n=2)).json()["choices"]
    assert [each["message"]["content"] for each in choices] == ["One.", "Two."]
    counted = sent(endpoint, "/v1/messages/count_tokens", APIS["messages"][1]).json()
    assert counted["input_tokens"] > 100


def test_a_response_is_remembered_by_the_transport_that_gave_it():
    endpoint = ScriptedEndpoint("One.", "Two.")
    with plain.Client(
        transport=ToolTransport(endpoint, "xml_tag"), base_url="http://x/v1"
    ) as client:
        first = client.post("/responses", json={"model": "m", "input": "hi"}).json()
        again = {"model": "m", "input": "and?", "previous_response_id": first["id"]}
        assert client.post("/responses", json=again).json()["output"][0]["content"][0]["text"]
        assert [m.content for m in endpoint.requests[1].messages] == ["hi", "One.", "and?"]
        assert client.delete(f"/responses/{first['id']}").json()["deleted"]
        assert client.get(f"/responses/{first['id']}").status_code == 404


def test_models_may_have_terms_of_their_own():
    endpoint = ScriptedEndpoint("hm", "hm")
    terms = {"small-*": ModelTerms("pythonic", reasks=0)}
    for model in ("small-1", "large"):
        sent(endpoint, body={**asked("hi"), "model": model}, models=terms)
    systems = [request.messages[0].content for request in endpoint.requests]
    assert "tool_code" not in systems[0] and "tool_code" in systems[1]


def test_a_function_will_do_and_its_exception_is_told():
    said = sent(lambda request: f"{len(request.messages)} messages", body=asked("hi")).json()
    assert said["choices"][0]["message"]["content"] == "2 messages"

    def fails(request: object) -> str:
        raise ValueError("no luck")

    response = sent(fails, body=asked("hi"))
    assert response.status_code == 502 and "no luck" in response.json()["error"]["message"]


def test_wrong_settings_are_refused_when_it_is_made():
    with pytest.raises(UsageError, match="must be like"):
        ToolTransport("localhost")
    with pytest.raises(UsageError, match="not an endpoint"):
        ToolTransport(3)
    with pytest.raises(UsageError, match="reasks"):
        ToolTransport("http://x/v1", reasks=99)


def test_a_paradigm_that_there_is_none_of_is_refused_when_it_is_made():
    for options in ({"paradigm": "xml_tags"}, {"models": {"q*": ModelTerms("xml_tags")}}):
        with pytest.raises(UsageError, match="xml_tag"):
            ToolTransport("http://here/v1", **options)


@LIBRARIES
def test_a_client_of_the_other_kind_is_told_which_transport_it_takes(library: ModuleType):
    later = library.AsyncClient(transport=ToolTransport(lambda request: ""))
    another = library.AsyncClient(transport=ToolTransport(lambda request: ""))
    for asking in (later.get("http://here/v1/models"), another.__aenter__()):
        with pytest.raises(UsageError, match="AsyncToolTransport"):
            asyncio.run(asking)
    client = library.Client(transport=AsyncToolTransport(lambda request: ""))
    with pytest.raises(UsageError, match="a ToolTransport"):
        client.get("http://here/v1/models")


def test_its_repr_shows_no_key():
    shown = repr(ToolTransport("http://me:secret@x/v1?key=secret", api_key="secret"))
    assert "secret" not in shown


def test_threads_share_it(backend: tuple[str, Backend]):
    url, _ = backend
    failures: list[Any] = []
    with httpx.Client(transport=ToolTransport(url, "xml_tag")) as client:

        def ask() -> None:
            for _ in range(3):
                answer = client.post(f"http://x{CHAT}", json=asked(OSLO)).json()
                if answer["choices"][0]["finish_reason"] != "tool_calls":
                    failures.append(answer)

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []
