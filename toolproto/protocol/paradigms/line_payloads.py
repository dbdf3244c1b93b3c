"""Payloads for people's eyes: lines of arguments, YAML, and text without any escapes.

Like those in :mod:`.payloads`, these codecs write, and say what in
:mod:`toolproto.protocol.decoding` reads what they wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from typing import Any, ClassVar

from ..decoding.calls.shape import CallShape
from ..decoding.families.line_values import StringTokens
from ..decoding.families.pairs import BLANKS, KEY, NAME, Pairs
from ..decoding.families.yaml_calls import YamlCalls
from ..decoding.patterns import Pattern
from ..decoding.reply_form import Family, Inside
from ..decoding.values.repairs import MISSING_COMMA
from ..grammar import building_blocks as blocks
from ..grammar.draft import GrammarDraft
from ..grammar.ir import NOTHING, Node, either, joined, text
from ..grammar.notation import JSON, dumps
from ..grammar.raw import BetweenTokens
from ..grammar.values import Argument, arguments, object_of, value_of
from ..messages import ToolCall
from ..tools.spec import ToolSpec

__all__ = ["BraceCall", "RawCall", "YamlCall"]

_NAME = NAME.format(signs=".:/-")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
_NEEDS_ESCAPES = re.compile(r'[\n"\\]')
# A block of YAML begins where its first line does, and ends with its last.
_NO_BLOCK = re.compile(r"\A(?:[ \n]|\Z)|\n\n\Z")
# Models copy what they are shown: what is likely to be long stands in a block even if it is short.
_LONG = frozenset({"body", "code", "content", "contents", "diff", "patch", "script", "text"})


@dataclass(frozen=True, slots=True)
class YamlCall:
    """YAML: the tool's name in one member, its arguments below another.

    Strings are quoted as in JSON, those of several lines stand in a block; any other value is
    written as JSON, which YAML is as well.
    """

    family: ClassVar[Family] = Family.DECLARED
    shape: ClassVar[CallShape] = CallShape("tool", "arguments")
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "\n", "")

    @property
    def inside(self) -> Inside:
        """What reads it."""
        return Inside(YamlCalls)

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        return "\n---\n".join(map(self._written, calls))

    def _written(self, call: ToolCall) -> str:
        if not call.arguments or not _has_plain_keys(call):
            return f"tool: {call.name}\narguments: {dumps(dict(call.arguments))}"
        said = (f"\n  {key}: {self._value(key, value)}" for key, value in call.arguments.items())
        return f"tool: {call.name}\narguments:{''.join(said)}"

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        before = f"tool: {tool.name}\narguments:"
        lines = blocks.lines(tool, draft, _PLAIN_KEY, self._line)
        return joined(text(before), either([lines, self._in_one_line(tool, draft)]))

    def _in_one_line(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        known = arguments(tool, draft) or []
        if all(_PLAIN_KEY.fullmatch(each.key) for each in known):
            # Written so only where there is nothing to write in lines.
            return NOTHING if any(each.required for each in known) else text(" {}")
        return joined(text(" "), object_of(tool, draft))

    def _line(self, argument: Argument, tool: ToolSpec, draft: GrammarDraft) -> Node:
        notation = blocks.InBlock(write=partial(self._value, argument.key))
        value = value_of(argument, tool, draft, notation)
        return joined(text(f"\n  {argument.key}: "), value)

    def _value(self, key: str, value: Any) -> str:
        if not isinstance(value, str) or _NO_BLOCK.search(value):
            return dumps(value)
        if "\n" not in value and key not in _LONG:
            return dumps(value)
        style, lines = ("|", value[:-1]) if value.endswith("\n") else ("|-", value)
        return "\n".join([style, *(line and f"    {line}" for line in lines.split("\n"))])


_LINE_OVER = r"[ \t,;]{0,64}(?:\r?\n|\r?\Z)"
LINES = Pairs(
    head=Pattern(rf"{_NAME}(?:\(\))?{_LINE_OVER}"),
    name=Pattern(rf"{_NAME}(?:\(\))?"),
    key=Pattern(rf"{KEY}[ \t]{{0,8}}([=:])[ \t]{{0,80}}"),
    sign="=",
    quote_ended=Pattern(_LINE_OVER),
    blanks=Pattern(r"[ \t,;]{0,64}"),
    shown='write each argument as a line: key = "value", or key <<END, its text, and END',
    in_lines=True,
)


@dataclass(frozen=True, slots=True)
class RawCall:
    """A line for each argument; a text that is long, or has quotes in it, stands as it is."""

    family: ClassVar[Family] = Family.DECLARED
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "\n", "")

    @property
    def inside(self) -> Inside:
        """What reads it."""
        return Inside(LINES.reader)

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        return "\n".join("\n".join((call.name, *self._lines(call))) for call in calls)

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        known = arguments(tool, draft) or []
        lines = blocks.lines(tool, draft, _PLAIN_KEY, self._line, least=0)
        options = [lines]
        if not all(_PLAIN_KEY.fullmatch(each.key) for each in known):
            options.append(joined(text("\n"), object_of(tool, draft)))
        return joined(text(tool.name), either(options))

    def _line(self, argument: Argument, tool: ToolSpec, draft: GrammarDraft) -> Node:
        notation = blocks.InLine(write=partial(self._said, argument.key))
        string = value_of(argument, tool, draft, notation, ("string",))
        other = joined(text("= "), value_of(argument, tool, draft, JSON, blocks.OTHERS))
        options = [each for each in (string, other) if each is not NOTHING]
        return joined(text(f"\n{argument.key} "), either(options))

    def _lines(self, call: ToolCall) -> Iterator[str]:
        if not _has_plain_keys(call):
            yield dumps(dict(call.arguments))
            return
        for key, value in call.arguments.items():
            yield f"{key} {self._said(key, value)}"

    @staticmethod
    def _said(key: str, value: Any) -> str:
        if isinstance(value, str) and (key in _LONG or _NEEDS_ESCAPES.search(value)):
            word = _word_below(value)
            return f"<<{word}\n{value}\n{word}"
        return f"= {dumps(value)}"


# What Gemma's models put at either end of a string.
_TOKEN = r'<escape>|<[|｜]"[|｜]>'
TOKENS = StringTokens(
    Pattern(_TOKEN),
    unended=Pattern(r"(?:\}\s{0,8})?<(?:end_function_call|tool_call[|｜])>\s{0,64}\Z"),
    commas=Pattern(rf"(?:,[^,:\"{{}}\[\]<\n]{{1,200}}){{1,12}}(?={_TOKEN})"),
    first=re.compile("[<}]"),
)
_TOKEN_KEY = rf"(?:{_TOKEN})[^<\n]{{0,200}}(?:{_TOKEN})"
# Gemini puts every tool into the namespace of its own examples.
_BRACE_NAME = rf"(?:call[ \t]{{0,4}}:\s{{0,4}})?(?:default_api:)?{_NAME}(?<!:)\s{{0,8}}"
BRACES = Pairs(
    head=Pattern(rf"{_BRACE_NAME}\{{"),
    name=Pattern(_BRACE_NAME),
    key=Pattern(
        rf"([^\s:=,{{}}\[\]\"<]{{1,200}}|\"(?:[^\"\\\n]|\\.){{0,200}}\"|{_TOKEN_KEY})"
        rf"\s{{0,8}}([:=]){BLANKS}"
    ),
    sign=":",
    between=",",
    behind="}",
    ended=Pattern(rf"[,}}]|{_TOKEN}"),
    stops=",}<",
    quote_ended=Pattern(rf"{BLANKS}(?:[,}}]|\Z)"),
    missing_sign=MISSING_COMMA,
    shown="write key:value, with a comma between two",
    prefix="call:",
    tokens=TOKENS,
)


@dataclass(frozen=True, slots=True)
class BraceCall:
    """``call:name{key:value}`` with every string between two *delimiter* tokens.

    A string that holds such a token, or a key that is no name, is quoted as in JSON.
    """

    delimiter: str

    family: ClassVar[Family] = Family.DECLARED
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "\n", "")

    @property
    def inside(self) -> Inside:
        """What reads it."""
        # Gemma's small models write ``call:f(x="y")``, too, and Gemma 3 was asked for Python.
        return Inside(BRACES.reader, word="call:", bare_family=Family.PYTHON)

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        return "".join(f"call:{call.name}{self._value(call.arguments)}" for call in calls)

    def grammar(self, tool: ToolSpec, draft: GrammarDraft) -> Node:
        """The grammar of one call of *tool*."""
        return joined(text(f"call:{tool.name}"), object_of(tool, draft, _notation(self)))

    def _value(self, value: Any) -> str:
        if isinstance(value, Mapping):
            members = (f"{self._key(key)}:{self._value(each)}" for key, each in value.items())
            return f"{{{','.join(members)}}}"
        if isinstance(value, list | tuple):
            return f"[{','.join(map(self._value, value))}]"
        if isinstance(value, str) and not TOKENS.either.search(value):
            return f"{self.delimiter}{value}{self.delimiter}"
        return dumps(value)

    def _key(self, key: str) -> str:
        return key if _PLAIN_KEY.fullmatch(key) else dumps(key)


@lru_cache(maxsize=8)
def _notation(payload: BraceCall) -> BetweenTokens:
    return BetweenTokens(
        delimiter=payload.delimiter,
        tokens=blocks.DELIMITERS,
        write=payload._value,
        write_key=payload._key,
    )


def _has_plain_keys(call: ToolCall) -> bool:
    return all(_PLAIN_KEY.fullmatch(key) for key in call.arguments)


def _word_below(text: str) -> str:
    """A word that is no line of *text*."""
    lines = {line.strip() for line in text.split("\n")}
    words = (f"END{number or ''}" for number in count())
    return next(word for word in words if word not in lines)
