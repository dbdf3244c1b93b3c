"""What a person is asked for, and how a message of several lines is written."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

__all__ = ["Inputs", "gathered"]

_QUOTES = '"""'
_FENCE = "```"


class Inputs(Protocol):
    """Where a person's words come from.

    All raise EOFError when there is nobody any more, and KeyboardInterrupt for Ctrl-C.
    """

    @property
    def is_line_empty(self) -> bool:
        """Whether nothing had been typed when Ctrl-C ended the last message."""
        ...

    def quiet(self) -> AbstractContextManager[None]:
        """Show no keys that are pressed until the block is left, but for answers to questions."""
        ...

    def message(self, mark: str, *, kept: bool = True) -> str:
        """What the person says next, perhaps in several lines; *kept*: in the history, too."""
        ...

    def answer(self, question: str) -> str:
        """The answer to a short question; what was typed before it was asked is none."""
        ...

    def edited(self, text: str) -> str | None:
        """*text* as the person changed it; None if they did not."""
        ...


def gathered(line: Callable[[bool], str]) -> str:
    r"""A message out of lines; *line* is called with whether it is to go on with one.

    A line that ends in ``\`` is continued; a first line that begins with a fence or with three
    quotation marks by all up to the closing one. The quotation marks go, the fence stays.
    """
    lines = [line(False)]
    try:
        if lines[0].startswith(_QUOTES):
            lines[0] = lines[0].removeprefix(_QUOTES)
            _extend(lines, line, lambda: lines[-1].endswith(_QUOTES))
            return "\n".join(lines).removesuffix(_QUOTES).strip("\n")
        if lines[0].startswith(_FENCE):
            _extend(lines, line, lambda: len(lines) > 1 and lines[-1].strip() == _FENCE)
            return "\n".join(lines)
        _extend(lines, line, lambda: not lines[-1].endswith("\\"))
    except EOFError:  # what was written until then is the message
        pass
    return "\n".join(each.removesuffix("\\") for each in lines)


def _extend(lines: list[str], line: Callable[[bool], str], is_whole: Callable[[], bool]) -> None:
    while not is_whole():
        lines.append(line(True))
