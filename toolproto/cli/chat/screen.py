"""All that is shown: what stays, and below it a few lines that are painted again and again.

What was shown is never touched again. Only the live lines are, and of those only the ones that
changed, in one write; so nothing flickers, and what has scrolled away stays as it was.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import ControlType, Segment, Segments
from rich.status import Status
from rich.text import Text

from ...protocol.foreign_text import visible
from .folding import one_line

__all__ = ["Row", "Screen"]

Row = list[Segment]
#: Longer lines are hard to read, however wide the window is.
_WIDEST = 100
#: Rows of the window that the live lines leave free: the cursor's, and one to see what was before.
_FREE = 2
_LONGEST_REMARK = 1_000
_ERASE = Control((ControlType.ERASE_IN_LINE, 2)).segment
#: To the beginning of the line, and away with the ``^C`` that a terminal writes there.
_FRESH = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)).segment


class Screen:
    """A console, and the live lines at its end.

    *lock* is held while something is shown: a question must not be torn apart by a result.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.lock = threading.RLock()
        self._live: list[Row] = []
        self._width = 0
        self._waiting: Status | None = None

    @property
    def can_repaint(self) -> bool:
        """Whether there is a terminal on which the cursor can go up."""
        return self.console.is_terminal and not self.console.is_dumb_terminal

    @property
    def width(self) -> int:
        """How wide what is shown may be."""
        return min(self.console.width, _WIDEST)

    @property
    def room(self) -> int:
        """How many live rows there may be."""
        return max(2, self.console.height - _FREE)

    @property
    def narrowed(self) -> bool:
        """Whether the live rows were painted for a wider window.

        Some terminals have broken them into more rows by now, others have cut them off. Nobody can
        tell where they begin, so they cannot be painted again, only left.
        """
        width = self.console.width
        return width < self._width and any(_cells(row) > width for row in self._live)

    def show(self, *renderables: RenderableType) -> None:
        """Put *renderables* where the live lines are, for good."""
        self.show_rows(self.rows(*renderables))

    def show_rows(self, rows: list[Row]) -> None:
        """The same, with what is drawn already."""
        with self.lock:
            self.still()
            if self.can_repaint:
                self.paint(rows)
            else:
                self._write([*_over(rows, 0)])
            self.leave()

    def say(self, text: str, style: str = "dim") -> None:
        """One short remark of ours; line ends in it do not make it longer."""
        self.show(Text(one_line(text, _LONGEST_REMARK), style=style))

    def paint(self, rows: list[Row]) -> None:
        """Let *rows* be the live lines; where none can be, nothing happens."""
        if not self.can_repaint:
            return
        with self.lock:
            self.still()
            if self.narrowed:
                self.leave()
            same = _common(self._live, rows)
            changed, old = rows[same:], len(self._live) - same
            if changed or old:
                self._write([_FRESH, *_up(old), *_over(changed, old)])
            self._live, self._width = rows, self.console.width

    def leave(self) -> None:
        """Let the live lines stay as they are; what comes next comes below them."""
        self._live = []

    def rows(self, *renderables: RenderableType) -> list[Row]:
        """What *renderables* come to in this window, with nothing in it that a terminal obeys."""
        console = self.console
        options = console.options.update(width=self.width)
        return [
            _trimmed([_disarmed(segment) for segment in line])
            for renderable in renderables
            for line in console.render_lines(renderable, options, pad=False)
        ]

    def wait(self, text: str) -> None:
        """Show *text* and a sign of life until something else is shown, or :meth:`still`."""
        with self.lock:
            self.still()
            if self.can_repaint:
                said = Text(one_line(text, self.width - 4), style="dim", no_wrap=True)
                self._waiting = self.console.status(said, spinner_style="dim")
                self._waiting.start()

    def still(self) -> None:
        """Take away what :meth:`wait` shows."""
        with self.lock:
            waiting, self._waiting = self._waiting, None
            if waiting:
                waiting.stop()

    def _write(self, segments: list[Segment]) -> None:
        self.console.print(Segments(segments), end="", crop=False)


def _disarmed(segment: Segment) -> Segment:
    """*segment* as plain text: no control codes, no link, no tab that shifts what follows."""
    text, style, _ = segment
    if style and style.link:
        style = style.update_link(None)
    return Segment(visible(text).replace("\t", " ").replace("\n", " "), style)


def _trimmed(row: Row) -> Row:
    """*row* without blanks at its end, which would wrap in a window that gets narrower."""
    while row and not row[-1].text.strip() and not _has_ground(row[-1]):
        row = row[:-1]
    if row and not _has_ground(row[-1]):
        row = [*row[:-1], Segment(row[-1].text.rstrip(), row[-1].style)]
    return row


def _has_ground(segment: Segment) -> bool:
    style = segment.style
    return bool(style and (style.bgcolor or style.underline or style.reverse))


def _cells(row: Row) -> int:
    return Segment.get_line_length(row)


def _common(old: list[Row], new: list[Row]) -> int:
    """How many rows at the beginning are the same."""
    for at, (left, right) in enumerate(zip(old, new, strict=False)):
        if left != right:
            return at
    return min(len(old), len(new))


def _up(rows: int) -> Iterator[Segment]:
    if rows:
        yield Control((ControlType.CURSOR_UP, rows)).segment


def _over(rows: list[Row], old: int) -> Iterator[Segment]:
    """*rows* over *old* ones that stand here; the cursor ends below them."""
    for at, row in enumerate(rows):
        if at < old:
            yield _ERASE
        yield from (*row, Segment.line())
    for _ in range(surplus := max(0, old - len(rows))):
        yield from (_ERASE, Segment.line())
    yield from _up(surplus)
