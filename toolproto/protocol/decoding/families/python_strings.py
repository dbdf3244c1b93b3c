r"""Strings in a Python call: what they stand for, piece by piece.

Python's own escapes are all read. A backslash before anything else stands for itself, as in
Python; only ``\_`` is the Markdown that some models write everywhere. Which quote ends a string is
judged in `values/quotes.py`.
"""

from __future__ import annotations

import re
from functools import cache

from ...messages import Grade, Repair
from ..calls.record import CallRecord, TextSink
from ..faults import malformed
from ..hot_string import StreamedString
from ..patterns import Pattern
from ..source import Pull
from ..values import repairs as mend
from ..values.quotes import KEYWORD, PythonJudge
from ..values.spellings import CODE_POINT, SIMPLE, SURROGATE_PAIR, as_json, code_point
from ..values.state import QUOTES, State, Wait

#: What opens a string: a prefix, and a quote.
OPENING = Pattern(r"""((?:[rR][bBfF]?|[bBfF][rR]?|[uU])?)(\"{3}|'{3}|\\?["']|[“‘`])""")


def unescaped(name: str) -> str:
    r"""*name* without the backslashes of Markdown: ``get\_time``."""
    return name.replace("\\", "")


# The opening quote of the next argument, met inside a string: its own closing quote is lost.
_OPENED_BEFORE = re.compile(rf"[,(]\s{{0,80}}({KEYWORD})\s{{0,8}}=\s{{0,8}}\Z")
_LONGEST_BEFORE = 240  # a keyword and the space around it

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
        self._long, self._closers = len(quote) == 3, QUOTES[quote[-1]]
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


class PythonString:
    """A string that begins as *opened* says, read from *state*'s text; *judge* says where it ends.

    The characters it stands for go to *sink* as they come, and what is odd about it to *call*.
    """

    def __init__(
        self,
        opened: re.Match[str],
        state: State,
        judge: PythonJudge,
        sink: TextSink,
        call: CallRecord,
    ) -> None:
        prefix, self.quote = opened[1].lower(), opened[2]
        self._state, self._judge, self._sink, self._call = state, judge, sink, call
        self._raw, self._long = "r" in prefix, len(self.quote) == 3
        self._style = _style_of(self.quote, self._raw, self._long)
        self._inner = 0  # quotes in it that nobody escaped
        odd = [_ODD_PREFIXES[letter] for letter in prefix if letter in _ODD_PREFIXES]
        odd += [mend.QUOTE_STYLE] if self.quote in "“‘`" else []
        call.mended(*odd, *([mend.ESCAPED_JSON] if self.quote[0] == "\\" else []))

    @property
    def streaming(self) -> StreamedString | None:
        """The string, if it goes out as it comes."""
        return self._sink.streaming(self._style.stop, self._style.special, self._decode)

    def read(self) -> Pull[bool]:
        """Read to behind the closing quote; False if the text is over before that.

        While it waits, the hot path may take text in: nothing that was seen is kept over a yield.
        """
        state, over = self._state, False
        while not over:
            self._take_body()
            if state.at >= len(state.text):
                if state.final:
                    return False
                yield
                continue
            try:
                over = self._special(state.text[state.at])
            except Wait:
                yield
        return True

    def _special(self, char: str) -> bool:
        """Something stands here that has to be looked at; does it end the string?"""
        state = self._state
        if char in "\r\n":
            self._call.mended(mend.CONTROL_CHARACTER)
            self._style = _style_of(self.quote, self._raw, True)
        elif char != "\\":
            return self._run(char) if self._long else self._candidate()
        elif self.quote[0] == "\\" and state.stands(self.quote, state.at):
            return self._candidate()
        elif found := state.look(self._style.escape, state.at):
            state.at = found.end()
            self._sink.text(self._decode(found[0]))
        return False

    def _take_body(self) -> None:
        """Take in what certainly goes on with the string."""
        state, body = self._state, self._style.body
        while found := body.match(state.text, state.at, state.at + _WINDOW):
            if not found[0]:
                return
            state.at = found.end()
            self._sink.text(self._decode(found[0]))

    def _decode(self, body: str) -> str:
        """The characters *body* stands for; it ends with no half of an escape."""
        if self._raw or "\\" not in body:
            return body
        # Nearly all escapes mean the same in JSON, which is read in C; a slash's does not.
        plain = None if self.quote[0] == "\\" or "\\/" in body else as_json(body)
        return self._style.escapes.sub(self._decode_one, body) if plain is None else plain

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

    def _candidate(self) -> bool:
        """A quote that may end the string."""
        state, length = self._state, len(self.quote)
        if self._judge.ends(state.at + length, self._inner):
            state.at += length
            return True
        before = state.text[state.at - 1 : state.at]  # none where that was forgotten
        if state.keys and (before in "=" or before.isspace()):
            state.flush()
            opened = _OPENED_BEFORE.search(self._call.tail(_LONGEST_BEFORE))
            if opened is not None and unescaped(opened[1]) in state.keys:
                self.quote = ""
                raise malformed("a closing quote is missing")
        if not self._inner:
            self._call.mended(mend.UNESCAPED_QUOTE)
        self._inner += 1
        state.doubt()
        if state.fault is not None:
            raise state.fault
        self._sink.text(state.text[state.at + length - 1])
        state.at += length
        return False

    def _run(self, char: str) -> bool:
        """Three quotes end it; of four or five, the last three."""
        run = self._state.look(_RUNS[char], self._state.at)
        assert run is not None, "one stands here"
        if len(run[0]) > 3:
            self._call.mended(mend.UNESCAPED_QUOTE)
        self._state.at = run.end()
        self._sink.text(run[0][3:] if len(run[0]) >= 3 else run[0])
        return len(run[0]) >= 3
