"""Values that several families write alike: in JSON's quotes, in brackets, or with neither.

What stands without quotes is a string if the tool's schema wants nothing else, and otherwise
whatever JSON it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any

from ...messages import Grade, Repair
from ...tools.json_types import name_type
from ...tools.spec import ToolSpec
from ..calls.pulled import PulledCalls, cut_short
from ..calls.record import CallRecord, TextSink
from ..patterns import Pattern
from ..source import Pull, Source
from ..values import repairs as mend
from ..values.lenient import read_all, read_json
from ..values.strict import Reading, Refused, finite_float, malformed, sized_int

__all__ = [
    "KEY",
    "LINE_BREAK",
    "ZERO_PADDED",
    "argument",
    "bare_value",
    "bracketed",
    "bracketed_arguments",
    "fits",
    "kinds",
    "kinds_of",
    "line_ends",
    "line_over",
    "member",
    "quoted",
    "unquoted",
    "zero_padded",
]

#: The name of an argument: a word, or a string of JSON.
KEY = r"([^\W\d][\w.-]{0,200}|\"(?:[^\"\\\n]|\\.){0,200}\")"
#: What ends a line, for the hot path.
LINE_BREAK = re.compile(r"[\r\n]")

# -- in quotes --------------------------------------------------------------------------------

_QUOTED_STOP = re.compile(r'["\\\x00-\x1f]')
_ESCAPE = Pattern(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')


#: Tells, at a place where text stands, whether something is so there.
Judge = Callable[[Source], Pull[bool]]


def quoted(calls: PulledCalls, sink: TextSink, ends: Judge, cut: Judge | None = None) -> Pull[str]:
    """Read the string whose first quote stands here; *sink* takes it while it comes.

    *ends* tells if the quote that stands here is the last one, and *cut* if a string without one
    ends at the line break here.
    """
    source = calls.source
    source.at += 1
    sink.open_text()
    calls.hot = sink.streaming_quoted
    while True:
        if plain := (yield from source.before(_QUOTED_STOP)):
            sink.quoted(plain)
            continue
        char = yield from source.peek()
        if not char:
            raise cut_short()
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

_BLANKS_IN_LINE = Pattern(r"[ \t,;]{0,64}")
_LINE_OVER = Pattern(r"[ \t,;]{0,64}(?:\r?\n|\r?\Z)")
_LINE_END = Pattern(r"\r?\n")


def line_over(source: Source, ahead: int = 1) -> Pull[bool]:
    """Does nothing more than an end of calls stand in the line, from *ahead* of here on?"""
    if (yield from source.match(_LINE_OVER, ahead)):
        return True
    return (yield from source.at_end(ahead + (yield from source.length(_BLANKS_IN_LINE, ahead))))


def line_ends(source: Source) -> Pull[bool]:
    """Does an end of calls stand behind the line break here?"""
    newline = yield from source.match(_LINE_END)
    return newline is not None and (yield from source.at_end(len(newline.group())))


# -- in brackets ------------------------------------------------------------------------------

_FLOW_STOP = re.compile(r'["{}\[\]\n]')
_STRING_STOP = re.compile(r'["\\\n]')


def bracketed(source: Source) -> Pull[tuple[Any, tuple[Repair, ...]]]:
    """A JSON value in brackets, up to where they are closed, or before a line that ends calls."""
    text, depth, in_string = StringIO(), 0, False
    while True:
        text.write((yield from source.before(_STRING_STOP if in_string else _FLOW_STOP)))
        char = yield from source.peek()
        if not char:
            raise cut_short()
        if char == "\n" and (yield from source.at_end(1)):
            break
        escaped = char == "\\" and in_string
        text.write((yield from source.peek(2)) if escaped else char)
        source.at += 1 + (escaped and source.at + 1 < len(source.text))
        if char == '"':
            in_string = not in_string
        elif not in_string and char in "{}[]":
            depth += 1 if char in "{[" else -1
            if depth <= 0:
                break
    reading = read_json(text.getvalue())
    if not isinstance(reading, Reading):
        raise Refused(reading.kind, reading.message)
    if not reading.is_all_of(text.getvalue()):
        raise malformed("the brackets of a value in it do not match")
    return reading.value, reading.repairs


def bracketed_arguments(source: Source, call: CallRecord) -> Pull[None]:
    """All arguments of *call* at once, as a JSON object."""
    given, repairs = yield from bracketed(source)
    call.mended(*repairs)
    for key, value in given.items():
        call.argument(key, value)


# -- with neither -----------------------------------------------------------------------------

_ZEROS_FIRST = re.compile(r"[-+]?0[0-9]{1,40}(\.[0-9]{1,40})?")
ZERO_PADDED = Repair("number_form", Grade.GUESSED)  # 010 is 10 as a month, and 8 in C


def bare_value(text: str, wanted: frozenset[str]) -> tuple[Any, tuple[Repair, ...]]:
    """The value that *text*, without quotes, stands for where one of the types *wanted* may."""
    if wanted == {"string"} and text[:1] not in ("'", "“", "‘", "`"):
        return text, (mend.BARE_STRING,)
    number = zero_padded(text, wanted)
    if number is not None:
        return number, (ZERO_PADDED,)
    reading = read_all(text)
    if reading is None or ("string" in wanted and not fits(reading.value, wanted)):
        return text, (mend.BARE_STRING,)
    return reading.value, reading.repairs


def argument(
    calls: PulledCalls,
    call: CallRecord,
    key: str,
    word: Callable[[Source], Pull[str]],
    ends: Judge,
    cut: Judge | None = None,
) -> Pull[None]:
    """Read the value of the argument *key*, which begins here, in any of the three ways.

    *word* reads one that has no quotes; *ends* and *cut* are those of :func:`quoted`.
    """
    source, wanted = calls.source, kinds_of(call.tool, key)
    call.key(key)
    char = yield from source.peek()
    if char == '"':
        yield from quoted(calls, call, ends, cut)
        return
    if char in ("{", "[") and wanted != {"string"}:
        value, repairs = yield from bracketed(source)
    else:
        value, repairs = bare_value((yield from word(source)), wanted)
    call.value(value)
    call.mended(*repairs)


def unquoted(key: str) -> str:
    """*key* without its quotes, if it has any."""
    reading = read_json(key) if key[0] == '"' else None
    if isinstance(reading, Reading):
        return str(reading.value)
    return key[1:-1] if key[0] in "\"'" else key


def zero_padded(text: str, wanted: frozenset[str]) -> int | float | None:
    """The number that *text* is, if it begins with a zero and nothing but a number is *wanted*."""
    number = _ZEROS_FIRST.fullmatch(text)
    if number is None or not wanted & {"integer", "number"} or "string" in wanted:
        return None
    if number.group(1):
        return finite_float(text) if "number" in wanted else None
    return sized_int(text)


def fits(value: Any, wanted: frozenset[str]) -> bool:
    """Is *value* of one of the types *wanted*?"""
    kind = name_type(value)
    return kind in wanted or (kind == "integer" and "number" in wanted)


# -- what a schema wants ----------------------------------------------------------------------


def kinds_of(tool: ToolSpec | None, key: str) -> frozenset[str]:
    """The JSON types that the argument *key* of *tool* may have; empty where nobody knows."""
    return kinds(tool.properties.get(key)) if tool is not None else frozenset()


def kinds(schema: Any) -> frozenset[str]:
    """The JSON types that *schema* allows; empty where it does not say."""
    if not isinstance(schema, Mapping):
        return frozenset()
    told = schema.get("type")
    if isinstance(told, str):
        return frozenset({told})
    if isinstance(told, list):
        return frozenset(kind for kind in told if isinstance(kind, str))
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(listed, list):
        return frozenset(map(name_type, listed))
    parts = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
    # Alternatives within alternatives are left alone.
    known = [kinds({"type": member(part, "type")}) for part in parts]
    return frozenset().union(*known) if known and all(known) else frozenset()


def member(schema: Any, key: str) -> Any:
    """What *schema* has under *key*, if it has anything."""
    return schema.get(key) if isinstance(schema, Mapping) else None
