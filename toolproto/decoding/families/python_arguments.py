"""What stands between the parentheses of one Python call.

Arguments are told as they become certain: a string by keyword piece by piece, what is inside other
brackets when these are closed. What is open stands in one list, so nothing recurses. Nothing is
computed either: ``3.5 / 100`` comes back as the text it is, for a schema to make sense of or to
refuse. What cannot be read raises Refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from ...messages import Grade, ProblemKind, Repair
from ..calls.pulled import cut_short
from ..calls.record import CallRecord, CallSetting, TextSink
from ..patterns import Pattern
from ..reply.hot_string import StreamedString
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.spellings import literals, number_value
from ..values.strict import DUPLICATE_KEY, MAX_DIGITS, Refused, malformed, put_member, too_deep
from .line_values import ZERO_PADDED, kinds_of, zero_padded
from .python_strings import KEYWORD, OPENING, Bracket, QuoteJudge, StringReader, unescaped

__all__ = ["ESCAPED_NAME", "Arguments", "pass_comment"]

ESCAPED_NAME = Repair("escaped_underscore")
_MISSING_PAREN = Repair("missing_paren", Grade.GUESSED)
_COLON_KEYWORD = Repair("colon_keyword")
_SET = Repair("set")
_QUOTED_KEYWORD = Repair("quoted_keyword")

_NO_SPACE = re.compile(r"\S")
_FOLLOWS = Pattern(r"\s{0,80}([\s\S]?)")
_SPREAD = Pattern(r"\*\*\s{0,8}\{")
# A name before its value: in a call, in a dict.
_KEYWORD = Pattern(rf"({KEYWORD})\s{{0,8}}(=(?!=)|:(?![:/]))")
_BARE_KEY = Pattern(r"([\w.-]{1,128})\s{0,8}(:)")
_OPENERS = {"[": "]", "{": "}", "(": ")"}
_MAY_OPEN = frozenset("rRbBuUfF\"'\\“‘`")


def pass_comment(source: Source) -> Pull[bool]:
    """To the end of the line; a marker that ends calls ends it as well.

    False if neither comes: nobody knows what the comment hides.
    """
    while True:
        yield from source.before(source.line_or_mark)
        char = yield from source.peek()
        if not char or char == "\n" or (yield from source.at_end()):
            return char != ""
        source.at += 1


# -- words ------------------------------------------------------------------------------------

_LONGEST_WORD = MAX_DIGITS + 100
_NUMBER = re.compile(
    r"""[-+]?\s{0,8}(?:0+|[1-9][0-9_]*+
    |0[xX]_?[0-9a-fA-F][0-9a-fA-F_]*+|0[oO]_?[0-7][0-7_]*+|0[bB]_?[01][01_]*+
    |(?:[0-9][0-9_]*+(?:\.[0-9_]*+|(?=[eE]))|\.[0-9][0-9_]*+)(?:[eE][-+]?[0-9]++)?)""",
    re.VERBOSE,
)
_COMPUTED = re.compile(r"[-+.]?[\d(].*[-+*/%^]", re.DOTALL)
# Code, and what JSON cannot say.
_NO_VALUE = re.compile(
    r"""(?:lambda|await|yield|not|[\w.]+[ ](?:if|for|in|is|and|or))\b
    |[-+]?(?:NaN|nan|Infinity|inf|[0-9][0-9_.eE]*+[jJ])\Z""",
    re.VERBOSE,
)
_PLACEHOLDERS = ("...", "…", "<")
_LITERALS = literals("True", "False", "None")


@cache
def _word_stop(firsts: str) -> re.Pattern[str]:
    return re.compile(rf"""[,()\[\]{{}}"'#\\{re.escape(firsts)}]""")


def _read_word(word: str, wanted: frozenset[str]) -> tuple[Any, Repair | None]:
    """The value of unquoted text, and what had to be mended; raises Refused if there is none.

    ``07`` is a number where nothing else is *wanted*; elsewhere it may be a code.
    """
    if word in _LITERALS:
        return _LITERALS[word]
    if _NUMBER.fullmatch(word):
        return number_value(word), None
    if (number := zero_padded(word, wanted)) is not None:
        return number, ZERO_PADDED
    if word.startswith(_PLACEHOLDERS) or _NO_VALUE.match(word):
        raise malformed(f"{word[:80]!r} is no value; write the value it stands for")
    return word, mend.expression(word) if _COMPUTED.match(word) else mend.BARE_STRING


# -- plain arguments --------------------------------------------------------------------------

# An argument that needs no second look, and what makes that certain behind it: a comma and the
# next keyword, or the parenthesis and something that is no quote. Most arguments are like that.
_PLAIN_ARGUMENT = re.compile(
    r"""\s{0,80}+([^\W\d]\w{0,127}+)[ ]?=[ ]?
    (?:("[^"\\\r\n]{0,4000}+"|'[^'\\\r\n]{0,4000}+')
        (?=\s{0,80}+(?:,\s{0,80}+[^\W\d]\w{0,127}+\s{0,8}=|\)\s{0,80}+[^\s"'`“‘”’)]))
      |(-?(?:0|[1-9][0-9]{0,15}+)(?:\.[0-9]{1,15}+)?|True|False|None))
    \s{0,80}+([,)])""",
    re.VERBOSE,
)
# A marker that begins with one of these needs a look everywhere.
_UNPLAIN_MARKS = re.compile(r"""[\w\s"'=,.()\[\]-]""")


# -- arguments --------------------------------------------------------------------------------


class Arguments:
    """Reads the arguments of *call*, behind its opening parenthesis.

    *flush* gives the call the text that was read. *around* is the quote around the call and
    *in_list* whether a list is. ``doubtful`` says that it may be a signature or a sample, and
    ``by_keyword`` whether any argument was given by keyword.
    """

    def __init__(
        self,
        setting: CallSetting,
        call: CallRecord,
        source: Source,
        flush: Callable[[], None],
        around: str,
        in_list: bool,
    ) -> None:
        self._setting, self._call, self._source, self._flush = setting, call, source, flush
        self._known = call.tool.properties if call.tool is not None else {}
        self._stack = [Bracket(")", named=True)]
        self._judge = QuoteJudge(source, self._stack, self._known, around, in_list)
        self._string: StringReader | None = None  # while it is read
        self._given: list[Any] = []  # by position
        self._by_colon = False  # was the argument named with a colon?
        self._hidden = False  # may a comment that has no end hide the rest?
        self._plain = setting.depth > 1 and not _UNPLAIN_MARKS.search(source.firsts)
        self.doubtful = self.by_keyword = False

    @property
    def streaming(self) -> StreamedString | None:
        """The string in which reading stands, if it goes out as it comes."""
        return self._string.streaming if self._string is not None else None

    @property
    def open(self) -> tuple[int, str]:
        """How many brackets are open, and the quote of the string that is."""
        quote = self._string.quote if self._string is not None else ""
        return len(self._stack), "" if quote.startswith("\\") else quote

    def read(self) -> Pull[bool]:
        """Read to behind the closing parenthesis; False if it is missing, but nothing else is."""
        closed = True
        while self._stack:
            char = yield from self._next()
            if not char:
                self._unclosed()
                closed = False
            elif self._stack[-1].filled:
                yield from self._behind_value(char)
            elif not (self._plain and self._take_plain()):
                yield from self._element(char)
        self._settle()
        return closed

    def _next(self) -> Pull[str]:
        """The next character of a token; none where the text is over, or a marker stands."""
        source = self._source
        while not source.firsts or not (yield from source.at_end()):
            char = source.text[source.at : source.at + 1] or (yield from source.peek())
            if char.isspace():
                yield from source.before(_NO_SPACE)
            elif char != "#":
                return char
            elif not (yield from pass_comment(source)):
                self._hidden = True
        return ""

    def _unclosed(self) -> None:
        """No parenthesis came, which is all right if nothing else is missing."""
        over = self._source.at >= len(self._source.text)
        if over and self._setting.outbox.cut:
            raise cut_short()
        if len(self._stack) > 1 or not self._stack[-1].filled or self._hidden:
            kind = ProblemKind.TRUNCATED if over else ProblemKind.MALFORMED
            raise Refused(kind, "it is cut short, or lacks its closing parenthesis")
        self._call.mended(_MISSING_PAREN)
        self._stack.pop()

    def _take_plain(self) -> bool:
        """Take in the plain arguments that stand here; False if none does."""
        source, bracket = self._source, self._stack[-1]
        if not bracket.named or not bracket.takes_key:
            return False
        start = source.at
        while self._stack and (found := _PLAIN_ARGUMENT.match(source.text, source.at)):
            key, text, word, behind = found.groups()
            source.at = source.text.index("=", found.end(1)) + 1  # where it may be refused
            self._begin_keywords()
            if text is not None:
                value = text[1:-1]
            else:
                value = int(word) if word.isdigit() else _read_word(word, frozenset())[0]
            self._call.argument(key, value)
            source.at = found.end()
            if behind == ")":
                self._stack.pop()
        return source.at > start

    # -- elements ---------------------------------------------------------------------------

    def _element(self, char: str) -> Pull[None]:
        """An element begins, or the brackets close."""
        source, bracket = self._source, self._stack[-1]
        if char in _MAY_OPEN and (opened := (yield from source.match(OPENING))):
            yield from self._read_string(opened)
        elif char in _OPENERS:
            self._open(_OPENERS[char], 1)
        elif char in ",)]}":
            if bracket.key is not None or char == ",":
                raise malformed("a value is missing")
            yield from self._close(char)
        elif char == "*":
            spread = yield from source.match(_SPREAD)
            if spread is None or not bracket.named or bracket.key is not None:
                raise malformed("only a dict, in place of an argument, can stand behind asterisks")
            self._open("}", len(spread[0]), spread=True)
        elif bracket.takes_key and (
            named := (yield from source.take(_KEYWORD if bracket.named else _BARE_KEY))
        ):
            odd = mend.BARE_KEY if not bracket.named else ESCAPED_NAME if "\\" in named[1] else None
            self._name(unescaped(named[1]), named[2], odd)
        else:
            yield from self._read_word()

    def _behind_value(self, char: str) -> Pull[None]:
        bracket = self._stack[-1]
        if char in ")]}":
            yield from self._close(char)
        elif char == ",":
            bracket.filled = False
            self._source.at += 1
        elif bracket.named and self.by_keyword and (char.isalpha() or char == "_"):
            bracket.filled = False
            self._call.mended(mend.MISSING_COMMA)
        else:
            raise _unexpected(char)

    def _read_string(self, opened: re.Match[str] | None) -> Pull[None]:
        """A string, of which several side by side are one; it may be the name of the element."""
        source, bracket = self._source, self._stack[-1]
        told = bracket.named and bracket.key is not None
        text, char = self._call if told else TextSink(), ""
        text.open_text()
        while opened is not None:
            source.at = opened.end()
            self._string = StringReader(opened, self._judge, text, self._call, self._flush)
            if not (yield from self._string.read()):
                return  # the text is over in it
            self._string, char = None, (yield from self._next())
            opened = (yield from source.match(OPENING)) if char in _MAY_OPEN else None
        value = text.close_text()
        if bracket.takes_key and (char == ":" or (char == "=" and bracket.named)):
            source.at += 1
            self._name(value, char, _QUOTED_KEYWORD if bracket.named else None)
        else:
            self._put(value, told=told)

    def _read_word(self) -> Pull[None]:
        """Unquoted text, to where it ends."""
        source, word, stop = self._source, "", _word_stop(self._source.firsts)
        while True:
            word += yield from source.before(stop)
            if len(word) > _LONGEST_WORD:
                source.at -= len(word) - _LONGEST_WORD  # the same place however the text was cut
                message = f"a value without quotes is longer than {_LONGEST_WORD} characters"
                raise Refused(ProblemKind.TOO_LARGE, message)
            char = yield from source.peek()
            if not char:  # nobody knows how it goes on
                return
            if (source.firsts and (yield from source.at_end())) or self._ends_word(char, word):
                break
            part = yield from source.peek(2 if char == "\\" else 1)
            source.at += len(part)
            word += part
        self._put_word(word.strip())

    def _ends_word(self, char: str, word: str) -> bool:
        """Does *char* end the *word* before it? Raises Refused if it can do neither."""
        if char in ",)]}" or (char == "#" and word[-1:].isspace()):
            return True
        if char == "(":
            message = "is a call inside a call, or would have to be computed; write its result"
            raise malformed(f"{word.strip()[:80]}(...) {message}")
        apostrophe = char == "'" and word[-1:].isalpha()
        if char in "[{\"'" and not apostrophe:
            raise malformed(f"{char} stands inside a value without quotes")
        return False

    # -- names, values and brackets ---------------------------------------------------------

    def _name(self, key: str, separator: str, odd: Repair | None) -> None:
        """*key* is the name, or key, of the element; *odd* is how it is written, if that is odd."""
        bracket = self._stack[-1]
        bracket.key = key
        if odd is not None:
            self._call.mended(odd)
        if not bracket.named:
            return
        self._by_colon = separator == ":"
        if self._by_colon:
            self._call.mended(_COLON_KEYWORD)
        self._begin_keywords()
        self._call.key(key)

    def _put_word(self, word: str) -> None:
        """The value is written without quotes."""
        bracket = self._stack[-1]
        wanted = kinds_of(self._call.tool, bracket.key or "") if bracket.named else frozenset()
        self.doubtful = self.doubtful or word.startswith(_PLACEHOLDERS)
        value, repair = _read_word(word, wanted)
        if repair is not None:
            self._call.mended(repair)
        if repair is mend.BARE_STRING:
            self.doubtful = self.doubtful or self._by_colon or bracket.key is None
        self._put(value)

    def _put(self, value: Any, *, told: bool = False) -> None:
        """The element of the innermost bracket is *value*, of which the call may have been told."""
        bracket = self._stack[-1]
        key, bracket.key, bracket.filled = bracket.key, None, True
        if bracket.named and key is None:
            if self.by_keyword:
                raise malformed("an argument without its name stands behind one with a name")
            self._given.append(value)
        elif bracket.named:
            if not told:
                self._call.value(value)
        elif bracket.closer == "}" and (bracket.members if key is None else bracket.items):
            raise malformed("a value in a dict has no key")
        elif key is not None:
            if put_member(bracket.members, key, value):
                self._call.mended(DUPLICATE_KEY)
        else:
            bracket.items.append(value)

    def _open(self, closer: str, length: int, *, spread: bool = False) -> None:
        if len(self._stack) >= self._setting.depth:
            raise too_deep(self._setting.depth)
        self._stack.append(Bracket(closer, spread=spread))
        self._source.at += length

    def _close(self, char: str) -> Pull[None]:
        """A closing bracket: what it closes is a value now, or the call is closed."""
        stack, source = self._stack, self._source
        if all(bracket.closer != char for bracket in stack):
            if len(stack) > 1:
                raise _unexpected(char)
            behind = yield from source.match(_FOLLOWS, 1)
            if self._judge.in_list and not (behind and behind[1] == ")"):
                self._call.mended(_MISSING_PAREN)  # it is the list's bracket
                stack.pop()
            else:
                self._call.mended(mend.EXTRA_CLOSE)
                source.at += 1
            return
        if stack[-1].closer != char:
            self._call.mended(mend.MISSING_CLOSE)
        source.at += 1
        closed = stack.pop()
        while stack:
            self._put_closed(closed)
            if closed.closer == char:
                break
            closed = stack.pop()

    def _put_closed(self, closed: Bracket) -> None:
        """The element is what stands in the bracket that was *closed*."""
        if closed.spread:
            self._stack[-1].filled = True
            self._spread(closed.members)
        elif closed.closer == ")" and len(closed.items) == 1 and closed.filled:
            self._put(closed.items[0])
        else:
            a_set = closed.closer == "}" and bool(closed.items)
            if closed.closer == ")" or a_set:
                self._call.mended(_SET if a_set else mend.TUPLE)
            self._put(closed.items if closed.closer != "}" or a_set else closed.members)

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


def _unexpected(char: str) -> Refused:
    return malformed(f"unexpected {char!r}; an expression is no value, write what it comes to")
