"""What the readers of families that no other is like have in common.

Each reads its calls step by step. One that cannot be read is passed over to the marker that ends
it before it is rejected, so that nobody takes its rest for text.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from ..messages import ProblemKind, Repair
from .call_draft import CallSetting
from .quoted_text import QuotingCall
from .scanner import MORE, NO, Marker
from .strict import Refused
from .string_feed import StreamedString

__all__ = ["OwnCalls", "Step", "ends_name"]

Step = Callable[[str, int, int, bool], int]

_SPACE_IN_LINE = re.compile(r"[ \t,;]{0,64}")
_LINE_END = re.compile(r"\r?\n")


class OwnCalls(ABC):
    """Reads calls whose text begins at *start* in the reply.

    See :class:`~toolproto.decoding.json_calls.JsonCalls` for the members. *drift* is how they
    depart from the asked form, and *ends* are the markers that no call goes on behind.
    """

    interrupted: ClassVar[bool] = False  # what a marker interrupts is ended at once

    def __init__(
        self,
        setting: CallSetting,
        *,
        start: int,
        drift: tuple[Repair, ...] = (),
        ends: Sequence[Marker] = (),
    ) -> None:
        self._setting = setting
        self._start = start
        self._drift = drift
        self._ends = ends
        firsts = re.escape("".join(end.first for end in ends))
        self._marks = re.compile(f"[{firsts}]" if firsts else "(?!)")
        self._bare_stop = re.compile(f"[\n{firsts}]")
        self._step: Step = self._begin
        self._call: QuotingCall | None = None
        self._fault: tuple[ProblemKind, str] | None = None
        self._ending = False  # with the text being read
        self.done = False
        self.committed = False
        self.refused = False

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        if final and self._setting.outbox.cut:
            at = self.feed(text, at, base, False)
            if self._is_open and not self.done:  # what is left waits for what will not come
                self._write(text[at:])
                self._cut_short()
                return len(text)
        view = text
        while at < len(text) and not self.done:
            # A call ends at its limit however the text was cut into chunks.
            limit = min(at + self._room, len(text))
            view = view if len(view) == limit else text[:limit]
            step = self._step
            try:
                stop = step(view, at, base, final and limit == len(text)) if limit > at else at
                if stop == at and self._step == step and not self.done:
                    if limit == len(text):
                        break
                    raise self._too_long()
                self._write(text[at:stop])
            except Refused as refused:
                self._fail(refused.kind, refused.message)
                continue
            if self._ending:
                self._complete()
            at = stop
        return at

    def take_pushback(self) -> str:
        """Nothing is ever read beyond the end of a call."""
        return ""

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        return None

    @abstractmethod
    def _begin(self, text: str, at: int, base: int, final: bool) -> int:
        """The first step: what the calls begin with."""

    # -- the call -------------------------------------------------------------------------

    def _open_call(self, name: str) -> QuotingCall:
        self._call = QuotingCall(self._setting, self._start, name, drift=self._drift)
        self.committed = True
        return self._call

    @property
    def _is_open(self) -> bool:
        """Is a call being read?"""
        return self._call is not None

    @property
    def _room(self) -> int:
        """How many more characters are read."""
        unlimited = self._call is None or self._fault is not None
        return sys.maxsize if unlimited or self._call is None else self._call.room

    def _write(self, piece: str) -> None:
        if self._call is not None and not self.done:
            self._call.write(piece)

    def _too_long(self) -> Refused:
        limit = self._setting.limits.characters
        return Refused(ProblemKind.TOO_LARGE, f"longer than {limit} characters")

    def _complete(self, *repairs: Repair) -> None:
        """Nothing more belongs to the call."""
        self.done = True
        if self._call is None:
            self.refused = not self.committed
        elif self._fault is not None:
            self._call.reject(*self._fault)
        else:
            self._call.complete(*repairs)
        self._call = None

    def _refuse(self, at: int) -> int:
        """This is no call."""
        self.refused = self.done = True
        return at

    def _fail(self, kind: ProblemKind, message: str) -> None:
        """The call cannot be used."""
        self._fault = self._fault or (kind, message)
        self._ending = False
        self._step = self._pass_over

    def _cut_short(self) -> None:
        """The reply is over inside the call."""
        self._fault = self._fault or (ProblemKind.TRUNCATED, "it is cut short")
        self._complete()

    # -- markers --------------------------------------------------------------------------

    def _end_at(self, text: str, at: int, final: bool) -> int:
        """Does a marker that ends calls stand at *at*? 0 if so, or NO, or MORE."""
        found = [marker.at(text, at, final) for marker in self._ends]
        if any(end >= 0 for end in found):
            return 0
        return MORE if MORE in found else NO

    def _line_over(self, text: str, at: int, final: bool) -> int:
        """Does nothing more than an end stand in the line from *at* on? 0 if so, or NO, or MORE."""
        space = _SPACE_IN_LINE.match(text, at)
        assert space is not None, "matches the empty string"
        at = space.end()
        if at == len(text) or (text[at] == "\r" and at + 1 == len(text)):
            return 0 if final else MORE
        return 0 if _LINE_END.match(text, at) else self._end_at(text, at, final)

    def _line_cut(self, text: str, at: int, final: bool) -> int:
        """Where a string without its last quote ends: at a line break with an end behind it."""
        newline = _LINE_END.match(text, at)
        if newline is None:
            return NO if final or text[at : at + 2] != "\r" else MORE
        end = self._end_at(text, newline.end(), final)
        return at if end >= 0 else MORE if end == MORE or newline.end() == len(text) else NO

    def _pass_over(self, text: str, at: int, base: int, final: bool) -> int:
        mark = self._marks.search(text, at)
        if mark is None:
            return len(text)
        if mark.start() > at:
            return mark.start()
        end = self._end_at(text, at, final)
        if end >= 0:
            self._complete()
        return at + 1 if end == NO else at


def ends_name(text: str, at: int) -> bool:
    """Does *text* end at *at*, or a character later, so that it may go on with a name's rest?"""
    return text[at : at + 2] in ("", "\\", "(")
