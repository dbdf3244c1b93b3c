"""What is kept of a request: a line, counts, a span; and what was said only if asked for."""

from __future__ import annotations

import json
import logging
from datetime import datetime

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests import plain
from tests.gateway.proxy.backend import Backend, Refusal, served
from tests.gateway.proxy.spans import recorded_spans
from toolproto.gateway.proxy import ModelTerms, ProxyConfig, Upstream, make_app

CALL = "<tool_code>{'name': 'now', 'arguments': {}}</tool_code>"
TOOL = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
BODY = {"model": "m", "messages": [{"role": "user", "content": "a secret wish"}], "tools": [TOOL]}


@pytest.fixture(scope="module")
def spans() -> InMemorySpanExporter:
    return recorded_spans()


def asked(caplog: pytest.LogCaptureFixture, *replies: str, **options: bool) -> tuple[dict, str]:
    """The log line and the metrics of one request that the model answers with *replies*."""
    caplog.set_level(logging.INFO, "toolproto.proxy")
    left = list(replies)
    with served(Backend(lambda messages: left.pop(0)).app()) as upstream:
        terms = ModelTerms("xml_tag")
        config = ProxyConfig((Upstream(f"{upstream}/v1"),), terms, **options)
        with served(make_app(config)) as url:
            assert plain.post(f"{url}/v1/chat/completions", json=BODY).status_code == 200
            counts = plain.get(f"{url}/metrics").text
    lines = [each.getMessage() for each in caplog.records if each.name == "toolproto.proxy"]
    return json.loads(lines[-1]), counts


def test_a_request_is_one_line_with_the_outcome_of_each_call(caplog, spans):
    line, counts = asked(caplog, "<tool_code>now?</tool_code>", CALL)
    assert line["calls"] == ["now"]
    assert (line["paradigm"], line["outcome"], line["reasks"]) == ("xml_tag", "answered", 1)
    assert (line["problems"], line["repairs"]) == (["malformed"], ["quote_style"])
    assert (line["input_tokens"], line["output_tokens"]) == (14, 6)
    assert "toolproto_calls_total 1.0" in counts
    assert 'toolproto_call_problems_total{kind="malformed"} 1.0' in counts


def test_what_was_said_is_logged_only_where_that_was_asked_for(caplog, spans):
    assert "secret wish" not in json.dumps(asked(caplog, CALL)[0])
    line, counts = asked(caplog, CALL, log_content=True)
    assert line["messages"][-1]["content"] == "a secret wish"
    assert line["replies"] == [CALL]
    assert "secret wish" not in counts


def test_a_request_is_a_span_by_the_conventions(caplog, spans):
    spans.clear()
    asked(caplog, CALL)
    (span,) = spans.get_finished_spans()
    assert span.name == "chat m"
    assert span.attributes["gen_ai.operation.name"] == "chat"
    assert span.attributes["gen_ai.usage.output_tokens"] == 3
    assert "secret" not in span.to_json()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_client_is_told_the_id_under_which_its_request_is_logged(caplog, stream):
    caplog.set_level(logging.INFO, "toolproto.proxy")
    with served(Backend(lambda messages: CALL).app()) as upstream:
        config = ProxyConfig((Upstream(f"{upstream}/v1"),), ModelTerms("xml_tag"))
        with served(make_app(config)) as url:
            answer = plain.post(f"{url}/v1/chat/completions", json={**BODY, "stream": stream})
    (line,) = [
        json.loads(each.getMessage()) for each in caplog.records if each.name == "toolproto.proxy"
    ]
    assert answer.headers["x-request-id"] == line["request"]


def failing(caplog: pytest.LogCaptureFixture, upstream: str, body: object) -> dict:
    """The log line of a request that cannot be answered."""
    caplog.set_level(logging.INFO, "toolproto.proxy")
    config = ProxyConfig((Upstream(f"{upstream}/v1"),), ModelTerms("xml_tag", reasks=0))
    with served(make_app(config)) as url:
        answer = plain.post(f"{url}/v1/chat/completions", json=body)
    (line,) = (json.loads(each.getMessage()) for each in caplog.records if "outcome" in each.msg)
    assert line["status"] == answer.status_code
    assert datetime.fromisoformat(line["time"]).tzinfo is not None
    return line


FAILURES = {
    "of the backend": (lambda m: Refusal(503, "not now"), BODY, ("failed", 503, "upstream_error")),
    "of the model": (lambda m: "", BODY, ("failed", 400, "empty_reply")),
    "of the client": (lambda m: "", {**BODY, "n": 0}, ("refused", 400, "invalid_value")),
    "in its body": (lambda m: "", [], ("refused", 400, "invalid_value")),
    "on its way through": (
        lambda m: Refusal(503, "not now"),
        {"model": "m", "messages": BODY["messages"]},
        ("passed", 503, None),
    ),
}


@pytest.mark.parametrize("speak, body, told", FAILURES.values(), ids=FAILURES)
def test_a_failure_is_logged_with_its_status_reason_and_time(caplog, speak, body, told):
    with served(Backend(speak).app()) as upstream:
        line = failing(caplog, upstream, body)
    assert (line["outcome"], line["status"], line["reason"]) == told
    assert "secret" not in json.dumps(line)


def test_a_backend_that_is_not_there_is_logged_with_what_the_connection_came_to(caplog):
    line = failing(caplog, "http://127.0.0.1:9", BODY)
    assert (line["status"], line["reason"]) == (502, "upstream_unreachable")
    assert "could not connect" in line["detail"]


@pytest.mark.parametrize(
    ("method", "path", "status", "reason"),
    [
        ("GET", "/v1/models", 502, "upstream_unreachable"),
        ("POST", "/v1/messages/count_tokens", 400, "invalid_value"),
        ("POST", "/v1beta/models/m:embedContent", 404, "not_found"),
        ("GET", "/v1/responses/resp_1", 404, "response_not_found"),
        ("OPTIONS", "/v1/models", 405, "not_found"),
    ],
)
def test_what_is_not_answered_is_logged_at_every_path(caplog, method, path, status, reason):
    caplog.set_level(logging.INFO, "toolproto.proxy")
    config = ProxyConfig((Upstream("http://127.0.0.1:9/v1"),))
    with served(make_app(config)) as url:
        body = {"model": "m", "input": "hi"} if method == "POST" else None
        assert plain.request(method, url + path, json=body).status_code == status
    lines = [json.loads(each) for each in caplog.messages if each.startswith("{")]
    found = [line for line in lines if "outcome" in line]
    assert [(line["path"], line["status"], line["reason"]) for line in found] == [
        (path, status, reason)
    ]


def test_it_is_ready_while_a_backend_can_be_reached(caplog):
    with served(Backend(lambda messages: CALL).app()) as upstream:
        there, gone = Upstream(f"{upstream}/v1"), Upstream("http://127.0.0.1:9/v1", prefix="x/")
        with served(make_app(ProxyConfig((there, gone)))) as url:
            assert plain.get(f"{url}/readyz").status_code == 200
    caplog.set_level(logging.INFO, "toolproto.proxy")
    with served(make_app(ProxyConfig((gone,)))) as url:
        answers = [plain.get(f"{url}{path}") for path in ("/healthz", "/readyz")]
    assert [answer.status_code for answer in answers] == [200, 503]
    assert "127.0.0.1:9" not in answers[1].text and "127.0.0.1:9" in caplog.text
