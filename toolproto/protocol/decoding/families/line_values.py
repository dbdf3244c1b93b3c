"""Values that several families write alike: in JSON's quotes, in brackets, or with neither.

What a text without quotes stands for is decided in one place for all of them, :func:`read_text`: a
string if the tool's schema wants nothing else, and otherwise whatever JSON it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any

from ...messages import Grade, Repair
from ...tools.kinds import fits
from ..calls.pulled import PulledCalls
from ..calls.record import TextSink
from ..faults import Refused, malformed, too_deep
from ..patterns import Pattern
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.brackets import Brackets
from ..values.lenient import read_all, read_json, read_lenient
from ..values.strict import Reading, finite_float, sized_int
from ..values.string_stops import SPECIAL_IN_QUOTES

#: What ends a line, for the hot path.
LINE_BREAK = re.compile(r"[\r\n]")

# -- in quotes --------------------------------------------------------------------------------

_ESCAPE = Pattern(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
Repairs = tuple[Repair, ...]
#: Tells, at a place where text stands, whether something is so there.
_Ask = Callable[[Source], Pull[bool]]


def quoted(calls: PulledCalls, sink: TextSink, ends: _Ask, cut: _Ask | None = None) -> Pull[str]:
    """Read the string whose first quote stands here; *sink* takes it while it comes.

    *ends* tells if the quote that stands here is the last one, and *cut* if a string without one
    ends at the line break here.
    """
    source = calls.source
    source.at += 1
    sink.open_text()
    calls.hot = sink.streaming_quoted
    while True:
        if plain := (yield from source.before(SPECIAL_IN_QUOTES)):
            sink.quoted(plain)
            continue
        char = yield from source.due()
        if char == "\\" and (escape := (yield from source.take(_ESCAPE))):
            sink.quoted(escape.group())
            continue
        if char == '"' and (yield from ends(source)):
            source.at += 1
            break
        if char in "\r\n" and cut is not None and (yield from cut(source)):
            calls.mended(mend.MISSING_QUOTE)
            break
        source.at += 1
        # An escape that JSON does not define is code whose backslash was not doubled.
        piece, repair = _MENDED.get(char, (json.dumps(char)[1:-1], mend.CONTROL_CHARACTER))
        calls.mended(repair)
        sink.quoted(piece)
    calls.hot = None
    return sink.close_quoted()


_MENDED = {'"': ('\\"', mend.UNESCAPED_QUOTE), "\\": ("\\\\", mend.INVALID_ESCAPE)}

_LINE_END = Pattern(r"\r?\n")


def line_ends(source: Source) -> Pull[bool]:
    """Does an end of calls stand behind the line break here?"""
    newline = yield from source.match(_LINE_END)
    return newline is not None and (yield from source.at_end(len(newline.group())))


# -- between tokens ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class StringTokens:
    """What a payload puts at either end of a string, which stands as it is between them.

    *either* is one of them. *unended* is where a string without its last one ends: before what ends
    the call, and the reply with it. *first* is what these begin with. *commas* stand in a string
    that only its end shows to be one.
    """

    either: Pattern
    unended: Pattern
    commas: Pattern
    first: re.Pattern[str]

    def piece(self, source: Source, begun: str, mended: list[Repair] | None = None) -> Pull[str]:
        """A piece of the string that the token *begun* began; none if one of its kind ends it here.

        Nor if the call ends here, where *mended* can tell of that.
        """
        ended = yield from source.match(self.either)
        if ended and ended.group().strip("<|｜>") == begun.strip("<|｜>"):
            source.at = ended.end()
            return ""
        if mended is not None and (yield from source.match(self.unended)):
            mended.append(mend.MISSING_QUOTE)
            return ""
        yield from source.due()
        return source.past(self.first)

    def certain(self, text: str) -> int:
        """How much of *text* certainly goes on with a string; -1 if its end comes."""
        for found in self.first.finditer(text):
            for end in (self.either, self.unended):
                if end.may_change(text, mark := found.start()):
                    return mark
                if end.match(text, mark):
                    return -1
        return len(text)


# -- in brackets ------------------------------------------------------------------------------

# A string whose first token is missing, as far back as it may reach.
_UNBEGUN = re.compile(r"[^\s,:={}\[\]\"<>][^,:={}\[\]\"<>]*\Z")
_LONGEST_UNBEGUN = 500
_NO_BRACKETS = str.maketrans("", "", "{}[]")
# A string, or a bare key of several words: ``{"a": 1, of the day: 2}`` has one.
_SPACED_KEY = re.compile(
    r"(\"(?:[^\"\\]|\\.)*+\")|((?:\A|[,{])\s*+)([^\W\d][\w.-]*+(?:[ \t]+[\w.-]++)+)[ \t]*+:",
    re.DOTALL,
)


def bracketed(calls: PulledCalls, tokens: StringTokens | None = None) -> Pull[tuple[Any, Repairs]]:
    """A JSON value in brackets, up to where they are closed, or before a marker that ends calls.

    If strings may stand between *tokens*, keys are bare.
    """
    source, text, mended = calls.source, StringIO(), list[Repair]()
    # A marker may begin like a bracket: that counts as one. In a string only a line can begin one.
    stops = source.firsts.translate(_NO_BRACKETS) + ("<" if tokens else "")
    brackets = Brackets(stops=stops, breaks="\n")
    before, passing, over = "", False, False
    while not over:
        yield from source.due()
        start = source.at
        source.at = brackets.run(source.text, start, passing=passing)
        text.write(piece := source.text[start : source.at])
        before = (before + piece)[-_LONGEST_UNBEGUN:]
        if brackets.deepest >= calls.depth:
            raise too_deep(calls.depth)
        over, passing = brackets.closed, source.at < len(source.text)
        if over or not passing:
            continue
        if tokens and not brackets.quote and (token := (yield from source.take(tokens.either))):
            string = partial(tokens.piece, source, token.group())
            mended += yield from _pass_token_string(string, text, before)
            before, passing = "", False
        elif (yield from source.at_end(1 if brackets.quote else 0)):
            over = True
            text.write("" if brackets.quote else brackets.due)
            mended.append(mend.MISSING_CLOSE)
    whole = _with_keys(text.getvalue()) if tokens else text.getvalue()
    reading = read_json(whole)
    if not isinstance(reading, Reading):
        raise Refused(reading.kind, reading.message)
    # Where a string between tokens ends is certain, whatever is wrong around it.
    unsure = tokens is not None and mend.UNESCAPED_QUOTE in reading.repairs
    if unsure or not reading.is_all_of(whole):
        raise malformed("the brackets of a value in it do not match")
    mended += [repair for repair in reading.repairs if not tokens or repair != mend.BARE_KEY]
    return reading.value, tuple(mended)


def _with_keys(text: str) -> str:
    """*text* with quotes around its bare keys of several words."""
    return _SPACED_KEY.sub(lambda found: found[1] or f'{found[2]}"{found[3]}":', text)


def _pass_token_string(
    piece_of: Callable[[], Pull[str]], text: StringIO, before: str
) -> Pull[list[Repair]]:
    """Give *text* the string behind a token, as JSON; or the one *before* it, if it has no first.

    What had to be mended.
    """
    if begun := _UNBEGUN.search(before):
        text.seek(text.tell() - len(begun.group()))
        text.truncate()
        text.write(json.dumps(begun.group()))
        return [mend.MISSING_QUOTE]
    string = StringIO()
    while piece := (yield from piece_of()):
        string.write(piece)
    text.write(json.dumps(string.getvalue()))
    return []


# -- with neither -----------------------------------------------------------------------------

_ZEROS_FIRST = re.compile(r"[-+]?0[0-9]{1,40}(\.[0-9]{1,40})?")
ZERO_PADDED = Repair("number_form", Grade.GUESSED)  # 010 is 10 as a month, and 8 in C
_QUOTES = ("'", '"', "“", "‘", "`")
_DOT_LAST = re.compile(r"-?[0-9]{1,40}\.")  # 108. is a number, as it is in Python
#: ``null`` where a string may stand, too: it could have been meant as the word.
_NULL_WORD = Repair("null_word", Grade.GUESSED)
_JSON_STRING = Repair("json_string")
# As YAML 1.1 and the engines' own readers have it; nothing else can be meant by them there.
TRUTHS = {"1": True, "0": False, "yes": True, "no": False, "on": True, "off": False}
_TRUTH = Repair("coerced_boolean", Grade.GUESSED)
_CONTAINERS = frozenset({"array", "object"})


def read_text(text: str, wanted: frozenset[str], *, bare: bool = False) -> tuple[Any, Repairs]:
    """The value that *text*, without quotes, stands for where one of the types *wanted* may.

    *bare* says that a string should have quotes there; elsewhere they are a part of it. What is not
    JSON, or only if some of it is left out, stays the text that it is: the check against the schema
    then says what was expected, and nothing is made of half a value.
    """
    label = (mend.BARE_STRING,) if bare else ()
    word, may_be_text = text.strip(), "string" in wanted
    if wanted == {"string"} and not (bare and word[:1] in _QUOTES):
        return text, label
    if (number := zero_padded(word, wanted)) is not None:
        return number, (ZERO_PADDED,)
    if wanted == {"boolean"} and word.lower() in TRUTHS:
        return TRUTHS[word.lower()], (_TRUTH,)
    if bare and _DOT_LAST.fullmatch(word):
        return finite_float(word), (mend.NUMBER_FORM,)
    reading = read_all(word) or read_lenient(word)
    if (
        isinstance(reading, Reading)
        and reading.is_all_of(word)
        and mend.STRAY_TEXT not in reading.repairs
        # 1_000 is no number of JSON: where nobody asks for one, it is text.
        and (wanted or bare or mend.NUMBER_FORM not in reading.repairs)
        # Where it may as well be text, it is no other value by a guess.
        and not (may_be_text and any(repair.grade is Grade.GUESSED for repair in reading.repairs))
        and (not may_be_text or fits(reading.value, wanted if bare else wanted - {"string"}))
    ):
        if isinstance(reading.value, str) and wanted and wanted <= _CONTAINERS:
            value, repairs = read_text(reading.value, wanted)
            if not isinstance(value, str):
                return value, (*reading.repairs, *repairs, _JSON_STRING)
        doubted = reading.value is None and may_be_text and not bare
        return reading.value, (_NULL_WORD,) if doubted else reading.repairs
    if not may_be_text and (wanted or word[:1] in ("{", "[")):
        label = (mend.BARE_STRING,)
    return (text if may_be_text or not wanted else word), label


def unquoted(key: str, tokens: StringTokens | None = None) -> str:
    """*key* without its quotes, or the *tokens* around it, if it has any."""
    if tokens is not None and key[0] == "<":
        return re.sub(tokens.either.source, "", key)
    reading = read_json(key) if key[0] == '"' else None
    if isinstance(reading, Reading):
        return str(reading.value)
    return key[1:-1] if key[0] in "\"'" else key.rstrip()


def zero_padded(text: str, wanted: frozenset[str]) -> int | float | None:
    """The number that *text* is, if it begins with a zero and nothing but a number is *wanted*."""
    number = _ZEROS_FIRST.fullmatch(text)
    if number is None or not wanted & {"integer", "number"} or "string" in wanted:
        return None
    if number.group(1):
        return finite_float(text) if "number" in wanted else None
    return sized_int(text)
