"""What was read out of a reply, as text for people who review it.

Calls, problems, text, thoughts and segments, each under its heading, in lines that differ where the
readings differ and nowhere else. Every reading has its own text: a character that cannot be seen is
written as ``⟨U+000D⟩``, and so is the bracket that begins this notation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..protocol.messages import CallProblem, Repair, ToolCall
from ..protocol.paradigms.parsed import ParsedResponse

__all__ = ["reading_text", "visible"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/-]*")
_WIDEST = 88


def reading_text(parsed: ParsedResponse) -> str:
    """*parsed* in lines; what is empty is left out."""
    sections = [
        *map(_call, parsed.calls),
        *map(_problem, parsed.problems),
        ["text", *_quoted(parsed.text, "  ")] if parsed.text else [],
        ["reasoning", *_quoted(parsed.reasoning, "  ")] if parsed.reasoning else [],
        ["segments", *_segments(parsed)] if parsed.raw else ["nothing"],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _call(call: ToolCall) -> list[str]:
    place = f" doubted {call.place}" if call.place else ""
    lines = [f"call {_word(call.name)} {_word(call.id)}{place}"]
    for key, value in call.arguments.items():
        lines += _argument(_word(key), value)
    return [*lines, *_repairs(call.repairs)]


def _word(text: str) -> str:
    """*text* as it is where it can be nothing but a name, and in quotes elsewhere."""
    return text if _NAME.fullmatch(text) else _json(text)


def _argument(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, str) and "\n" in value:
        yield f"  {key}:"
        yield from _quoted(value, "    ")
    else:
        first, *others = _json_lines(value)
        yield f"  {key}: {first}"
        yield from (f"  {line}" for line in others)


def _json_lines(value: Any) -> list[str]:
    line = _json(value)
    if len(line) <= _WIDEST or not isinstance(value, Mapping | list):
        return [line]
    return _json(value, indent=2).split("\n")


def _json(value: Any, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=dict)
    return "\n".join(visible(line) for line in text.split("\n"))


def _problem(problem: CallProblem) -> list[str]:
    name = "" if problem.name is None else f" {_word(problem.name)}"
    meant = [f"  suggestion {_word(each)}" for each in problem.suggestions]
    lines = [f"problem {problem.kind.value}{name}", *_quoted(problem.message, "  ")]
    return [*lines, *meant, *_repairs(problem.repairs)]


def _repairs(repairs: tuple[Repair, ...]) -> Iterator[str]:
    for repair in repairs:
        detail = f" {_json(repair.detail)}" if repair.detail else ""
        yield f"  repair {repair.grade.value} {repair.name}{detail}"


def _segments(parsed: ParsedResponse) -> Iterator[str]:
    for segment in parsed.segments:
        first, *others = _quoted(segment.text, "")
        yield f"  {segment.kind.value:<9} {first}"
        yield from (f"{'':<11} {line}" for line in others)


def _quoted(text: str, indent: str) -> list[str]:
    """*text* behind bars, so that one sees where each line and the last one ends."""
    return [f"{indent}| {visible(line)}".rstrip() for line in text.split("\n")]


def visible(text: str) -> str:
    """One line of text in which everything can be seen, a space at its end included."""
    if text.isascii() and text.isprintable() and not text.endswith(" "):
        return text
    body = text.rstrip(" ")
    spaces = len(text) - len(body)
    seen = "".join(char if _is_plain(char) else _code(char) for char in body)
    return seen + " " * (spaces - 1) + _code(" ") * (spaces > 0)


def _is_plain(char: str) -> bool:
    return char.isprintable() and char != "⟨"


def _code(char: str) -> str:
    return f"⟨U+{ord(char):04X}⟩"
