"""Something that may be a call, while it is undecided whether it is, and whether it is meant."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol

from .events_out import Outbox
from .hot_string import StreamedString
from .place import PLAIN, Standing, Verdict

__all__ = ["Attempt", "Body", "Course"]


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


class Course(Enum):
    """What is done with an attempt that turns out to be a call."""

    RUN = auto()
    SHOW = auto()  # it goes out as text, whatever it is
    DOUBT = auto()  # it is a call that carries its doubt, or text if its form is doubtful too
    ASK_FENCE = auto()  # the end of the fence, and of the reply, decides
    ASK_BEHIND = auto()  # it was its own fence: what is behind that decides
    ASK_THOUGHT = auto()  # the end of the thought decides

    @classmethod
    def of(cls, standing: Standing) -> Course:
        """The course for a call that stands like this, outside any fence."""
        if standing.verdict is Verdict.PLAIN:
            return cls.RUN
        return cls.SHOW if standing.verdict is Verdict.SHOWN else cls.DOUBT


class Attempt:
    """A body reader at work. What it reads is withheld in *outbox* until it is decided."""

    def __init__(
        self,
        body: Body,
        course: Course,
        start: int,
        outbox: Outbox,
        standing: Standing = PLAIN,
    ) -> None:
        self.body = body
        self.course = course
        self.standing = standing
        self._outbox = outbox

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        stop = self.body.feed(text, at, base, final)
        self._outbox.keep(text[at:stop])
        if self.course is Course.RUN and self.body.committed:
            self._outbox.let_go()
        return stop

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if all of it may go out at once."""
        return None if self._outbox.withholding else self.body.streaming
