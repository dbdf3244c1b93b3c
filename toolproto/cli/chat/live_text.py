"""What appears while it is written: an answer, thinking, or how far a call has come."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Protocol

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from .markdown_blocks import Block, Blocks
from .markdown_view import answer
from .pace import Pace
from .readable import Readable
from .screen import Row, Screen

__all__ = ["LiveCount", "LiveText", "Writing", "thought"]

Clock = Callable[[], float]


def thought(text: str) -> RenderableType:
    """*text* as thinking is shown: faint, plain, and indented."""
    return Padding(Text(text.strip("\n"), style="dim italic"), (0, 0, 0, 2))


class Writing(Protocol):
    """Something that is being written."""

    def feed(self, text: str) -> None:
        """Take the next piece; it is shown at once, or with what comes in the next moment."""
        ...

    def finish(self) -> None:
        """That was all of it; what is to stay stays."""
        ...


class LiveText:
    """Text that is shown as it comes: finished blocks once, and the open one again and again.

    A blank line stands before each block, and so before the text.
    """

    def __init__(
        self,
        screen: Screen,
        draw: Callable[[str], RenderableType] = answer,
        clock: Clock = monotonic,
    ) -> None:
        self._screen = screen
        self._draw = draw
        self._blocks = Blocks()
        self._readable = Readable()
        self._came: list[str] = []
        self._pace = Pace(self._paint, screen.lock, clock)

    def feed(self, text: str) -> None:
        """Take the next piece."""
        self._came.append(text)
        self._pace.soon()

    def finish(self) -> None:
        """Show all of it, for good."""
        self._pace.now()
        for block in (*self._blocks.feed(self._readable.finish()), *self._blocks.finish()):
            self._show(block)

    def _paint(self) -> None:
        text = self._readable.feed("".join(self._came))
        self._came.clear()
        if self._screen.narrowed:
            self._screen.leave()
            self._blocks.end_here()
        for block in self._blocks.feed(text):
            self._show(block)
        self._paint_open()

    def _paint_open(self) -> None:
        rows = self._drawn(self._blocks.open)
        if len(rows) > self._screen.room:
            self._show(self._blocks.cut())
            rows = self._drawn(self._blocks.open)
        self._screen.paint(rows)

    def _show(self, block: Block) -> None:
        if rows := self._drawn(block):
            self._screen.show_rows(rows)

    def _drawn(self, block: Block) -> list[Row]:
        """*block* below one blank line, whatever its kind brings along."""
        rows = self._screen.rows(self._draw(block.text)) if block.text.strip() else []
        filled = [at for at, row in enumerate(rows) if row]
        if not filled:
            return []
        apart: list[Row] = [] if block.is_rest else [[]]
        return apart + rows[filled[0] : filled[-1] + 1]


class LiveCount:
    """How much was written of what is not shown: a line that counts, and stays if it is to.

    *words* gives the line for a number of characters, and whether that was all.
    """

    def __init__(
        self,
        screen: Screen,
        words: Callable[[int, bool], str],
        stays: bool = True,
        clock: Clock = monotonic,
    ) -> None:
        self._screen = screen
        self._words = words
        self._stays = stays
        self._count = 0
        self._pace = Pace(self._paint, screen.lock, clock)

    def feed(self, text: str) -> None:
        """Count the next piece."""
        self._count += len(text)
        self._pace.soon()

    def finish(self) -> None:
        """That was all."""
        self._pace.stop()
        self._screen.show_rows(self._drawn(True) if self._stays else [])

    def _paint(self) -> None:
        self._screen.paint(self._drawn(False))

    def _drawn(self, is_all: bool) -> list[Row]:
        line = Text(self._words(self._count, is_all), style="dim", no_wrap=True)
        return [[], *self._screen.rows(line)]
