"""Somebody at a terminal, without a terminal: what they type is known, what they see is kept."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pyte
from rich.console import Console

from toolproto import ToolRegistry
from toolproto.cli.chat.conversation import Setup, TerminalChat
from toolproto.cli.chat.interrupts import Interrupts
from toolproto.cli.chat.repl import Repl
from toolproto.cli.chat.screen import Screen
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.paradigms import get_paradigm


class Typed:
    """Inputs that were written down before; an exception among them is raised at its place.

    *edits* are what becomes of a text in the editor, *asked* every question.
    """

    def __init__(self, *lines: Any, edits: Iterable[Any] = (), is_line_empty: bool = True) -> None:
        self.is_line_empty = is_line_empty
        self.asked: list[str] = []
        self.shown_to_edit: list[str] = []
        self._lines = deque(lines)
        self._edits = deque(edits)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        yield

    def message(self, mark: str, *, kept: bool = True) -> str:
        return self._next(mark)

    def answer(self, question: str) -> str:
        return self._next(question)

    def edited(self, text: str) -> str | None:
        self.shown_to_edit.append(text)
        return self._edits.popleft()

    def _next(self, asked: str) -> str:
        self.asked.append(asked)
        line = self._lines.popleft() if self._lines else EOFError()
        if isinstance(line, BaseException):
            raise line
        return line


class Paper:
    """A console whose output is kept, as plain lines; *screen* is the screen on it."""

    def __init__(self, width: int = 80) -> None:
        self.file = io.StringIO()
        console = Console(file=self.file, width=width, highlight=False, color_system=None)
        self.screen = Screen(console)

    @property
    def text(self) -> str:
        return self.file.getvalue()


class Glass:
    """A console on a terminal that is not there; :meth:`rows` are what it would show."""

    def __init__(self, columns: int = 60, rows: int = 20) -> None:
        self.file = io.StringIO()
        self.console = Console(
            file=self.file, width=columns, height=rows, force_terminal=True, highlight=False
        )
        self.screen = Screen(self.console)
        self._seen = pyte.HistoryScreen(columns, rows, history=100_000)
        self._stream = pyte.Stream(self._seen)
        self._read = 0

    @property
    def rows(self) -> list[str]:
        """Every row, those that have scrolled away included, without the empty ones at the end."""
        fresh = self.file.getvalue()[self._read :]
        self._read += len(fresh)
        self._stream.feed(fresh.replace("\n", "\r\n"))
        above = [
            "".join(line[at].data for at in range(self._seen.columns))
            for line in self._seen.history.top
        ]
        return (
            "\n".join(line.rstrip() for line in [*above, *self._seen.display]).rstrip().split("\n")
        )


def chat(*replies: Any, tools: Iterable[Any] = (), **setup: Any) -> TerminalChat:
    """A conversation with a model that says *replies*."""
    endpoint = ScriptedEndpoint(*replies, chunk_size=5)
    return TerminalChat(Setup(endpoint, get_paradigm, "xml_tag", ToolRegistry(tools), **setup))


def repl(conversation: TerminalChat, typed: Typed, width: int = 80, **options: Any) -> Any:
    """A chat on paper: the loop, and the paper."""
    paper = Paper(width)
    return Repl(conversation, paper.screen, typed, Interrupts(), **options), paper
