"""One Python call, from behind its opening parenthesis to where it ends.

A call that cannot be read is passed over to its end before it is rejected, so that the calls
behind it are found.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...messages import Grade, ProblemKind, Repair
from ..call_draft import CallSetting
from ..strict import MAX_DEPTH, Refused
from ..string_feed import StreamedString
from .arguments import MISSING_PAREN, Arguments
from .elements import Elements
from .quotes import Around, Place
from .skipping import Skipper
from .spoken import PythonCall

__all__ = ["OneCall"]

IN_EXPRESSION = Repair("in_expression", Grade.GUESSED)
# Behind a call these make it part of an expression: it is called, but not only that.
_GOES_ON_GLUED = (re.compile(r"(?:\[|\.[^\W\d])()"), re.compile(r"\.\Z"))
_GOES_ON_IN_LIST = (
    re.compile(r"\[|\.[^\W\d]|\s{0,80}(?:[-+/%]|\*(?!\*)|(for|if|in|and|or|is|else)\b)"),
    re.compile(r"\s{0,80}[.*a-z]{0,4}\Z"),
)


class OneCall:
    """Reads *call*, *around* which that stands; *is_sure* says that it is meant as a call.

    ``ended`` when nothing more belongs to it, ``interrupted`` if one of the markers that end
    calls came before that; ``fault`` then says why it cannot be used, if so.
    """

    def __init__(
        self, setting: CallSetting, call: PythonCall, around: Around, *, is_sure: bool
    ) -> None:
        self._limits = setting.limits
        self._offered = setting.offered
        self._around = around
        self._is_sure = is_sure
        self._elements = Elements(call, min(setting.limits.depth, MAX_DEPTH))
        place = Place(self._elements.frames, setting.offered.keys(call.name), around)
        self._arguments = Arguments(call, self._elements, place)
        self._skipper: Skipper | None = None
        self._step: Callable[[str, int, bool], int] = self._inside
        self._mark = 0
        self.call = call
        self.fault: Refused | None = None
        self.ended = False
        self.interrupted = False

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        return self._arguments.streaming if self._step == self._inside else None

    def feed(self, text: str, at: int, mark: int, final: bool) -> int:
        """Read on from *at*; the text from *mark* on is the call's."""
        self._mark = mark
        while at < len(text) and not self.ended:
            step = self._step
            stop = step(text, at, final)
            if stop == at and self._step == step:
                break
            at = stop
        self._flush(text, at)
        return at

    def finish(self, *, cut: bool) -> None:
        """The text is over inside, or directly behind, the call; *cut* by a limit."""
        self.ended = True
        if cut and not self._arguments.closed:
            self.fault = Refused(ProblemKind.TRUNCATED, "it is cut short")
        elif self.fault is None and not self._arguments.closed:
            if self._arguments.is_whole:
                self.call.mended(MISSING_PAREN)
            else:
                message = "it is cut short, or lacks a value"
                self.fault = Refused(ProblemKind.TRUNCATED, message)

    @property
    def is_meant(self) -> bool:
        """Is it a problem if it cannot be used, and not just text?"""
        known = self.call.tool is not None and not self._elements.doubtful
        return self._is_sure or (known and (self._around.in_list or self.call.by_keyword))

    @property
    def counts(self) -> bool:
        """Is it a call without being sure to be one, now that it is whole?"""
        if not self._offered.any:
            return self._around.in_list and self.call.by_keyword
        if self.call.tool is None or self._elements.doubtful:
            return False
        return self._around.in_list or bool(self.call.arguments) or not self.call.tool.required

    def settle(self) -> None:
        """Nothing more is missing: tell the arguments that waited, unless they are at fault."""
        if self.fault is not None:
            return
        try:
            self._elements.finish()
            self.call.settle()
        except Refused as refused:
            self.fault = refused

    def _inside(self, text: str, at: int, final: bool) -> int:
        limit = self._mark + self.call.room
        beyond = limit < len(text)
        view = text[:limit] if beyond else text
        arguments = self._arguments
        stop = arguments.feed(view, at, self._mark, final and not beyond)
        if arguments.fault is not None:
            return self._fail(arguments.fault, stop)
        if arguments.closed:
            self._step = self._behind
        elif arguments.interrupted:
            self._interrupt()
        elif beyond:
            message = f"longer than {self._limits.characters} characters"
            return self._fail(Refused(ProblemKind.TOO_LARGE, message), stop)
        return stop

    def _interrupt(self) -> None:
        self.interrupted = True
        try:
            self._arguments.end()
        except Refused as refused:
            self.fault = refused
        self.finish(cut=False)
        if self.fault is not None and self.fault.kind is ProblemKind.TRUNCATED:
            self.fault = Refused(ProblemKind.MALFORMED, "its closing parenthesis is missing")

    def _behind(self, text: str, at: int, final: bool) -> int:
        """The call is closed; is it a call, or the beginning of an expression?"""
        whole, begun = _GOES_ON_IN_LIST if self._around.in_list else _GOES_ON_GLUED
        if not final and begun.match(text, at):
            return at
        goes_on = whole.match(text, at)
        if goes_on and goes_on[1]:
            self.fault = Refused(ProblemKind.MALFORMED, f"{goes_on[1]!r} stands behind it")
        elif goes_on:
            self.call.mended(IN_EXPRESSION)
        self.ended = True
        return at

    def _fail(self, fault: Refused, stop: int) -> int:
        """The call cannot be read on from *stop*."""
        self.fault = fault
        if not self.is_meant:
            self.ended = True
            return stop
        depth, quote = self._arguments.open
        self._skipper = Skipper(depth, quote, self._around.ends)
        self._step = self._skip
        return stop

    def _skip(self, text: str, at: int, final: bool) -> int:
        assert self._skipper is not None, "made before"
        stop = self._skipper.feed(text, at, final)
        self.interrupted = self._skipper.interrupted
        self.ended = self._skipper.done or self.interrupted
        return stop

    def _flush(self, text: str, stop: int) -> None:
        """Give the text read so far to the call."""
        self.call.write(text[self._mark : stop][: self.call.room])
