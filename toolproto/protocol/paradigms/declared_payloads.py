"""Payloads that are all one's own: a phrase with places in it, or a pair of functions.

Like those in :mod:`.payloads`, they write, and say what reads: ``families/pairs.py`` in
:mod:`toolproto.protocol.decoding`, or a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from io import StringIO
from itertools import pairwise
from typing import Any, ClassVar

from ..decoding.calls.pulled import MakesReader, NoCall, PulledCalls
from ..decoding.calls.record import Beginning
from ..decoding.calls.shape import CallShape
from ..decoding.families.pairs import BLANKS, KEY, NAME, Pairs
from ..decoding.faults import Refused, malformed
from ..decoding.patterns import Pattern
from ..decoding.reply_form import Family, Inside
from ..decoding.source import Pull, Source
from ..errors import UsageError
from ..grammar import building_blocks as blocks
from ..grammar.draft import GrammarDraft
from ..grammar.ir import NOTHING, Node, text
from ..grammar.notation import JSON, dumps
from ..grammar.values import arguments, object_of
from ..messages import ToolCall
from ..tools.spec import ToolSpec
from .checks import check_fields
from .payloads import filled

__all__ = ["CustomCall", "TemplateCall"]

_PLAIN_KEY = re.compile(r"[A-Za-z_][\w.-]{0,200}")
_ReadText = Callable[[str], tuple[str, Mapping[str, Any]] | None]


@dataclass(frozen=True, slots=True)
class TemplateCall:
    """A template with ``{name}``, ``{arguments}``, and ``{key}`` and ``{value}`` of each argument.

    Values are written as JSON, with *between* between two arguments; a key that is not a word is
    quoted. ``TemplateCall("{name} WITH {arguments} ", argument="{key}={value};")`` between the
    markers ``CALL`` and ``END`` is ``CALL get_weather WITH city="Oslo"; END``.
    """

    form: str = "{name} {arguments}"
    argument: str = "{key}={value}"
    between: str = " "

    family: ClassVar[Family] = Family.DECLARED
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "\n", "")

    def __post_init__(self) -> None:
        check_fields("form", self.form, needed=("name", "arguments"))
        check_fields("argument", self.argument, needed=("key", "value"))
        if not _between(self.argument, "{key}", "{value}").strip():
            raise UsageError(
                f"argument={self.argument!r}: a sign must stand between {{key}} and {{value}}"
            )

    @property
    def inside(self) -> Inside:
        """What reads it."""
        name, _, rest = self.form.partition("{name}")
        behind_name, _, behind = rest.partition("{arguments}")
        before_key, _, rest = self.argument.partition("{key}")
        behind_key, _, behind_value = rest.partition("{value}")
        pairs = phrase(
            (name, behind_name),
            behind,
            (before_key, behind_key),
            behind_value,
            self.between,
            filled(self.argument, key="key", value='"value"'),
        )
        return Inside(pairs.reader)

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        return "\n".join(map(self._written, calls))

    def _written(self, call: ToolCall) -> str:
        said = self.between.join(
            filled(self.argument, key=self._key(key), value=dumps(value))
            for key, value in call.arguments.items()
        )
        return filled(self.form, name=call.name, arguments=said)

    @staticmethod
    def _key(key: str) -> str:
        return key if _PLAIN_KEY.fullmatch(key) else dumps(key)

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        known = arguments(tool, draft)
        members = blocks.members(known, tool, draft, JSON, self._member)
        said = NOTHING if members is None else draft.ordered(members, text(self.between))
        if known is None:
            said = object_of(tool, draft)
        return blocks.filled(self.form, name=text(tool.name), arguments=said)

    def _member(self, key: str, value: Node) -> Node:
        return blocks.filled(self.argument, key=text(self._key(key)), value=value)


@dataclass(frozen=True, slots=True)
class CustomCall:
    """A form that two functions define: *write* gives the inside of a call, *read* reads it back.

    *read* gets the text between the markers once it is complete, and returns the name and the
    arguments, or None if it is not a call; if it raises an exception, the model gets the message.
    The text must not contain the closing marker, and arguments do not stream. A text that the
    length limit cut is a truncated call.
    """

    write: Callable[[ToolCall], str]
    read: _ReadText

    family: ClassVar[Family] = Family.DECLARED
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "\n", "")

    def __post_init__(self) -> None:
        for name in ("write", "read"):
            if not callable(getattr(self, name)):
                raise UsageError(f"{name}={getattr(self, name)!r}: expected a function")

    @property
    def inside(self) -> Inside:
        """What reads it."""
        return Inside(_reader_of(self.read))

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        return "\n".join(map(self.write, calls))


def _between(form: str, first: str, second: str) -> str:
    return form.partition(first)[2].partition(second)[0]


@lru_cache(maxsize=64)
def phrase(
    name: tuple[str, str], behind: str, key: tuple[str, str], value: str, between: str, shown: str
) -> Pairs:
    """Pairs with these signs before and behind the name, all arguments, each key and value."""
    # What stands behind the name is not part of it, though a name may hold colons and dots.
    signs = "".join(sign for sign in ".:/-" if not name[1].strip().startswith(sign))
    named = _loose(name[0]) + NAME.format(signs=re.escape(signs))
    # Without any sign behind it, a word ends at a blank.
    ends = [part.strip() for part in (value, between, behind)]
    ended = "|".join([re.escape(end) for end in ends if end] or [r"\s"])
    return Pairs(
        head=Pattern(named + _loose(name[1])),
        name=Pattern(named),
        key=Pattern(_loose(key[0]) + KEY + _apart(key[1].strip())),
        quote_ended=Pattern(rf"{BLANKS}(?:{ended}|\Z)"),
        shown=f"write {shown}",
        after=ends[0],
        between=ends[1],
        behind=ends[2],
        ended=Pattern(ended),
        stops="".join(re.escape(end[0]) for end in ends if end) or r"\s",
    )


def _apart(sign: str) -> str:
    """A pattern for *sign* between a key and its value: beside a word there must be blanks."""
    least = int(sign[0].isalnum())
    return rf"\s{{{least},64}}{_loose(sign)}\s{{{least},64}}"


def _loose(literal: str) -> str:
    """A pattern for *literal* with any blanks where it has some; none are needed beside a sign."""
    words = re.split(r"\s+", literal)
    pattern = re.escape(words[0])
    for before, word in pairwise(words):
        needed = before[-1:].isalnum() and word[:1].isalnum()
        pattern += rf"\s{{{int(needed)},64}}" + re.escape(word)
    return pattern


@lru_cache(maxsize=64)
def _reader_of(read: _ReadText) -> MakesReader:
    # The same for the same function: what is made for a form is found by its parts.
    return partial(_CustomCalls, read)


class _CustomCalls(PulledCalls):
    """Reads one call, all at once: *read* gives what the text between the markers says."""

    def __init__(self, read: _ReadText, begun: Beginning) -> None:
        super().__init__(begun)
        self._inside, self._text = read, StringIO()

    @property
    def meant(self) -> bool:
        """Has anything come? What the rest of it would make of it nobody can tell."""
        return not self._text.getvalue().isspace() and self._text.tell() > 0

    def grammar(self, source: Source) -> Pull[None]:
        """All text before a marker that ends calls."""
        try:
            while not (yield from source.at_end()):
                if not (yield from source.peek()):
                    raise NoCall  # nobody knows where it ends
                self._text.write(source.past(source.marks))
        except Refused:  # the reply was cut
            self.is_call = True
            raise
        try:
            found = self._inside(self._text.getvalue())
        except Exception as error:  # whatever somebody's reader raises is about this text
            self.is_call = True
            raise malformed(str(error) or type(error).__name__) from error
        if found is None:
            raise NoCall
        self.open(found[0])
        self.tell(found[1])
        self.complete()
