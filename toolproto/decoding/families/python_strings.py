r"""Strings in a Python call: what they stand for, piece by piece, and which quote ends them.

Python's own escapes are all read. A backslash before anything else stands for itself, as in
Python; only ``\_`` is the Markdown that some models write everywhere. Models also forget to escape
quotes: whether one ends its string shows in what stands behind it (:class:`QuoteJudge`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache

from ...messages import Grade, Repair
from ..patterns import Pattern
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.spellings import CODE_POINT, SIMPLE, SURROGATE_PAIR, code_point
from ..values.strict import malformed
from .python_words import KEYWORD, OPENING_QUOTES, Bracket, Kind, unescaped

__all__ = ["OPENING", "QuoteJudge", "StringReader"]

_F_STRING = Repair("f_string", Grade.GUESSED)  # its braces are left as they are
_BYTES = Repair("bytes")

#: What opens a string: a prefix, and a quote.
OPENING = Pattern(r"""((?:[rR][bBfF]?|[bBfF][rR]?|[uU])?)(\"{3}|'{3}|\\?["']|[“‘`])""")

# -- escapes --------------------------------------------------------------------------------

_WINDOW = 4096  # characters that are matched at a time
_ESCAPED = rf"\\(?:{CODE_POINT}|[0-7]{{1,3}}|\r\n|[\s\S])"
_ESCAPE = Pattern(_ESCAPED)
_ESCAPES = re.compile(_ESCAPED)
# Inside \"...\" backslashes are doubled once more: \\n is a line break, \\\" a quote.
_NESTED = Pattern(rf"\\\\(?:\\([\s\S])|([\s\S]))|{_ESCAPED}")
_LONE_BACKSLASH = re.compile(r"\\\Z")
_NESTED_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
# Escapes that need no second look, so that long code goes through at once.
_SURE = rf"(?:[^xuUN0-7_\r]|x[0-9a-fA-F]{{2}}|u(?![dD][89abAB])[0-9a-fA-F]{{4}}|{SURROGATE_PAIR})"
_RUNS = {quote: Pattern(f"{quote}{{1,5}}") for quote in "\"'"}
_SIMPLE = {**SIMPLE, "/": "\\/", "'": "'", "a": "\a", "v": "\v", "\n": "", "\r\n": ""}


@cache
def _body_of(closers: str, *, long: bool, breaks: bool) -> re.Pattern[str]:
    """What certainly goes on with a string that one of *closers* ends.

    *long* says that three of them do; *breaks* whether line breaks are nothing to look at. To
    be matched against few characters at a time: each escape costs memory until the end.
    """
    other = "" if breaks else r"\r\n"
    quote = re.escape(closers)
    plain = rf"[^{quote}\\{other}]*"
    lone = rf"|[{quote}](?=[^{quote}])" if long else ""
    return re.compile(rf"{plain}(?:(?:\\{_SURE}{lone}){plain})*")


@cache
def _body_stop(closers: str, *, long: bool, breaks: bool) -> Callable[[str], int]:
    """The same for the hot path: how much of a text goes on with it, -1 if it has to be read."""
    body = _body_of(closers, long=long, breaks=breaks).match

    def stop(text: str) -> int:
        if len(text) > _WINDOW:
            return -1
        found = body(text)
        assert found is not None, "matches the empty string"
        end = found.end()
        if end == len(text) or _ESCAPE.may_change(text, end):
            return end
        return end if long and text[end:] in closers else -1

    return stop


@cache
def _plain_of(closers: str) -> re.Pattern[str]:
    return re.compile(rf"[^{re.escape(closers)}\\\r\n]{{0,64}}+")


@cache
def _special_of(closers: str) -> re.Pattern[str]:
    return re.compile(rf"[{re.escape(closers)}\\\r\n]")


# -- which quote ends a string --------------------------------------------------------------

_NEXT = Pattern(r"\s{0,200}([\s\S]?)")
_KEY = rf"""(?:{KEYWORD}|\\?"[\w-]{{1,128}}\\?"|\\?'[\w-]{{1,128}}\\?')\s{{0,8}}[=:]"""
_NEXT_KEYWORD = Pattern(_KEY)
_NEXT_ARGUMENT = Pattern(rf"\*\*|{_KEY}")
# Or a whole string, if no quote before it stood alone.
_NEXT_STRING = Pattern(r""""[^"'\\\r\n]{0,80}"\s{0,8}[,)]|'[^"'\\\r\n]{0,80}'\s{0,8}[,)]""")
_NEXT_WORD = Pattern(r"""[\w.$-]{1,60}\s{0,8}[,\])}("':]""")
_COMPUTED = r"""\\\r?\n|[+%]\s{0,8}(?:["'(]|[^\W\d])|\.[^\W\d]\w{0,40}\("""
_GLUED_TO_CLEAN = Pattern(_COMPUTED)
_BEHIND_CLEAN = Pattern(rf"""{_COMPUTED}|#|[rRbBuUfF]{{1,2}}["']""")
_CALL_AHEAD = Pattern(r"""[{"'`“‘\\\s]{0,80}[^\W\d][\w.:/\\-]{0,127}["'`”’]?[ \t]{0,3}\(""")
# Behind a quote that nobody escaped, closers that nothing opened and another quote that touches
# them go on with the code in the string: 'f("g('x'))")'.
_CODE_GOES_ON = Pattern(r"""\)[\])};]{0,8}\\?["']""")
# The opening quote of the next argument, met inside a string: its own closing quote is lost.
_OPENED_BEFORE = re.compile(rf"[,(]\s{{0,80}}({KEYWORD})\s{{0,8}}=\s{{0,8}}\Z")
_VALUE_STARTS = frozenset("\"'`“‘[{(0123456789-+#\\*")
_QUOTES = frozenset("\"'`“‘”’")
_CLOSERS = frozenset(")]}")


@dataclass(slots=True)
class QuoteJudge:
    """Does a quote end its string?

    Behind the end of a string stands what its place allows: a comma and the next argument,
    *brackets* that match what is open, the end of the text. What is looked at ends at the next
    quote or after a constant, so judging every quote of a text stays linear.

    *known* are the arguments of the called tool, if any are known, *around* is the quote
    around the call, and *in_list* whether a list is. *clean*, in all methods, says that every
    quote so far was escaped; *ahead* counts from where reading stands.
    """

    source: Source
    brackets: Sequence[Bracket]
    known: Collection[str]
    around: str
    in_list: bool

    def ends(self, ahead: int, clean: bool) -> Pull[bool]:
        """Weigh what follows the quote whose end is *ahead*."""
        at, char = yield from self._next(ahead)
        if not char:
            return True
        if char in _CLOSERS:
            return (yield from self._before_closers(ahead, clean))
        if char == ",":
            return (yield from self._before_comma(at, len(self.brackets) - 1, clean))
        if char in ":=":  # only behind a key
            takes_key = self.brackets[-1].takes_key
            return takes_key and not (yield from self.source.stands("=", at + 1))
        if char in _QUOTES:
            return clean and (at > ahead or char in "\"'")
        return (yield from self._before_other(ahead, at, clean))

    def has_lost_quote(self, before: str) -> bool:
        """Does *before*, from inside a string, end as if another argument had begun?"""
        if not before.rstrip().endswith("="):
            return False
        opened = _OPENED_BEFORE.search(before)
        return opened is not None and unescaped(opened[1]) in self.known

    def _next(self, ahead: int) -> Pull[tuple[int, str]]:
        """Where the next character stands that is no space, and which it is; none at the end."""
        found = yield from self.source.match(_NEXT, ahead)
        assert found is not None, "matches the empty string"
        return found.start(1) - self.source.at, found[1]

    def _is(self, pattern: Pattern, ahead: int) -> Pull[bool]:
        return (yield from self.source.match(pattern, ahead)) is not None

    def _before_comma(self, ahead: int, level: int, clean: bool) -> Pull[bool]:
        """A comma closes if what comes next can come next in the bracket *level*."""
        bracket = self.brackets[level]
        at, char = yield from self._next(ahead + 1)
        if not char or char == "#" or char in _CLOSERS or (char == "," and clean):
            return True
        if bracket.kind.named:
            if (yield from self._is(_NEXT_ARGUMENT, at)):
                return True
            if clean and char in "\"'" and (yield from self._is(_NEXT_STRING, at)):
                return True
            if bracket.keyed:
                return False
        if char in _VALUE_STARTS:
            innermost = level == len(self.brackets) - 1
            return not (innermost and bracket.kind is Kind.DICT and not bracket.keyed)
        return (yield from self._is(_NEXT_WORD, at))

    def _before_closers(self, ahead: int, clean: bool) -> Pull[bool]:
        """Brackets that match what is open, as far as they go, and then something that fits."""
        level, behind = len(self.brackets) - 1, ahead
        at, char = yield from self._next(ahead)
        while level >= 0 and char == self.brackets[level].kind.closer:
            level, behind = level - 1, at + 1
            at, char = yield from self._next(behind)
        if not char:
            return True
        if level < 0:
            return (yield from self._behind_call(behind, at, char, clean))
        if char == ",":
            return (yield from self._before_comma(at, level, clean))
        if char in _CLOSERS or char == "#":
            return clean
        if char == ":" and self.brackets[level].takes_key:
            return True
        return (yield from self._unless_glued(behind, at))

    def _behind_call(self, behind: int, at: int, char: str, clean: bool) -> Pull[bool]:
        """The call is closed, too: the next call, the end of the list, or the text around."""
        if self.around and char == self.around[-1]:
            return True
        if char == ")" and not clean:
            code = yield from self.source.match(_CODE_GOES_ON, at)
            return code is None or code[0][-1] == self.around[-1:]
        if char in "]);}" or (clean and char not in _QUOTES):
            return True
        if char == ",":
            return (yield from self._is(_CALL_AHEAD, at + 1))
        return (yield from self._unless_glued(behind, at))

    def _unless_glued(self, behind: int, at: int) -> Pull[bool]:
        """Text that touches the last bracket goes on with the string, unless it is a marker."""
        if (yield from self.source.at_end(at)):
            return True
        return at > behind and not self.in_list

    def _before_other(self, ahead: int, at: int, clean: bool) -> Pull[bool]:
        if (yield from self.source.at_end(at)):
            return True
        if self.brackets[-1].kind.named and at > ahead and self.known:
            key = yield from self.source.match(_NEXT_KEYWORD, at)  # a comma is missing
            if key and unescaped(key[0].rstrip("=: \t\r\n")) in self.known:
                return True
        if not clean:
            return False
        return (yield from self._is(_BEHIND_CLEAN if at > ahead else _GLUED_TO_CLEAN, at))


# -- strings --------------------------------------------------------------------------------


class StringReader:
    """A string that *quote* opened behind *prefix*, read from *judge*'s source.

    The characters it stands for go to *say* as they come, and what is odd about it to *note*.
    *before* gives the last text before where reading stands.
    """

    def __init__(
        self,
        prefix: str,
        quote: str,
        judge: QuoteJudge,
        say: Callable[[str], None],
        note: Callable[[Repair], None],
        before: Callable[[], str],
    ) -> None:
        self.quote = quote
        self._source, self._judge = judge.source, judge
        self._say, self._note, self._before = say, note, before
        self._raw = "r" in prefix.lower()
        self._is_format = "f" in prefix.lower()
        self._long = len(quote) == 3
        self._nested = quote[0] == "\\"
        self._closers = OPENING_QUOTES[quote[-1]]
        self._breaks = self._long  # have line breaks been accounted for?
        self._clean = True  # was every quote in it escaped?
        if "b" in prefix.lower():
            note(_BYTES)
        if quote in "“‘`":
            note(mend.QUOTE_STYLE)
        if self._nested:
            note(mend.ESCAPED_JSON)

    @property
    def stop(self) -> Callable[[str], int] | None:
        """For the hot path: how much of a text goes on with the string, if that is easy to say."""
        if self._raw or self._is_format or self._nested:
            return None
        return _body_stop(self._closers, long=self._long, breaks=self._breaks)

    @property
    def special(self) -> re.Pattern[str]:
        """The same: what a piece without it needs no look for."""
        return _special_of(self._closers)

    def read(self) -> Pull[bool]:
        """Read to behind the closing quote; False if the text is over before that.

        While it waits, the hot path may take text in: nothing that was seen is kept over a yield,
        except by the judge, at whose quotes the hot path stops.
        """
        source = self._source
        while True:
            self._take_body(source)
            if source.at >= len(source.text):
                if source.final:
                    return False
                yield
                continue
            char = source.text[source.at]
            if char == "\\":
                over = yield from self._backslash(source)
            elif char in "\r\n":
                over = self._line_break(char)
            elif self._long:
                over = yield from self._long_quote(source, char)
            elif self._nested:
                self._say(char)  # not escaped, so not the end
                source.at += 1
                over = False
            else:
                over = yield from self._candidate(source, 1)
            if over:
                return True

    def _take_body(self, source: Source) -> None:
        """Take in what certainly goes on with the string."""
        text, at = source.text, source.at
        while at < len(text):
            if self._raw or self._nested:
                found = _plain_of(self._closers).match(text, at)
            else:
                body = _body_of(self._closers, long=self._long, breaks=self._breaks)
                found = body.match(text, at, at + _WINDOW)
            assert found is not None, "matches the empty string"
            if found.end() == at:
                return
            self._tell(found[0])
            source.at = at = found.end()

    def _tell(self, body: str) -> None:
        if self._is_format and "{" in body:
            self._note(_F_STRING)
        if self._raw:
            self._say(body)
            return
        self._say(self.decode(body))

    def decode(self, body: str) -> str:
        """The characters *body* stands for; it ends with no half of an escape."""
        return _ESCAPES.sub(self._decode_one, body) if "\\" in body else body

    def _decode_one(self, match: re.Match[str]) -> str:
        escape = match[0]
        letter = escape[1]
        if letter in "01234567":
            return chr(int(escape[1:], 8))
        if letter == "N":
            raise malformed("\\N{...} in a string is not read; write the character itself")
        if letter == "_":
            self._note(mend.ESCAPED_UNDERSCORE)
            return "_"
        if letter not in "xuU":
            return _SIMPLE.get(escape[1:], escape)
        character = code_point(escape) if len(escape) > 2 else None
        if character is None:  # no Python has it
            self._note(mend.INVALID_ESCAPE)
        return character or escape

    def _line_break(self, char: str) -> bool:
        if not self._breaks:
            self._note(mend.CONTROL_CHARACTER)
        self._breaks = True
        self._say(char)
        self._source.at += 1
        return False

    def _candidate(self, source: Source, length: int) -> Pull[bool]:
        """A quote that may end the string."""
        if (yield from self._judge.ends(length, self._clean)):
            source.at += length
            return True
        if self._judge.known and self._judge.has_lost_quote(self._before()):
            self.quote = ""
            raise malformed("a closing quote is missing")
        self._clean = False
        self._note(mend.UNESCAPED_QUOTE)
        self._say(source.text[source.at + length - 1])
        source.at += length
        return False

    def _long_quote(self, source: Source, char: str) -> Pull[bool]:
        """Three quotes end it; of four or five, the last three."""
        run = yield from source.take(_RUNS[char])
        if run is None:  # the hot path has read on
            return False
        count = len(run[0])
        if count < 3:
            self._say(run[0])
        elif count > 3:
            self._note(mend.UNESCAPED_QUOTE)
            self._say(run[0][3:])
        return count >= 3

    def _backslash(self, source: Source) -> Pull[bool]:
        if self._nested and (yield from source.peek(2)) == self.quote:
            return (yield from self._candidate(source, 2))
        if self._raw:
            self._say((yield from source.peek(2)))
            source.at += min(2, len(source.text) - source.at)
            return False
        found = yield from source.match(_NESTED if self._nested else _ESCAPE)
        if found is None:  # the hot path has read on, or nothing comes behind the backslash
            found = _LONE_BACKSLASH.match(source.text, source.at)
        if found is None:
            return False
        if self._nested and found.lastindex:
            self._note(mend.NESTED_ESCAPES)
            letter = found[2]
            self._say(_NESTED_LETTERS.get(letter, "\\" + letter) if letter else found[1])
        else:
            self._tell(found[0])
        source.at = found.end()
        return False
