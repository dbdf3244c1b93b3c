"""A call with a line for each argument, and a block without any escapes for a long text.

::

    <<call write_file
    path = "notes.txt"
    content <<END
    any text, as it is
    END
    call>>

Behind ``=`` stands JSON, behind ``<<`` the word that will stand, alone in a line, below the text.
The text begins behind the line break above it and ends before the one below: a text that ends in
a line break is followed by an empty line. Inside it nothing but that word means anything.
"""

from __future__ import annotations

import re
from functools import partial

from ...messages import Grade, Repair
from ...tools.spec import ToolSpec
from ..calls.pulled import NoCall, PulledCalls, cut_short
from ..calls.record import Beginning, CallRecord
from ..patterns import Pattern
from ..source import Pull, Source, begun_at_end
from ..values import repairs as mend
from ..values.lenient import read_all
from ..values.strict import malformed
from .line_values import (
    KEY,
    LINE_BREAK,
    argument,
    bracketed_arguments,
    line_ends,
    line_over,
    unquoted,
)

__all__ = ["RawCalls", "TextArgument"]

_NAME = Pattern(r"([A-Za-z_](?:[\w.:/-]|\\_){0,127})(?:\(\))?")
_KEY = rf"{KEY}[ \t]{{0,8}}"
_VALUE = Pattern(rf"{_KEY}([=:])[ \t]{{0,80}}(?=[^ \t])")
_BLOCK = Pattern(
    rf"{_KEY}[=:]?[ \t]{{0,8}}<<-?"
    r"(?:\"(\w{1,64})\"|'(\w{1,64})'|(\w{1,64}))[ \t]{0,8}(\r?\n)"
)
_BEHIND_WORD = Pattern(r"[ \t]{0,8}(?=\r?\n|\r?\Z)")
_ANY = re.compile(r"(?s:.)")
_NO_SPACE = re.compile(r"[^\s,;]")
_WANTED = 'write each argument as a line: key = "value", or key <<END, its text, and END'


class RawCalls(PulledCalls):
    """Reads one call."""

    def grammar(self, source: Source) -> Pull[None]:
        """The name, and the arguments in lines."""
        call = yield from self._name(source)
        while (yield from self._next(source)) and not (yield from source.at_end()):
            yield from self._argument(source, call)
        self.complete(*(() if (yield from source.peek()) else (self.unclosed(),)))

    def _name(self, source: Source) -> Pull[CallRecord]:
        named = yield from source.match(_NAME)
        if named is None:
            raise NoCall
        name, length = named.group(1).replace("\\_", "_"), len(named.group())
        over = yield from line_over(source, length)
        known = self._setting.offered.any and self._setting.offered.knows(name)
        if not known and (not over or self._setting.gated):
            raise NoCall
        if not over:
            self.mended(Repair("missing_line_break"))
        call = self.open(name)
        source.at += length
        return call

    @staticmethod
    def _next(source: Source) -> Pull[str]:
        """The next character of an argument, or of what ends the call."""
        while (char := (yield from source.peek())) and not _NO_SPACE.match(char):
            yield from source.before(_NO_SPACE)
        return char

    def _argument(self, source: Source, call: CallRecord) -> Pull[None]:
        if (yield from source.peek()) == "{":
            yield from bracketed_arguments(source, call)
            return
        block = yield from source.take(_BLOCK)
        if block:
            word = block.group(2) or block.group(3) or block.group(4)
            call.key(unquoted(block.group(1)))
            yield from self._block(source, call, word, block.group(5))
            return
        value = yield from source.take(_VALUE)
        if value is None:
            raise malformed(f"a line in it is no argument; {_WANTED}")
        if value.group(2) == ":":
            call.mended(mend.ODD_SEPARATOR)
        key = unquoted(value.group(1))
        yield from argument(self, call, key, _rest_of_line, line_over, line_ends)

    def _block(self, source: Source, call: CallRecord, word: str, newline: str) -> Pull[None]:
        """A text up to a line break and the *word* alone in its line, or up to that at once."""
        last = newline + word
        call.open_text()
        over = yield from self._last_line(source, word)
        while not over:
            self.hot = lambda: call.streaming(partial(_certain, last), LINE_BREAK)
            while piece := (yield from source.up_to(last)):
                call.text(piece)
            self.hot = None
            if not (yield from source.peek()):
                raise cut_short()
            over = yield from self._last_line(source, last)
            if not over:
                call.text(source.past(_ANY))
        call.close_text()

    @staticmethod
    def _last_line(source: Source, last: str) -> Pull[bool]:
        """Read *last*, if nothing else stands in its line."""
        stands = yield from source.stands(last)
        behind = (yield from source.match(_BEHIND_WORD, len(last))) if stands else None
        if behind:
            source.at += len(last) + len(behind.group())
        return behind is not None


def _rest_of_line(source: Source) -> Pull[str]:
    return (yield from source.word(source.line_or_mark)).rstrip()


def _certain(last: str, text: str) -> int:
    """How much of *text* certainly goes on with a block; -1 if *last* stands in it."""
    return -1 if last in text else len(text) - begun_at_end(last, text)


_NEXT = Pattern(r"\n\s{0,8}(?:Observation|Thought|Action|Final Answer)\b")
_LINE_END = re.compile("\n")
_REPAIR = Repair("text_argument", Grade.GUESSED)


class TextArgument(PulledCalls):
    """Reads up to the next label, or the end: only that shows whether the text was quoted."""

    is_call = True

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun._replace(ends=()))
        self.committed = True

    def grammar(self, source: Source) -> Pull[None]:
        """Lines, up to one that begins with a label."""
        head, parts = self._begun.head, list[str]()
        assert head is not None, "the text stands behind a name"
        call = self.open(head.name, head.id)
        yield from _to_label(source, parts)
        key, text = _only_argument(call.tool), _bare("".join(parts).strip())
        if text and key is None:
            raise malformed("its arguments must be a JSON object")
        if text and key is not None:
            call.key(key)
            call.value(text)
        self.complete(_REPAIR)

    def pass_over(self, source: Source) -> Pull[None]:
        """Read on to the next label: another call may begin there."""
        yield from _to_label(source, [])


def _to_label(source: Source, parts: list[str]) -> Pull[None]:
    while (yield from source.peek()) and not (yield from source.match(_NEXT)):
        parts.append(source.text[source.at])
        source.at += 1
        parts.append((yield from source.before(_LINE_END)))


def _only_argument(tool: ToolSpec | None) -> str | None:
    """The argument that the text must be: the only one, or the only one that is needed."""
    if tool is None:
        return None
    keys = list(tool.properties) if len(tool.properties) == 1 else list(tool.required)
    return keys[0] if len(keys) == 1 else None


def _bare(text: str) -> str:
    """*text* without the brackets or the quotes around all of it."""
    if text[:1] == "[" and text[-1:] == "]":
        text = text[1:-1].strip()
    reading = read_all(text) if text[:1] in ("'", '"') else None
    return reading.value if reading and isinstance(reading.value, str) else text
