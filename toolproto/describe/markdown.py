"""Tools as Markdown: a heading and a table of arguments for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..tools.spec import ToolSpec
from .base import WriteCall
from .reading import arguments
from .text import one_line
from .types import Member, members_of
from .words import outer_words

__all__ = ["Markdown"]

_HEAD = "| argument | type | required | description |\n|---|---|---|---|"


class Markdown:
    """A table of arguments for each tool, under its name."""

    name = "markdown"
    shows_calls = False

    def show(self, tools: Sequence[ToolSpec], write: WriteCall) -> str:
        """One section for each tool; *write* is not needed."""
        return "\n\n".join(_section(tool) for tool in tools)


def _section(tool: ToolSpec) -> str:
    # On one line, and not the beginning of a heading or a table of its own.
    words = one_line(tool.description)
    words = f"\\{words}" if words.startswith(("#", "|")) else words
    rows = "\n".join(row for member in arguments(tool) for row in _rows(member, ""))
    return "\n".join(filter(None, [f"### {one_line(tool.name)}", words, rows and _HEAD, rows]))


def _rows(member: Member, path: str) -> Iterator[str]:
    """The row of an argument, and one for each member in it: ``recurrence.days``."""
    name = f"{path}{one_line(member.name)}"
    notes = ", ".join(member.notes)
    words = " ".join(filter(None, [member.description, f"({notes})" if notes else ""]))
    cells = [name, outer_words(member.type), "yes" if member.required else "no", words]
    yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    for inner in members_of(member.type):
        yield from _rows(inner, f"{name}.")
