"""Text in rows that fit a window, whichever width its terminal gives to each character."""

from __future__ import annotations

from collections.abc import Iterator

from ...protocol.foreign_text import visible

__all__ = ["counted", "fold", "one_line"]

#: From here on terminals disagree about widths (marks, emoji, East Asian text). Every such
#: character is taken for a wide one: a row that a terminal has to break would go on at the left
#: edge, where a card has its border.
_ALL_AGREE = "\u0300"


def fold(text: str, width: int) -> Iterator[str]:
    """The rows of *text*, none of them wider than *width* cells; tabs are four blanks."""
    for line in text.replace("\t", "    ").split("\n"):
        yield from _folded(line, max(width, 2))


def _folded(line: str, width: int) -> Iterator[str]:
    if line.isascii():
        yield from (line[at : at + width] for at in range(0, max(1, len(line)), width))
        return
    start = cells = 0
    for at, char in enumerate(line):
        wide = 1 if char < _ALL_AGREE else 2
        if cells + wide > width:
            yield line[start:at]
            start, cells = at, 0
        cells += wide
    yield line[start:]


def one_line(text: str, longest: int = 200) -> str:
    """*text* on one line, made visible, and not much of it."""
    line = " ".join(visible(text[: longest * 4]).split())
    is_whole = len(text) <= longest * 4 and len(line) <= longest
    return line if is_whole else f"{line[:longest]}…"


def counted(number: int, what: str) -> str:
    """``1 line``, ``2,310 lines``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
