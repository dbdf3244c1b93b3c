"""Something that may be a call, while it is undecided whether it is, and whether it is meant."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Protocol

from .outbox import LONGEST_EXAMPLE, Outbox
from .string_feed import StreamedString
from .surroundings import Standing

__all__ = ["Attempt", "Body", "Policy"]

_GOES_ON = frozenset(",);.!?，、）；。！？")
_AFTER = re.compile(r"[ \t]{0,64}+(.?)", re.DOTALL)


class Body(Protocol):
    """Reads what may be a call."""

    done: bool
    committed: bool

    @property
    def refused(self) -> bool: ...
    @property
    def streaming(self) -> StreamedString | None: ...
    def feed(self, text: str, at: int, base: int, final: bool) -> int: ...
    def finish(self, reason: str | None) -> None: ...
    def take_pushback(self) -> str: ...


class Policy(Enum):
    """What is done with an attempt that turns out to be a call."""

    RUN = auto()
    SHOW = auto()  # it goes out as text, whatever it is
    ASK_NEXT = auto()  # the text behind it decides
    ASK_FENCE = auto()  # the end of the fence, and of the reply, decides

    @classmethod
    def of(cls, standing: Standing) -> Policy:
        """The policy for a call that stands like this, outside any fence."""
        return {Standing.PLAIN: cls.RUN, Standing.SHOWN: cls.SHOW, Standing.WOVEN: cls.ASK_NEXT}[
            standing
        ]


class Attempt:
    """A body reader at work. What it reads is withheld in *outbox* until it is decided."""

    def __init__(self, body: Body, policy: Policy, start: int, outbox: Outbox) -> None:
        self.body = body
        self.policy = policy
        self._start = start
        self._outbox = outbox

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        stop = self.body.feed(text, at, base, final)
        self._outbox.keep(text[at:stop])
        if self.policy is Policy.ASK_NEXT and base + stop - self._start > LONGEST_EXAMPLE:
            self.policy = Policy.RUN
        if self.policy is Policy.RUN and self.body.committed:
            self._outbox.let_go()
        return stop

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if all of it may go out at once."""
        return None if self._outbox.withholding else self.body.streaming

    @staticmethod
    def goes_on(text: str, at: int, final: bool, quote: str) -> bool | None:
        """Does the sentence, or the quotation that *quote* would close, go on behind the call?

        It does if only its full stop is left. None where more text has to come first.
        """
        after = _AFTER.match(text, at)
        assert after is not None, "matches the empty string"
        follows = after.group(1)
        if not follows and not final:
            return None
        if quote and follows == quote:
            return True
        return follows in _GOES_ON or (follows.isalpha() and not follows.isupper())
