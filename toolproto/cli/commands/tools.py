"""``toolproto tools``: what authors of tools should know about their definitions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from ...protocol.errors import UsageError
from ...protocol.foreign_text import visible
from ...protocol.schemas.compiling import COMPILERS
from ...protocol.tools.spec import ToolOffer
from ...testing.lint import LintRemark, lint_offer, mended_offer
from ..completing import FILE
from ..console import note, out, print_json
from ..exits import Exit
from ..mcp_servers import configured_servers, opened_servers
from ..options import json_option
from ..settings import Settings
from ..tool_sources import load_offer

__all__ = ["command"]

#: Whoever asks for strict tools has them made strict by a library.
_ASKED = tuple(name for name in COMPILERS if name != "openai_strict")
#: What --fix mends for, unless it is told: those whose words do not exclude each other.
_FIXED = ("llama.cpp", "xgrammar", "openai", "anthropic")


@click.group("tools")
def command() -> None:
    """Check the definitions of tools before a service or a model does."""


@command.command("lint")
@click.argument("source", nargs=-1, type=FILE)
@click.option(
    "--mcp", multiple=True, metavar="SERVER", help="An MCP server, as of `toolproto mcp`."
)
@click.option(
    "--service", multiple=True, type=click.Choice(list(COMPILERS)),
    help="Who is to take the tools; may be repeated.  [all but openai_strict]",
)  # fmt: skip
@click.option(
    "--fix", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write the tools to FILE with schemas that the services take.",
)  # fmt: skip
@json_option
@click.pass_context
def _lint(
    ctx: click.Context,
    source: tuple[str, ...],
    mcp: tuple[str, ...],
    service: tuple[str, ...],
    fix: Path | None,
    as_json: bool,
) -> None:
    """Say what services will refuse or misread in tools, and what small models stumble over.

    SOURCE is a file of tools or a module, as of --tools. Each line names the tool, the place in its
    schema, what is there and who refuses it; --json names the source of that, too. Exits with 1 if
    a service refuses a tool. toolproto itself sends each service what it takes.
    """
    offer = _offered(ctx, source, mcp)
    remarks = lint_offer(offer, service or _ASKED)
    if as_json:
        print_json([asdict(remark) for remark in remarks])
    else:
        _show(remarks)
    if fix:
        _write(mended_offer(offer, service or _FIXED), fix)
    ctx.exit(Exit.FAILED if any(each.kind == "refused" for each in remarks) else Exit.FINE)


def _offered(ctx: click.Context, source: Sequence[str], mcp: Sequence[str]) -> ToolOffer:
    if not source and not mcp:
        raise UsageError(
            "which tools? name a file or a module, or give --mcp SERVER; or try `demo`"
        )
    tools = [*load_offer(source).tools]
    servers = configured_servers(mcp, ctx.ensure_object(Settings)) if mcp else []
    try:
        for opened in opened_servers(servers):
            if opened.fault:
                raise UsageError(f"the MCP server {opened.server.name!r} failed: {opened.fault}")
            tools += [tool.spec for tool in opened.server.tools()]
    finally:
        for each in servers:
            each.close()
    return ToolOffer(tuple(tools))


def _show(remarks: Sequence[LintRemark]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("", "tool", "place", "what", "who", box=None, pad_edge=False)
    for remark in remarks:
        who = ", ".join(COMPILERS[name].title for name in remark.services) or "small models"
        row = (remark.kind, remark.tool or "(all)", remark.place, remark.what, who)
        table.add_row(*(Text(visible(each), overflow="fold") for each in row))
    if remarks:
        out().print(table)
    else:
        note("nothing to say")


def _write(offer: ToolOffer, path: Path) -> None:
    tools = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in offer.tools
    ]
    path.write_text(json.dumps(tools, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    note(f"wrote {path}")
