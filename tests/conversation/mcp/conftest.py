"""Servers for the tests, over both transports, and a look at what they leave behind."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conversation.session.conftest import play  # noqa: F401 (a fixture)
from tests.patience import PATIENCE
from toolproto.conversation.mcp import McpServer

from .rough import Rough, serving

#: Real servers have to be installed: `make mcp` does, and says so.
collect_ignore = [] if os.environ.get("TOOLPROTO_REFERENCES") else ["references"]

ROUGH = Path(__file__).parent / "rough.py"
Made = Callable[..., McpServer]
#: What the guard makes of strangers' results is tested where that is the point.
TERMS = {"name": "rough", "trusted": True}


def command(mode: str, note: str = "") -> list[str]:
    """The command line of a rough server; it starts without looking for packages."""
    return [sys.executable, "-S", "-E", str(ROUGH), mode, *([note] if note else [])]


@pytest.fixture(params=["stdio", "http"])
def rough(request: pytest.FixtureRequest) -> Iterator[Made]:
    """Makes a server that behaves as its mode says, and ends it with the test."""
    with ExitStack() as stack:

        def made(mode: str = "plain", note: str = "", **terms: Any) -> McpServer:
            terms = {**TERMS, **terms}
            if request.param == "stdio":
                server = McpServer(*command(mode, note), **terms)
            else:
                url = stack.enter_context(serving(Rough(mode, note)))
                server = McpServer(url=url, **terms)
            stack.callback(server.close)
            return server

        yield made


@pytest.fixture
def process() -> Iterator[Made]:
    """The same, only as processes."""
    with ExitStack() as stack:

        def made(mode: str = "plain", note: str = "", **terms: Any) -> McpServer:
            server = McpServer(*command(mode, note), **{**TERMS, **terms})
            stack.callback(server.close)
            return server

        yield made


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """After every test no server of it runs any more."""
    yield
    until(lambda: not running(ROUGH.name))


def running(word: str, parent: int | None = None) -> list[int]:
    """The processes below ours, or below *parent*, with *word* in their command line."""
    parents: dict[int, int] = {}
    words: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = (folder / "stat").read_text()
            words[int(folder.name)] = (folder / "cmdline").read_text()
        except OSError:
            continue
        fields = stat.rpartition(")")[2].split()
        if fields[0] != "Z":
            parents[int(folder.name)] = int(fields[1])
    below = {parent or os.getpid()}
    while more := {pid for pid, up in parents.items() if up in below} - below:
        below |= more
    return sorted(pid for pid in below if word in words.get(pid, "") and pid != os.getpid())


def is_running(pid: int) -> bool:
    """Whether the process *pid* runs, wherever it hangs."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def until(true: Callable[[], object]) -> None:
    """Wait until *true* says so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
