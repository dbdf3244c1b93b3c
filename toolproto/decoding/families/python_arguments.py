"""What stands between the parentheses of one Python call.

:class:`PythonCallSink` is told the arguments as they become certain: a string by keyword piece by
piece, what is inside other brackets when these are closed. :class:`Arguments` reads them; what
cannot be read raises Refused, and whoever drives it then passes over the rest of the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from enum import Enum, auto
from functools import cache
from typing import Any

from ...messages import Grade, Repair
from ..calls.record import CallRecord, TextSink
from ..patterns import Pattern
from ..reply.hot_string import StreamedString
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.strict import malformed, too_deep
from .python_strings import OPENING, QuoteJudge, StringReader
from .python_words import KEYWORD, LONGEST_WORD, Bracket, Kind, key_text, read_word, unescaped

__all__ = ["ESCAPED_NAME", "MISSING_PAREN", "Arguments", "End", "PythonCallSink", "pass_comment"]

MISSING_PAREN = Repair("missing_paren", Grade.GUESSED)
ESCAPED_NAME = Repair("escaped_underscore")
_KEY_FORM = Repair("key_form")  # {1: "a"}, where JSON has only strings
_COLON_KEYWORD = Repair("colon_keyword")
_QUOTED_KEYWORD = Repair("quoted_keyword")

_NO_SPACE = re.compile(r"\S")
_CONTINUATION = Pattern(r"\\\r?\n")
_FOLLOWS = Pattern(r"\s{0,80}([\s\S]?)")
_SPREAD = Pattern(r"\*\*")
_SEPARATOR = Pattern(r"==|::|:/|[=:]")
_KEYWORD = re.compile(KEYWORD)
# An argument that needs no second look, and what makes that certain behind it: a comma and the
# next keyword, or the parenthesis and something that is no quote. Most arguments are like that.
_STRING = r"""(?:"[^"\\\r\n]{0,4000}+"|'[^'\\\r\n]{0,4000}+')"""
_NUMBER = r"-?(?:0|[1-9][0-9]{0,15}+)(?:\.[0-9]{1,15}+)?"
_PLAIN_ARGUMENT = re.compile(
    rf"""\s{{0,80}}+([^\W\d]\w{{0,127}}+)[ ]?=[ ]?
    (?:({_STRING}|\[{_STRING}(?:,[ ]?{_STRING}){{0,200}}+\])
        (?=\s{{0,80}}+(?:,\s{{0,80}}+[^\W\d]\w{{0,127}}+\s{{0,8}}=|\)\s{{0,80}}+[^\s"'`“‘”’)]))
      |({_NUMBER}|\[{_NUMBER}(?:,[ ]?{_NUMBER}){{0,200}}+\]|True|False|None))
    \s{{0,80}}+([,)])""",
    re.VERBOSE,
)
_PLAIN_STRINGS = re.compile(_STRING)
_PLAIN_WORDS = {"True": True, "False": False, "None": None}
# A marker that begins with one of these needs a look everywhere.
_UNPLAIN_MARKS = re.compile(r"""[\w\s"'=,.()\[\]-]""")
_OPENERS = {"[": Kind.LIST, "{": Kind.BRACE, "(": Kind.PAREN}
_CONSTRUCTORS = {"dict": Kind.KEYWORDS, "list": Kind.PAREN, "tuple": Kind.PAREN, "set": Kind.PAREN}
_MAY_OPEN = frozenset("rRbBuUfF\"'\\“‘`")
_OPERATORS = frozenset("+-*/%^(")
_PLACEHOLDERS = ("...", "…", "<")
_LONGEST_BEFORE = 240  # a keyword and the space around it
_NONE: Any = object()


@cache
def _word_stop(firsts: str) -> re.Pattern[str]:
    return re.compile(rf"""[,()\[\]{{}}"'=:#\\{re.escape(firsts)}]""")


@cache
def _comment_stop(firsts: str) -> re.Pattern[str]:
    return re.compile(rf"[\r\n{re.escape(firsts)}]")


def pass_comment(source: Source) -> Pull[bool]:
    """To the end of the line; a marker that ends calls ends it as well.

    False if neither comes: nobody knows what the comment hides.
    """
    while True:
        yield from source.before(_comment_stop(source.firsts))
        char = yield from source.peek()
        if not char or char in "\r\n" or (yield from source.at_end()):
            return char != ""
        source.at += 1


class PythonCallSink(CallRecord):
    """A call that may give arguments by position, too.

    Those by keyword are told at once. Those by position wait until a keyword, or the end of the
    call, shows that they were not its one dict of arguments.
    """

    by_keyword = False  # was any argument given by keyword?
    _positional: list[Any] | None = None

    def keyword(self, key: str) -> None:
        """An argument is given by keyword; its value comes."""
        self._tell_positional()
        self.by_keyword = True
        self.key(key)

    def argument(self, key: str, value: Any) -> None:
        """All of an argument by keyword."""
        self._tell_positional()
        self.by_keyword = True
        super().argument(key, value)

    def positional(self, value: Any) -> None:
        """An argument is given without its name."""
        if self.by_keyword:
            raise malformed("an argument without its name stands behind one with a name")
        if self._positional is None:
            self._positional = []
        self._positional.append(value)

    def spread(self, value: Any) -> None:
        """Arguments are given as ``**{...}``."""
        if not isinstance(value, dict):
            raise malformed("only a dict can stand behind **")
        for key, each in value.items():
            self.keyword(key)
            self.value(each)

    def settle(self) -> None:
        """No more arguments come."""
        given = self._positional or []
        if len(given) == 1 and isinstance(given[0], dict) and not self.by_keyword:
            repair = self._as_arguments(given[0])
            if repair is not None:
                self._positional = None
                self.mended(repair)
                self.spread(given[0])
        self._tell_positional()

    def schema(self, key: str) -> Any:
        """What the tool says of the argument *key*; of the next one by position, if it is empty."""
        properties = self.tool.properties if self.tool is not None else {}
        given = len(self._positional or ())
        return properties.get(key or next(iter(list(properties)[given:]), ""))

    def _as_arguments(self, given: Mapping[str, Any]) -> Repair | None:
        """How sure it is that the one dict given holds all the arguments; None if it does not."""
        if self.tool is None:
            return Repair("dict_argument")
        properties = self.tool.properties
        known = [key for key in given if key in properties]
        if len(known) == len(given):
            return Repair("dict_argument")
        first = next(iter(properties.values()), None)
        wants_object = isinstance(first, Mapping) and first.get("type") == "object"
        doubtful = known or not properties
        return Repair("dict_argument", Grade.GUESSED) if doubtful and not wants_object else None

    def _tell_positional(self) -> None:
        given, self._positional = self._positional, None
        if not given:
            return
        if self.tool is None or not self.tool.properties:
            raise malformed("its arguments have no names; write each as name=value")
        names = list(self.tool.properties)
        if len(given) > len(names):
            message = f"it takes {len(names)} arguments but {len(given)} came"
            raise malformed(f"{message}; write each as name=value")
        grade = Grade.GUESSED if len(given) > 1 else Grade.LOSSLESS
        self.mended(Repair("positional_arguments", grade))
        for name, value in zip(names, given, strict=False):
            self.key(name)
            self.value(value)

    def tail(self, count: int) -> str:
        """The last characters of its text so far."""
        self._raw.seek(max(0, self._raw.tell() - count))
        return self._raw.read()


class End(Enum):
    """How reading arguments came to its end."""

    CLOSED = auto()  # with the parenthesis
    MARKER = auto()  # before a marker that ends calls
    OVER = auto()  # with the text


class Arguments:
    """Reads the arguments of *call*, behind its opening parenthesis.

    *flush* gives the call the text that was read, and brackets nest *depth* deep. *around* is the
    quote around the call and *in_list* whether a list is. ``doubtful`` says that it may be a
    signature or a sample; ``is_whole`` that only the closing parenthesis is missing.
    """

    def __init__(
        self,
        call: PythonCallSink,
        source: Source,
        flush: Callable[[], None],
        depth: int,
        *,
        around: str,
        in_list: bool,
    ) -> None:
        self._call, self._source, self._flush, self._depth = call, source, flush, depth
        self._word_ends = _word_stop(source.firsts)
        self._brackets = [Bracket(Kind.CALL)]
        known = call.tool.properties if call.tool is not None else ()
        self._judge = QuoteJudge(source, self._brackets, known, around, in_list)
        self._value: Any = _NONE  # read last
        self._string: StringReader | None = None
        self._text: TextSink = call  # takes the string, which goes out as it comes if the call does
        self._is_text = False  # the value is a string, to which another may be joined
        self._by_colon = False  # was the argument named with a colon?
        self._parens = 0  # open in a word
        self._plain = depth > 1 and not _UNPLAIN_MARKS.search(source.firsts)
        self._closed = self.doubtful = self.is_whole = False

    @property
    def streaming(self) -> StreamedString | None:
        """The string in which reading stands, if it goes out as it comes."""
        stop = self._string.stop if self._string is not None else None
        if self._string is None or stop is None:
            return None
        return self._text.streaming(stop, self._string.special, self._string.decode)

    @property
    def open(self) -> tuple[int, str]:
        """How many brackets are open, and the quote of the string that is."""
        quote = self._string.quote if self._string is not None else ""
        return len(self._brackets) + self._parens, "" if quote.startswith("\\") else quote

    def read(self) -> Pull[End]:
        """Read to behind the closing parenthesis, if one comes."""
        source, expects = self._source, True
        while True:
            self.is_whole = not expects and len(self._brackets) == 1
            if source.firsts and (yield from source.at_end()):
                return End.MARKER
            char = source.text[source.at : source.at + 1] or (yield from source.peek())
            if not char:
                return End.OVER
            if char.isspace():
                yield from source.before(_NO_SPACE)
                continue
            if char == "#":
                expects = not (yield from pass_comment(source)) or expects
                continue
            if char == "\\" and (yield from source.take(_CONTINUATION)):
                continue
            if expects and self._plain and self._take_plain():
                if self._closed:
                    return End.CLOSED
                continue
            expects = yield from (self._element(char) if expects else self._behind_value(char))
            if self._closed:
                return End.CLOSED

    def _take_plain(self) -> bool:
        """Take in the plain arguments that stand here; False if none does."""
        source, bracket = self._source, self._brackets[-1]
        if bracket.kind is not Kind.CALL or not bracket.takes_key:
            return False
        start = source.at
        while not self._closed and (found := _PLAIN_ARGUMENT.match(source.text, source.at)):
            key, text, word, behind = found.groups()
            value = _plain_text(text) if word is None else _plain_word(word)
            source.at = source.text.index("=", found.end(1)) + 1  # where it may be refused
            self._call.argument(key, value)
            source.at = found.end()
            self._closed = behind == ")"
        return source.at > start

    # -- elements ---------------------------------------------------------------------------

    def _element(self, char: str) -> Pull[bool]:
        """An element begins, or the brackets close; is an element expected next?"""
        source, bracket = self._source, self._brackets[-1]
        if char in _MAY_OPEN and (opened := (yield from source.match(OPENING))):
            return (yield from self._read_string(opened, joined=False))
        if char in _OPENERS:
            self._push(_OPENERS[char])
            source.at += 1
            return True
        if char in ",)]}":
            if bracket.keyed or bracket.spread:
                raise malformed("a value is missing")
            if char != ",":
                return (yield from self._close(char, True))
            self._call.mended(mend.EXTRA_COMMA)
            source.at += 1
            return True
        if char == "*":
            if not bracket.takes_key or not (yield from source.take(_SPREAD)):
                raise malformed(_unexpected("*"))
            bracket.spread = True
            bracket.kind = Kind.DICT if bracket.kind is Kind.BRACE else bracket.kind
            return True
        return (yield from self._read_word())

    def _behind_value(self, char: str) -> Pull[bool]:
        """A value is over; is an element expected next?"""
        source, bracket = self._source, self._brackets[-1]
        if char in ")]}":
            return (yield from self._close(char, False))
        if char == ",":
            bracket.comma = True
            self.finish()
            source.at += 1
            return True
        if char in ":=" and bracket.takes_key:
            self._name_by_value(char)
            source.at += 1
            return True
        if self._is_text:  # strings side by side are one
            if char in _MAY_OPEN and (opened := (yield from source.match(OPENING))):
                return (yield from self._read_string(opened, joined=True))
            if bracket.keyed and (char.isalpha() or char == "_"):
                self._call.mended(mend.MISSING_COMMA)
                self.finish()
                return True
        raise malformed(_unexpected(char))

    def _read_string(self, opened: re.Match[str], *, joined: bool) -> Pull[bool]:
        if not joined:
            bracket = self._brackets[-1]
            is_argument = bracket.kind is Kind.CALL and bracket.keyed
            self._text = self._call if is_argument else TextSink()
            self._text.open_text()
        prefix, quote = opened.groups()
        self._source.at = opened.end()
        self._string = StringReader(
            prefix, quote, self._judge, self._text.text, self._call.mended, self._before
        )
        if not (yield from self._string.read()):
            return True  # the text is over in it
        self._string, self._is_text = None, True
        return False

    def _before(self) -> str:
        """The last text before where reading stands, however it came in pieces."""
        self._flush()
        return self._call.tail(_LONGEST_BEFORE)

    # -- text without quotes ----------------------------------------------------------------

    def _read_word(self) -> Pull[bool]:
        """Unquoted text, to where it ends: a value, or the name before one."""
        source, word = self._source, ""
        while part := (yield from self._word_part(word)):
            spare = len(word) + len(part) - LONGEST_WORD
            if spare > 0:
                source.at -= spare - 1  # where it is refused, however the text was cut
                read_word((word + part)[: LONGEST_WORD + 1])  # a number has a reason of its own
                raise malformed("a value without quotes is too long")
            word += part
        word, char = word.strip(), (yield from source.peek())
        self._parens = 0
        if not char:  # nobody knows how it goes on
            return True
        if char in "=:(" and not (yield from source.at_end()):
            source.at += 1
            if char == "(":
                self._push(_CONSTRUCTORS[word], word)
            else:
                self._name_by_word(word, char)
            return True
        self._add_word(word)
        return False

    def _word_part(self, word: str) -> Pull[str]:
        """More of the *word* that was read; nothing where it ends."""
        source = self._source
        part = yield from source.before(self._word_ends)
        char = "" if part else (yield from source.peek())
        if not char or (source.firsts and (yield from source.at_end())):
            return part
        if char in ",)]}" and not self._parens:
            return ""
        if char == "(" and not self._parens and word.rstrip()[-1:] not in _OPERATORS:
            if word.strip() in _CONSTRUCTORS:
                return ""
            message = "is a call inside a call; make it first, then use its result"
            raise malformed(f"{word.strip()[:80]}(...) {message}")
        if char in "=:" and self._may_name(word):
            separator = yield from source.match(_SEPARATOR)
            part = separator[0] if separator and len(separator[0]) > 1 else ""
            source.at += len(part)
            return part
        if char == "#" and word[-1:].isspace():
            return ""
        part = yield from source.peek(2 if char == "\\" else 1)
        self._refuse_in_word(char, word)
        source.at += len(part)
        self._parens += (char == "(") - (char == ")")
        return part

    def _may_name(self, word: str) -> bool:
        """May *word* name the element that begins?"""
        bracket = self._brackets[-1]
        is_name = bracket.kind.keys or _KEYWORD.fullmatch(word.strip()) is not None
        return bracket.takes_key and is_name

    def _refuse_in_word(self, char: str, word: str) -> None:
        if char in "]},":
            raise malformed("an expression is no value; write what it comes to")
        apostrophe = char == "'" and word[-1:].isalpha()
        if char in "[{" or (char in "\"'" and not apostrophe):
            raise malformed(f"{char} stands inside a value without quotes")

    def _add_word(self, word: str) -> None:
        """The value is written without quotes."""
        self.doubtful = self.doubtful or word.startswith(_PLACEHOLDERS)
        self._value, repair = read_word(word, self._schema() if word[-1:].isdigit() else None)
        self._note(repair)
        if repair is mend.BARE_STRING:
            self.doubtful = self.doubtful or self._by_colon or not self._brackets[-1].keyed

    def _schema(self) -> Any:
        """What the tool's schema says of the element that is read, if anything."""
        outermost, *inner = self._brackets
        if inner and inner[0].keyed and not outermost.keyed:  # a dict of all the arguments
            outermost, *inner = inner
        schema = self._call.schema(outermost.key if outermost.keyed else "")
        for bracket in inner:
            schema = schema if isinstance(schema, Mapping) else {}
            inside = schema.get("properties" if bracket.keyed else "items")
            schema = inside.get(bracket.key) if bracket.keyed and inside else inside
        return schema

    # -- names, values and brackets ---------------------------------------------------------

    def _note(self, repair: Repair | None) -> None:
        if repair is not None:
            self._call.mended(repair)

    def _name_by_word(self, word: str, separator: str) -> None:
        """The element's name, or key, is written without quotes."""
        if self._brackets[-1].kind.named:
            self._note(ESCAPED_NAME if "\\" in word else None)
            self._name(unescaped(word), separator)
            return
        key, repair = read_word(word) if word else (_NONE, None)
        self._note(mend.BARE_KEY if repair is mend.BARE_STRING else _KEY_FORM)
        self._name(key_text(key), separator)

    def _name_by_value(self, separator: str) -> None:
        """The value that was read is the element's name, or key."""
        if self._brackets[-1].kind.named:
            self._note(_QUOTED_KEYWORD)
        elif not self._is_text:
            self._note(_KEY_FORM)
        self._name(key_text(self._taken()), separator)

    def _name(self, key: str, separator: str) -> None:
        bracket = self._brackets[-1]
        self._by_colon = bracket.kind.named and separator == ":"
        if self._by_colon:
            self._note(_COLON_KEYWORD)
        elif not bracket.kind.named and separator == "=":
            self._note(mend.ODD_SEPARATOR)
        bracket.name(key)
        if bracket.kind is Kind.CALL:
            self._call.keyword(key)

    def finish(self) -> None:
        """The value that was read is the element of the innermost bracket."""
        bracket = self._brackets[-1]
        if self._is_text and self._text is self._call:
            self._text.close_text()
            bracket.keyed = self._is_text = False
            return
        value = self._taken()
        if value is _NONE:
            return
        if bracket.kind is not Kind.CALL:
            self._note(bracket.add(value))
            return
        if bracket.spread:
            self._call.spread(value)
        elif bracket.keyed:
            self._call.value(value)
        else:
            self._call.positional(value)
        bracket.spread = bracket.keyed = False

    def _taken(self) -> Any:
        value = self._text.close_text() if self._is_text else self._value
        self._value, self._is_text = _NONE, False
        return value

    def _push(self, kind: Kind, constructor: str = "") -> None:
        if len(self._brackets) >= self._depth:
            raise too_deep(self._depth)
        self._brackets.append(Bracket(kind, constructor))

    def _pop(self) -> None:
        """The innermost bracket closes, and is a value now."""
        self.finish()
        self._value, repair = self._brackets.pop().value()
        self._note(repair)

    def _close(self, char: str, expects: bool) -> Pull[bool]:
        """A closing bracket: what is open is a value now, or the call is closed."""
        brackets = self._brackets
        if brackets[-1].kind is Kind.CALL and char != ")":
            yield from self._close_beyond()
            return expects
        if all(bracket.kind.closer != char for bracket in brackets):
            self._call.mended(mend.MISMATCHED_CLOSE)
        else:
            if brackets[-1].kind.closer != char:
                self._call.mended(mend.MISSING_CLOSE)
            while brackets[-1].kind.closer != char:
                self._pop()
        if brackets[-1].kind is Kind.CALL:
            self.finish()
            self._closed = True
        else:
            self._pop()
        self._source.at += 1
        return False

    def _close_beyond(self) -> Pull[None]:
        """A bracket of what is around the call, or one too many."""
        behind = yield from self._source.match(_FOLLOWS, 1)
        if (behind and behind[1] == ")") or not self._judge.in_list:
            self._call.mended(mend.EXTRA_CLOSE)
            self._source.at += 1
            return
        self._call.mended(MISSING_PAREN)
        self.finish()
        self._closed = True


def _plain_text(text: str) -> str | list[str]:
    if text[0] != "[":
        return text[1:-1]
    return [string[1:-1] for string in _PLAIN_STRINGS.findall(text)]


def _plain_word(word: str) -> Any:
    if word in _PLAIN_WORDS:
        return _PLAIN_WORDS[word]
    return json.loads(word) if word[0] == "[" or "." in word else int(word)


def _unexpected(char: str) -> str:
    if char in "+-*/%.<>&|^":
        return "an expression is no value; write what it comes to"
    return f"unexpected {char!r} in the arguments"
