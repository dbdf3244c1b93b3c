"""Tools in the service's own way, over HTTP: offered, called, refused, and lost."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager

import pytest

from tests.endpoints.apis.offers import ASKED, OFFER, REQUEST
from tests.endpoints.asking import both_ways
from tests.endpoints.fault_server import Fault, FaultServer, Raw
from tests.endpoints.leaks import nothing_left
from toolproto.endpoints import HttpEndpoint, OpenAIChat, Retries
from toolproto.endpoints.http.reply_reader import HttpReplyReader
from toolproto.endpoints.joining import together
from toolproto.protocol.errors import EndpointError, ToolsRefused, UsageError
from toolproto.protocol.messages import ChatRequest, Chunk, NativePiece, Usage

ask, ask_async = both_ways(REQUEST)
both = pytest.mark.parametrize("ask", [ask, ask_async])
PLAIN = ChatRequest(ASKED)
NO_TOOLS = {"error": {"message": "m does not support tools", "code": 400}}


@contextmanager
def serving(*plans, **options):
    """A server and an endpoint to it, which offers it tools; nothing may be left of either."""
    retries = Retries(attempts=3, base=0.0, cap=0.0)
    options = {"model": "m", "native": "auto", "retries": retries, **options}
    with (
        nothing_left(),
        FaultServer(*plans) as server,
        HttpEndpoint(server.url, **options) as endpoint,
    ):
        yield server, endpoint


def answer(value, status="200 OK", kind="application/json"):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return Raw((head.encode() + body,))


def events(*values):
    lines = [b"data: %s\n\n" % json.dumps(value).encode() for value in values]
    return answer(b"".join(lines) + b"data: [DONE]\n\n", kind="text/event-stream")


def delta(reason=None, **said):
    return {"choices": [{"index": 0, "delta": said, "finish_reason": reason}]}


def call(index, id, name, arguments):
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}


CALLED = (
    delta(role="assistant", content=None),
    delta(tool_calls=[call(0, "c1", "get_weather", "")]),
    delta(tool_calls=[call(0, None, None, '{"city": ')]),
    delta(tool_calls=[call(0, None, None, '"Oslo"}')]),
    delta(tool_calls=[call(1, "c2", "clock", "{}")]),
    delta("tool_calls"),
    {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}},
)
PIECES = [
    NativePiece(0, "c1", "get_weather", ""),
    NativePiece(0, "", "", '{"city": '),
    NativePiece(0, "", "", '"Oslo"}'),
    NativePiece(1, "c2", "clock", "{}"),
]


def pieces(chunks):
    return [piece for chunk in chunks for piece in chunk.calls]


# -- calls --------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("pace", [0.0, 0.01])
def test_calls_that_are_streamed_come_in_pieces(ask, pace):
    with serving(events(*CALLED), pace=pace) as (server, endpoint):
        chunks = ask(endpoint)
    # With a pace, what came together is one piece.
    whole = [piece for chunk in together(Chunk(calls=(each,)) for each in PIECES)
             for piece in chunk.calls]  # fmt: skip
    assert pieces(chunks) == (whole if pace else PIECES)
    assert chunks[-1] == Chunk(finish_reason="tool_calls", usage=Usage(5, 7))
    assert pace or all(chunk.raw for chunk in chunks)
    assert [tool["function"]["name"] for tool in server.requests[0].body["tools"]] == [
        "get_weather",
        "clock",
    ]


@both
def test_calls_of_a_whole_answer_come_at_its_end(ask):
    calls = [call(0, "c1", "get_weather", {"city": "Oslo"})]
    whole = {"choices": [{"message": {"tool_calls": calls}, "finish_reason": "stop"}]}
    with serving(answer(whole)) as (_, endpoint):
        chunks = ask(endpoint)
    piece = NativePiece(0, "c1", "get_weather", {"city": "Oslo"})
    assert chunks == [Chunk(calls=(piece,)), Chunk(finish_reason="stop")]


@both
def test_a_call_counts_as_output_so_that_it_is_not_asked_for_twice(ask):
    broken = answer(b"data: %s\n\n" % json.dumps(CALLED[1]).encode(), kind="text/event-stream")
    with serving(broken) as (server, endpoint), pytest.raises(EndpointError):
        ask(endpoint)
    assert len(server.requests) == 1


def test_a_call_in_the_last_chunk_is_not_lost():
    reader = HttpReplyReader(OpenAIChat())
    last = delta("tool_calls", tool_calls=[call(0, "c", "clock", "{}")])
    chunks = [*reader.feed(b"data: %s\n\n" % json.dumps(last).encode()), *reader.finish()]
    assert pieces(chunks) == [NativePiece(0, "c", "clock", "{}")]
    assert chunks[-1].finish_reason == "tool_calls"


@both
def test_words_that_came_together_are_joined_up_to_a_call(ask):
    said = [delta(content="a"), delta(content="b"), CALLED[4], delta(content="c"), CALLED[5]]
    with serving(events(*said), pace=0.01) as (_, endpoint):
        chunks = ask(endpoint)
    assert [chunk.text or bool(chunk.calls) for chunk in chunks[:-1]] == ["ab", True, "c"]


@both
def test_calls_that_nobody_offered_are_written_out_where_that_is_asked_for(ask):
    with serving(events(*CALLED), dialect=OpenAIChat().writing_calls()) as (_, endpoint):
        assert pieces(ask(endpoint)) == PIECES
        written = ask(endpoint, PLAIN)
    assert not pieces(written)
    assert "".join(chunk.text for chunk in written).count("<tool_call>") == 2


# -- who may be offered tools -------------------------------------------------------------


def test_whether_tools_are_offered():
    def endpoint(**options):
        return HttpEndpoint("http://localhost/v1", model="m", **options)

    assert endpoint().native == "never" and not endpoint().offers_tools
    assert endpoint(native="auto").offers_tools and endpoint(native="only").offers_tools
    assert not endpoint(native="auto", dialect="openai_completions").offers_tools
    for options, told in (
        ({"native": "yes"}, "native is 'yes'"),
        ({"native": "only", "dialect": "openai_completions"}, "'openai_completions' has no tools"),
    ):
        with pytest.raises(UsageError, match=told):
            endpoint(**options)


@pytest.mark.parametrize(
    "options, told",
    [({}, "native='auto'"), ({"native": "auto", "dialect": "openai_completions"}, "has no tools")],
)
def test_an_offer_to_an_endpoint_without_tools_is_the_programs_mistake(options, told):
    endpoint = HttpEndpoint("http://localhost/v1", model="m", **options)
    with pytest.raises(UsageError, match=told):
        endpoint.check(REQUEST)
    endpoint.check(PLAIN)


# -- refusals -----------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    "plan",
    [
        answer(NO_TOOLS, "400 Bad Request"),
        answer(NO_TOOLS, "404 Not Found"),
        answer({"error": {"message": "tools param requires --jinja flag"}}, "500 Oh"),
        events(NO_TOOLS),
        answer(NO_TOOLS),
    ],
)
def test_a_service_without_tools_is_not_offered_any_for_a_while(ask, plan, caplog):
    with serving(plan, events(delta("stop", content="Hi"))) as (server, endpoint):
        with caplog.at_level(logging.WARNING, "toolproto"), pytest.raises(ToolsRefused) as caught:
            ask(endpoint)
        assert caught.value.remembered and not endpoint.offers_tools
        assert ask(endpoint, PLAIN)[0].text == "Hi"
    assert len(server.requests) == 2  # a refusal is not tried again, whatever its status
    assert "'m' has no tools" in caplog.text


@both
def test_another_model_of_the_service_may_have_tools(ask):
    with serving(answer(NO_TOOLS, "400 Bad Request")) as (_, endpoint):
        with pytest.raises(ToolsRefused):
            ask(endpoint, ChatRequest(ASKED, offer=OFFER, model="other"))
        assert endpoint.offers_tools and not endpoint.offers_tools_to("other")


@both
def test_with_native_only_a_refusal_is_the_programs_error_each_time(ask, caplog):
    with serving(answer(NO_TOOLS, "400 Bad Request"), native="only") as (_, endpoint):
        for _ in range(2):
            with pytest.raises(ToolsRefused):
                ask(endpoint)
            assert endpoint.offers_tools
    assert not caplog.records


@both
@pytest.mark.parametrize(
    "told",
    [
        "Failed to initialize samplers: failed to parse grammar",
        "Invalid tool_choice type: 'object'",
        "Failed to parse input at pos 3: <tool_call>",
    ],
)
def test_a_refusal_of_one_request_is_not_remembered(ask, told):
    with serving(answer({"error": {"message": told}}, "500 Oh")) as (server, endpoint):
        with pytest.raises(ToolsRefused, match=told[:20]) as caught:
            ask(endpoint)
        assert not caught.value.remembered and endpoint.offers_tools
    assert len(server.requests) == 1


@both
@pytest.mark.parametrize(
    "plan",
    [
        answer({"error": {"message": "maximum context length is 9 tokens"}}, "400 Bad Request"),
        answer(NO_TOOLS, "403 Forbidden"),
        events(delta(content="So: "), NO_TOOLS),
    ],
)
def test_other_errors_stay_what_they_are(ask, plan):
    with serving(plan) as (_, endpoint):
        with pytest.raises(EndpointError) as caught:
            ask(endpoint)
        assert type(caught.value) is EndpointError and endpoint.offers_tools


@both
def test_a_request_without_tools_is_refused_as_ever(ask):
    with serving(answer(NO_TOOLS, "400 Bad Request")) as (_, endpoint):
        with pytest.raises(EndpointError) as caught:
            ask(endpoint, PLAIN)
        assert type(caught.value) is EndpointError and endpoint.offers_tools


@both
def test_no_key_stands_in_a_refusal_or_the_log(ask, caplog):
    told = {"error": "m does not support tools (key sk-secret-0123456789)"}
    options = {"api_key": "sk-secret-0123456789"}
    with (
        serving(answer(told, "400 Bad Request"), **options) as (_, endpoint),
        pytest.raises(ToolsRefused) as caught,
    ):
        ask(endpoint)
    assert "sk-secret" not in f"{caught.value} {caught.value.body} {caplog.text}"


# -- calls that a service could not read --------------------------------------------------

LOST = {
    "error": {
        "message": "Failed to call a function. See 'failed_generation' for more details.",
        "code": "tool_use_failed",
        "failed_generation": '<function=clock>{"a": 1}</function>',
        "status_code": 400,
    }
}


@both
@pytest.mark.parametrize(
    "plan", [answer(LOST, "400 Bad Request"), events(LOST), answer(LOST)], ids=str
)
def test_a_call_that_the_service_could_not_read_comes_as_text(ask, plan):
    with serving(plan) as (_, endpoint):
        assert ask(endpoint) == [
            Chunk('<function=clock>{"a": 1}</function>'),
            Chunk(finish_reason="tool_calls"),
        ]
        assert endpoint.offers_tools
        with pytest.raises(EndpointError):
            ask(endpoint, PLAIN)


@both
def test_it_comes_behind_what_was_said_before(ask):
    with serving(events(delta(reasoning="Well."), LOST)) as (_, endpoint):
        chunks = ask(endpoint)
    assert [chunk.reasoning or chunk.text for chunk in chunks[:2]] == [
        "Well.",
        '<function=clock>{"a": 1}</function>',
    ]
    assert chunks[-1].finish_reason == "tool_calls"


@both
def test_where_nothing_was_kept_of_it_tools_are_refused_this_once(ask):
    lost = {"error": {**LOST["error"], "failed_generation": ""}}
    with serving(answer(lost, "400 Bad Request")) as (_, endpoint):
        with pytest.raises(ToolsRefused) as caught:
            ask(endpoint)
        assert not caught.value.remembered


@both
def test_an_endpoint_that_never_offers_tools_is_as_before(ask):
    with serving(Fault(), native="never") as (server, endpoint):
        ask(endpoint, PLAIN)
    assert "tools" not in server.requests[0].body
