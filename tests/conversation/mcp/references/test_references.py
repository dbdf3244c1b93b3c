"""The reference servers, over both transports: as they are, killed, slowed, and made to lie.

Not part of the usual run: ``make mcp`` installs them, pinned, and runs this.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conversation.mcp.conftest import running, until
from tests.conversation.mcp.rough import serving
from tests.gateway.proxy.clients.environments import installed
from toolproto import Allow, ChatSession, Policy
from toolproto.conversation.mcp import McpServer
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.messages import ToolResult

from .meddler import Bridge

HERE = Path(__file__).parent
MEDDLER = HERE / "meddler.py"
ALL = Policy(tools={"*": "allow"})


@dataclass(frozen=True)
class Reference:
    """How a server is started in a folder, and a call that it answers, with what."""

    start: Callable[[Path], list[str]]
    tool: str
    arguments: Callable[[Path], dict[str, Any]]
    says: str
    tools: int


@cache
def python(program: str) -> str:
    return str(installed(str(HERE / "python.txt")) / "bin" / program)


@cache
def node(package: str) -> list[str]:
    folder = installed(str(HERE / "package.json")) / "node_modules" / "@modelcontextprotocol"
    return ["node", str(folder / package / "dist" / "index.js")]


SERVERS = {
    "time": Reference(
        lambda here: [python("mcp-server-time")],
        *("get_current_time", lambda here: {"timezone": "UTC"}, '"timezone": "UTC"', 2),
    ),
    "git": Reference(
        lambda here: [python("mcp-server-git"), "--repository", str(here)],
        *("git_log", lambda here: {"repo_path": str(here)}, "the first", 12),
    ),
    "fetch": Reference(
        lambda here: [python("mcp-server-fetch"), "--ignore-robots-txt", "--allow-private-ips"],
        *("fetch", lambda here: {"url": (here / "address").read_text()}, "a page", 1),
    ),
    "everything": Reference(
        lambda here: [*node("server-everything"), "stdio"],
        *("echo", lambda here: {"message": "hello"}, "Echo: hello", 13),
    ),
    "filesystem": Reference(
        lambda here: [*node("server-filesystem"), str(here)],
        *("read_text_file", lambda here: {"path": str(here / "a.txt")}, "words", 14),
    ),
    "memory": Reference(
        lambda here: node("server-memory"),
        *("read_graph", lambda here: {}, "entities", 9),
    ),
}


class Page(BaseHTTPRequestHandler):
    """The only page there is."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.end_headers()
        self.wfile.write(b"a page of words")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a file, a history and the address of a page."""
    folder = tmp_path_factory.mktemp("here")
    (folder / "a.txt").write_text("words\n")
    author = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "the first"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (folder / "address").write_text(f"http://127.0.0.1:{server.server_port}/")
        yield folder
        server.shutdown()


@pytest.fixture(autouse=True)
def none_is_left() -> Iterator[None]:
    """No server and nothing it started outlives its test."""
    yield
    for word in ("mcp-server", "modelcontextprotocol", "meddler.py"):
        until(lambda word=word: not running(word))


@pytest.fixture(params=["stdio", "http"])
def opened(request: pytest.FixtureRequest, here: Path) -> Iterator[Callable[..., McpServer]]:
    with ExitStack() as stack:

        def made(name: str, mode: str, **terms: Any) -> McpServer:
            command = SERVERS[name].start(here)
            terms = {"name": name, "start_timeout": 60, **terms}
            if request.param == "http":
                bridge = Bridge(mode, command, as_json=mode != "changing")
                stack.callback(bridge.close)
                terms["url"] = stack.enter_context(serving(bridge))
                return stack.enter_context(McpServer(**terms))
            if mode != "plain":
                command = [sys.executable, "-S", "-E", str(MEDDLER), mode, *command]
            return stack.enter_context(McpServer(*command, **terms))

        yield made


def called(server: McpServer, here: Path, name: str, times: int = 1) -> list[ToolResult]:
    """The results of as many turns that call the tool."""
    reference = SERVERS[name]
    tool = next(t.name for t in server.tools() if t.name.startswith(reference.tool))
    written = json.dumps({"name": tool, "arguments": reference.arguments(here)})
    replies = [f"<tool_code>{written}</tool_code>", "done"] * times
    session = ChatSession(
        ScriptedEndpoint(*replies), "xml_tag", [server], policy=ALL, approver=approved
    )
    results = []
    for turn in range(times):
        result = session.send(f"turn {turn}")
        assert result.text == "done"
        results += [record.result for record in result.calls]
    return results


def approved(request: Any) -> Any:
    return Allow()


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_lists_its_tools_and_answers(name, opened, here):
    server = opened(name, "plain")
    reference = SERVERS[name]
    assert len(server.tools()) >= reference.tools and not server.labels
    (result,) = called(server, here, name)
    assert reference.says in result.content
    assert not result.is_error


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_is_killed_says_so(name, opened, here):
    (result,) = called(opened(name, "killed"), here, name)
    assert result.is_error
    assert "ended before it answered" in result.content or "no answer came" in result.content


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_is_slow_is_given_up(name, opened, here):
    (result,) = called(opened(name, "slow", timeout=0.4), here, name)
    assert "longer than 0.4 seconds" in result.content


@pytest.mark.parametrize("name", SERVERS)
def test_answers_to_others_are_none(name, opened, here):
    (result,) = called(opened(name, "wrong_ids", timeout=3.0), here, name)
    assert result.is_error


@pytest.mark.parametrize("name", SERVERS)
def test_an_answer_that_is_huge_is_an_error(name, opened, here):
    (result,) = called(opened(name, "huge"), here, name)
    assert result.is_error and "16777216" in result.content.replace(",", "")


@pytest.mark.parametrize("name", SERVERS)
def test_a_list_that_changes_all_the_time_is_asked_about_and_used(name, opened, here):
    server = opened(name, "changing")
    results = called(server, here, name, times=2)
    assert SERVERS[name].says in results[0].content
    assert server.tools()[0].spec.description.startswith("edition ")
    assert server.tools()[0].spec.description != "edition 1" and server.tools()[0].caution


@pytest.mark.parametrize("name", SERVERS)
def test_a_list_that_is_hostile_is_tamed(name, opened, here):
    server = opened(name, "hostile")
    (result,) = called(server, here, name)
    assert SERVERS[name].says in result.content
    assert all(len(tool.spec.description) <= 4_000 for tool in server.tools())
    assert all(tool.risk == "egress" for tool in server.tools())
    assert len(server.labels) == len(server.tools())
