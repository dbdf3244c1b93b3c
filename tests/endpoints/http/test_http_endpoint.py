"""A service over HTTP: sent, read, timed, retried, stopped; and its key never seen."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import socket
import subprocess
import sys
import threading
import time
import zlib
from contextlib import contextmanager
from random import Random

import pytest

from tests.endpoints.asking import both_ways
from tests.endpoints.fault_server import TEXT, Fault, FaultServer, Raw, reply_bytes
from tests.endpoints.leaks import nothing_left
from tests.patience import PATIENCE
from toolproto.endpoints import (
    Abortable,
    Anthropic,
    AsyncEndpoint,
    Endpoint,
    HttpEndpoint,
    Retries,
    Timeouts,
)
from toolproto.protocol.errors import EndpointError, EndpointTimeout, UsageError, WireError
from toolproto.protocol.messages import ChatRequest, Chunk, Message, Usage

REQUEST = ChatRequest((Message("user", "hello"),), stop=("END",), params={"temperature": 0})
KEY = "sk-very-secret-key-0123456789"
ONCE = Retries(attempts=1)
QUICK = Retries(attempts=3, base=0.01, cap=0.02, retry_after_cap=0.05)


ask, ask_async = both_ways(REQUEST)
both = pytest.mark.parametrize("ask", [ask, ask_async])


@contextmanager
def serving(*plans, **options):
    """A server and an endpoint to it; nothing may be left of either."""
    options = {"model": "m", "retries": ONCE, **options}
    with (
        nothing_left(),
        FaultServer(*plans) as server,
        HttpEndpoint(server.url, **options) as endpoint,
    ):
        yield server, endpoint


def text_of(chunks):
    return "".join(chunk.text for chunk in chunks)


def answer(body, status="200 OK", kind="application/json", extra=""):
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{extra}\r\n"
    )
    return Raw((head.encode() + body,))


# -- sending ------------------------------------------------------------------------------


@both
def test_a_reply_is_read_and_the_request_is_as_the_service_wants_it(ask):
    options = {"params": {"temperature": 1, "top_p": 0.9}, "extra_body": {"seed": 7}}
    with serving(api_key=KEY, headers={"X-Title": "t"}, **options) as (server, endpoint):
        chunks = ask(endpoint)
    assert text_of(chunks) == TEXT
    assert chunks[-1] == Chunk(finish_reason="stop", usage=Usage(5, 7))
    (received,) = server.requests
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["x-title"] == "t"
    assert received.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "stop": ["END"],
        "temperature": 0,
        "top_p": 0.9,
        "seed": 7,
    }


def test_it_is_an_endpoint_for_both_kinds_of_session():
    endpoint = HttpEndpoint("http://localhost/v1", model="m")
    assert isinstance(endpoint, Endpoint) and isinstance(endpoint, AsyncEndpoint)
    with endpoint.stream(REQUEST) as chunks:
        assert isinstance(chunks, Abortable)


@both
def test_nothing_is_sent_until_the_first_chunk_is_asked_for(ask):
    with serving() as (server, endpoint):
        with endpoint.stream(REQUEST):
            pass

        async def enter():
            async with endpoint.astream(REQUEST):
                pass

        asyncio.run(enter())
        assert server.connections == 0
        ask(endpoint)
        assert server.connections == 1


@pytest.mark.parametrize(
    "url, path",
    [
        ("http://127.0.0.1:{}/v1/", "/v1/chat/completions"),
        ("http://127.0.0.1:{}", "/chat/completions"),
        ("http://127.0.0.1:{}/v1/chat/completions", "/v1/chat/completions"),
        (
            "http://127.0.0.1:{}/x?api-version=2&key=abcdef",
            "/x/chat/completions?api-version=2&key=abcdef",
        ),
    ],
)
def test_a_url_is_taken_as_people_write_it(url, path):
    with FaultServer() as server, HttpEndpoint(url.format(server.port), model="m") as endpoint:
        ask(endpoint)
        ask_async(endpoint)
    assert [each.path for each in server.requests] == [path, path]


def test_a_login_in_the_url_is_sent_as_one():
    url = "http://us%40er:pass%3Aword@127.0.0.1:{}/v1"
    with FaultServer() as server, HttpEndpoint(url.format(server.port), model="m") as endpoint:
        ask(endpoint)
    assert server.requests[0].headers["authorization"] == "Basic dXNAZXI6cGFzczp3b3Jk"


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080/v1",
        "ftp://x/",
        "http://",
        "",
        "http://[::1",
        "http://h:99999/",
        "http://hö/",
    ],
)
def test_a_url_that_cannot_work_is_refused_at_once(url):
    with pytest.raises(UsageError, match="http://localhost:8080/v1"):
        HttpEndpoint(url, model="m")


def test_what_cannot_be_sent_is_refused_before_it_is():
    with pytest.raises(UsageError, match="JSON"):
        HttpEndpoint("http://h", model="m", params={"x": object()}).stream(REQUEST)
    with pytest.raises(UsageError, match="JSON"):
        HttpEndpoint("http://h", model="m", params={"x": float("nan")}).stream(REQUEST)
    with pytest.raises(UsageError, match="dialect"):
        HttpEndpoint("http://h", model="m", dialect="latin")


def test_half_a_character_does_not_stop_a_request():
    with serving() as (server, endpoint):
        ask(endpoint, ChatRequest((Message("user", "cut \ud83d"),)))
    assert server.requests[0].body["messages"][0]["content"] == "cut ?"


# -- connections --------------------------------------------------------------------------


def test_a_connection_is_used_again_after_a_clean_end():
    with serving() as (server, endpoint):
        for _ in range(3):
            ask(endpoint)
        with endpoint.stream(REQUEST) as chunks:
            next(chunk for chunk in chunks if chunk.finish_reason)  # and not one step further
        ask(endpoint)
        assert (len(server.requests), server.connections) == (5, 1)


def test_a_connection_on_a_loop_is_used_again_after_a_clean_end():
    async def thrice(endpoint):
        for _ in range(3):
            async with endpoint.astream(REQUEST) as chunks:
                assert text_of([chunk async for chunk in chunks]) == TEXT

    with serving() as (server, endpoint):
        asyncio.run(thrice(endpoint))
        asyncio.run(thrice(endpoint))  # another loop, so another connection
        assert (len(server.requests), server.connections) == (6, 2)


@pytest.mark.filterwarnings("ignore:asynchronous generator:ResourceWarning")
def test_a_loop_that_goes_on_after_its_generators_were_ended_has_connections_again():
    async def once(endpoint):
        async with endpoint.astream(REQUEST) as chunks:
            return [chunk async for chunk in chunks]

    loop = asyncio.new_event_loop()
    with FaultServer() as server, HttpEndpoint(server.url, model="m") as endpoint:
        for _ in range(2):  # as Runner.run_sync of OpenAI's agents does
            assert loop.run_until_complete(once(endpoint))
            loop.run_until_complete(loop.shutdown_asyncgens())
        assert server.connections == 2
    loop.close()


def test_a_connection_is_closed_when_a_reply_is_left_in_the_middle():
    with serving(Fault("endless", "end")) as (server, endpoint):
        with endpoint.stream(REQUEST) as chunks:
            next(chunks)
        assert server.hung_up.wait(PATIENCE)


def test_a_kept_connection_that_the_service_closed_is_replaced_at_once():
    head, body, end = reply_bytes(Fault())
    closing = Raw((head + body + end,), then="close")
    with serving(closing, closing, Fault()) as (_, endpoint):
        for _ in range(3):
            assert text_of(ask(endpoint)) == TEXT


def test_a_kept_connection_that_hangs_up_on_the_second_request_costs_no_attempt():
    # The service takes the request and closes: it had decided to, before it came.
    with serving(Fault(), Raw((), then="close"), Fault()) as (server, endpoint):
        ask(endpoint)
        assert text_of(ask(endpoint)) == TEXT
    assert server.connections == 2


@both
def test_a_service_that_always_hangs_up_is_not_asked_for_ever(ask):
    with (
        serving(Raw(()), retries=QUICK) as (server, endpoint),
        pytest.raises(EndpointError, match="closed the connection"),
    ):
        ask(endpoint)
    assert server.connections == 3


def test_an_endpoint_may_be_used_again_after_closing():
    with serving() as (_, endpoint):
        ask(endpoint)
        endpoint.close()
        assert text_of(ask(endpoint)) == TEXT


def test_a_stream_that_outlives_close_leaves_nothing():
    with serving() as (_, endpoint), endpoint.stream(REQUEST) as chunks:
        next(chunks)
        endpoint.close()
        assert text_of(list(chunks))


def test_an_endpoint_that_nobody_closes_leaves_nothing():
    with FaultServer() as server, nothing_left():
        endpoint = HttpEndpoint(server.url, model="m")
        ask(endpoint)
        ask_async(endpoint)
        del endpoint
        gc.collect()


# -- what comes back ----------------------------------------------------------------------


@both
def test_a_gateway_that_does_not_stream_is_read(ask):
    body = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "length"}]}
    with serving(answer(json.dumps(body).encode())) as (_, endpoint):
        assert ask(endpoint) == [Chunk("Hi"), Chunk(finish_reason="length")]


BOMB = zlib.compress(b" " * 5_000_000, 9)


@both
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "GZIP, deflate", "odd"])
def test_a_packed_reply_is_refused_unread(ask, encoding):
    packed = answer(BOMB, kind="text/event-stream", extra=f"content-encoding: {encoding}\r\n")
    with serving(packed) as (_, endpoint), pytest.raises(WireError, match="packed"):
        ask(endpoint)


@both
def test_a_packed_refusal_keeps_its_status_and_no_text(ask):
    packed = answer(BOMB, "401 Unauthorized", extra="content-encoding: deflate\r\n")
    with serving(packed) as (_, endpoint), pytest.raises(EndpointError) as caught:
        ask(endpoint)
    assert (caught.value.status, caught.value.body) == (401, "")


@both
def test_a_reply_that_says_it_is_not_packed_is_read(ask):
    _, body, _ = reply_bytes(Fault(), chunked=False)
    plain = answer(body, kind="text/event-stream", extra="content-encoding: identity\r\n")
    with serving(plain) as (_, endpoint):
        assert text_of(ask(endpoint)) == TEXT


def test_nobody_can_ask_for_a_packed_reply():
    with pytest.raises(UsageError, match="accept-encoding"):
        HttpEndpoint("http://localhost/v1", model="m", headers={"Accept-Encoding": "gzip"})


@both
def test_a_cookie_is_never_sent_back(ask):
    _, body, _ = reply_bytes(Fault(), chunked=False)
    setting = answer(body, kind="text/event-stream", extra="set-cookie: who=ada; Path=/\r\n")
    with serving(setting, setting) as (server, endpoint):
        ask(endpoint)
        ask(endpoint)
        assert len(server.requests) == 2
        assert [each.headers for each in server.requests if "cookie" in each.headers] == []


@both
def test_a_page_with_status_200_is_an_error_that_shows_its_beginning(ask):
    with (
        serving(answer(b"<html>Sign in!</html>", kind="text/html")) as (server, endpoint),
        pytest.raises(WireError, match="page") as caught,
    ):
        ask(endpoint)
    assert caught.value.body == "<html>Sign in!</html>"
    assert server.url in str(caught.value)


@both
def test_a_redirect_is_not_followed_with_the_key(ask):
    moved = answer(b"", "302 Found", extra="location: http://127.0.0.1:1/\r\n")
    with serving(moved, api_key=KEY) as (_, endpoint), pytest.raises(EndpointError) as caught:
        ask(endpoint)
    assert caught.value.status == 302


@both
def test_a_huge_refusal_is_cut(ask):
    with (
        serving(answer(b"x" * 1_000_000, "400 Bad Request")) as (_, endpoint),
        pytest.raises(EndpointError) as caught,
    ):
        ask(endpoint)
    assert len(caught.value.body) == 2000 and len(str(caught.value)) < 500


@both
def test_a_refusal_whose_text_never_comes_is_one_all_the_same(ask):
    hanging = Raw((b"HTTP/1.1 401 No\r\ncontent-length: 99\r\n\r\nno",), then="hold")
    with (
        serving(hanging, timeouts=Timeouts(total=2)) as (_, endpoint),
        pytest.raises(EndpointError) as caught,
    ):
        ask(endpoint)
    assert (caught.value.status, caught.value.body) == (401, "no")


@both
def test_nobody_listening_is_said_so(ask):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # it is ours, but nobody listens
        port = silent.getsockname()[1]
        words = rf"127.0.0.1:{port}/v1: could not connect: .* is it running"
        endpoint = HttpEndpoint(f"http://127.0.0.1:{port}/v1", model="m", retries=ONCE)
        with endpoint, pytest.raises(EndpointError, match=words):
            ask(endpoint)


@both
def test_tls_spoken_to_a_plain_server_is_an_error(ask):
    with nothing_left(), FaultServer() as server:
        url = server.url.replace("http", "https")
        endpoint = HttpEndpoint(url, model="m", retries=ONCE, timeouts=Timeouts(total=0.5))
        with endpoint, pytest.raises(EndpointError):
            ask(endpoint)


# -- retries ------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again(ask, status):
    refused = answer(b"{}", f"{status} No", extra="retry-after: 3600\r\n")
    with serving(refused, refused, Fault(), retries=QUICK) as (server, endpoint):
        assert text_of(ask(endpoint)) == TEXT
    assert len(server.requests) == 3


@both
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_will_not_pass_is_not_tried_again(ask, status):
    refused = answer(b'{"error": {"message": "no such model"}}', f"{status} No")
    with (
        serving(refused, retries=QUICK) as (server, endpoint),
        pytest.raises(EndpointError, match="no such model") as caught,
    ):
        ask(endpoint)
    assert (len(server.requests), caught.value.status) == (1, status)


@both
def test_the_last_refusal_is_the_outcome(ask):
    refused = answer(b'{"error": "busy"}', "429 No", extra="retry-after: 2\r\n")
    with (
        serving(refused, retries=QUICK, random=Random(1)) as (server, endpoint),
        pytest.raises(EndpointError, match="busy") as caught,
    ):
        ask(endpoint)
    assert (len(server.requests), caught.value.retry_after) == (3, 2.0)


@both
def test_nothing_is_sent_again_once_output_began(ask):
    head, body, _ = reply_bytes(Fault())
    with (
        serving(Raw((head + body[:200],)), Fault(), retries=QUICK) as (server, endpoint),
        pytest.raises(WireError),
    ):
        ask(endpoint)
    assert len(server.requests) == 1


@both
def test_a_wait_that_exceeds_the_total_is_not_begun(ask):
    refused = answer(b"{}", "503 No", extra="retry-after: 10000\r\n")
    timeouts, retries = Timeouts(total=PATIENCE), Retries(retry_after_cap=1e6)
    with serving(refused, retries=retries, timeouts=timeouts) as (server, endpoint):
        began = time.monotonic()
        with pytest.raises(EndpointError):
            ask(endpoint)
    assert time.monotonic() - began < PATIENCE
    assert len(server.requests) == 1


# -- time ---------------------------------------------------------------------------------

COMMENTS = (b": still here\n\n",) * 400


def sse(*pieces, pause=0.01):
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    return Raw((head, *pieces), then="hold", pause=pause)


TOKEN = b'data: {"choices": [{"delta": {"content": "x"}}]}\n\n'


@both
@pytest.mark.parametrize(
    "plan, timeouts, wait",
    [
        (Fault("stall"), Timeouts(first_token=0.2), "first_token"),
        (sse(*COMMENTS), Timeouts(first_token=0.2), "first_token"),
        (sse(TOKEN, *COMMENTS), Timeouts(between_tokens=0.2), "between_tokens"),
        (sse(*(TOKEN,) * 400), Timeouts(total=0.3), "total"),
        (sse(*(bytes([each]) for each in TOKEN * 9)), Timeouts(total=0.3), "total"),
        (Fault("stall", "head"), Timeouts(total=0.2), "total"),
    ],
)
def test_a_wait_that_takes_too_long_is_named(ask, plan, timeouts, wait):
    with serving(plan, timeouts=timeouts, retries=QUICK) as (server, endpoint):
        began = time.monotonic()
        with pytest.raises(EndpointTimeout, match=wait):
            ask(endpoint)
    assert time.monotonic() - began < PATIENCE
    assert len(server.requests) <= 1


def test_waiting_for_an_answer_on_a_kept_connection_ends_in_time_too():
    with serving(Fault(), Fault("stall"), timeouts=Timeouts(first_token=2)) as (
        server,
        endpoint,
    ):
        ask(endpoint)
        with pytest.raises(EndpointTimeout):
            ask(endpoint)
    assert server.connections == 1


def test_what_the_caller_does_between_chunks_is_not_counted():
    timeouts = Timeouts(between_tokens=1)
    with serving(timeouts=timeouts) as (_, endpoint), endpoint.stream(REQUEST) as chunks:
        first = next(chunks)
        time.sleep(1.1)  # longer than the service may take
        assert text_of([first, *chunks]) == TEXT


def test_a_service_that_never_reads_the_request_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        big = ChatRequest((Message("user", "x" * 30_000_000),))
        timeouts = Timeouts(first_token=0.3)
        with HttpEndpoint(url, model="m", retries=ONCE, timeouts=timeouts) as endpoint:
            for each in (ask, ask_async):
                with pytest.raises(EndpointTimeout):
                    each(endpoint, big)


# -- stopping -----------------------------------------------------------------------------


def aborted(endpoint, when):
    """What ``next`` raised after another thread aborted the stream, once *when* is set."""
    with endpoint.stream(REQUEST) as chunks:

        def stop():
            when.wait(PATIENCE)
            chunks.abort()

        thread = threading.Thread(target=stop)
        thread.start()
        began = time.monotonic()
        with pytest.raises(EndpointError, match="aborted") as caught:
            for _ in chunks:
                pass
        thread.join()
        with pytest.raises(EndpointError, match="aborted"):
            next(chunks)
    assert time.monotonic() - began < PATIENCE
    return caught.value


@pytest.mark.parametrize("phase", ["request", "head", "body"])
def test_another_thread_can_stop_a_stream_in_any_phase(phase):
    with serving(Fault("stall", phase), retries=QUICK) as (server, endpoint):
        error = aborted(endpoint, server.asked)
        assert str(error) == f"{server.url}: the request was aborted"
        assert server.hung_up.wait(PATIENCE)
    assert len(server.requests) == 1


def test_a_stream_on_a_kept_connection_can_be_stopped():
    with serving(Fault(), Fault("stall")) as (server, endpoint):
        ask(endpoint)
        server.asked.clear()
        aborted(endpoint, server.asked)
        assert server.connections == 1


def test_a_stream_can_be_stopped_between_two_attempts():
    slow = Retries(attempts=3, base=60, cap=60)
    with serving(Fault("503"), retries=slow) as (server, endpoint):
        aborted(endpoint, server.asked)
    assert len(server.requests) == 1


def test_a_stream_that_was_stopped_before_it_began_sends_nothing():
    with serving() as (server, endpoint), endpoint.stream(REQUEST) as chunks:
        chunks.abort()
        with pytest.raises(EndpointError, match="aborted"):
            next(chunks)
        assert server.connections == 0


@pytest.mark.parametrize("phase", ["request", "head", "body"])
def test_cancelling_the_task_closes_the_connection_at_once(phase):
    async def cancelled(server, endpoint):
        task = asyncio.create_task(read(endpoint))
        await asyncio.to_thread(server.asked.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.hung_up.wait, PATIENCE)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    async def read(endpoint):
        async with endpoint.astream(REQUEST) as chunks:
            async for _ in chunks:
                pass

    with serving(Fault("stall", phase), retries=QUICK) as (server, endpoint):
        asyncio.run(cancelled(server, endpoint))
    assert len(server.requests) == 1


def test_leaving_a_reply_in_the_middle_on_a_loop_leaves_no_task():
    async def leave(endpoint):
        async with endpoint.astream(REQUEST) as chunks:
            await anext(aiter(chunks))
        await endpoint.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with serving(Fault("stall", "end")) as (_, endpoint):
        asyncio.run(leave(endpoint))


# -- keys ---------------------------------------------------------------------------------


def everything_about(error):
    """All the text an error and what hangs on it could show."""
    seen = []
    while error is not None:
        request = getattr(error, "request", None)
        seen += [str(error), repr(error), repr(vars(error)), repr(getattr(request, "headers", ""))]
        error = error.__cause__ or error.__context__
    return "\n".join(seen)


ECHO = json.dumps({"error": {"message": f"bad key {KEY}, Bearer {KEY}"}}).encode()
IN_STREAM = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
    b'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: ' + ECHO + b"\n\n",
)


@both
@pytest.mark.parametrize(
    "plan",
    [
        answer(ECHO, "401 No"),
        answer(b"x" * 1990 + KEY.encode(), "401 No"),
        Raw(IN_STREAM),
        answer(b"<html>" + KEY.encode(), kind="text/html"),
        answer(b"data: " + KEY.encode() + b"\n\n", kind="text/event-stream"),
        Fault("reset"),
        Fault("truncate", "body"),
    ],
)
@pytest.mark.parametrize("dialect", ["openai_chat", Anthropic()])
def test_a_key_is_in_no_error_and_no_log(ask, plan, dialect, caplog):
    caplog.set_level(logging.DEBUG)
    options = {"api_key": KEY, "dialect": dialect, "headers": {"x-other-token": "hush-hush-hush"}}
    with serving(plan, **options) as (_, endpoint):
        with pytest.raises(EndpointError) as caught:
            ask(endpoint)
        shown = everything_about(caught.value) + caplog.text + repr(endpoint)
        shown += repr(endpoint.stream(REQUEST)) + repr(endpoint.astream(REQUEST))
        shown += repr(vars(endpoint)["_service"])
    assert "0123456789" not in shown and "sk-very" not in shown and "hush" not in shown


@both
def test_a_key_instead_of_a_status_is_in_no_error(ask):
    with (
        serving(Raw((KEY.encode() + b"\r\n\r\n",)), api_key=KEY) as (_, endpoint),
        pytest.raises(WireError) as caught,
    ):
        ask(endpoint)
    assert "sk-very" not in everything_about(caught.value)


def test_an_empty_key_is_none():
    with serving(api_key="") as (server, endpoint):
        ask(endpoint)
    assert "authorization" not in server.requests[0].headers


@both
def test_a_key_in_the_url_is_in_no_error_and_no_log(ask, caplog):
    caplog.set_level(logging.DEBUG)
    with FaultServer(answer(b"no: s3cr3t-query hunter2-pass", "401 No")) as server:
        url = f"http://me:hunter2-pass@127.0.0.1:{server.port}/v1?key=s3cr3t-query"
        with HttpEndpoint(url, model="m", retries=ONCE) as endpoint:
            with pytest.raises(EndpointError) as caught:
                ask(endpoint)
            shown = everything_about(caught.value) + caplog.text + repr(endpoint)
    assert server.requests[0].path.endswith("?key=s3cr3t-query")
    assert "s3cr3t" not in shown and "hunter2" not in shown
    assert repr(endpoint) == f"HttpEndpoint('http://127.0.0.1:{server.port}/v1', model='m')"


@pytest.mark.parametrize("key", ["line\nbreak-0123", "nul\0-0123", "smile-☺-0123"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(key):
    with pytest.raises(UsageError) as caught:
        HttpEndpoint("http://h/v1", model="m", api_key=key)
    assert "0123" not in everything_about(caught.value)


def test_a_wrong_url_is_refused_without_showing_its_password():
    with pytest.raises(UsageError) as caught:
        HttpEndpoint("htp://me:hunter2-pass@host/v1", model="m")
    assert "hunter2" not in everything_about(caught.value)


def test_importing_the_package_does_not_import_httpx():
    code = "import sys, toolproto, toolproto.endpoints; assert 'httpx' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    "dialect, path, header",
    [
        ("gemini", "/v1/models/some/m:streamGenerateContent?alt=sse", "x-goog-api-key"),
        (
            "azure_openai",
            "/v1/openai/deployments/other/chat/completions?api-version=2024-10-21",
            "api-key",
        ),
    ],
)
def test_a_service_that_has_the_model_in_its_path_is_asked_there(dialect, path, header):
    with FaultServer(Fault(dialect=dialect)) as server:
        endpoint = HttpEndpoint(server.url, model="m", dialect=dialect, api_key="k" * 20)
        model = "models/some/m" if dialect == "gemini" else "other"
        with (
            endpoint,
            endpoint.stream(ChatRequest((Message("user", "hi"),), model=model)) as chunks,
        ):
            assert "".join(chunk.text for chunk in chunks) == TEXT
    assert server.requests[0].path == path
    assert "k" * 20 in server.requests[0].headers[header]
