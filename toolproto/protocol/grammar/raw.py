"""Text that stands in a call as it is, without escapes: all but what would end it.

A reader takes many spellings of a closing tag for one (``</ City >``, ``<\\city>``, ``</x:city>``),
so a raw text may hold none of them. Nor may a line of it begin like an argument, for that is the
next one to a reader, if the closing tag before it was forgotten. An encoder asks the same of a
value before it writes it raw: :func:`closing_tags` for a grammar and :func:`closing_tags_pattern`
for an encoder say the same, and so do :func:`next_argument` and :data:`NEXT_ARGUMENT_PATTERN`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ..decoding.markup import (
    BEHIND_NAME,
    CLOSING,
    CLOSING_TOKEN,
    NEXT_ARGUMENT,
    OneOf,
    Parts,
    Some,
    pattern_of,
)
from .automaton import TooManyStates, can_be
from .charset import ALL, Ranges, minus, of, union
from .ir import (
    ANYTHING,
    EMPTY,
    NOTHING,
    Chars,
    Node,
    Without,
    chars,
    either,
    joined,
    maybe,
    text,
    times,
    without,
)
from .notation import Notation, Said, TextForm, any_escape, dumps, may_hold

__all__ = [
    "NEXT_ARGUMENT_PATTERN",
    "SPACES",
    "BetweenTokens",
    "JsonInTags",
    "RawInTags",
    "block_end",
    "closing_tags",
    "closing_tags_pattern",
    "first_characters",
    "next_argument",
]

#: What ``\\s`` means in Python.
SPACES: Ranges = union(
    of(" \t\n\r\f\v\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"),
    ((0x2000, 0x200A),),
)
_SPACE = times(Chars(SPACES))
# Letters that ``re.IGNORECASE`` takes for one another beyond upper and lower case.
_ALSO = {"i": "\u0130\u0131", "s": "\u017f", "k": "\u212a"}
# Whether a raw text is empty can be told; to count further, every state would be there many times.
_MOST_COUNTED = 1
_MOST_BETWEEN_TOKENS = 16
# Forms of which raw text can surely be, and how long all closing tags may be together so that their
# table is surely small. It is made by the rendering then that needs it.
_SIMPLE = (ANYTHING, times(Chars(ALL), 1))
_SHORT_CLOSERS = 100
# What may begin an object or a list. A number or a quoted text is mended into a string again.
_LIKE_JSON = union(of("{["), SPACES)


@lru_cache(maxsize=1)
def next_argument() -> Node:
    """What a reader might take for the beginning of the next argument, at that of a line."""
    return _node(NEXT_ARGUMENT)


#: The same as a pattern to search a text with.
NEXT_ARGUMENT_PATTERN = re.compile(pattern_of(*NEXT_ARGUMENT, wide=True), re.IGNORECASE)


@lru_cache(maxsize=256)
def closing_tags(words: tuple[str, ...]) -> Node:
    """What a reader might take for the closing tag of an element called like one of *words*."""
    return either([_node(_closing(words)), _node(CLOSING_TOKEN)])


@lru_cache(maxsize=256)
def closing_tags_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """The same as a pattern to search a text with."""
    tag, token = (pattern_of(*each, wide=True) for each in (_closing(words), CLOSING_TOKEN))
    return re.compile(f"{tag}|{token}", re.IGNORECASE)


def _closing(words: tuple[str, ...]) -> Parts:
    return (*CLOSING, OneOf(tuple((word,) for word in dict.fromkeys(words))), BEHIND_NAME)


def _node(parts: Parts) -> Node:
    """What :func:`~toolproto.protocol.decoding.markup.pattern_of` writes as a wide pattern."""
    return joined(*map(_part_node, parts))


def _part_node(part: str | Some | OneOf) -> Node:
    if isinstance(part, str):
        return _in_any_case(part)
    if isinstance(part, OneOf):
        return either(map(_node, part.options))
    letters = ((65, 90), (97, 122))
    ranges = letters if part.chars == "A-Za-z" else of(part.chars.removeprefix(r"\s"))
    each = Chars(union(SPACES, ranges) if part.chars.startswith(r"\s") else ranges)
    return each if part.least == part.most else times(each, part.least)


def _in_any_case(word: str) -> Node:
    return joined(*(_letter(each) for each in word))


def _letter(character: str) -> Node:
    if character == "_":
        return joined(maybe(text("\\")), text("_"))
    lower = character.lower()
    either_case = f"{character}{lower[:1]}{character.upper()[:1]}{_ALSO.get(lower, '')}"
    return chars(of("".join(sorted(set(either_case)))))


def first_characters(allowed: Ranges, rest: Ranges = ALL) -> Node:
    """Texts that are empty or begin with one of *allowed*."""
    return maybe(joined(chars(allowed), times(Chars(rest))))


@dataclass(frozen=True, slots=True, eq=False)
class RawInTags(Notation):
    """Strings as they are between two tags; anything else is JSON.

    *words* are the elements whose closing tags would end the text. *framed* texts have a line of
    their own; those that are not *surely* strings to their reader do not begin like JSON.
    """

    name: str = "raw"
    closers: tuple[str, ...] = ()
    framed: bool = False
    surely: bool = True

    @property
    def inner(self) -> Notation:
        return _JSON_IN_TAGS

    def string(self, form: TextForm) -> Said:
        return _said_raw(self, form)

    def _string(self, form: TextForm) -> Said:
        node, unsaid = form.node()
        if form.pattern is None and (form.most or form.least) > self._most_counted:
            node, unsaid = times(Chars(ALL), min(form.least, self._most_counted)), form.lengths
        unsaid = (*unsaid, *self.never_said)
        made = node if self._is_harmless(node) else self._raw(node)
        if made is None:
            said = () if form.pattern is None else ("pattern",)
            made, unsaid = self._raw(ANYTHING) or _untagged(), (*form.lengths, *said)
        return Said(made, unsaid)

    @property
    def never_said(self) -> tuple[str, ...]:
        return () if self.surely else ("text like JSON",)

    @property
    def _most_counted(self) -> int:
        # Every count and every pattern is a table of its own, and with many closing tags a table
        # is large.
        return _MOST_COUNTED if len(self.closers) < 8 else 0

    def _is_harmless(self, node: Node) -> bool:
        """Whether no text of *node* can be taken for anything else."""
        odd = of("<\r\n") if self.surely else union(of("<\r\n"), _LIKE_JSON)
        return not may_hold(node, odd)

    def _raw(self, node: Node) -> Node | None:
        if node != ANYTHING and not self._most_counted:
            return None
        forbidden = either([closing_tags(self.closers), next_argument()])
        made = without(node, forbidden, self._beginning())
        if node in _SIMPLE and sum(map(len, self.closers)) <= _SHORT_CLOSERS:
            return made
        try:
            return made if not isinstance(made, Without) or can_be(made) else NOTHING
        except TooManyStates:
            return None

    def _beginning(self) -> Node:
        """Where a raw text may not begin like something else."""
        rest = minus(ALL, of("\r")) if self.framed else ALL
        odd = of("<\r") if self.framed else of("<\r\n")
        odd = odd if self.surely else union(odd, _LIKE_JSON)
        more = times(Chars(rest))
        # One tail for all beginnings: with three, a table would hold every state three times.
        begun = either(
            [
                Chars(minus(rest, odd)),
                joined(text("<"), Chars(minus(rest, of("!")))),
                joined(text("<!"), Chars(minus(rest, of("[")))),
            ]
        )
        return either([EMPTY, text("<"), text("<!"), joined(begun, more)])

    def literal(self, value: Any) -> Node:
        if not isinstance(value, str):
            return self.inner.literal(value)
        return text(value) if self.can_say(value) else NOTHING

    def can_say(self, value: str) -> bool:
        """Whether *value* may stand as it is."""
        if self.framed and "\r" in value:
            return False
        if value.startswith(("<![", "\r") if self.framed else ("<![", "\r", "\n")):
            return False
        patterns = (closing_tags_pattern(self.closers), NEXT_ARGUMENT_PATTERN)
        return not any(pattern.search(value) for pattern in patterns)


@lru_cache(maxsize=256)
def _said_raw(notation: RawInTags, form: TextForm) -> Said:
    return notation._string(form)


@dataclass(frozen=True, slots=True, eq=False)
class JsonInTags(Notation):
    """JSON that no closing tag stands in, not even in a string."""

    name: str = "tagged"

    @property
    def any_string(self) -> Node:
        return _string_in_tags()

    def string(self, form: TextForm) -> Said:
        node, _ = form.node()
        if node == ANYTHING or form.pattern is None:
            return Said(_string_in_tags(), form.lengths)
        said = Notation.string(self, form)
        return said if not may_hold(node, of("<")) else Said(_string_in_tags(), ("pattern",))

    def literal(self, value: Any) -> Node:
        said = dumps(value)
        return text(said) if JsonInTags.can_say(said) else NOTHING

    def key(self, key: str) -> Node:
        said = dumps(key)
        return text(said + self.colon) if JsonInTags.can_say(said) else NOTHING

    @staticmethod
    def can_say(said: str) -> bool:
        """Whether the JSON *said* may stand between tags."""
        return _TAG_LIKE.search(said) is None


_JSON_IN_TAGS = JsonInTags()


def _untagged() -> Node:
    """Text in which no closing tag stands at all: for so many names that no table holds them."""
    tag = joined(text("<"), _SPACE, chars(of("/\\|\uff5c")))
    tag = either([tag, next_argument()])
    return Without(ANYTHING, tag, first_characters(minus(ALL, of("<\r\n")), minus(ALL, of("\r"))))


_TAG_LIKE = re.compile(r"<[ <]*[/\\|\uff5c]")


@lru_cache(maxsize=1)
def _string_in_tags() -> Node:
    """A string of JSON in which no ``<`` stands before what may make it a closing tag."""
    plain = minus(ALL, union(of('"\\<'), ((0, 31),)))
    behind = minus(plain, of(" <|/\uff5c"))
    bracket = joined(text("<"), times(chars(of(" <"))))
    inside = either([Chars(plain), any_escape(), joined(bracket, Chars(behind))])
    return joined(text('"'), times(inside), maybe(bracket), text('"'))


@dataclass(frozen=True, slots=True, eq=False)
class BetweenTokens(Notation):
    """Strings between two *delimiter* tokens, or in quotes if they hold one of *tokens*."""

    name: str = "braces"
    comma: str = ","
    colon: str = ":"
    delimiter: str = ""
    tokens: Node = NOTHING
    write: Callable[[Any], str] = field(default=str)
    write_key: Callable[[str], str] = field(default=str)

    def string(self, form: TextForm) -> Said:
        node, unsaid = form.node()
        if form.pattern is None and (form.most or form.least) > _MOST_BETWEEN_TOKENS:
            node, unsaid = times(Chars(ALL), min(form.least, 1)), form.lengths
        mark = text(self.delimiter)
        raw = without(node, self.tokens)
        try:
            raw = raw if not isinstance(raw, Without) or can_be(raw) else NOTHING
        except TooManyStates:
            raw = NOTHING
        quoted = Notation.string(self, form)
        both = dict.fromkeys((*unsaid, *quoted.unsaid))
        return Said(either([joined(mark, raw, mark), quoted.node]), tuple(both))

    @property
    def any_key(self) -> Node:
        first = union(of("_"), ((65, 90), (97, 122)))
        more = union(first, of(".-"), ((48, 57),))
        return either([joined(Chars(first), times(Chars(more), 0, 99)), self.any_string])

    def literal(self, value: Any) -> Node:
        return text(self.write(value))

    def key(self, key: str) -> Node:
        return text(self.write_key(key) + self.colon)


def block_end(words: Iterable[str]) -> list[tuple[str, Node]]:
    """For each of *words*, the lines of text that may stand before a line which is just it."""
    return [(word, lines_before(word)) for word in words]


def lines_before(word: str, lines: Node = ANYTHING) -> Node:
    """``\\n``, *lines* none of which is *word*, and ``\\n``."""
    line = Chars(minus(SPACES, of("\n")))
    lone = joined(text("\n"), times(line), text(word), times(line), text("\n"))
    return Without(joined(text("\n"), lines, text("\n")), lone)
