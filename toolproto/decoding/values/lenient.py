"""Reading JSON as models really write it, every departure labelled.

Strict reading comes first. The lenient reader then prefers fidelity: what cannot be read is left
out or kept as text, under a *guessed* or *truncated* label, and never made up; every repair it
knows is listed in :mod:`.repairs`. It is one loop over an explicit stack, so that no nesting can
exhaust ours. Each step reads one piece, or mends its absence, and names the step that is due next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from . import repairs as mend
from .quotes import KEY, key_of
from .spellings import read_scalar
from .state import MISSING, QUOTES, State
from .strict import Reading, Refused, put_member, read_strict
from .strings import read_escaped_string, read_key, read_string

__all__ = ["json_alone", "read_all", "read_json", "read_lenient"]

_COMMAS = frozenset(",，;；")
_COLONS = frozenset(":：=")
_CLOSERS = frozenset("}])")
_DELIMITERS = _COMMAS | _CLOSERS | {""}

_json = json.JSONDecoder().raw_decode
_SPACE = r"[ \t\r\n]*+"
_NUMBER = r"-?(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]{1,17}+)?"
_plain_member = re.compile(
    rf'{_SPACE}(?:"([^"\\\x00-\x1f]*+)"|([a-zA-Z_]\w*+)){_SPACE}:{_SPACE}'
    rf"(?:({_NUMBER}|true|false|null)(?=[,}}]))?"
).match
# So many at once: each one that might be given back takes memory while more are looked for.
_plain_numbers = re.compile(rf"(?:{_SPACE}{_NUMBER}{_SPACE},){{1,1000}}").match
_commas = re.compile(r"[,，;；\s]*+").match
_ellipsis = re.compile(r"\.{3,}+|…").match
_bare_key = re.compile(r"""(?:[^\s:：=,，;{}\[\]()"'“”‘’`<>\\]++|\\_)+""").match
_equals = re.compile(r"=>?").match
_stray = re.compile(r"""[^\s,，}\])"'“”\w{\[(]++|.""", re.DOTALL).match
_closer_run = re.compile(r"[}\])\s]{1,200}+").match
_comma_and_quote = re.compile(r"\s*+,?\s*+(?=\")").match
_colon = re.compile(r"\s*+:").match
_glued = re.compile(r"""[\w"\\]""").match


def read_json(text: str, at: int = 0, keys: frozenset[str] | None = None) -> Reading | Refused:
    """Read the value at *at*: strictly, and where that fails leniently.

    A final refusal (one key with two values, ``NaN``, too deep, too many digits) is not
    tried again. *keys* are keys that may be expected; they help to tell where a badly
    quoted string ends. What follows the value is not read. Never raises.
    """
    strict = read_strict(text, at)
    if isinstance(strict, Refused):
        return strict if strict.final else read_lenient(text, at, keys) or strict
    if _is_a_part(text, strict, keys):
        return read_lenient(text, at, keys) or strict
    return _doubted(text, strict)


def read_all(text: str) -> Reading | None:
    """The value that is all of *text*, with nothing missing; None if there is none."""
    reading = read_json(text)
    return reading if isinstance(reading, Reading) and reading.is_all_of(text) else None


def read_lenient(
    text: str, at: int = 0, keys: frozenset[str] | None = None
) -> Reading | Refused | None:
    """Read the first value at *at*, white space and comments skipped; None if there is none.

    What nobody can read (one key with two values, ``NaN``, too deep, too many digits or
    mistakes) is a refusal. Linear in the length of the text; never raises.
    """
    structure = _Structure(text, at, keys)
    try:
        value = structure.read()
    except Refused as refused:
        return refused.with_traceback(None)
    if value is MISSING:
        return None
    return _doubted(text, Reading(value, structure.at, structure.repairs))


def _is_a_part(text: str, reading: Reading, keys: frozenset[str] | None) -> bool:
    """Whether what follows shows that the value should have been part of a larger one."""
    if isinstance(reading.value, str):
        return _colon(text, reading.end) is not None
    return isinstance(reading.value, dict) and member_follows(text, reading.end, keys)


def _doubted(text: str, reading: Reading) -> Reading:
    """Doubt a value that a word or a quote touches: it may be the rest of a string."""
    if not _glued(text, reading.end):
        return reading
    return replace(reading, repairs=(*reading.repairs, mend.GLUED_TEXT))


def member_follows(text: str, at: int, keys: frozenset[str] | None) -> bool:
    """Whether a member stands at *at*, so that the closer before it was one too many."""
    comma = _comma_and_quote(text, at)
    key = KEY(text, comma.end()) if comma else None
    return key is not None and (keys is None or key_of(key) in keys)


_Step = Callable[[], "_Step | None"]


class _Structure(State):
    """The loop: each step reads one piece and returns the step that is due next."""

    root: Any = MISSING

    def read(self) -> Any:
        step: _Step | None = self._root
        while step is not None:
            step = step()
        return self.root

    def _root(self) -> _Step | None:
        """Nothing has been read: a value is due, or members whose opener was lost."""
        if self.skip() in ('"', "'") and KEY(self.text, self.at):
            self.note(mend.MISSING_OPEN)
            self.push("{")
            return self._member
        return self._value

    def _value(self) -> _Step | None:
        """A value is due."""
        here = self.skip()
        if here in QUOTES:
            return self._put(read_string(self, here))
        if here in ("{", "[", "("):
            self.push(here)
            self.at += 1
            return self._member
        if self.text.startswith('\\"', self.at):
            return self._put(read_escaped_string(self))
        if here in _DELIMITERS:
            return self._put(MISSING)
        return self._put(read_scalar(self))

    def _put(self, value: Any) -> _Step | None:
        """A value has been read, or is missing."""
        if not self.open:
            self.root = value
            return None
        top = self.open[-1]
        top.comma = False
        if isinstance(top.value, list):
            if value is not MISSING:
                top.value.append(value)
        elif top.key is not None:
            if value is MISSING:
                ended = self.at >= len(self.text)
                self.note(mend.CUT_SHORT if ended else mend.MISSING_VALUE)
            elif put_member(top.value, top.key, value):
                self.note(mend.DUPLICATE_KEY)
            top.key = None
        return self._after

    def _after(self) -> _Step | None:
        """A member is complete: a comma or a closer is due."""
        here = self.skip()
        if here == "":
            return self._finish
        if here in _COMMAS:
            if here != ",":
                self.note(mend.ODD_SEPARATOR)
            self.at += 1
            self.open[-1].comma = True
            return self._member()
        if here in _CLOSERS:
            return self._close
        if here == ":" and self._take_back_key():
            return self._value
        return self._no_comma

    def _member(self) -> _Step | None:
        """An opener or a comma has been read: a member is due."""
        if step := self._plain_member():
            return step
        here = self.skip()
        if here == "":
            self.note(mend.CUT_SHORT)
            return self._finish
        if here in _CLOSERS:
            if self.open[-1].comma and here == self.closers[0]:
                self.note(mend.TRAILING_COMMA)
            return self._close
        if here in _COMMAS:
            self.note(mend.EXTRA_COMMA)
            self.at = _commas(self.text, self.at).end()  # type: ignore[union-attr]
            return self._member
        if here in ".…" and (dots := _ellipsis(self.text, self.at)):
            self.note(mend.ELLIPSIS)
            self.at = dots.end()
            return self._after
        return self._key if self.in_object() else self._value

    def _plain_member(self) -> _Step | None:
        """Read a key, or some numbers of a list, as most are: that spares them many steps."""
        top = self.open[-1]
        look = _plain_member if top.closer == "}" else _plain_numbers
        plain = look(self.text, self.at)
        if plain is None:
            return None
        self.at = plain.end()
        if top.closer != "}":
            top.value += _json(f"[{plain[0][:-1]}]")[0]
            top.comma = True
            return self._member
        quoted, top.key, value = plain.groups()
        if top.key is None:
            top.key = quoted
            self.plain_quotes = True
        else:
            self.bare_keys = True
            self.note(mend.BARE_KEY)
        return self._value if value is None else self._put(_json(value)[0])

    def _key(self) -> _Step | None:
        """A key is due."""
        here = self.text[self.at]
        if here in QUOTES:
            return self._colon(read_key(self, here))
        if self.text.startswith('\\"', self.at):
            return self._colon(read_escaped_string(self))
        if bare := _bare_key(self.text, self.at):
            return self._bare_key(bare)
        return self._no_comma

    def _bare_key(self, bare: re.Match[str]) -> _Step | None:
        self.at = bare.end()
        lost_quote = self.text[self.at : self.at + 1] in ('"', "'")
        self.at += lost_quote
        here = self.skip()
        if here not in _COLONS:
            self.note(mend.CUT_SHORT if here == "" else mend.STRAY_TEXT)
            return self._after
        self.bare_keys = True
        self.note(mend.MISSING_QUOTE if lost_quote else mend.BARE_KEY)
        if "\\_" in bare[0]:
            self.note(mend.ESCAPED_UNDERSCORE)
        return self._colon(bare[0].replace("\\_", "_"))

    def _colon(self, key: str) -> _Step | None:
        """A key has been read: a colon is due."""
        here = self.skip()
        if here == "":
            self.note(mend.CUT_SHORT)
            return self._after
        self.open[-1].key = key
        if here == ":":
            self.at += 1
        elif here in _COLONS:
            self.note(mend.ODD_SEPARATOR)
            equals = _equals(self.text, self.at)
            self.at = equals.end() if equals else self.at + 1
        elif here not in _DELIMITERS:
            self.note(mend.MISSING_COLON)
        return self._value

    def _take_back_key(self) -> bool:
        """In ``{"a": [1, "b": 2}`` the list lacks its closer: its last item was a key."""
        items = self.open[-1].value
        if not isinstance(items, list) or not items or not self.in_object(1):
            return False
        if not isinstance(items[-1], str):
            return False
        key = items.pop()
        self.note(mend.MISSING_CLOSE)
        self._pop()
        self.open[-1].key = key
        self.at += 1
        return True

    def _no_comma(self) -> _Step | None:
        """Something follows a member that is neither a comma nor a closer."""
        here = self.text[self.at]
        if here == "{" and self.in_object() and self.closers[1:2] == "]":
            return self._next_of_list()
        if self._starts_member(here):
            if not self.open[-1].comma:
                self.note(mend.MISSING_COMMA)
            return self._member
        self.note(mend.STRAY_TEXT)
        self.at = _stray(self.text, self.at).end()  # type: ignore[union-attr]  # any one
        return self._after

    def _next_of_list(self) -> _Step | None:
        """In ``[{"a": 1, {"a": 2}]`` an object lacks its closer; the comma is the list's."""
        comma = self.open[-1].comma
        self.note(mend.MISSING_CLOSE)
        step = self._pop()
        self.open[-1].comma = comma
        return step

    def _starts_member(self, here: str) -> bool:
        if here in QUOTES or self.text.startswith('\\"', self.at):
            return True
        if self.in_object():
            return _bare_key(self.text, self.at) is not None
        return here in "{[(+-." or here.isalnum()

    def _close(self) -> _Step | None:
        """A closer has been read; whether it is the right one is seen here."""
        here = self.text[self.at]
        self.at += 1
        depth = self.closers.find(here)
        if depth < 0:
            return self._close_nothing()
        if depth > 0:
            self.note(mend.MISSING_CLOSE)
        if depth == len(self.open) - 1 and self._is_one_too_many():
            return self._after
        for _ in range(depth):
            self._pop()
        return self._pop()

    def _close_nothing(self) -> _Step | None:
        """A closer of something that is not open: superfluous, or written for another one."""
        run = _closer_run(self.text, self.at)
        if run and "".join(run[0].split()).startswith(self.closers):
            self.note(mend.EXTRA_CLOSE)
            return self._after
        self.note(mend.MISMATCHED_CLOSE)
        return self._pop()

    def _is_one_too_many(self) -> bool:
        """Whether members of the outermost object follow the closer just read."""
        if not isinstance(self.open[0].value, dict):
            return False
        if not member_follows(self.text, self.at, self.keys):
            return False
        self.note(mend.EXTRA_CLOSE)
        return True

    def _pop(self) -> _Step | None:
        """Close the innermost container and put it where it belongs."""
        closed, self.closers = self.open.pop(), self.closers[1:]
        if closed.closer != ")":
            return self._put(closed.value)
        if len(closed.value) == 1 and not closed.comma:
            self.note(mend.PARENTHESES)
            return self._put(closed.value[0])
        self.note(mend.TUPLE)
        return self._put(closed.value)

    def _finish(self) -> _Step | None:
        """The text is over: close what is open."""
        self.note(mend.MISSING_CLOSE)
        while self.open:
            self._pop()
        return None


# -- an answer in prose -----------------------------------------------------------------------

#: Places of a text at which JSON may begin that are looked at: prose has brackets, too.
_MOST_BEGINNINGS = 8


def json_alone(text: str) -> Iterator[Reading]:
    """The objects and lists in *text* that have their lines for themselves, or a label before.

    Such JSON is an answer, written for its own sake, and no part of a sentence.
    """
    at, seen = _beginning(text, 0), 0
    while at >= 0 and seen < _MOST_BEGINNINGS:
        reading = read_json(text, at)
        if isinstance(reading, Reading) and _stands_alone(text, at, reading):
            yield reading
            at = _beginning(text, max(reading.end, at + 1))
        else:
            at = _beginning(text, at + 1)
        seen += 1


def _stands_alone(text: str, at: int, reading: Reading) -> bool:
    """Whether the value at *at* has its lines for itself, or a label before it.

    ``[1]`` within a sentence is no list of numbers.
    """
    before = text[text.rfind("\n", 0, at) + 1 : at].strip(" \t`*")
    end = text.find("\n", reading.end)
    behind = text[reading.end : end if end >= 0 else len(text)].strip(" \t`.;*")
    labelled = before.endswith((":", "=", "json"))
    return isinstance(reading.value, dict | list) and not behind and (not before or labelled)


def _beginning(text: str, start: int) -> int:
    places = [place for place in (text.find("{", start), text.find("[", start)) if place >= 0]
    return min(places, default=-1)
