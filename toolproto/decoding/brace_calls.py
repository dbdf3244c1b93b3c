"""A call as Gemma writes it: ``call:get_weather{city:<escape>Paris<escape>,days:3}``.

Keys are bare, and strings stand as they are between two tokens: ``<escape>`` in FunctionGemma,
``<|"|>`` in Gemma 4. Lists, objects, numbers and words are those of JSON, and so may keys and
strings be: what holds the token itself cannot be written otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from typing import Any

from ..messages import ProblemKind, Repair
from .brace_values import BraceValues
from .lenient import repairs as mend
from .own_calls import OwnCalls, ends_name
from .plain_values import bare_value
from .quoted_text import QuotedText
from .scanner import MORE, NO
from .strict import MAX_DEPTH, Refused
from .string_feed import StreamedString

__all__ = ["BraceCalls", "holds_delimiter"]

_DELIMITER = re.compile(r'(<escape>)|(<[|｜]"[|｜]>)')
_DELIMITER_BEGUN = re.compile(r'<(?:e(?:s(?:c(?:a(?:p(?:e)?)?)?)?)?|[|｜](?:"[|｜]?)?)?\Z')
_HEAD = re.compile(r"(call[ \t]{0,4}:\s{0,4})?([A-Za-z_](?:[\w.:/-]|\\_){0,127})\s{0,8}")
_HEAD_BEGUN = re.compile(r"call[ \t]{0,4}(?::\s{0,4})?\Z")
_SPACE = re.compile(r"\s+")
_BARE_KEY = re.compile(r"[^\s:=,{}\[\]\"<]{1,200}")
_BARE_STOP = re.compile(r"[,}\]<\n]")
_BEHIND_QUOTE = re.compile(r"\s{0,64}([,:}\]])")
_BEHIND_QUOTE_BEGUN = re.compile(r"\s{0,64}\Z")


def holds_delimiter(text: str) -> bool:
    """Does a token that ends strings stand in *text*?"""
    return _DELIMITER.search(text) is not None


class BraceCalls(OwnCalls):
    """Reads one call."""

    _quoted: QuotedText | None = None
    _bare: StringIO | None = None
    _parts: list[str] | None = None  # of a string that is not handed out
    _delimiter = 0  # which of the two began it

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        if self._call is None or self._parts is not None:
            return None
        if self._step == self._in_delimited:
            return self._call.streaming(_certain)
        return self._call.streaming_quoted() if self._step == self._in_quoted else None

    def finish(self, reason: str | None) -> None:
        """The reply is over inside the call."""
        if self._call is None:
            self._refuse(0)
        elif self._step == self._between and self._is_whole and reason != "length":
            self._close_all()
        else:
            self._cut_short()

    # -- the name -------------------------------------------------------------------------

    def _begin(self, text: str, at: int, base: int, final: bool) -> int:
        head = _HEAD.match(text, at)
        if not final and (_HEAD_BEGUN.match(text, at) or (head and ends_name(text, head.end()))):
            return at
        if head is None:
            return self._refuse(at)
        name, ended = head.group(2).replace("\\_", "_"), self._end_at(text, head.end(), final)
        if ended == MORE:
            return at
        braced = text[head.end() : head.end() + 1] == "{"
        foreign = self._setting.gated and not self._setting.offered.knows(name)
        over = ended >= 0 and not name.endswith(":")
        if foreign or not (braced or over):
            return self._refuse(at)
        if not head.group(1):
            self._drift = (*self._drift, Repair("missing_prefix"))
        return self._open(name, head.end(), braced=braced)

    def _open(self, name: str, at: int, *, braced: bool) -> int:
        call = self._open_call(name)
        self._values = BraceValues(call, min(self._setting.limits.depth, MAX_DEPTH))
        self._wants: Callable[[str, int, bool], int] = self._key_at
        self._step = self._between
        if braced:
            return at + 1
        call.mended(Repair("empty_arguments"))
        self._ending = True
        return at

    # -- between strings ------------------------------------------------------------------

    def _between(self, text: str, at: int, base: int, final: bool) -> int:
        space = _SPACE.match(text, at)
        if space:
            return space.end()
        end = self._end_at(text, at, final) if self._marks.match(text, at) else NO
        if end == NO:
            return self._wants(text, at, final)
        if end != MORE:
            self._interrupt()
        return at

    def _key_at(self, text: str, at: int, final: bool) -> int:
        if text[at] == "}":
            return self._closed(at)
        if text[at] == ",":
            self._mended(mend.EXTRA_COMMA)
            return at + 1
        if text[at] in '"<':
            return self._string_at(text, at, final, key=True)
        key = _BARE_KEY.match(text, at)
        if key is None:
            raise _malformed("a key is missing")
        if key.end() == len(text) and not final:
            return at
        self._named(key.group())
        return key.end()

    def _colon_at(self, text: str, at: int, final: bool) -> int:
        if text[at] not in ":=":
            raise _malformed(f"no colon stands behind {self._values.key[:80]!r}")
        if text[at] == "=":
            self._mended(mend.ODD_SEPARATOR)
        self._wants = self._value_at
        return at + 1

    def _value_at(self, text: str, at: int, final: bool) -> int:
        char = text[at]
        if char in "{[":
            self._values.opened({} if char == "{" else [])
            self._wants = self._key_at if char == "{" else self._value_at
            return at + 1
        if char == "]" and self._values.in_list:
            return self._closed(at)
        if char in ",}]":
            raise _malformed("a value is missing")
        if char == '"' or (char == "<" and self._delimiter_at(text, at, final) != NO):
            return self._string_at(text, at, final)
        self._bare = StringIO()
        self._step = self._in_bare
        return at

    def _comma_at(self, text: str, at: int, final: bool) -> int:
        closer = "]" if self._values.in_list else "}"
        if text[at] == closer:
            return self._closed(at)
        if text[at] != ",":
            raise _malformed(f"neither a comma nor {closer} stands behind a value")
        self._wants = self._value_at if self._values.in_list else self._key_at
        return at + 1

    def _closed(self, at: int) -> int:
        if self._wants != self._comma_at and not self._values.is_empty:
            self._mended(mend.TRAILING_COMMA)
        self._wants = self._comma_at
        self._values.closed()
        self._ending = self._values.is_over
        return at + 1

    def _named(self, key: str) -> None:
        self._wants = self._colon_at
        self._values.named(key)

    def _put(self, value: Any, *repairs: Repair) -> None:
        self._wants = self._comma_at
        self._mended(*repairs)
        self._values.put(value)

    # -- strings and words ----------------------------------------------------------------

    def _delimiter_at(self, text: str, at: int, final: bool) -> int:
        """Where the token at *at* ends that begins a string, or NO, or MORE."""
        found = _DELIMITER.match(text, at)
        if found:
            return found.end()
        return MORE if not final and _DELIMITER_BEGUN.match(text, at) else NO

    def _string_at(self, text: str, at: int, final: bool, *, key: bool = False) -> int:
        """A string begins, if that is certain; *key* if it is a member's name."""
        end = self._delimiter_at(text, at, final) if text[at] == "<" else at + 1
        if end == NO:
            raise _malformed("a key is missing")
        if end == MORE:
            return at
        self._parts = [] if key or not self._values.is_outermost else None
        if text[at] == '"':
            self._open_quoted()
        else:
            self._open_delimited(2 if '"' in text[at:end] else 1)
        return end

    def _open_delimited(self, delimiter: int) -> None:
        assert self._call is not None, "opened with the name"
        self._delimiter = delimiter
        self._step = self._in_delimited
        if self._parts is None:
            self._call.open_text()

    def _open_quoted(self) -> None:
        assert self._call is not None, "opened with the name"
        say = self._call.quoted if self._parts is None else self._parts.append
        self._quoted = QuotedText(say, self._quote_ends, _no_cut)
        self._step = self._in_quoted
        if self._parts is None:
            self._call.open_quoted()

    def _in_delimited(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._call is not None, "opened with the name"
        mark = text.find("<", at)
        stop = mark if mark >= 0 else len(text)
        if stop == at:
            found = _DELIMITER.match(text, at)
            if found and found.lastindex == self._delimiter:
                self._close_string()
                return found.end()
            if not final and not found and _DELIMITER_BEGUN.match(text, at):
                return at
            stop = at + 1
        say = self._call.text if self._parts is None else self._parts.append
        say(text[at:stop])
        return stop

    def _in_quoted(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._quoted is not None, "opened before"
        stop = self._quoted.feed(text, at, final)
        if self._quoted.done:
            if self._parts is not None:
                self._parts = [json.loads(f'"{"".join(self._parts)}"')]
            self._mended(*self._quoted.repairs)
            self._close_string()
        return stop

    def _close_string(self) -> None:
        assert self._call is not None, "opened with the name"
        parts, self._parts = self._parts, None
        close = self._call.close_text
        if self._step == self._in_quoted:
            close = self._call.close_quoted
        self._step = self._between
        if parts is None:
            self._wants = self._comma_at
            close()
        elif self._wants == self._key_at:
            self._named("".join(parts))
        else:
            self._close_inner("".join(parts))

    def _close_inner(self, text: str) -> None:
        # Reading goes on behind the string, whatever becomes of it.
        try:
            self._put(text)
        except Refused as refused:
            self._fail(refused.kind, refused.message)

    def _quote_ends(self, text: str, at: int, final: bool) -> int:
        if _BEHIND_QUOTE.match(text, at):
            return 0
        if _BEHIND_QUOTE_BEGUN.match(text, at):
            return 0 if final else MORE
        return self._end_at(text, at, final)

    def _in_bare(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._bare is not None and self._call is not None, "opened before"
        end = self._bare_end(text, at, final)
        if end == NO:
            found = _BARE_STOP.search(text, at + 1)
            stop = found.start() if found else len(text)
            self._bare.write(text[at:stop])
            return stop
        if end == MORE:
            return at
        self._step = self._between
        value, repairs = bare_value(self._bare.getvalue().strip(), frozenset())
        if end > at:
            value, repairs = self._bare.getvalue(), (mend.MISSING_QUOTE,)
        self._put(value, *repairs)
        return end

    def _bare_end(self, text: str, at: int, final: bool) -> int:
        """Where a word is over if it is at *at*, behind a token that a string lacks before it."""
        if not _BARE_STOP.match(text, at):
            return NO
        if text[at] != "<":
            return at
        end, token = self._end_at(text, at, final), self._delimiter_at(text, at, final)
        if MORE in (end, token):
            return MORE
        return at if end >= 0 else token

    # -- faults ---------------------------------------------------------------------------

    @property
    def _is_whole(self) -> bool:
        """Is nothing missing but brackets?"""
        fresh = self._wants == self._key_at and self._values.is_empty
        return self._wants == self._comma_at or fresh

    def _interrupt(self) -> None:
        """A marker that ends calls stands here, although brackets are open."""
        if not self._is_whole:
            self._fault = (ProblemKind.MALFORMED, "a value is missing in it")
        self._close_all()

    def _close_all(self) -> None:
        try:
            while not self._values.is_outermost and self._fault is None:
                self._values.closed()
        except Refused as refused:
            self._fault = (refused.kind, refused.message)
        self._complete(mend.MISSING_CLOSE)

    def _mended(self, *repairs: Repair) -> None:
        assert self._call is not None, "opened with the name"
        for repair in repairs:
            self._call.mended(repair)


def _malformed(message: str) -> Refused:
    return Refused(ProblemKind.MALFORMED, message)


def _certain(text: str) -> int:
    """How much of *text* certainly goes on with a string between tokens; -1 if a token comes."""
    if _DELIMITER.search(text):
        return -1
    mark = text.rfind("<", max(0, len(text) - 8))
    return mark if mark >= 0 and _DELIMITER_BEGUN.match(text, mark) else len(text)


def _no_cut(text: str, at: int, final: bool) -> int:
    """A line break means nothing between braces."""
    return NO
