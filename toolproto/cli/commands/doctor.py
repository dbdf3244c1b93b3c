"""``toolproto doctor``: is everything here, and does the model answer?"""

from __future__ import annotations

import click

from ...protocol.foreign_text import visible
from ..checkup import CheckupFinding, checkup
from ..console import mark, out, print_json
from ..endpoint_choice import EndpointChoice
from ..exits import Exit
from ..options import endpoint_options, json_option, mcp_option
from ..settings import Settings

__all__ = ["command"]

_STYLES = {"fine": "green", "missing": "dim", "broken": "red"}


@click.command("doctor")
@endpoint_options
@mcp_option
@json_option
@click.pass_context
def command(
    ctx: click.Context, endpoint: EndpointChoice, mcp: tuple[str, ...], as_json: bool
) -> None:
    """Check what is installed, and whether the endpoint and the MCP servers answer.

    Prints the command that fixes each thing that is missing or broken. Exits with 1 if anything is
    broken; an extra that is not installed does not count.
    """
    broken = False
    for finding in checkup(endpoint, ctx.ensure_object(Settings), mcp):
        broken = broken or finding.state == "broken"
        _show(finding, as_json)
    ctx.exit(Exit.FAILED if broken else Exit.FINE)


def _show(finding: CheckupFinding, as_json: bool) -> None:
    if as_json:
        found = {"what": finding.what, "state": finding.state, "told": finding.told}
        print_json({**found, "remedy": finding.remedy or None})
        return
    from rich.markup import escape

    told = escape(visible(f"{finding.what:22} {finding.told}"))
    style = _STYLES[finding.state]
    out().print(f"[{style}]{mark(finding.state)}[/] {told}", soft_wrap=True)
    if finding.remedy:
        out().print(f"  {'':22} run: {escape(visible(finding.remedy))}", soft_wrap=True)
