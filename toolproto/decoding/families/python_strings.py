r"""Strings in a Python call: what they stand for, piece by piece, and which quote ends them.

Python's own escapes are all read. A backslash before anything else stands for itself, as in
Python; only ``\_`` is the Markdown that some models write everywhere. Models also forget to escape
quotes: whether one ends its string shows in what stands behind it (:class:`QuoteJudge`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ...messages import Grade, Repair
from ..calls.record import CallRecord, TextSink
from ..patterns import Pattern
from ..reply.hot_string import StreamedString
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.spellings import CODE_POINT, SIMPLE, SURROGATE_PAIR, code_point
from ..values.strict import malformed

__all__ = [
    "KEYWORD",
    "OPENING",
    "OPENING_QUOTES",
    "Bracket",
    "QuoteJudge",
    "StringReader",
    "unescaped",
]

#: What opens a string: a prefix, and a quote.
OPENING = Pattern(r"""((?:[rR][bBfF]?|[bBfF][rR]?|[uU])?)(\"{3}|'{3}|\\?["']|[“‘`])""")
#: Quotes that open a string or a quoted call, and what may close it.
OPENING_QUOTES = {'"': '"', "'": "'", "“": '”“"', "‘": "’‘'", "`": "`"}
#: An argument's name: an identifier, or nearly one.
KEYWORD = r"(?:[^\W\d]|\\{1,2}_)(?:[\w-]|\\{1,2}_){0,127}"


def unescaped(name: str) -> str:
    r"""*name* without the backslashes of Markdown: ``get\_time``."""
    return name.replace("\\", "")


# -- which quote ends a string --------------------------------------------------------------

_NEXT = Pattern(r"\s{0,200}([\s\S]?)")
_KEY = rf"""(?:{KEYWORD}|\\?"[\w-]{{1,128}}\\?"|\\?'[\w-]{{1,128}}\\?')\s{{0,8}}[=:]"""
_NEXT_KEYWORD = Pattern(_KEY)
_NEXT_ARGUMENT = Pattern(rf"\*\*|{_KEY}")
_NEXT_WORD = Pattern(r"""[\w.$-]{1,60}\s{0,8}[,\])}("':]""")
# Behind a string without doubts: it is part of an expression, which is no value.
_COMPUTED = r"""[+%]\s{0,8}(?:["'(]|[^\W\d])|\.[^\W\d]\w{0,40}\("""
_BEHIND_CLEAN = Pattern(rf"""\s{{0,200}}(?:{_COMPUTED})|\s{{1,200}}(?:\#|[rRbBuUfF]{{1,2}}["'])""")
_CALL_AHEAD = Pattern(r"""[{"'`“‘\\\s]{0,80}[^\W\d][\w.:/\\-]{0,127}["'`”’]?[ \t]{0,3}\(""")
# Behind a quote that nobody escaped, closers that nothing opened and another quote that touches
# them go on with the code in the string: 'f("g('x'))")'.
_CODE_GOES_ON = Pattern(r"""\)[\])};]{0,8}\\?["']""")
# The opening quote of the next argument, met inside a string: its own closing quote is lost.
_OPENED_BEFORE = re.compile(rf"[,(]\s{{0,80}}({KEYWORD})\s{{0,8}}=\s{{0,8}}\Z")
_LONGEST_BEFORE = 240  # a keyword and the space around it
_VALUE_STARTS = frozenset("\"'`“‘[{(0123456789-+\\*")
_QUOTES = frozenset("\"'`“‘”’")
_CLOSERS = frozenset(")]}")


@dataclass(slots=True)
class Bracket:
    """An open bracket and what was read in it. The call's own is *named*: ``key=value``."""

    closer: str
    named: bool = False
    items: list[Any] = field(default_factory=list)
    members: dict[str, Any] = field(default_factory=dict)
    key: str | None = None  # came, and its value comes
    spread: bool = False  # behind two asterisks
    filled: bool = False  # a value came, and no comma behind it

    @property
    def takes_key(self) -> bool:
        """May the element that begins be a key, or have one before it?"""
        return self.key is None and (self.named or self.closer == "}")


@dataclass(slots=True)
class QuoteJudge:
    """Does a quote end its string?

    Behind the end of a string stands what its place allows: a comma and the next argument,
    *brackets* that match what is open, the end of the text. What is looked at ends at the next
    quote or after a constant, so judging every quote of a text stays linear.

    *known* are the arguments of the called tool, if any are known, *around* is the quote
    around the call, and *in_list* whether a list is. *clean*, in all methods, says that every
    quote so far was escaped; *ahead* and *at* count from where reading stands.
    """

    source: Source
    brackets: Sequence[Bracket]
    known: Collection[str]
    around: str
    in_list: bool

    def ends(self, ahead: int, clean: bool) -> Pull[bool]:
        """Weigh what follows the quote whose end is *ahead*."""
        brackets, behind = self.brackets, ahead
        level = len(brackets) - 1
        at, char = yield from self._next(behind)
        while level >= 0 and char == brackets[level].closer:
            level, behind = level - 1, at + 1
            at, char = yield from self._next(behind)
        # Behind a call without doubts anything ends it, a marker that may only have begun, too.
        if not char or (level < 0 and clean and char not in _QUOTES):
            return True
        if (yield from self.source.at_end(at)):
            return True
        if level < 0:
            return (yield from self._behind_call(behind, at, char, clean))
        if char == ",":
            return (yield from self._before_comma(at, level, clean))
        if char in _CLOSERS:
            return clean
        if behind > ahead:
            return self._stands_apart(behind, at)
        if char in ":=":  # only behind a key
            return brackets[-1].takes_key and not (yield from self.source.stands("=", at + 1))
        if char in _QUOTES:
            return clean and (at > ahead or char in "\"'")
        if at > ahead and brackets[-1].named and self.known:
            key = yield from self.source.match(_NEXT_KEYWORD, at)  # a comma is missing
            if key and unescaped(key[0].rstrip("=: \t\r\n")) in self.known:
                return True
        return clean and (yield from self._is(_BEHIND_CLEAN, ahead))

    def has_lost_quote(self, before: str) -> bool:
        """Does *before*, from inside a string, end as if another argument had begun?"""
        opened = _OPENED_BEFORE.search(before) if before.rstrip().endswith("=") else None
        return opened is not None and unescaped(opened[1]) in self.known

    def _next(self, ahead: int) -> Pull[tuple[int, str]]:
        """Where the next character stands that is no space, and which it is; none at the end."""
        found = yield from self.source.match(_NEXT, ahead)
        assert found is not None, "matches the empty string"
        return found.start(1) - self.source.at, found[1]

    def _is(self, pattern: Pattern, ahead: int) -> Pull[bool]:
        return (yield from self.source.match(pattern, ahead)) is not None

    def _stands_apart(self, behind: int, at: int) -> bool:
        """Text that touches the last bracket goes on with the string; in a list, any does."""
        return at > behind and not self.in_list

    def _before_comma(self, at: int, level: int, clean: bool) -> Pull[bool]:
        """A comma closes if what comes next can come next in the bracket *level*."""
        bracket = self.brackets[level]
        at, char = yield from self._next(at + 1)
        if not char or char == "#" or char in _CLOSERS:
            return True
        if bracket.named:
            if (clean and char in "\"',") or (yield from self._is(_NEXT_ARGUMENT, at)):
                return True
            if bracket.key is not None:
                return False
        if char in _VALUE_STARTS:
            is_key = bracket.closer == "}" and bracket.key is None
            is_key = is_key and (bool(bracket.members) or not clean)  # else it may be a set
            return not is_key or level < len(self.brackets) - 1
        return (yield from self._is(_NEXT_WORD, at))

    def _behind_call(self, behind: int, at: int, char: str, clean: bool) -> Pull[bool]:
        """The call is closed, too: the next call, the end of the list, or the text around."""
        if self.around and char == self.around[-1]:
            return True
        if char == ")" and not clean:
            code = yield from self.source.match(_CODE_GOES_ON, at)
            return code is None or code[0][-1] == self.around[-1:]
        if char in "]);}":
            return True
        if char == ",":
            return (yield from self._is(_CALL_AHEAD, at + 1))
        return self._stands_apart(behind, at)


# -- escapes --------------------------------------------------------------------------------

_WINDOW = 4096  # characters that are matched at a time
_ESCAPED = rf"\\(?:{CODE_POINT}|[0-7]{{1,3}}|\r\n|[\s\S]?)"
_ESCAPE = Pattern(_ESCAPED)
_RAW_ESCAPE = Pattern(r"\\[\s\S]?")
# Inside \"...\" backslashes are doubled once more: \\n is a line break, \\\" a quote.
_NESTED_ESCAPE = Pattern(rf"\\\\(?:\\([\s\S])|([\s\S]))|{_ESCAPED}")
_NESTED_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
# Escapes that need no second look, so that long code goes through at once.
_SURE = rf"(?:[^xuUN0-7_\r]|x[0-9a-fA-F]{{2}}|u(?![dD][89abAB])[0-9a-fA-F]{{4}}|{SURROGATE_PAIR})"
_RUNS = {quote: Pattern(f"{quote}{{1,5}}") for quote in "\"'"}
_SIMPLE = {**SIMPLE, "/": "\\/", "'": "'", "a": "\a", "v": "\v", "\n": "", "\r\n": ""}
_ODD_PREFIXES = {
    "b": Repair("bytes"),
    "f": Repair("f_string", Grade.GUESSED),  # its braces are left as they are
}


class _Style:
    """How strings that *quote* opens are read; *breaks*: line breaks are nothing to look at.

    *body* is what certainly goes on with one, to be matched against few characters at a time: each
    escape costs memory until the end. *escape* is what stands at a backslash, and what
    has nothing *special* needs no look at all.
    """

    def __init__(self, quote: str, raw: bool, breaks: bool) -> None:
        self._long, self._closers = len(quote) == 3, OPENING_QUOTES[quote[-1]]
        ends, others = re.escape(self._closers), "" if breaks else r"\r\n"
        lone = rf"|[{ends}](?=[^{ends}])" if self._long else ""
        certain, sure = rf"[^{ends}\\{others}]*", r"[\s\S]" if raw else _SURE
        certain = rf"{certain}(?:(?:\\{sure}{lone}){certain})*"
        self.escape = _RAW_ESCAPE if raw else _ESCAPE
        if quote[0] == "\\":  # no quote by itself ends it, and every backslash has to be read
            certain, self.escape = rf"[^\\{others}]*", _NESTED_ESCAPE
        self.body, self.escapes = re.compile(certain), re.compile(self.escape.source)
        self.special = re.compile(rf"[{ends}\\\r\n]")

    def stop(self, text: str) -> int:
        """For the hot path: how much of *text* goes on with a string; -1 if it has to be read."""
        found = self.body.match(text) if len(text) <= _WINDOW else None
        if found is None:
            return -1
        end = found.end()
        if end == len(text) or self.escape.may_change(text, end):
            return end
        return end if self._long and text[end:] in self._closers else -1


_style_of = cache(_Style)

# -- strings --------------------------------------------------------------------------------


class StringReader:
    """A string that begins as *opened* says, read from *judge*'s source.

    The characters it stands for go to *sink* as they come, and what is odd about it to *call*, to
    which *flush* gives the text that was read.
    """

    def __init__(
        self,
        opened: re.Match[str],
        judge: QuoteJudge,
        sink: TextSink,
        call: CallRecord,
        flush: Callable[[], None],
    ) -> None:
        prefix, self.quote = opened[1].lower(), opened[2]
        self._source, self._judge = judge.source, judge
        self._sink, self._call, self._flush = sink, call, flush
        self._raw, self._long = "r" in prefix, len(self.quote) == 3
        self._style = _style_of(self.quote, self._raw, self._long)
        self._clean = True  # was every quote in it escaped?
        odd = [_ODD_PREFIXES[letter] for letter in prefix if letter in _ODD_PREFIXES]
        odd += [mend.QUOTE_STYLE] if self.quote in "“‘`" else []
        call.mended(*odd, *([mend.ESCAPED_JSON] if self.quote[0] == "\\" else []))

    @property
    def streaming(self) -> StreamedString | None:
        """The string, if it goes out as it comes."""
        return self._sink.streaming(self._style.stop, self._style.special, self._decode)

    def read(self) -> Pull[bool]:
        """Read to behind the closing quote; False if the text is over before that.

        While it waits, the hot path may take text in: nothing that was seen is kept over a yield,
        except by the judge, at whose quotes the hot path stops.
        """
        source, over = self._source, False
        while not over:
            self._take_body()
            if source.at >= len(source.text):
                if source.final:
                    return False
                yield
                continue
            char = source.text[source.at]
            if char in "\r\n":
                self._call.mended(mend.CONTROL_CHARACTER)
                self._style = _style_of(self.quote, self._raw, True)
            elif char != "\\":
                over = yield from (self._run(char) if self._long else self._candidate())
            elif (yield from source.peek(2)) == self.quote:
                over = yield from self._candidate()
            elif found := (yield from source.take(self._style.escape)):
                self._sink.text(self._decode(found[0]))
        return True

    def _take_body(self) -> None:
        """Take in what certainly goes on with the string."""
        source, body = self._source, self._style.body
        while found := body.match(source.text, source.at, source.at + _WINDOW):
            if not found[0]:
                return
            source.at = found.end()
            self._sink.text(self._decode(found[0]))

    def _decode(self, body: str) -> str:
        """The characters *body* stands for; it ends with no half of an escape."""
        if self._raw or "\\" not in body:
            return body
        return self._style.escapes.sub(self._decode_one, body)

    def _decode_one(self, match: re.Match[str]) -> str:
        simple = _SIMPLE.get(match[0][1:])  # as nearly all of them are, in code
        if simple is not None:
            return simple
        if match.lastindex:
            self._call.mended(mend.NESTED_ESCAPES)
            return match[1] or _NESTED_LETTERS.get(match[2], "\\" + match[2])
        escape, letter = match[0], match[0][1:2]
        if letter == "N":
            raise malformed("\\N{...} in a string is not read; write the character itself")
        if letter == "_":
            self._call.mended(mend.ESCAPED_UNDERSCORE)
            return "_"
        if letter.isdigit() and letter < "8":
            return chr(int(escape[1:], 8))
        if letter not in ("x", "u", "U"):
            return escape
        character = code_point(escape) if len(escape) > 2 else None
        if character is None:  # no Python has it
            self._call.mended(mend.INVALID_ESCAPE)
        return character or escape

    def _candidate(self) -> Pull[bool]:
        """A quote that may end the string."""
        source, length = self._source, len(self.quote)
        if (yield from self._judge.ends(length, self._clean)):
            source.at += length
            return True
        self._flush()
        if self._judge.has_lost_quote(self._call.tail(_LONGEST_BEFORE)):
            self.quote = ""
            raise malformed("a closing quote is missing")
        self._clean = False
        self._call.mended(mend.UNESCAPED_QUOTE)
        self._sink.text(source.text[source.at + length - 1])
        source.at += length
        return False

    def _run(self, char: str) -> Pull[bool]:
        """Three quotes end it; of four or five, the last three."""
        run = yield from self._source.take(_RUNS[char])
        if run is None:  # the hot path has read on
            return False
        if len(run[0]) > 3:
            self._call.mended(mend.UNESCAPED_QUOTE)
        self._sink.text(run[0][3:] if len(run[0]) >= 3 else run[0])
        return len(run[0]) >= 3
