"""What a person is asked for, and how a message of several lines is written."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

__all__ = ["Inputs", "is_open", "unquoted"]

_QUOTES = '"""'
_FENCE = "```"


class Inputs(Protocol):
    """Where a person's words come from.

    All raise EOFError when there is nobody any more, and KeyboardInterrupt for Ctrl-C. Whatever
    comes of it, the cursor stands at the beginning of a line afterwards.
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


def is_open(text: str) -> bool:
    """Return True if *text* begins a message of several lines that is not closed yet.

    Such a message begins with a fence or with three quotation marks, and goes on up to the next.
    """
    if text.startswith(_QUOTES):
        return not text.removeprefix(_QUOTES).endswith(_QUOTES)
    first, *rest = text.split("\n")
    return first.startswith(_FENCE) and all(line.strip() != _FENCE for line in rest)


def unquoted(text: str) -> str:
    """*text* without the quotation marks around a message of several lines; a fence stays."""
    if not text.startswith(_QUOTES):
        return text
    return text.removeprefix(_QUOTES).removesuffix(_QUOTES).strip("\n")
