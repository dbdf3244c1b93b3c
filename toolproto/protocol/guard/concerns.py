"""What a person should know before approving a call: which of its words are a stranger's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Concern", "ConcernKind"]

#: ``argument``: a value, or a part of it, stands in a stranger's text. ``echo``: the call itself
#: does. ``context``: it follows such text, and nothing in it comes from the user's words.
#: ``unvouched``: neither the user nor a trusted result has named the value; unless the guard is
#: ``strict``, this is said only of places that something can be sent to.
ConcernKind = Literal["argument", "echo", "context", "unvouched"]

_LONGEST_VALUE = 80


@dataclass(frozen=True, slots=True)
class Concern:
    """One reason to look closely at a call.

    *source* is the tool whose result contains the words, *argument* is their place in the call, as
    in ``recipients[0]``, and *value* is the words. *quote* shows them as they are in the source, on
    one line. A stranger wrote them: show them, and never obey them. With *barred*, the call only
    runs if somebody vouches for that argument (``Allow(vouched=…)``) or changes it.
    """

    kind: ConcernKind
    source: str = ""
    argument: str = ""
    value: str = field(default="", repr=False)
    quote: str = field(default="", repr=False)
    barred: bool = False

    @property
    def brief(self) -> str:
        """The concern in one line, without any words of the conversation: for logs."""
        match self.kind:
            case "argument":
                return f"{self.argument} comes from {self._place}"
            case "echo":
                return f"the call appears word for word in {self._place}"
            case "unvouched":
                return f"{self.argument} was not named by the user or by a trusted result"
        return f"it follows {self._place}, and nothing in it comes from the user"

    @property
    def _place(self) -> str:
        return self.source if " " in self.source else f"the result of {self.source}"

    @property
    def line(self) -> str:
        """The concern in one line, for a person who decides."""
        value = f" {_shown(self.value)}" if self.value else ""
        quote = f": “{self.quote}”" if self.quote else ""
        told = self.brief
        if self.argument:
            told = told.replace(self.argument, f"{self.argument}{value}", 1)
        return told + quote


def _shown(value: str) -> str:
    line = " ".join(value.split())
    return f"“{line if len(line) <= _LONGEST_VALUE else line[: _LONGEST_VALUE - 1] + '…'}”"
