"""Reading what stands between the parentheses of one Python call.

A machine of four states (an element begins, a value is over, in a string, in unquoted text). What
they make is for `elements.py`. What cannot be read is a ``fault``; whoever drives the machine then
passes over the rest of the call.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...messages import Grade, ProblemKind, Repair
from ..lenient import repairs as mend
from ..scanner import MORE, NO
from ..strict import Refused
from ..string_feed import StreamedString
from .elements import Elements
from .frames import BRACES, NAMED, Kind
from .quotes import Place, Verdict, judge, lost_quote
from .spoken import PythonCall
from .strings import StringReader, opening
from .words import WordReader, marker_at

__all__ = ["MISSING_PAREN", "Arguments"]

MISSING_PAREN = Repair("missing_paren", Grade.GUESSED)

_SPACE = re.compile(r"\s+|\\\r?\n")
_LINE = re.compile(r"[^\r\n]*")
_NEXT = re.compile(r"\s{0,80}(.?)", re.DOTALL)
_OPENERS = {"[": Kind.LIST, "{": Kind.BRACE, "(": Kind.PAREN}
_CONSTRUCTORS = {
    "dict": Kind.KEYWORDS,
    "list": Kind.PAREN,
    "tuple": Kind.PAREN,
    "set": Kind.PAREN,
}
_LONGEST_BEFORE = 240  # a keyword and the space around it

State = Callable[[str, int, bool], int]


class Arguments:
    """Reads the arguments of *call*, whose opening parenthesis has been read, into *elements*.

    *place* says how the call stands. ``closed`` once its own parenthesis is, ``interrupted``
    when one of the markers that end calls came first.
    """

    def __init__(self, call: PythonCall, elements: Elements, place: Place) -> None:
        self._call = call
        self._elements = elements
        self._place = place
        self._state: State = self._expect
        self._resume: State = self._expect  # behind a comment
        self._string: StringReader | None = None
        self._word: WordReader | None = None
        self._flushed = 0
        self._faulty = -1
        self.closed = False
        self.interrupted = False
        self.fault: Refused | None = None

    @property
    def streaming(self) -> StreamedString | None:
        """The string in which reading stands, if it goes out as it comes."""
        if self._string is None or not self._elements.streams:
            return None
        stop = self._string.stop
        return None if stop is None else self._call.streaming(stop, self._string.decode)

    @property
    def is_whole(self) -> bool:
        """Is only the closing parenthesis missing?"""
        return len(self._elements.frames) == 1 and self._state == self._after

    @property
    def open(self) -> tuple[int, str]:
        """How many brackets are open, and the quote of the string that is."""
        inside = self._word.depth if self._word is not None else 0
        quote = self._string.quote if self._string is not None else ""
        return len(self._elements.frames) + inside, "" if quote.startswith("\\") else quote

    def feed(self, text: str, at: int, flushed: int, final: bool) -> int:
        """Read on from *at*; the call has been given the text before *flushed*."""
        self._flushed = flushed
        while at < len(text) and not self.closed and not self.interrupted:
            state = self._state
            try:
                stop = state(text, at, final)
            except Refused as refused:
                self.fault = refused
                return self._faulty_at(at)
            if stop == at and self._state == state:
                break
            at = stop
        return at

    def _faulty_at(self, at: int) -> int:
        if self._faulty >= 0:
            return self._faulty
        if self._word is not None:
            return self._word.at
        return self._string.at if self._string is not None else at

    def end(self) -> None:
        """No parenthesis comes, but a marker: a word that was read is whole."""
        if self._state == self._in_comment:
            self._state = self._resume
        if self._word is not None and not self._word.depth:
            self._end_word(self._word)

    # -- the states -----------------------------------------------------------------------

    def _expect(self, text: str, at: int, final: bool) -> int:
        """An element begins, or the brackets close."""
        stop = self._blank(text, at, final)
        if stop is not None:
            return stop
        char = text[at]
        opened = opening(text, at, final)
        if opened is not None:
            return self._open_string(opened[0], opened[1], at) if opened[1] else at
        if char in _OPENERS:
            self._elements.push(_OPENERS[char])
            return at + 1
        if char in ")]}":
            self._elements.refuse_missing()
            return self._close(text, at, final)
        if char == ",":
            self._elements.refuse_missing()
            self._call.mended(mend.EXTRA_COMMA)
            return at + 1
        if char == "*":
            return self._asterisks(text, at, final)
        self._start_word()
        return at

    def _after(self, text: str, at: int, final: bool) -> int:
        """A value is over."""
        stop = self._blank(text, at, final)
        if stop is not None:
            return stop
        char, frame = text[at], self._elements.top
        if char in ")]}":
            return self._close(text, at, final)
        if char == ",":
            frame.comma = True
            return self._next(at + 1)
        if char in ":=" and frame.takes_key:
            self._elements.name_by_value(char)
            self._state = self._expect
            return at + 1
        opened = opening(text, at, final) if self._elements.is_text else None
        if opened is not None:  # strings side by side are one
            return self._open_string(*opened, at, joined=True) if opened[1] else at
        if self._elements.is_text and frame.keyed and (char.isalpha() or char == "_"):
            self._call.mended(mend.MISSING_COMMA)
            return self._next(at)
        raise Refused(ProblemKind.MALFORMED, _unexpected(char))

    def _next(self, at: int) -> int:
        self._elements.finish()
        self._state = self._expect
        return at

    def _in_string(self, text: str, at: int, final: bool) -> int:
        assert self._string is not None, "opened before"
        stop = self._string.read(text, at, final)
        if self._string.closed:
            self._string = None
            self._elements.close_text()
            self._state = self._after
        return stop

    def _in_word(self, text: str, at: int, final: bool) -> int:
        assert self._word is not None, "begun before"
        stop = self._word.read(text, at, final)
        if self._word.ended:
            self._faulty = stop
            self._end_word(self._word)
            self._faulty = -1
        return stop

    def _in_comment(self, text: str, at: int, final: bool) -> int:
        """To the end of the line; a marker that ends the call ends the comment, too."""
        marker = marker_at(self._place.around.ends, text, at, final)
        if text[at] in "\r\n" or marker not in (NO, MORE):
            self._state = self._resume
            return at
        if marker == MORE:
            return at
        rest = _LINE.match(text, at + 1)
        assert rest is not None, "matches the empty string"
        marks = [text.find(end.first, at + 1, rest.end()) for end in self._place.around.ends]
        return min((mark for mark in marks if mark > 0), default=rest.end())

    def _blank(self, text: str, at: int, final: bool) -> int | None:
        """Pass over space and comments; stop before a marker that ends the call."""
        marker = marker_at(self._place.around.ends, text, at, final)
        if marker != NO:
            self.interrupted = marker != MORE
            return at
        space = _SPACE.match(text, at)
        if space:
            return space.end()
        if text[at] == "\\" and not final and text[at:] in ("\\", "\\\r"):
            return at
        if text[at] == "#":
            self._resume, self._state = self._state, self._in_comment
            return at
        return None

    # -- strings and words ----------------------------------------------------------------

    def _open_string(self, prefix: str, quote: str, at: int, *, joined: bool = False) -> int:
        say = self._elements.open_text(joined=joined)
        self._string = StringReader(prefix, quote, self._judge, say, self._call.mended)
        self._state = self._in_string
        return at + len(prefix) + len(quote)

    def _judge(self, text: str, after: int, final: bool, clean: bool) -> Verdict:
        verdict = judge(self._place, text, after, final, clean)
        if verdict is Verdict.INNER and self._place.known and self._string is not None:
            start = after - len(self._string.quote)
            if lost_quote(self._before(text, start), self._place.known):
                self._faulty, self._string = start, None
                raise Refused(ProblemKind.MALFORMED, "a closing quote is missing")
        return verdict

    def _before(self, text: str, at: int) -> str:
        """The last characters before *at*, however the text came in pieces."""
        here = text[max(self._flushed, at - _LONGEST_BEFORE) : at]
        return self._call.tail(_LONGEST_BEFORE - len(here)) + here

    def _start_word(self) -> None:
        frame = self._elements.top
        names = frame.takes_key and frame.kind in NAMED
        keys = frame.takes_key and frame.kind in BRACES
        self._word = WordReader(self._place.around.ends, names=names, keys=keys)
        self._state = self._in_word

    def _end_word(self, word: WordReader) -> None:
        self._word = None
        self._state = self._expect
        if word.constructor:
            self._elements.push(_CONSTRUCTORS[word.constructor], word.constructor)
        elif word.is_key:
            self._elements.name_by_word(word.text, word.separator)
        else:
            self._elements.add_word(word.text)
            self._state = self._after

    # -- brackets -------------------------------------------------------------------------

    def _asterisks(self, text: str, at: int, final: bool) -> int:
        frame = self._elements.top
        if at + 1 == len(text) and not final:
            return at
        if not text.startswith("**", at) or not frame.takes_key:
            raise Refused(ProblemKind.MALFORMED, _unexpected("*"))
        frame.spread = True
        if frame.kind is Kind.BRACE:
            frame.kind = Kind.DICT
        return at + 2

    def _close(self, text: str, at: int, final: bool) -> int:
        char, elements = text[at], self._elements
        if char != elements.top.kind.closer:
            return self._close_other(text, at, final)
        if elements.top.kind is Kind.CALL:
            elements.finish()
            self.closed = True
        else:
            elements.pop()
            self._state = self._after
        return at + 1

    def _close_other(self, text: str, at: int, final: bool) -> int:
        """A bracket that does not match the innermost one."""
        char, elements = text[at], self._elements
        if elements.top.kind is Kind.CALL:
            return self._close_beyond(text, at, final)
        if all(frame.kind.closer != char for frame in elements.frames):
            self._call.mended(mend.MISMATCHED_CLOSE)
            elements.pop()
            self._state = self._after
            return at + 1
        self._call.mended(mend.MISSING_CLOSE)
        while elements.top.kind.closer != char:
            elements.pop()
        return self._close(text, at, final)

    def _close_beyond(self, text: str, at: int, final: bool) -> int:
        """A bracket of what is around the call, or one too many."""
        after = _NEXT.match(text, at + 1)
        follows = after[1] if after else ""
        if not follows and not final:
            return at
        if follows == ")" or not self._place.around.in_list:
            self._call.mended(mend.EXTRA_CLOSE)
            return at + 1
        self._call.mended(MISSING_PAREN)
        self._elements.finish()
        self.closed = True
        return at


def _unexpected(char: str) -> str:
    if char in "+-*/%.<>&|^":
        return "an expression is no value; write what it comes to"
    return f"unexpected {char!r} in the arguments"
