"""What the tools of MCP servers add to a turn, beside as many plain ones.

    python benchmarks/mcp_servers.py [--turns N] [--figures FILE]

A hundred tools, of three servers that run as processes, or of this program; the second turn of a
session, with and without a call. The model is a script, so all that is measured is ours, and for a
call the way to the server and back. The bar: 5 milliseconds more, of CPU, which a crowded machine
leaves alone; the shortest times stand beside it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from contextlib import ExitStack
from typing import Any

from compare import add_figures_option, keep_figures

from toolproto import ChatSession, Policy, Tool
from toolproto.conversation.mcp import McpServer
from toolproto.endpoints import ScriptedEndpoint

BAR = 0.005
SIZES = (34, 33, 33)
#: A server in the standard library: what it costs is none of ours.
SERVER = """
import json, sys
first, count = map(int, sys.argv[1:])
properties = {f"argument_{n}": {"type": "string", "description": "one of five"} for n in range(5)}
tools = [
    {"name": f"tool_{n}", "description": f"Does the thing number {n}, and says so.",
     "inputSchema": {"type": "object", "properties": properties},
     "annotations": {"readOnlyHint": True}}
    for n in range(first, first + count)
]
greeting = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "bench", "version": "1"}}
answers = {"initialize": greeting, "tools/list": {"tools": tools},
           "tools/call": {"content": [{"type": "text", "text": "done"}]}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        found = answers.get(asked["method"])
        told = {"result": found} if found else {"error": {"code": -32601, "message": "what?"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
"""
CALL = '<tool_code>{"name": "tool_50", "arguments": {"argument_0": "x"}}</tool_code>'
TURNS = {"without a call": ("Well.",), "with a call": (CALL, "Well.")}


def main() -> int:
    """Print the table; 1 if the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=150)
    add_figures_option(parser)
    options = parser.parse_args()
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(at)) for at in range(len(SIZES))]
        kinds: dict[str, list[Any]] = {"plain": _plain(servers), "servers": servers}
        missed, figures = 0, {}
        print(f"{'a turn':24}{'plain':>10}{'servers':>10}{'more':>10}   bar {BAR * 1e3:g} ms")
        for name, replies in TURNS.items():
            wall, cpu = _measured(kinds, replies, options.turns)
            missed += cpu["servers"] - cpu["plain"] > BAR
            figures[f"{name}: servers / plain"] = cpu["servers"] / cpu["plain"]
            _print(f"{name}, CPU", cpu)
            _print(f"{name}, wall", wall)
    keep_figures(options.figures, figures)
    return 1 if missed else 0


def _print(name: str, took: dict[str, float]) -> None:
    more = took["servers"] - took["plain"]
    row = "".join(f"{seconds * 1e3:8.2f}ms" for seconds in (*took.values(), more))
    print(f"{name:24}{row}")


def _server(at: int) -> McpServer:
    first, count = sum(SIZES[:at]), SIZES[at]
    return McpServer(sys.executable, "-c", SERVER, str(first), str(count), name=f"server_{at}")


def _plain(servers: list[McpServer]) -> list[Tool]:
    """The same tools, of this program."""

    async def run(**arguments: Any) -> str:
        return "done"

    listed = [tool.spec for server in servers for tool in server.tools()]
    assert len(listed) == sum(SIZES)
    copies = [json.loads(json.dumps([s.name, s.description, s.parameters])) for s in listed]
    return [Tool.from_schema(*each, run) for each in copies]


def _measured(
    kinds: dict[str, list[Any]], replies: tuple[str, ...], turns: int
) -> tuple[dict[str, float], dict[str, float]]:
    """The second turn, by turns with one kind of tools and the other: shortest time, middle CPU."""
    wall: dict[str, list[float]] = {kind: [] for kind in kinds}
    cpu: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(turns):
        for kind, tools in kinds.items():
            endpoint = ScriptedEndpoint(*replies, *replies)
            session = ChatSession(endpoint, "xml_tag", tools, policy=Policy(tools={"*": "allow"}))
            session.send("first")
            begun, used = time.perf_counter(), time.process_time()
            result = session.send("second")
            wall[kind].append(time.perf_counter() - begun)
            cpu[kind].append(time.process_time() - used)
            assert result.text == "Well.", result
    shortest = {kind: min(each) for kind, each in wall.items()}
    return shortest, {kind: statistics.median(each) for kind, each in cpu.items()}


if __name__ == "__main__":
    sys.exit(main())
