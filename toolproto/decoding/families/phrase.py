"""Calls whose inside somebody else declared: as a phrase with places in it, or by two functions.

``get_weather WITH city="Oslo"; days=3;`` is the phrase ``{name} WITH {arguments}`` with arguments
``{key}={value};``. Names and keys are words, values are JSON; blanks may be more or fewer than
declared. A :class:`CustomInside` is read as a whole, once its closing marker has come.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from itertools import pairwise
from typing import Any, Protocol

from ...messages import Repair
from ..calls.pulled import NoCall, PulledCalls
from ..calls.record import Beginning, CallRecord
from ..patterns import Pattern
from ..source import Pull, Source
from ..values.strict import malformed
from .line_values import KEY, argument, bracketed_arguments, unquoted

__all__ = ["CustomInside", "Inside", "Phrase"]

_MISSING_SEPARATOR = Repair("missing_separator")
_BLANKS = Pattern(r"\s{0,64}")


class Inside(Protocol):
    """Makes the reader of calls whose inside is declared outside of this package."""

    def reader(self, begun: Beginning) -> PulledCalls:
        """Reads the call that has *begun*."""
        ...


@dataclass(frozen=True, slots=True)
class Phrase:
    """What stands around the name, the arguments, and the key and the value of each.

    *shown* is an argument as it should be written, for the model.
    """

    name: tuple[str, str]
    behind: str
    key: tuple[str, str]
    value: str
    between: str
    shown: str

    def reader(self, begun: Beginning) -> PulledCalls:
        """Reads the call that has *begun*."""
        return _PhraseCalls(self, begun)


@dataclass(frozen=True, slots=True)
class CustomInside:
    """*read* gives name and arguments of the text between the markers, or None if it is no call."""

    read: Callable[[str], tuple[str, Mapping[str, Any]] | None]

    def reader(self, begun: Beginning) -> PulledCalls:
        """Reads the call that has *begun*."""
        return _CustomCalls(self.read, begun)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What the reader of a phrase looks for."""

    name: Pattern
    head: Pattern
    key: Pattern
    ended: Pattern
    behind_quote: Pattern
    word_stop: re.Pattern[str]


@lru_cache(maxsize=64)
def _patterns_of(phrase: Phrase, marks: frozenset[str]) -> _Patterns:
    """The patterns of *phrase*; *marks* are the first characters of what ends a call."""
    before, behind = phrase.name
    # What stands behind the name is not part of it, though a name may hold colons and dots.
    signs = "".join(sign for sign in ".:/-" if not behind.strip().startswith(sign))
    name = rf"{_loose(before)}([A-Za-z_](?:[\w{re.escape(signs)}]|\\_){{0,127}})"
    # Without any sign behind it, a word ends at a blank.
    stops = [part.strip() for part in (phrase.value, phrase.between, phrase.behind)]
    ended = "|".join([re.escape(stop) for stop in stops if stop] or [r"\s"])
    firsts = [re.escape(stop[0]) for stop in stops if stop] or [r"\s"]
    return _Patterns(
        Pattern(name),
        Pattern(name + _loose(behind)),
        Pattern(rf"{_loose(phrase.key[0])}{KEY}{_apart(phrase.key[1])}"),
        Pattern(ended),
        Pattern(rf"\s{{0,64}}(?:{ended}|\Z)"),
        re.compile(f"[\n{''.join(sorted({*firsts, *map(re.escape, marks)}))}]"),
    )


class _PhraseCalls(PulledCalls):
    """Reads one call of *phrase*."""

    def __init__(self, phrase: Phrase, begun: Beginning) -> None:
        super().__init__(begun)
        self._phrase = phrase
        self._like = _patterns_of(phrase, frozenset(end.first for end in begun.ends))

    def grammar(self, source: Source) -> Pull[None]:
        """The name, the arguments, and what stands behind them."""
        call = yield from self._named(source)
        while (yield from source.skip_space()) and (yield from self._argument(source, call)):
            pass
        yield from self._end(source)

    def _named(self, source: Source) -> Pull[CallRecord]:
        head = yield from source.match(self._like.head)
        if head is None:  # without arguments, what stands before them may be missing
            head = yield from source.match(self._like.name)
            if head is None or not (yield from self._is_over(source, len(head.group()))):
                raise NoCall
        name, length = head.group(1).replace("\\_", "_"), len(head.group())
        offered = self._setting.offered
        if offered.any and not offered.knows(name):
            ahead = length + (yield from source.length(_BLANKS, length))
            if not (yield from source.match(self._like.key, ahead)) and not (
                yield from self._is_over(source, length)
            ):
                raise NoCall  # words that happen to begin alike
        call = self.open(name)
        source.at += length
        return call

    def _is_over(self, source: Source, ahead: int = 0) -> Pull[bool]:
        """Does the end of the call stand behind blanks *ahead* of here?"""
        ahead += yield from source.length(_BLANKS, ahead)
        behind = self._phrase.behind.strip()
        if behind and (yield from source.stands(behind, ahead)):
            return True
        return (yield from source.at_end(ahead))

    def _argument(self, source: Source, call: CallRecord) -> Pull[bool]:
        keyed = yield from source.take(self._like.key)
        if keyed is None:
            if (yield from source.peek()) != "{" or call.arguments:
                return False
            yield from bracketed_arguments(source, call)
            return False
        yield from source.skip_space()
        yield from argument(self, call, unquoted(keyed.group(1)), self._word, self._quote_ends)
        yield from self._separator(source, call)
        return True

    def _quote_ends(self, source: Source) -> Pull[bool]:
        if (yield from source.match(self._like.behind_quote, 1)):
            return True
        length = yield from source.length(_BLANKS, 1)
        if length and (yield from source.match(self._like.key, 1 + length)):
            return True  # the next argument, with nothing between the two
        return (yield from self._is_over(source, 1))

    def _word(self, source: Source) -> Pull[str]:
        """A value without quotes, up to what stands behind it."""
        text = (yield from source.word(self._like.word_stop, self._like.ended)).strip()
        if not text:
            raise malformed(f"a value is missing in it; write {self._phrase.shown}")
        return text

    def _separator(self, source: Source, call: CallRecord) -> Pull[None]:
        for literal in (self._phrase.value.strip(), self._phrase.between.strip()):
            yield from source.skip_space()
            if not literal or (yield from self._is_over(source)):
                continue
            if (yield from source.stands(literal)):
                source.at += len(literal)
            else:
                call.mended(_MISSING_SEPARATOR)

    def _end(self, source: Source) -> Pull[None]:
        behind, repairs = self._phrase.behind.strip(), list[Repair]()
        over = not (yield from source.skip_space())
        if over:
            repairs.append(self.unclosed())
        elif behind and (yield from source.stands(behind)):
            source.at += len(behind)
        elif not (yield from source.at_end()):
            raise malformed(f"something in it is no argument; write {self._phrase.shown}")
        self.complete(*repairs)


class _CustomCalls(PulledCalls):
    """Reads one call, all at once."""

    def __init__(
        self, read: Callable[[str], tuple[str, Mapping[str, Any]] | None], begun: Beginning
    ) -> None:
        super().__init__(begun)
        self._inside, self._parts = read, StringIO()

    def grammar(self, source: Source) -> Pull[None]:
        """All text before a marker that ends calls."""
        while not (yield from source.at_end()):
            if not (yield from source.peek()):
                raise NoCall  # nobody knows where it ends
            self._parts.write(source.past(source.marks))
        try:
            found = self._inside(self._parts.getvalue())
        except Exception as error:  # whatever somebody's reader raises is about this text
            self.is_call = True
            raise malformed(str(error) or type(error).__name__) from error
        if found is None:
            raise NoCall
        name, arguments = found
        call = self.open(name)
        for key, value in arguments.items():
            call.argument(key, value)
        self.complete()


def _apart(literal: str) -> str:
    """The same for *literal* between a key and its value: beside a sign there may be blanks."""
    least = int(literal.strip()[0].isalnum())
    return rf"\s{{{least},64}}{_loose(literal.strip())}\s{{{least},64}}"


def _loose(literal: str) -> str:
    """A pattern for *literal* with any blanks where it has some; none are needed beside a sign."""
    words = re.split(r"\s+", literal)
    pattern = re.escape(words[0])
    for before, word in pairwise(words):
        needed = before[-1:].isalnum() and word[:1].isalnum()
        pattern += rf"\s{{{int(needed)},64}}" + re.escape(word)
    return pattern
