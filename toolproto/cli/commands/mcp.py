"""``toolproto mcp``: which MCP servers there are, whether they answer, and what tools they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...protocol.foreign_text import visible
from ..completing import FILE
from ..console import mark, out, print_json
from ..exits import Exit
from ..mcp_servers import TriedServer, configured_servers, opened_servers
from ..options import json_option
from ..settings import Settings

if TYPE_CHECKING:
    from ...conversation.mcp import McpServer

__all__ = ["command"]

_LONGEST_LINE = 100


@click.command("mcp")
@click.argument("server", nargs=-1, type=FILE)
@json_option
@click.pass_context
def command(ctx: click.Context, server: tuple[str, ...], as_json: bool) -> None:
    """List MCP servers and their tools.

    SERVER is a command line, a URL, or a JSON file with mcpServers; those of [mcp.NAME] in the
    settings are listed in any case. It shows the risks that servers claim, and what had to be
    changed in a tool to make it usable. Exits with 1 if a server does not answer.
    """
    failed = False
    servers = configured_servers(server, ctx.ensure_object(Settings))
    if not servers:
        click.echo("there are no MCP servers; name one, or write [mcp.NAME] in toolproto.toml")
    try:
        for opened in opened_servers(servers):
            failed = failed or bool(opened.fault)
            if as_json:
                print_json(_as_json(opened))
            else:
                _show(opened)
    finally:
        for each in servers:
            each.close()
    ctx.exit(Exit.FAILED if failed else Exit.FINE)


def _as_json(opened: TriedServer) -> dict[str, Any]:
    server = opened.server
    return {
        "server": server.name,
        "config": str(server.config),
        "fault": opened.fault or None,
        "about": server.about,
        "tools": [
            {
                "name": tool.name,
                "description": tool.spec.description,
                "parameters": tool.spec.parameters,
                "risk": tool.risk,
                "caution": tool.caution or None,
                "labels": list(server.labels.get(tool.name, ())),
            }
            for tool in server.tools()
        ],
    }


def _show(opened: TriedServer) -> None:
    from rich.markup import escape

    server, console = opened.server, out()
    if opened.fault:
        console.print(f"[red]{mark('broken')}[/] {escape(visible(opened.fault))}", soft_wrap=True)
        return
    head = f"{server.name}: {server.about}, {opened.seconds:.1f} s"
    console.print(f"[green]{mark('fine')}[/] {escape(visible(head))}", soft_wrap=True)
    for line in _tool_lines(server):
        console.print(f"  {escape(visible(line))}", soft_wrap=True)


def _tool_lines(server: McpServer) -> list[str]:
    lines: list[str] = []
    for tool in server.tools():
        what = " ".join(tool.spec.description.split())
        said = f"{tool.name} ({tool.risk}) {what}"
        lines.append(said if len(said) <= _LONGEST_LINE else f"{said[: _LONGEST_LINE - 1]}…")
        notes = [*([tool.caution] if tool.caution else ()), *server.labels.get(tool.name, ())]
        lines += [f"  ! {note}" for note in notes]
    return lines
