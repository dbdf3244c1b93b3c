"""The spans of turns, as a collector gets them."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.gateway.proxy.backend import Backend, served
from tests.gateway.proxy.spans import recorded_spans
from toolproto import ChatSession, tool
from toolproto.conversation import MemoryStore
from toolproto.endpoints import HttpEndpoint
from toolproto.gateway.proxy import ModelTerms, ProxyConfig, Upstream, make_app
from toolproto.protocol.errors import EndpointError

CALL = "<tool_code>{'name': 'look', 'arguments': {'at': 'here'}}</tool_code>"
FAILING = "<tool_code>{'name': 'break_it', 'arguments': {}}</tool_code>"


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    return recorded_spans()


@pytest.fixture
def spans(exporter):
    exporter.clear()
    return exporter.get_finished_spans


@tool
def look(at: str) -> str:
    """Look somewhere."""
    with trace.get_tracer("a program").start_as_current_span("inside"):
        return "secret sight"


@tool
def break_it() -> str:
    """Break."""
    raise OSError("secret reason")


def tree(spans):
    """The names of *spans*, each with that of the one it is in, in the order they began."""
    names = {span.context.span_id: span.name for span in spans}
    begun = sorted(spans, key=lambda span: span.start_time)
    return [(span.name, names.get(span.parent.span_id) if span.parent else None) for span in begun]


def named(spans, name):
    (span,) = [each for each in spans if each.name == name]
    return span


def test_a_turn_holds_its_requests_and_calls_by_the_conventions(play, spans):
    play(CALL, "Seen.", tools=[look], model="m")
    assert play.send().text == "Seen."
    assert tree(spans()) == [
        ("invoke_agent", None),
        ("chat m", "invoke_agent"),
        ("execute_tool look", "invoke_agent"),
        ("inside", "execute_tool look"),
        ("chat m", "invoke_agent"),
    ]
    call = named(spans(), "execute_tool look")
    assert call.attributes["gen_ai.operation.name"] == "execute_tool"
    assert call.attributes["gen_ai.tool.name"] == "look"
    assert call.attributes["gen_ai.tool.call.id"] == play.session.result.calls[0].call.id
    turn = named(spans(), "invoke_agent")
    assert turn.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert turn.attributes["toolproto.status"] == "completed"
    chats = [span for span in spans() if span.name == "chat m"]
    assert [span.attributes["toolproto.step"] for span in chats] == [1, 2]
    assert {span.attributes["gen_ai.request.model"] for span in chats} == {"m"}
    assert {span.kind for span in chats} == {trace.SpanKind.CLIENT}
    # Each request is over before its calls begin, and the turn last.
    assert chats[0].end_time <= call.start_time and call.end_time <= chats[1].start_time
    assert all(span.end_time <= turn.end_time for span in spans())
    assert "secret" not in "".join(span.to_json() for span in spans())


def test_tokens_and_the_reason_of_the_end_are_told(play, spans):
    play("Hello.")
    used = play.send().usage
    chat = named(spans(), "chat")
    assert chat.attributes["gen_ai.usage.output_tokens"] == used.output_tokens
    assert chat.attributes["gen_ai.response.finish_reasons"] == ("stop",)


def test_a_session_that_is_kept_is_named(play, spans):
    play("Hello.", store=MemoryStore(), id="trip").send()
    assert named(spans(), "invoke_agent").attributes["gen_ai.conversation.id"] == "trip"


def test_what_goes_wrong_is_told_without_its_words(play, spans):
    play(FAILING, EndpointError("the model is gone"), tools=[break_it])
    play.send()
    call, turn = named(spans(), "execute_tool break_it"), named(spans(), "invoke_agent")
    assert call.attributes["error.type"] == "OSError"
    assert not call.status.is_ok and not turn.status.is_ok
    assert turn.attributes["error.type"] == "EndpointError"
    assert "secret" not in "".join(span.to_json() for span in spans())


def test_a_turn_that_is_left_ends_its_spans(play, spans):
    play(CALL, "Seen.", tools=[look])

    def leave(event, session):
        session.cancel()

    play.send(watch=leave)
    assert named(spans(), "invoke_agent").attributes["toolproto.status"] == "aborted"
    assert all(span.end_time for span in spans())


def test_nobody_pays_for_spans_who_does_not_trace():
    program = (
        "import sys\n"
        "from toolproto import ChatSession\n"
        "from toolproto.endpoints import ScriptedEndpoint\n"
        "ChatSession(ScriptedEndpoint('Hi.'), 'xml_tag').send('Hello')\n"
        "print('opentelemetry' in sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "False\n"


def test_a_session_and_the_proxy_that_it_asks_are_seen_on_a_console(exporter):
    console = io.StringIO()
    provider = trace.get_tracer_provider()
    provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=console)))
    replies = [CALL, "Seen."]
    with served(Backend(lambda messages: replies.pop(0)).app()) as upstream:
        config = ProxyConfig((Upstream(f"{upstream}/v1"),), ModelTerms("xml_tag"))
        with (
            served(make_app(config)) as url,
            HttpEndpoint(f"{url}/v1", model="m") as endpoint,
        ):
            assert ChatSession(endpoint, "xml_tag", tools=[look]).send("go").text == "Seen."
    decoder, told, seen = json.JSONDecoder(), console.getvalue(), []
    while told := told.lstrip():
        span, end = decoder.raw_decode(told)
        seen.append(span)
        told = told[end:]
    ours = [span["name"] for span in seen if "toolproto.api" not in span["attributes"]]
    assert ours == ["inside", "execute_tool look", "chat m", "chat m", "invoke_agent"]
    of_proxy = [span["attributes"] for span in seen if "toolproto.api" in span["attributes"]]
    assert [each["toolproto.outcome"] for each in of_proxy] == ["passed", "passed"]
    assert {each["gen_ai.operation.name"] for each in of_proxy} == {"chat"}
