"""What an honest server can do, in both eras of the protocol and over both transports."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.gateway.proxy.backend import served
from toolproto import Policy, ToolCall, TurnLimits
from toolproto.conversation.deciding.approvals import Allow, Defer, Deny
from toolproto.conversation.mcp import McpServer
from toolproto.conversation.turn.events import ToolProgressed

from .conftest import until
from .honest import server as honest_server

ALL = Policy(tools={"*": "allow"})
PROGRAM = Path(__file__).parent / "honest.py"
ERAS = {"legacy": "2025-11-25", "modern": "2026-07-28"}


@pytest.fixture(scope="module", params=["stdio", "http"])
def transport(request):
    return request.param


@pytest.fixture(scope="module", params=ERAS)
def server(request, transport, tmp_path_factory):
    """A server of either era, open as long as there are tests for it."""
    roots = [tmp_path_factory.getbasetemp()]
    if transport == "stdio":
        command = [sys.executable, str(PROGRAM), request.param]
        with McpServer(*command, name="honest", roots=roots) as made:
            yield made
    else:
        app = honest_server(request.param).streamable_http_app()
        with served(app) as url, McpServer(url=f"{url}/mcp", name="honest", roots=roots) as made:
            yield made


def call(name):
    return f'<tool_code>{{"name": "{name}", "arguments": {{}}}}</tool_code>'


def played(play, server, name, **options):
    result = play(call(name), "done", tools=[server], **{"policy": ALL, **options}).send()
    assert result.text == "done"
    return result.calls[0].result


def is_modern(server):
    return server.about.endswith(ERAS["modern"])


def test_a_server_says_who_it_is(server):
    assert server.about in (f"honest 2, MCP {version}" for version in ERAS.values())


def test_what_is_not_text_is_attached(play, server):
    result = played(play, server, "everything")
    assert result.content == (
        "look:\n"
        "[image, image/png, about 6 bytes: attached]\n"
        "[audio, audio/wav, about 6 bytes: attached]\n"
        "[file:///a.txt]\nwords of a file\n"
        "[resource file:///b.pdf, application/pdf, about 3 bytes: attached]\n"
        "[link to https://example.com/manual: The manual, manual]"
    )
    assert result.attachments == (
        {"type": "image", "media_type": "image/png", "data": "aW1hZ2U="},
        {"type": "audio", "media_type": "audio/wav", "data": "c291bmQ="},
        {
            "type": "resource",
            "media_type": "application/pdf",
            "data": "cGRm",
            "uri": "file:///b.pdf",
        },
    )
    assert result.metadata["structured"] == {"seen": 6}


def test_what_has_structure_alone_is_told_as_json(play, server):
    result = played(play, server, "structured")
    assert result.content == '{"degrees": 21}'
    assert result.metadata["structured"] == {"degrees": 21}


# -- questions -----------------------------------------------------------------------------


def test_a_form_is_put_to_the_approver_who_fills_it_in(play, server):
    asked = []

    def approver(request):
        asked.append(request)
        values = {**request.call.arguments, "name": "Ada"}
        return Allow(instead=ToolCall(request.call.name, values, request.call.id))

    result = played(play, server, "ask", approver=approver)
    assert result.content == "accept {'count': 1, 'name': 'Ada'}"
    (form,) = asked
    assert form.is_form and form.reason == "the MCP server 'honest' asks: who is it[31m for?"
    assert form.call.arguments == {"count": 1}
    assert form.tool.properties["name"]["description"] == "whose it is"


@pytest.mark.parametrize(
    "answer, said",
    [
        (Deny("no"), "decline None"),
        (Defer(), "cancel None"),
        (Allow(), "decline None"),  # the name is missing
        (Allow(instead=ToolCall("honest__form", {"name": "A", "count": "many"})), "decline None"),
    ],
    ids=["no", "later", "unfilled", "wrong"],
)
def test_what_is_no_answer_is_none(play, server, answer, said):
    assert played(play, server, "ask", approver=lambda request: answer).content == said


def test_nobody_there_means_no(play, server):
    assert played(play, server, "ask").content == "decline None"


def test_an_approver_that_fails_costs_no_more_than_the_answer(play, server, caplog):
    def approver(request):
        raise RuntimeError("no screen")

    assert played(play, server, "ask", approver=approver).content == "cancel None"


def test_outside_of_a_session_nobody_is_asked(server):
    ask = {each.name: each for each in server.tools()}["ask"]
    assert asyncio.run(ask.function()).content == "cancel None"


def test_an_address_to_visit_is_put_to_the_approver(play, server):
    if is_modern(server):
        pytest.skip("there a server sends no requests")
    asked = []

    def approver(request):
        asked.append(request.reason)
        return Allow()

    assert played(play, server, "visit", approver=approver).content == "accept None"
    assert asked == ["the MCP server 'honest' asks you to open https://example.com/login: log in"]
    assert played(play, server, "visit").content == "decline None"


def test_folders_are_told_and_a_model_is_not_lent(play, server):
    if is_modern(server):
        pytest.skip("there a server sends no requests")
    assert played(play, server, "roots").content.startswith("file:///")
    assert played(play, server, "sample").content == "refused: Sampling not supported"


# -- the rest ------------------------------------------------------------------------------


def test_a_call_with_steps_is_one_result_and_tells_how_far_it_is(play, server):
    assert played(play, server, "steps").content == "three steps"
    # Steps that come faster than anybody reads are one.
    told = play.of(ToolProgressed)
    assert 1 <= len(told) <= 3
    assert all(each.message == f"step {each.done:g}" and each.total == 3 for each in told)
    assert [each.done for each in told] == sorted(each.done for each in told)
    assert told[0].call.name == "steps"


def test_a_call_that_takes_too_long_leaves_the_server_as_it_was(play, server):
    limits = TurnLimits(tool_seconds=0.2)
    assert "longer than 0.2 seconds" in played(play, server, "wait", limits=limits).content
    assert played(play, server, "structured").content == '{"degrees": 21}'


def test_a_list_that_grows_is_heard_of(play, server):
    before = len(server.tools())
    assert played(play, server, "grow").content == "grown"
    until(lambda: len(server.tools()) > before)
    assert server.tools()[-1].name == f"grown_{before}"
