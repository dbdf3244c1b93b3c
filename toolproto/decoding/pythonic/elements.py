"""What the values and brackets inside a call make of it, while they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...messages import ProblemKind, Repair
from ..lenient import repairs as mend
from ..strict import Refused
from .frames import KEY_FORM, NAMED, Frame, Kind, key_text
from .names import unescaped
from .scalars import read_word
from .spoken import PythonCall

__all__ = ["Elements"]

COLON_KEYWORD = Repair("colon_keyword")
QUOTED_KEYWORD = Repair("quoted_keyword")
ESCAPED_NAME = Repair("escaped_underscore")
_PLACEHOLDERS = ("...", "…", "<")
_NONE: Any = object()


class Elements:
    """The open brackets of *call*, outermost first, and the value that was read last.

    Arguments go to the call as they become certain, strings piece by piece; what is inside other
    brackets goes when these are closed. ``doubtful`` says that it may be a signature or a sample.
    """

    def __init__(self, call: PythonCall, depth: int) -> None:
        self._call = call
        self._depth = depth
        self._value: Any = _NONE
        self._parts: list[str] = []
        self._by_colon = False  # was the argument named with a colon?
        self.frames = [Frame(Kind.CALL)]
        self.is_text = False  # the value is a string, to which another may be joined
        self.streams = False  # does the string go out as it comes?
        self.doubtful = False

    @property
    def top(self) -> Frame:
        """The innermost bracket."""
        return self.frames[-1]

    def note(self, repair: Repair | None) -> None:
        """The call departs from the form in this, if it is anything."""
        if repair is not None:
            self._call.mended(repair)

    # -- values ---------------------------------------------------------------------------

    def open_text(self, *, joined: bool) -> Callable[[str], None]:
        """A string begins, or the next one goes on with it; give its pieces to the answer."""
        if not joined:
            self._parts = []
            self.streams = self.top.kind is Kind.CALL and self.top.keyed
            if self.streams:
                self._call.open_text()
        return self._call.text if self.streams else self._parts.append

    def close_text(self) -> None:
        """The string is over, unless another is joined to it."""
        self.is_text = True

    def add_word(self, word: str) -> None:
        """The value is written without quotes."""
        self.doubtful = self.doubtful or word.startswith(_PLACEHOLDERS)
        self._value, repair = read_word(word)
        self.note(repair)
        if repair is mend.BARE_STRING:
            self.doubtful = self.doubtful or self._by_colon or not self.top.keyed

    def finish(self) -> None:
        """The value that was read is the element of the innermost bracket."""
        if self.is_text and self.streams:
            self._call.close_text()
            self.top.keyed = self.streams = self.is_text = False
            return
        value = self._taken()
        if value is _NONE:
            return
        if self.top.kind is Kind.CALL:
            self._give(self.top, value)
        else:
            self.note(self.top.add(value))

    def _taken(self) -> Any:
        value = "".join(self._parts) if self.is_text else self._value
        self._value, self.is_text = _NONE, False
        return value

    def _give(self, frame: Frame, value: Any) -> None:
        if frame.spread:
            self._call.spread(value)
        elif frame.keyed:
            self._call.value(value)
        else:
            self._call.positional(value)
        frame.spread = frame.keyed = False

    # -- names ----------------------------------------------------------------------------

    def name_by_word(self, word: str, separator: str) -> None:
        """The element's name, or key, is written without quotes."""
        if self.top.kind in NAMED:
            self.note(ESCAPED_NAME if "\\" in word else None)
            self._name(unescaped(word), separator)
            return
        key, repair = read_word(word) if word else (_NONE, None)
        self.note(mend.BARE_KEY if repair is mend.BARE_STRING else KEY_FORM)
        self._name(key_text(key), separator)

    def name_by_value(self, separator: str) -> None:
        """The value that was read is the element's name, or key."""
        if self.top.kind in NAMED:
            self.note(QUOTED_KEYWORD)
        elif not self.is_text:
            self.note(KEY_FORM)
        self._name(key_text(self._taken()), separator)

    def _name(self, key: str, separator: str) -> None:
        frame = self.top
        self._by_colon = frame.kind in NAMED and separator == ":"
        if self._by_colon:
            self.note(COLON_KEYWORD)
        elif frame.kind not in NAMED and separator == "=":
            self.note(mend.ODD_SEPARATOR)
        frame.name(key)
        if frame.kind is Kind.CALL:
            self._call.keyword(key)

    # -- brackets -------------------------------------------------------------------------

    def push(self, kind: Kind, constructor: str = "") -> None:
        """A bracket opens."""
        if len(self.frames) >= self._depth:
            raise Refused(ProblemKind.TOO_LARGE, f"nested deeper than {self._depth} levels")
        self.frames.append(Frame(kind, constructor))

    def pop(self) -> None:
        """The innermost bracket closes, and is a value now."""
        self.finish()
        self._value, repair = self.frames.pop().value()
        self.note(repair)

    def refuse_missing(self) -> None:
        """Nothing more comes before the next comma or bracket."""
        if self.top.keyed or self.top.spread:
            raise Refused(ProblemKind.MALFORMED, "a value is missing")
