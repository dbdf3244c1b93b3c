r"""A call written as its name and pairs of key and value, in whatever signs: one reader for all.

How names, keys and values are set apart is a :class:`Pairs`, which a payload declares
(`paradigms/line_payloads.py`, `paradigms/declared_payloads.py`): signs between them, lines with
blocks of text in them, or braces with strings between tokens.

Names and keys are words, values are JSON; blanks may be more or fewer than declared. In place of
the pairs a JSON object may stand, for keys that cannot be written otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

from ...messages import Grade, Repair
from ...tools.kinds import kinds_of
from ..calls.pulled import NO_ARGUMENTS, NoCall, PulledCalls
from ..calls.record import Beginning, CallRecord
from ..faults import cut_short, malformed
from ..patterns import Pattern
from ..source import Pull, Source, begun_at_end
from ..values import repairs as mend
from .line_values import (
    LINE_BREAK,
    StringTokens,
    bracketed,
    line_ends,
    quoted,
    read_text,
    unquoted,
)

#: The name of a tool, with some of the signs ``.:/-`` in it.
NAME = r"([A-Za-z_](?:[\w{signs}]|\\_){{0,127}})"
#: The name of an argument: a word, or a string of JSON.
KEY = r"([^\W\d][\w.-]{0,200}|\"(?:[^\"\\\n]|\\.){0,200}\")"
BLANKS = r"\s{0,64}"
_ANY_BLANKS = Pattern(BLANKS)
_MISSING_SEPARATOR = Repair("missing_separator")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """How a call in pairs is written.

    *head* is all that stands before the arguments and *name* what does if there are none; the
    tool's name is their first group. *key* is a key with the sign behind it, its second group if
    another one than *sign* is read as well. A sign stands *after* each pair, one *between* two of
    them and one *behind* all. A value without quotes ends with its line, or where *ended* matches,
    which begins with one of *stops*; *quote_ended* matches behind the last quote of a string.
    *shown* says, for the model, how an argument is written.
    """

    head: Pattern
    name: Pattern
    key: Pattern
    quote_ended: Pattern
    shown: str
    sign: str = ""
    after: str = ""
    between: str = ""
    behind: str = ""
    ended: Pattern | None = None
    stops: str = ""
    blanks: Pattern = _ANY_BLANKS
    missing_sign: Repair = _MISSING_SEPARATOR
    prefix: str = ""  # stands before the name, or is itself the marker before it
    in_lines: bool = False  # does each pair have lines of its own, and may a block be a value?
    tokens: StringTokens | None = None  # between which strings may stand

    def reader(self, begun: Beginning) -> PulledCalls:
        """Reads the call that has *begun*."""
        return _PairCalls(self, begun)


# A key of several words, which only where a key must stand is one.
_SPACED_KEY = Pattern(
    rf"([^\W\d][\w.-]{{0,100}}(?:[ \t]{{1,4}}[\w.-]{{1,100}}){{1,12}}[ \t]{{0,8}})(:){BLANKS}"
)
_KEY_WITHIN = re.compile(r",\s*+[\w.-]++\s*+[:=]")
# A text as it is, up to a word alone in its line; it ends before the line break above that.
# ``content = <<END␊``, ``content <<-'END'␊``.
_BLOCK = Pattern(
    rf"{KEY}[ \t]{{0,8}}[=:]?[ \t]{{0,8}}<<-?"
    r"(?:\"(\w{1,64})\"|'(\w{1,64})'|(\w{1,64}))[ \t]{0,8}(\r?\n)"
)
_BEHIND_WORD = Pattern(r"[ \t]{0,8}(?=\r?\n|\r?\Z)")
_ANY = re.compile(r"(?s:.)")
_Piece = Callable[[Source], Pull[str]]
_Stop = Callable[[str], int]
# Nothing behind the colon: an empty string, if an endpoint strips the tokens around it.
_EMPTY = Repair("missing_value", Grade.GUESSED)
_NO_SPACE, _NO_GAP = re.compile(r"\S"), re.compile(r"[^\s,;]")


@lru_cache(maxsize=64)
def _word_stop(stops: str, firsts: str) -> re.Pattern[str]:
    return re.compile(f"[\n{stops}{re.escape(firsts)}]")


class _PairCalls(PulledCalls):
    """Reads one call that is written *like* this."""

    def __init__(self, like: Pairs, begun: Beginning) -> None:
        super().__init__(begun)
        self._like = like
        self._solid = _NO_GAP if like.in_lines else _NO_SPACE

    def grammar(self, source: Source) -> Pull[None]:
        """The name, the arguments, and what stands behind them."""
        call = yield from self._named(source)
        while (yield from self._argument(source, call)):
            pass
        yield from self._end(source)

    def _is_over(self, source: Source, ahead: int = 0) -> Pull[bool]:
        """Does the end of the call stand behind blanks *ahead* of here?"""
        ahead += yield from source.length(self._like.blanks, ahead)
        behind = self._like.behind
        if behind and (yield from source.stands(behind, ahead)):
            return True
        return (yield from source.at_end(ahead))

    # -- before and behind the arguments --------------------------------------------------

    def _named(self, source: Source) -> Pull[CallRecord]:
        like, offered = self._like, self._setting.offered
        head = yield from source.match(like.head)
        named = head or (yield from source.match(like.name))
        if named is None:
            raise NoCall
        name, length = named.group(1).replace("\\_", "_"), len(named.group())
        known = offered.has(name)
        if head is None:
            yield from self._name_alone(source, length)
        elif offered.any and not known and not like.in_lines:
            ahead = length + (yield from source.length(like.blanks, length))
            keyed = yield from source.match(like.key, ahead)
            if not keyed and not (yield from self._is_over(source, ahead)):
                raise NoCall  # words that happen to begin alike
        bare = named.start(1) == named.start() and bool(like.prefix)
        if bare and all(end.text != like.prefix for end in self._begun.ends):
            self.mended(Repair("missing_prefix"))
        call = self.open(name)
        source.at += length
        return call

    def _name_alone(self, source: Source, length: int) -> Pull[None]:
        """What should stand before the arguments does not: are there none?"""
        ahead = length + (yield from source.length(self._like.blanks, length))
        if (yield from source.at_end(ahead)):
            self.mended(*((NO_ARGUMENTS,) if self._like.behind else ()))
        else:
            raise NoCall

    def _end(self, source: Source) -> Pull[None]:
        behind = self._like.behind
        if not (yield from source.skip_to(self._solid)):
            self.mended(self.unclosed())
        elif behind and (yield from source.stands(behind)):
            source.at += len(behind)
        elif not (yield from source.at_end()):
            yield from source.match(self._like.key)  # to see whether it is the beginning of one
            if self._like.key.may_change(source.text, source.at):
                raise cut_short()  # within a key
            raise malformed(f"something in it is no argument; {self._like.shown}")
        elif behind and NO_ARGUMENTS not in self._repairs:
            self.mended(mend.MISSING_CLOSE)
        self.complete()

    # -- one argument ---------------------------------------------------------------------

    def _argument(self, source: Source, call: CallRecord) -> Pull[bool]:
        """Read an argument and the signs behind it, or all arguments; False if none stands here."""
        char, like = (yield from source.skip_to(self._solid)), self._like
        if char == "{" and not call.arguments:
            given, repairs = yield from bracketed(self, like.tokens)
            if not isinstance(given, dict):
                raise malformed("its arguments must be a JSON object")
            self.tell(given, *repairs)
            return False
        if like.in_lines and (block := (yield from source.take(_BLOCK))):
            call.key(unquoted(block.group(1)))
            word = block.group(2) or block.group(3) or block.group(4)
            last = block.group(5) + word
            if (yield from _last_line(source, word)):
                call.value("")
            else:
                piece, stop = partial(_block_piece, last), partial(_certain_in_block, last)
                yield from self._raw(source, call, piece, stop, LINE_BREAK)
            return True
        keyed = yield from source.take(like.key)
        if keyed is None and like.tokens:
            keyed = yield from source.take(_SPACED_KEY)
        if keyed is not None:
            if like.sign and keyed.group(2) != like.sign:
                call.mended(mend.ODD_SEPARATOR)
            yield from self._value(source, call, unquoted(keyed.group(1), like.tokens))
            yield from self._separator(source, call)
        elif like.between and (yield from source.stands(like.between)):
            source.at += len(like.between)
            call.mended(mend.EXTRA_COMMA)
        else:
            return False
        return True

    def _separator(self, source: Source, call: CallRecord) -> Pull[None]:
        like = self._like
        for sign in (like.after, like.between):
            yield from source.skip_to(self._solid)
            if not sign or (sign is like.between and (yield from self._is_over(source))):
                continue
            if not (yield from source.stands(sign)):
                if not (yield from self._is_over(source)):
                    call.mended(like.missing_sign)
                continue
            source.at += len(sign)
            if sign is like.between:
                if not (yield from source.skip_to(self._solid)):
                    raise cut_short()  # the next argument was to come
                if (yield from self._is_over(source)):
                    call.mended(mend.TRAILING_COMMA)

    # -- values ---------------------------------------------------------------------------

    def _value(self, source: Source, call: CallRecord, key: str) -> Pull[None]:
        """The value of the argument *key*: in quotes, in brackets, or with neither."""
        like, wanted = self._like, kinds_of(call.tool, key)
        call.key(key)
        char = yield from source.due()
        if char == '"':
            cut = line_ends if like.in_lines else None
            yield from quoted(self, call, self._quote_ends, cut)
        elif like.tokens and (token := (yield from source.take(like.tokens.either))):
            mended, tokens = list[Repair](), like.tokens
            piece = partial(tokens.piece, begun=token.group(), mended=mended)
            yield from self._raw(source, call, piece, tokens.certain, tokens.first)
            if mended and _KEY_WITHIN.search(call.arguments[key]):
                raise cut_short()  # it ended somewhere before the next argument
            call.mended(*mended)
        elif char in ("{", "[") and (like.tokens or wanted != {"string"}):
            value, repairs = yield from bracketed(self, like.tokens)
            call.value(value)
            call.mended(*repairs)
        else:
            yield from self._word(source, call, wanted)

    def _quote_ends(self, source: Source) -> Pull[bool]:
        like = self._like
        if (yield from source.match(like.quote_ended, 1)) or (yield from self._is_over(source, 1)):
            return True
        length = yield from source.length(like.blanks, 1)
        # The next argument, with nothing between the two; but a line is over only at its end.
        key = (yield from source.match(like.key, 1 + length)) if not like.in_lines else None
        return bool(length and key)

    def _word(self, source: Source, call: CallRecord, wanted: frozenset[str]) -> Pull[None]:
        """A value without quotes, up to what stands behind it."""
        like = self._like
        word = yield from source.word(_word_stop(like.stops, source.firsts), like.ended)
        if like.tokens and (more := (yield from source.take(like.tokens.commas))):
            word += more.group()
        if not like.in_lines and not (yield from source.peek()):
            raise cut_short()  # nobody knows how it goes on
        if like.tokens and (yield from source.take(like.tokens.either)):
            call.mended(mend.MISSING_QUOTE)  # it ends a string that nothing began, or an apostrophe
            value, _ = read_text(word, frozenset({"string"}), bare=word[:1] == "'")
            call.value(value)
            return
        if word.strip() or like.in_lines:
            # Where strings stand between tokens, what does not is none unless it cannot be JSON.
            kinds, word = wanted - {"string"} if like.tokens else wanted, word.strip()
            if like.in_lines and wanted and "string" not in wanted and word.endswith(","):
                word = word[:-1]  # as in JSON
                call.mended(mend.TRAILING_COMMA)
            value, repairs = read_text(word, kinds, bare=True)
        elif like.tokens and "string" in wanted and not (yield from source.at_end()):
            value, repairs = "", (_EMPTY,)
        else:
            raise malformed(f"a value is missing in it; {like.shown}")
        call.value(value)
        call.mended(*repairs)

    def _raw(
        self, source: Source, call: CallRecord, piece: _Piece, stop: _Stop, special: re.Pattern[str]
    ) -> Pull[None]:
        """A string as it is: *piece* gives the next of it, or nothing behind its end."""
        call.open_text()
        self.hot = lambda: call.streaming(stop, special)
        while text := (yield from piece(source)):
            call.text(text)
        self.hot = None
        call.close_text()


def _block_piece(last: str, source: Source) -> Pull[str]:
    """A piece of a block, which *last* ends: a line break and a word alone in its line."""
    if text := (yield from source.up_to(last)):
        return text
    yield from source.due()
    return "" if (yield from _last_line(source, last)) else source.past(_ANY)


def _last_line(source: Source, last: str) -> Pull[bool]:
    """Read *last*, if nothing else stands in its line."""
    stands = yield from source.stands(last)
    behind = (yield from source.match(_BEHIND_WORD, len(last))) if stands else None
    if behind:
        source.at += len(last) + len(behind.group())
    return behind is not None


def _certain_in_block(last: str, text: str) -> int:
    """How much of *text* certainly goes on with a block; -1 if *last* stands in it."""
    return -1 if last in text else len(text) - begun_at_end(last, text)
