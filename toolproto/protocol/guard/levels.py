"""How careful a conversation is with text that strangers wrote.

======================  =========================================================================
``standard``            the default: text is defused, repeated calls are doubted, and a call that
                        uses what strangers wrote is put to a person, who is shown the words
``strict``              the same, and after such text a call that does more than read may only use
                        values from the user's own words and from trusted results
``off``                 none of it
======================  =========================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from ..errors import UsageError

__all__ = ["LEVELS", "STANDARD", "Guard", "Taint", "guard_from"]

#: What happens to a call that does more than read and uses what strangers wrote.
Taint = Literal["off", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class Guard:
    """What is done about text that strangers wrote: results of untrusted tools, pages, messages.

    *neutralise*: what looks like a call in such text is defused before the model reads it. *nonce*:
    the markers of calls contain a random part that no stranger can know. *echo*: a call that
    appears word for word in such text is doubted. *taint*: if a call does more than read and uses
    words of such text, a person is asked (``ask``), or the call may only use the user's own words
    (``deny``). *untrusted* names tools, or patterns (``"read_*"``), whose results count as a
    stranger's, whatever the tools say.
    """

    neutralise: bool = True
    nonce: bool = False
    echo: bool = True
    taint: Taint = "ask"
    untrusted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.taint not in get_args(Taint):
            raise UsageError(f"taint is {self.taint!r}; use one of {get_args(Taint)}")

    @property
    def follows(self) -> bool:
        """Whether the guard looks at where the words of a call come from."""
        return self.echo or self.taint != "off"

    def distrusts(self, tool: str) -> bool:
        """Whether the results of *tool* count as a stranger's, whatever the tool says."""
        return any(fnmatchcase(tool, pattern) for pattern in self.untrusted)


STANDARD = Guard()
LEVELS: Mapping[str, Guard] = {
    "standard": STANDARD,
    "strict": Guard(taint="deny"),
    "off": Guard(neutralise=False, echo=False, taint="off"),
}


def guard_from(given: Any) -> Guard:
    """The guard that *given* names, or is; anything else is a UsageError."""
    if isinstance(given, Guard):
        return given
    if not isinstance(given, str) or given not in LEVELS:
        raise UsageError(f"guard is {given!r}; use one of {tuple(LEVELS)}, or a Guard(...)")
    return LEVELS[given]
