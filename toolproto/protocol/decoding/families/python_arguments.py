"""What stands between the parentheses of one Python call.

Arguments are told as they become certain: a string by keyword piece by piece, what is inside other
brackets when these are closed. What is open stands in one list, so nothing recurses. Nothing is
computed either: ``3.5 / 100`` comes back as the text it is, for a schema to make sense of or to
refuse. What cannot be read raises Refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...messages import Grade, ProblemKind, Repair
from ...tools.kinds import kinds_of
from ..calls.record import Beginning, CallRecord, TextSink
from ..faults import Refused, cut_short, malformed
from ..hot_string import StreamedString
from ..patterns import Pattern
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.lenient import JsonReader, Step
from ..values.quotes import KEYWORD, PythonJudge
from ..values.spellings import literals, number_value
from ..values.state import MISSING, Open
from .line_values import ZERO_PADDED, zero_padded
from .python_strings import OPENING, PythonString, unescaped

ESCAPED_NAME = Repair("escaped_underscore")
_MISSING_PAREN = Repair("missing_paren", Grade.GUESSED)
_COLON_KEYWORD = Repair("colon_keyword")
_SET = Repair("set")
_QUOTED_KEYWORD = Repair("quoted_keyword")
# As Python does it; but in a list a comma may be missing.
_JOINED = Repair("joined_strings", Grade.GUESSED)

_FOLLOWS = Pattern(r"\s{0,80}([\s\S]?)")
_SPREAD = Pattern(r"\*\*\s{0,8}\{")
# A name before its value: in a call, in a dict.
_KEYWORD = Pattern(rf"({KEYWORD})\s{{0,8}}(=(?!=)|:(?![:/]))")
_BARE_KEY = Pattern(r"([\w.-]{1,128})\s{0,8}(:)")
_MAY_OPEN = frozenset("rRbBuUfF\"'\\“‘`")

# -- words ------------------------------------------------------------------------------------

_CALL_INSIDE = Pattern(r"[^\W\d][\w.]{0,127}\(")
_NEVER_INSIDE = re.compile(r"""[(\[{"]|(?<![^\W\d_])'""")  # but an apostrophe is
# Code, and what JSON cannot say.
# ``<city>``, ``x for x in y``, ``not given``, ``3j``.
_NO_VALUE = re.compile(
    r"""<|(?:lambda|await|yield|not|[\w.]+[ ](?:if|for|in|is|and|or))\b
    |[-+]?[0-9][0-9_.eE]*+[jJ]\Z""",
    re.VERBOSE,
)


# -- plain arguments --------------------------------------------------------------------------

_SPACE = r"[ \t\r\n]{0,80}+"
# An argument that needs no second look, and what makes that certain behind it: a comma and the
# next keyword, or the parenthesis and something that is no quote. Odd space is told of elsewhere.
# ``city="Oslo", days=``, ``days=3,``, ``ok=True)``.
_PLAIN_ARGUMENT = re.compile(
    rf"""{_SPACE}([^\W\d]\w{{0,127}}+)[ ]?=[ ]?
    (?:("[^"\\\r\n]{{0,4000}}+"|'[^'\\\r\n]{{0,4000}}+')
        (?={_SPACE}(?:,{_SPACE}[^\W\d]\w{{0,127}}+[ \t\r\n]{{0,8}}=|\){_SPACE}[^\s"'`“‘”’)]))
      |(-?(?:0|[1-9][0-9]{{0,15}}+)(?:\.[0-9]{{1,15}}+)?|True|False|None))
    {_SPACE}([,)])""",
    re.VERBOSE,
)
# A marker that begins with one of these needs a look everywhere.
_UNPLAIN_MARKS = re.compile(r"""[\w\s"'=,.()\[\]-]""")


# -- arguments --------------------------------------------------------------------------------


class Arguments(JsonReader):
    """Reads the arguments of *call*, behind its opening parenthesis, from *source*.

    They are read as the members of an object are, with Python's spellings; *flush* gives the call
    the text that was read. *around* is the quote around the call and *in_list* whether a list is.
    ``doubtful`` says that it may be a signature or a sample, and ``by_keyword`` whether any
    argument was given by keyword.
    """

    own = frozenset({mend.COMMENT, mend.CUT_SHORT, mend.NUMBER_FORM, mend.PARENTHESES})
    literals = literals("True", "False", "None")

    def __init__(
        self,
        begun: Beginning,
        call: CallRecord,
        source: Source,
        flush: Callable[[], None],
        around: str,
        in_list: bool,
    ) -> None:
        self._known = call.tool.properties if call.tool is not None else {}
        super().__init__(self._known or None, begun.ends, source.firsts)
        self._call, self._source, self._give_text = call, source, flush
        self._out, self.depth = begun.setting.out, begun.setting.depth
        self.push("(")
        self.open[0].value = call.arguments
        self.bare_keys = True
        self._judge = PythonJudge(self, around, in_list)
        self._text: PythonString | None = None  # while it is read
        self._sink: TextSink = call  # what takes it
        self._given: list[Any] = []  # by position
        self._by_colon = False  # was the argument named with a colon?
        self._hidden = False  # may a comment that has no end hide the rest?
        self._closed = True
        self._plain = self.depth > 1 and not _UNPLAIN_MARKS.search(source.firsts)
        self.doubtful = self.by_keyword = False

    @property
    def streaming(self) -> StreamedString | None:
        """The string in which reading stands, if it goes out as it comes."""
        return self._text.streaming if self._text is not None else None

    @property
    def left_open(self) -> tuple[int, str]:
        """How many brackets are open, and the quote of the string that is."""
        quote = self._text.quote if self._text is not None else ""
        return len(self.open) + self.excess, "" if quote.startswith("\\") else quote

    def run(self) -> Pull[bool]:
        """Read to behind the closing parenthesis; False if it is missing, but nothing else is."""
        source, reading = self._source, self.read()
        while True:
            self.text, self.at, self.final = source.text, source.at, source.final
            try:
                over = next(reading, self) is self
            finally:
                source.at = self.at
            if over:
                break
            yield
        if self.fault is not None:
            raise self.fault
        self._settle()
        return self._closed

    def flush(self) -> None:
        """Give the call the text that was read."""
        self._source.at = self.at
        self._give_text()

    def settle_notes(self) -> None:
        self._call.mended(*self._tried)
        self._tried.clear()

    def awaits(self, key: str, level: int = 0) -> bool:
        return super().awaits(unescaped(key), level)

    def _skip_trivia(self, here: str) -> bool:
        if here in ("/", "\\"):
            return False
        passed = super()._skip_trivia(here)
        at_end = passed and here == "#" and self.at == len(self.text)
        self._hidden = self._hidden or (at_end and self.text[-1] != "\n")
        return passed

    # -- elements ---------------------------------------------------------------------------

    def _root(self) -> Step | None:
        return self._member()

    def _member(self) -> Step | None:
        if self._plain and self._take_plain():
            return self._member if self.open else None
        numbers = self._plain_member() if self._plain and self.closers[0] == "]" else None
        return numbers or self._value()

    def _take_plain(self) -> bool:
        """Take in the plain arguments that stand here; False if none does."""
        start, in_call = self.at, len(self.open) == 1 and self.open[0].key is None
        while in_call and (found := _PLAIN_ARGUMENT.match(self.text, self.at)):
            key, text, word, behind = found.groups()
            self.at = self.text.index("=", found.end(1)) + 1  # where it may be refused
            self._begin_keywords()
            if text is not None:
                value = text[1:-1]
            elif word in self.literals:
                value = self.literals[word][0]
            else:
                value = int(word) if word.isdigit() else number_value(word)
            self._call.argument(key, value)
            self.at = found.end()
            if behind == ")":
                self._pop()
                in_call = False
        return self.at > start

    def _value(self) -> Step | None:
        """An element begins, or its value; or the brackets close."""
        here, top = self.skip(), self.open[-1]
        if not here:
            raise self._cut_off()
        if here in _MAY_OPEN and (opened := self.look(OPENING, self.at)):
            told = len(self.open) == 1 and top.key is not None
            self._sink = self._call if told else TextSink()
            self._sink.open_text()
            return self._open_string(opened)
        if here in "([{":
            self.at += 1
            self.push(here)
            return self._member
        if here in ",)]}":
            if top.key is not None or here == ",":
                raise malformed("a value is missing")
            return self._close()
        return self._spread_dict(top) if here == "*" else self._unquoted_element(top)

    def _spread_dict(self, top: Open) -> Step:
        spread = self.look(_SPREAD, self.at)
        if spread is None or len(self.open) > 1 or top.key is not None:
            raise _no_dict()
        self.at = spread.end()
        self.push("{")
        self.open[-1].marked = True
        return self._member

    def _unquoted_element(self, top: Open) -> Step | None:
        """A name and what separates it from its value; or a value."""
        in_call = len(self.open) == 1
        named = self.look(_KEYWORD if in_call else _BARE_KEY, self.at) if _takes_key(top) else None
        if named is None:
            return self._put(self._word(top))
        odd = mend.BARE_KEY if not in_call else ESCAPED_NAME if "\\" in named[1] else None
        self.at = named.end()
        return self._named(unescaped(named[1]), named[2], odd)

    def _no_comma(self) -> Step | None:
        here = self.text[self.at]
        if len(self.open) > 1 or not self.by_keyword or not (here.isalpha() or here == "_"):
            raise _unexpected(here)
        self.note(mend.MISSING_COMMA)
        return self._member

    def _take_back_key(self) -> bool:
        return False  # what was told cannot be taken back

    # -- strings and words ------------------------------------------------------------------

    def _open_string(self, opened: re.Match[str]) -> Step | None:
        self.at = opened.end()
        self._text = PythonString(opened, self, self._judge, self._sink, self._call)
        self._string = self._text.read(), self._string_over
        return None

    def _string_over(self, whole: bool) -> Step | None:
        if not whole:
            raise self._cut_off()
        self._text = None
        return self._behind_string

    def _behind_string(self) -> Step | None:
        """Several strings side by side are one; it may be the name of the element."""
        here, top = self.skip(), self.open[-1]
        if here in _MAY_OPEN and (opened := self.look(OPENING, self.at)):
            if len(self.open) > 1 and isinstance(top.value, list):
                self._call.mended(_JOINED)
            return self._open_string(opened)
        value, in_call = self._sink.close_text(), len(self.open) == 1
        if _takes_key(top) and (here == ":" or (here == "=" and in_call)):
            self.at += 1
            return self._named(value, here, _QUOTED_KEYWORD if in_call else None)
        return self._put(value) if self._sink is not self._call else self._was_put(top)

    def _word(self, top: Open) -> Any:
        """The value that is written without quotes; raises Refused if there is none.

        ``07`` is a number where nothing else is wanted; elsewhere it may be a code.
        """
        start = self.at
        if inside := self.look(_CALL_INSIDE, start):
            raise _computed(inside[0][:-1])
        value, word = self._scalar(), self.text[start : self.at].strip()
        if self.fault is not None:
            raise self.fault
        if not self.here(self.at) and self.at == len(self.text):  # nobody knows how it goes on
            raise self._cut_off()
        if value is not MISSING and not isinstance(value, str):
            return value
        if value is MISSING or _NO_VALUE.match(word):
            self.doubtful = self.doubtful or value is MISSING or word[0] == "<"
            raise malformed(f"{word[:80]!r} is no value; write the value it stands for")
        if inside := _NEVER_INSIDE.search(word):
            self.at = start
            if inside[0] == "(":
                raise _computed(word[: inside.start()])
            raise malformed(f"{inside[0]} stands inside a value without quotes")
        wanted = kinds_of(self._call.tool, top.key or "") if len(self.open) == 1 else frozenset()
        if (number := zero_padded(word, wanted)) is not None:
            self.forget_notes()
            self.note(ZERO_PADDED)
            return number
        if mend.BARE_STRING in self._tried:
            self.doubtful = self.doubtful or self._by_colon or top.key is None
        return value

    # -- names, values and brackets ---------------------------------------------------------

    def _named(self, key: str, separator: str, odd: Repair | None) -> Step:
        """*key* is the name, or key, of the element; *odd* is how it is written, if that is odd."""
        self.open[-1].key = key
        if odd is not None:
            self.note(odd)
        if len(self.open) == 1:
            self._by_colon = separator == ":"
            if self._by_colon:
                self.note(_COLON_KEYWORD)
            self._begin_keywords()
            self._call.key(key)
        return self._value

    def _put(self, value: Any) -> Step | None:
        top, in_call = self.open[-1], len(self.open) == 1
        if in_call and top.key is None:
            if self.by_keyword:
                raise malformed("an argument without its name stands behind one with a name")
            self._given.append(value)
        elif in_call:
            self._call.value(value)
        else:
            if top.closer == "}" and isinstance(top.value, dict) == (top.key is None):
                if top.value:
                    raise malformed("a value in a dict has no key")
                top.value = []  # it is a set
            return super()._put(value)
        return self._was_put(top)

    def _was_put(self, top: Open) -> Step:
        top.key, top.comma = None, False
        return self._after

    def _close_nothing(self) -> Step | None:
        closer = self.text[self.at - 1]
        if len(self.open) > 1:
            self.at -= 1
            raise _unexpected(closer)
        behind = self.look(_FOLLOWS, self.at)
        if not self._judge.in_list or (behind and behind[1] == ")"):
            self.note(mend.EXTRA_CLOSE)
            return self._after
        self.at -= 1  # it is the list's bracket
        self.note(_MISSING_PAREN)
        return self._pop()

    def _may_go_on(self, depth: int) -> bool:
        return False

    def _pop(self, *, own: bool = True) -> Step | None:
        closed = self.open[-1]
        if len(self.open) == 1:
            self.open, self.closers = [], ""
            return None
        if closed.marked:
            self.open.pop()
            self.closers = self.closers[1:]
            if isinstance(closed.value, list):
                raise _no_dict()
            self._spread(closed.value)
            return self._after
        if closed.closer == "}" and isinstance(closed.value, list):
            self.note(_SET)
        return super()._pop(own=own)

    def _finish(self) -> Step | None:
        """No parenthesis came, which is all right if nothing else is missing."""
        over = self.at >= len(self.text)
        if len(self.open) > 1 or self._hidden or (over and self._out.cut):
            raise self._cut_off()
        self.note(_MISSING_PAREN)
        self._closed = False
        return self._pop()

    def _cut_off(self) -> Refused:
        over = self.at >= len(self.text)
        if over and self._out.cut:
            return cut_short()
        kind = ProblemKind.TRUNCATED if over else ProblemKind.MALFORMED
        return Refused(kind, "it is cut short, or lacks its closing parenthesis")

    # -- all of them ------------------------------------------------------------------------

    def _begin_keywords(self) -> None:
        """An argument is given by keyword: those before it, if any, were given by position."""
        if self._given:
            self._tell_given()
        self.by_keyword = True

    def _spread(self, given: dict[str, Any]) -> None:
        """Arguments are given in a dict."""
        self._begin_keywords()
        for key, value in given.items():
            self._call.argument(key, value)

    def _settle(self) -> None:
        """No more arguments come: one dict may have been all of them."""
        first = self._given[0] if len(self._given) == 1 else None
        if isinstance(first, dict):
            unknown = first.keys() - self._known.keys()
            sure = self._call.tool is None or not unknown
            if sure or not self._known or len(unknown) < len(first):
                self._given = []
                grade = Grade.LOSSLESS if sure else Grade.GUESSED
                self._call.mended(Repair("dict_argument", grade))
                self._spread(first)
        if self._given:
            self._tell_given()

    def _tell_given(self) -> None:
        """Tell what was given by position."""
        given, self._given = self._given, []
        if len(given) > len(self._known):
            raise malformed("nobody knows which arguments these are; write each as name=value")
        grade = Grade.GUESSED if len(given) > 1 else Grade.LOSSLESS
        self._call.mended(Repair("positional_arguments", grade))
        for name, value in zip(self._known, given, strict=False):
            self._call.argument(name, value)


def _takes_key(bracket: Open) -> bool:
    """May the element that begins in *bracket* be a key, or have one before it?"""
    return bracket.key is None and (bracket.closer == "}" or isinstance(bracket.value, dict))


def _no_dict() -> Refused:
    return malformed("only a dict, in place of an argument, can stand behind asterisks")


def _computed(source: str) -> Refused:
    message = "is a call inside a call, or would have to be computed; write its result"
    return malformed(f"{source.strip()[:80]}(...) {message}")


def _unexpected(char: str) -> Refused:
    return malformed(f"unexpected {char!r}; an expression is no value, write what it comes to")
