"""Help texts that fit a narrow window."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

import click

__all__ = ["fit_help"]

#: Click wraps at 50 columns at least, which a narrower window breaks once more in mid-word.
_CLICKS_LEAST = 52
_LEAST = 30


class _Formatter(click.HelpFormatter):
    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        columns = shutil.get_terminal_size().columns
        if width is None and columns < _CLICKS_LEAST:
            width = max(columns - 2, _LEAST)
        super().__init__(indent_increment, width, max_width)

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        if self.width < _CLICKS_LEAST - 2:
            col_max = min(col_max, self.width // 3)
        super().write_dl(rows, col_max, col_spacing)


class _Context(click.Context):
    formatter_class = _Formatter


def fit_help(command: click.Command) -> click.Command:
    """Let *command*, and every command below it, write its help for the window that there is."""
    command.context_class = _Context
    for below in getattr(command, "commands", {}).values():
        fit_help(below)
    return command
