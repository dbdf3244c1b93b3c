"""Reading JSON as models really write it, every departure labelled.

Strict reading comes first. The lenient reader then prefers fidelity: what cannot be read is left
out or kept as text, under a *guessed* or *truncated* label, and never made up; every repair it
knows is listed in :mod:`.repairs`. It is one loop over an explicit stack, so that no nesting can
exhaust ours. Each step reads one piece, or mends its absence, and names the step that is due next.
Where a step needs more text than has come it is tried again when more has (:mod:`.state`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..faults import Refused, malformed
from ..patterns import Pattern
from ..source import Pull
from . import repairs as mend
from .brackets import Brackets
from .keys import read_key
from .quotes import CLOSING_FENCE, KEY, key_of
from .spellings import ELLIPSIS, LITERALS, read_scalar
from .state import MISSING, QUOTES, Open, State, Wait
from .strict import Reading, put_member, read_strict
from .strings import QuotedString, read_escaped_string

_COMMAS = frozenset(",，;；")
_COLONS = frozenset(":：=")
_CLOSERS = frozenset("}])")
_DELIMITERS = _COMMAS | _CLOSERS | {""}

_json = json.JSONDecoder().raw_decode
_SPACE = r"[ \t\r\n]*+"
_NUMBER = r"-?(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]{1,17}+)?"
# ``"city": ``, ``days: 3,``, ``"ok": true}``.
_plain_member = re.compile(
    rf'{_SPACE}(?:"([^"\\\x00-\x1f]{{0,200}}+)"|([a-zA-Z_]\w{{0,200}}+)){_SPACE}:{_SPACE}'
    rf"(?:({_NUMBER}|true|false|null)(?=[,}}]))?"
).match
# So many at once: each one that might be given back takes memory while more are looked for.
_plain_numbers = re.compile(rf"(?:{_SPACE}{_NUMBER}{_SPACE},){{1,1000}}").match
_commas = re.compile(r"[,，;；\s]*+").match
_BARE_KEY = Pattern(r"""(?:[^\s:：=,，;{}\[\]()"'“”‘’`<>\\]|\\_){1,200}["']?""")
# With nothing else in it, an object would be an empty one that nobody wrote.
_ONLY_WORDS = Pattern(r"[^\W\d]\w{0,40}+(?:\s{1,8}+\w{1,40}+){0,20}+\s{0,8}+\}")
_EQUALS = Pattern(r"=>?")
_STRAY = Pattern(r"""[^\s,，}\])"'“”\w{\[(]{1,200}+|.""", re.DOTALL)
_CLOSER_RUN = Pattern(r"[}\])\s]{1,200}+")
_LOST_QUOTE = Pattern(r"""["'](?=\s{0,80}+(?:[}\])]|,\s{0,80}+["'}]))""")
_COMMA_AND_QUOTE = Pattern(r"\s{0,200}+,?\s{0,200}+(?=\")")
_glued = re.compile(r"""[\w"\\:]""").match


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
    reader = JsonReader(keys)
    reader.text, reader.at, reader.final = text, at, True
    try:
        next(reading := reader.read())
    except StopIteration as over:
        value = over.value
    else:
        raise AssertionError(f"nothing waits for more than all of {reading}")
    if reader.fault is not None:
        return reader.fault.with_traceback(None)
    if value is MISSING:
        return None
    end = len(text) - len(reader.text) + reader.at
    return _doubted(text, Reading(value, end, reader.repairs))


def _is_a_part(text: str, reading: Reading, keys: frozenset[str] | None) -> bool:
    """Whether what follows shows that the value should have been part of a larger one."""
    if not isinstance(reading.value, dict):
        return False
    state = State(keys)
    state.text, state.final = text, True
    return member_stands(state, reading.end)


def _doubted(text: str, reading: Reading) -> Reading:
    """Doubt a value that a word, a quote or a colon touches: it may be a part of something."""
    if not _glued(text, reading.end):
        return reading
    return replace(reading, repairs=(*reading.repairs, mend.GLUED_TEXT))


def member_stands(state: State, at: int) -> bool:
    """Whether a member stands at *at*, so that the closer before it was one too many."""
    comma = state.look(_COMMA_AND_QUOTE, at)
    key = state.look(KEY, comma.end()) if comma else None
    return key is not None and (state.keys is None or key_of(key) in state.keys)


Step = Callable[[], "Step | None"]


class JsonReader(State):
    """The loop: each step reads one piece and returns the step that is due next."""

    literals = LITERALS
    root: Any = MISSING
    _lost: Brackets | None = None  # what is open behind what nobody can read
    _gives_up = True  # on a value that nobody can read, before its end
    _unquoted = False  # was the last value read without quotes?
    #: What reads a string, where one begins, and the step that takes it.
    _string: tuple[Pull[Any], Callable[[Any], Step | None]] | None = None

    def read(self) -> Pull[Any]:
        """Read one value: MISSING if there is none."""
        step: Step | None = self._root
        while step is not None:
            self.start = self.at
            try:
                step = step()
            except Wait:
                self.at = self.start
                self.forget_notes()
                yield
                continue
            self.scanned = 0, 0
            if self._string is not None:
                reading, then = self._string
                self._string = None
                step = then((yield from reading))
            if self._tried:
                self.settle_notes()
            if self.fault is not None and step is not None:
                if self._gives_up:
                    break
                step = self._rest
        return self.root

    def _rest(self) -> Step | None:
        """There is no value: only brackets, and strings around them, tell where it ends."""
        if self._lost is None:
            self._lost = Brackets(stops=self.firsts, depth=self.excess)
        brackets, passing = self._lost, False
        while True:
            self.at = self.start = brackets.run(self.text, self.at, passing=passing)
            self.excess, passing = brackets.depth, False
            if brackets.quote and not self.final:
                raise Wait
            here = self.here(self.at)
            if not here:
                return self._finish()
            if here in self.closers:
                return self._close()
            passing = here in self.firsts
            self.at += here in "}]"

    def _root(self) -> Step | None:
        """Nothing has been read: a value is due."""
        return self._value

    def _value(self) -> Step | None:
        """A value is due."""
        here = self.skip()
        if here in QUOTES:
            self._string = QuotedString(self, here).read(), self._put
            return None
        if here in ("{", "[", "("):
            self.at += 1
            self.push(here)
            return self._member
        if here == "\\" and self.stands('\\"', self.at):
            self._string = read_escaped_string(self), self._put
            return None
        if here in _DELIMITERS:
            return self._put(MISSING)
        if here == ":" and self.in_object():
            self.note(mend.ODD_SEPARATOR)
            self.at += 1
            return self._value
        self._unquoted = True
        return self._put(self._scalar())

    def _scalar(self) -> Any:
        start = self.at
        try:
            return read_scalar(self)
        except Refused as fault:
            self.refuse(fault)
            self.at = start
            return None

    def _put(self, value: Any) -> Step | None:
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
                self.note(mend.MISSING_VALUE if self.here(self.at) else mend.CUT_SHORT)
            else:
                self._put_member(top, top.key, value)
            top.key = None
        return self._after

    def _put_member(self, top: Open, key: str, value: Any) -> None:
        try:
            if put_member(top.value, key, value):
                self.note(mend.DUPLICATE_KEY)
        except Refused as fault:
            self.refuse(fault)

    def _after(self) -> Step | None:
        """A member is complete: a comma or a closer is due."""
        if self._unquoted:
            self._drop_quote()
        here = self.skip()
        if here == "":
            return self._finish
        if here in _COMMAS:
            if here != ",":
                self.note(mend.ODD_SEPARATOR)
            self.at += 1
            self.open[-1].comma = True
            return self._member
        if here in _CLOSERS:
            return self._close()
        if here == ":" and self._take_back_key():
            return self._value
        return self._no_comma()

    def _drop_quote(self) -> None:
        """In ``{"a": 50", "b": 1}`` a number has half the quotes of a string."""
        if self.here(self.at) in ("'", '"') and self.look(_LOST_QUOTE, self.at):
            self.note(mend.MISSING_QUOTE)
            self.at += 1
        self._unquoted = False

    def _member(self) -> Step | None:
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
            return self._close()
        if here in _COMMAS:
            self.note(mend.EXTRA_COMMA)
            self.at = _commas(self.text, self.at).end()  # type: ignore[union-attr]
            return self._member
        if here in ".…" and (dots := self.look(ELLIPSIS, self.at)):
            self.note(mend.ELLIPSIS)
            self.at = dots.end()
            return self._after
        return self._key() if self.in_object() else self._value()

    def _plain_member(self) -> Step | None:
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
        quoted, bare, value = plain.groups()
        if bare is None:
            self.plain_quotes = True
        else:
            self.bare_keys = True
            self.note(mend.BARE_KEY)
        self._name(top, quoted if bare is None else bare)
        return self._value if value is None else self._put(_json(value)[0])

    def _key(self) -> Step | None:
        """A key is due."""
        here = self.text[self.at]
        if here in QUOTES:
            return self._keyed(read_key(self, here))
        if here == "\\" and self.stands('\\"', self.at):
            self._string = read_escaped_string(self), self._keyed
            return None
        if bare := self.look(_BARE_KEY, self.at):
            return self._bare_key(bare)
        return self._no_comma()

    def _bare_key(self, bare: re.Match[str]) -> Step | None:
        self.at = bare.end()
        key = bare[0].rstrip("\"'")
        lost_quote = len(key) < len(bare[0])
        here = self.here(self.behind_space(self.at))
        if key.startswith("--") and here and here not in _COLONS:  # MiniMax: {--path "a"}
            self.note(mend.BARE_KEY)
            self.dashed_keys = True
            self._name(self.open[-1], key[2:])
            return self._value
        if here not in _COLONS:
            self.note(mend.CUT_SHORT if here == "" else mend.STRAY_TEXT)
            if not self.open[-1].value and self.look(_ONLY_WORDS, bare.start()):
                self.refuse(malformed("an object in it has words in the place of members"))
            return self._after
        self.bare_keys = True
        self.note(mend.MISSING_QUOTE if lost_quote else mend.BARE_KEY)
        if "\\_" in key:
            self.note(mend.ESCAPED_UNDERSCORE)
        return self._keyed(key.replace("\\_", "_"))

    def _keyed(self, key: str) -> Step | None:
        """A key has been read: a colon is due."""
        self._name(self.open[-1], key)
        return self._colon

    def _name(self, top: Open, key: str) -> None:
        """The next value in *top* is that of *key*."""
        top.key = key

    def _colon(self) -> Step | None:
        here = self.skip()
        if here == "":
            self.note(mend.CUT_SHORT)
            self.open[-1].key = None
            return self._after
        if here == ":":
            self.at += 1
        elif here in _COLONS:
            equals = self.look(_EQUALS, self.at)
            self.note(mend.ODD_SEPARATOR)
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

    def _no_comma(self) -> Step | None:
        """Something follows a member that is neither a comma nor a closer."""
        here = self.text[self.at]
        if here == "{" and self.in_object() and self.closers[1:2] == "]":
            return self._next_of_list()
        if here == "`" and self.look(CLOSING_FENCE, self.at):
            return self._finish()
        if self._starts_member(here):
            if not self.open[-1].comma:
                self.note(mend.MISSING_COMMA)
            return self._member
        self.note(mend.STRAY_TEXT)
        self.at = self.look(_STRAY, self.at).end()  # type: ignore[union-attr]  # any one
        return self._after

    def _next_of_list(self) -> Step | None:
        """In ``[{"a": 1, {"a": 2}]`` an object lacks its closer; the comma is the list's."""
        comma = self.open[-1].comma
        self.note(mend.MISSING_CLOSE)
        step = self._pop()
        self.open[-1].comma = comma
        return step

    def _starts_member(self, here: str) -> bool:
        if here in QUOTES or (here == "\\" and self.stands('\\"', self.at)):
            return True
        if self.in_object():
            return self.look(_BARE_KEY, self.at) is not None
        return here in "{[(+-." or here.isalnum()

    def _close(self) -> Step | None:
        """A closer is here; whether it is the right one is seen here."""
        here = self.text[self.at]
        self.at += 1
        depth = self.closers.find(here)
        if depth < 0:
            return self._close_nothing()
        if depth > 0:
            self.note(mend.MISSING_CLOSE)
        if self._is_one_too_many(depth):
            return self._after
        for _ in range(depth):
            self._pop(own=False)
        return self._pop()

    def _close_nothing(self) -> Step | None:
        """A closer of something that is not open: superfluous, or written for another one."""
        run = self.look(_CLOSER_RUN, self.at)
        if run and "".join(run[0].split()).startswith(self.closers):
            self.note(mend.EXTRA_CLOSE)
            return self._after
        self.note(mend.MISMATCHED_CLOSE)
        return self._pop()

    def _is_one_too_many(self, depth: int) -> bool:
        """Whether more members follow the closer just read, of the container *depth* out."""
        if not self._may_go_on(depth) or not member_stands(self, self.at):
            return False
        self.note(mend.EXTRA_CLOSE)
        return True

    def _may_go_on(self, depth: int) -> bool:
        """May the container *depth* steps out go on behind its closer?"""
        return depth == len(self.open) - 1 and isinstance(self.open[0].value, dict)

    def _pop(self, *, own: bool = True) -> Step | None:
        """Close the innermost container, unless *own* by another's closer; put it in its place."""
        closed, self.closers = self.open.pop(), self.closers[1:]
        if closed.closer != ")":
            return self._put(closed.value)
        if len(closed.value) == 1 and not closed.comma:
            self.note(mend.PARENTHESES)
            return self._put(closed.value[0])
        self.note(mend.TUPLE)
        return self._put(closed.value)

    def _finish(self) -> Step | None:
        """The text is over: close what is open."""
        self.note(mend.MISSING_CLOSE)
        while self.open:
            self._pop()
        return None
