"""A call as Gemma writes it: ``call:get_weather{city:<escape>Paris<escape>,days:3}``.

Keys are bare, and strings stand as they are between two tokens: ``<escape>`` in FunctionGemma,
``<|"|>`` in Gemma 4. Lists, objects, numbers and words are those of JSON, and so may keys and
strings be: what holds the token itself cannot be written otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import StringIO
from typing import Any

from ...messages import Grade, Repair
from ..calls.pulled import NoCall, PulledCalls, cut_short
from ..calls.record import CallRecord, TextSink
from ..patterns import Pattern
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.strict import DUPLICATE_KEY, malformed, put_member, too_deep
from .line_values import ZERO_PADDED, bare_value, kinds_of, quoted, zero_padded

__all__ = ["BraceCalls", "holds_delimiter"]

_DELIMITER = Pattern(r'(<escape>)|(<[|｜]"[|｜]>)')
#: What stands before the name; where the markers were left out, it is the marker.
_PREFIX = "call:"
_HEAD = Pattern(r"(call[ \t]{0,4}:\s{0,4})?([A-Za-z_](?:[\w.:/-]|\\_){0,127})\s{0,8}")
_BARE_KEY = Pattern(r"[^\s:=,{}\[\]\"<]{1,200}")
_KEY_AHEAD = Pattern(r"[^\s:=,{}\[\]\"<]{1,200}\s{0,8}[:=]")
_BEHIND_QUOTE = Pattern(r"\s{0,64}(?:[,:}\]]|\Z)")
_DELIMITER_FIRST = re.compile("<")
_DOT_LAST = re.compile(r"-?[0-9]{1,40}\.")  # 108. is a number, as it is in Python
# Nothing behind the colon: an empty string, if an endpoint strips the tokens around it.
_EMPTY = Repair("missing_value", Grade.GUESSED)
_BARE_STOP = re.compile(r"[,}\]<\n]")


def holds_delimiter(text: str) -> bool:
    """Does a token that ends strings stand in *text*?"""
    return _DELIMITER.search(text) is not None


@dataclass(slots=True)
class _Container:
    """An open list or object; *filled* behind a value of it, where a comma is due."""

    value: dict[str, Any] | list[Any]
    closer: str
    key: str = ""
    filled: bool = False


class BraceCalls(PulledCalls):
    """Reads one call."""

    _unclosed = False  # are brackets missing at the end?
    _told: CallRecord

    def grammar(self, source: Source) -> Pull[None]:
        """The head, and the arguments between braces."""
        head = yield from source.match(_HEAD)
        if head is None:
            raise NoCall
        length, name = len(head.group()), head.group(2).replace("\\_", "_")
        braced = yield from source.stands("{", length)
        over = yield from source.at_end(length)
        if not braced and (not over or name.endswith(":")):
            raise NoCall
        if not head.group(1) and all(end.text != _PREFIX for end in self._begun.ends):
            self.mended(Repair("missing_prefix"))
        self._told = self.open(name)
        source.at += length + braced
        if not braced:
            return self.complete(Repair("empty_arguments"))
        yield from self._arguments(source)
        self.complete(*((mend.MISSING_CLOSE,) if self._unclosed else ()))

    # -- brackets -------------------------------------------------------------------------

    def _arguments(self, source: Source) -> Pull[None]:
        """All that is between the braces. What is open stands in a list, so nothing recurses."""
        stack = [_Container(self._told.arguments, "}")]
        while stack:
            here = stack[-1]
            if here.filled and not (yield from self._comma(source, here.closer)):
                self._close(stack)
                continue
            here.filled = False
            char = yield from self._next(source, due=here.closer == "]" or bool(here.value))
            if char in ("", here.closer):
                self.mended(*((mend.TRAILING_COMMA,) if here.value else ()))
                source.at += len(char)
                self._close(stack)
            elif char == "," and here.closer == "}":
                source.at += 1
                self.mended(mend.EXTRA_COMMA)
            else:
                yield from self._member(source, stack)

    def _next(self, source: Source, *, due: bool = True) -> Pull[str]:
        """The next character; none where the call is over although brackets are open.

        If something is *due*, that is a fault.
        """
        char = yield from source.skip_space()
        if char and not (yield from source.at_end()):
            return char
        if due:
            raise malformed("a value is missing in it") if char else cut_short()
        if not char:
            self.unclosed()
        self._unclosed = True
        return ""

    def _comma(self, source: Source, closer: str) -> Pull[bool]:
        """Behind a value: does a comma come, and not the *closer*, or the end?"""
        char = yield from self._next(source, due=False)
        if char not in (",", closer, ""):
            if closer == "}" and (yield from source.match(_KEY_AHEAD)):
                self.mended(mend.MISSING_COMMA)
                return True
            raise malformed(f"neither a comma nor {closer} stands behind a value")
        source.at += len(char)
        return char == ","

    def _close(self, stack: list[_Container]) -> None:
        value = stack.pop().value
        if stack:
            self._put(stack, value)

    def _member(self, source: Source, stack: list[_Container]) -> Pull[None]:
        here = stack[-1]
        if here.closer == "}":
            here.key = yield from self._key(source)
            if len(stack) == 1:
                self._told.key(here.key)
            yield from self._colon(source, here.key)
        char = yield from self._next(source)
        if char in "{[":
            if len(stack) >= self._setting.depth:
                raise too_deep(self._setting.depth)
            source.at += 1
            stack.append(_Container({}, "}") if char == "{" else _Container([], "]"))
        elif char in ",}]":
            wanted = kinds_of(self._told.tool, here.key)
            if here.closer != "}" or len(stack) > 1 or "string" not in wanted:
                raise malformed("a value is missing")
            self.mended(_EMPTY)
            self._put(stack, "")
        else:
            yield from self._scalar(source, stack)

    def _scalar(self, source: Source, stack: list[_Container]) -> Pull[None]:
        """A string or a word; the string of an argument goes out while it comes."""
        here, outermost = stack[-1], len(stack) == 1
        value: Any = yield from self._text(source, self._told if outermost else TextSink())
        if value is None:
            wanted = kinds_of(self._told.tool, here.key) if outermost else frozenset()
            value = yield from self._bare(source, wanted)
        elif outermost:
            here.filled = True
            return
        self._put(stack, value)

    def _put(self, stack: list[_Container], value: Any) -> None:
        here = stack[-1]
        here.filled = True
        if len(stack) == 1:
            self._told.value(value)
        elif isinstance(here.value, list):
            here.value.append(value)
        elif put_member(here.value, here.key, value):
            self.mended(DUPLICATE_KEY)

    # -- keys and words -------------------------------------------------------------------

    def _key(self, source: Source) -> Pull[str]:
        key = yield from self._text(source, TextSink())
        if key is not None:
            return key
        bare = yield from source.take(_BARE_KEY)
        if bare is None:
            raise malformed("a key is missing")
        return bare.group()

    def _colon(self, source: Source, key: str) -> Pull[None]:
        colon = yield from self._next(source)
        if colon not in ":=":
            raise malformed(f"no colon stands behind {key[:80]!r}")
        if colon == "=":
            self.mended(mend.ODD_SEPARATOR)
        source.at += 1

    def _bare(self, source: Source, wanted: frozenset[str]) -> Pull[Any]:
        """A word, up to where it ends; a token there is the end of a string without a beginning."""
        word = StringIO()
        while (char := (yield from source.peek())) not in (",", "}", "]", "\n"):
            if not char:
                raise cut_short()
            if (yield from source.at_end()):
                break
            if (yield from source.take(_DELIMITER)):
                self.mended(mend.MISSING_QUOTE)
                return word.getvalue()
            word.write(source.past(_BARE_STOP))
        text = word.getvalue().strip()
        if (number := zero_padded(text, wanted)) is not None:
            self.mended(ZERO_PADDED)
            return number
        if _DOT_LAST.fullmatch(text) and wanted != {"string"}:
            self.mended(mend.NUMBER_FORM)
            text += "0"
        value, repairs = bare_value(text, frozenset())
        self.mended(*repairs)
        return value

    # -- strings --------------------------------------------------------------------------

    def _text(self, source: Source, sink: TextSink) -> Pull[str | None]:
        """A string, which *sink* takes while it comes; None if none begins here."""
        if (yield from source.peek()) == '"':
            return (yield from quoted(self, sink, _quote_ends))
        token = yield from source.take(_DELIMITER)
        if token is None:
            return None
        sink.open_text()
        self.hot = lambda: sink.streaming(_certain, _DELIMITER_FIRST)
        while not (
            (ended := (yield from source.match(_DELIMITER))) and ended.lastindex == token.lastindex
        ):
            piece = source.past(_DELIMITER_FIRST)
            if not piece:
                raise cut_short()
            sink.text(piece)
        self.hot = None
        source.at += len(ended.group())
        return sink.close_text()


def _quote_ends(source: Source) -> Pull[bool]:
    if (yield from source.match(_BEHIND_QUOTE, 1)):
        return True
    return (yield from source.at_end(1))


def _certain(text: str) -> int:
    """How much of *text* certainly goes on with a string between tokens; -1 if a token comes."""
    mark = text.find("<")
    while mark >= 0:
        if _DELIMITER.match(text, mark):
            return -1
        if _DELIMITER.may_change(text, mark):
            return mark
        mark = text.find("<", mark + 1)
    return len(text)
