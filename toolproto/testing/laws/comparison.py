"""Two lists of events: are they the same to the last detail, and if not, where do they part?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from ...protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallDoubted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    TextDelta,
)
from ...protocol.messages import Repair, Span, ToolCall

__all__ = ["call_line", "columns", "event_line", "same_events", "same_value", "side_by_side"]

_WIDTH = 56
_ROWS_BEFORE = 4
_ROWS_AFTER = 8


def same_value(left: Any, right: Any) -> bool:
    """Are two values the same JSON? Python thinks so of 1, 1.0 and true, JSON does not."""
    return bool(left == right) and _json(left) == _json(right)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=dict)


def same_events(left: Sequence[Event], right: Sequence[Event]) -> bool:
    """Are two lists the same, spans, raw texts and repairs included? Ids differ from run to run.

    Which repairs there were counts, not how often one was noted.
    """
    return left == right and all(map(_same_details, left, right))


def _same_details(left: Event, right: Event) -> bool:
    return _details(left) == _details(right)


def _details(event: Event) -> tuple[Any, ...]:
    match event:
        case TextDelta() | ReasoningDelta():
            return (event.span,)
        case CallCompleted(call=call):
            return (call.raw, call.span, call.place, [*dict.fromkeys(call.repairs)])
        case CallRejected(problem=problem):
            return (problem.span, [*dict.fromkeys(problem.repairs)])
    return ()


def side_by_side(titles: tuple[str, str], left: Sequence[Event], right: Sequence[Event]) -> str:
    """The two lists in two columns; an arrow points at the first row in which they differ."""
    return columns(titles, [*map(event_line, left)], [*map(event_line, right)])


def columns(titles: tuple[str, str], left: Sequence[str], right: Sequence[str]) -> str:
    """Two lists of lines, so that the first difference cannot be overlooked."""
    rows = list(zip_longest(left, right, fillvalue=""))
    parting = next((at for at, (one, other) in enumerate(rows) if one != other), len(rows))
    first, last = max(0, parting - _ROWS_BEFORE), parting + _ROWS_AFTER
    lines = [_row("  ", *titles), _row("  ", *("-" * len(title) for title in titles))]
    if first:
        lines.append(f"  … {first} rows that are the same")
    for at, (one, other) in enumerate(rows[first:last], first):
        lines.append(_row("→ " if at == parting else "  ", *_windows(one, other)))
    if len(rows) > last:
        lines.append(f"  … {len(rows) - last} more rows")
    return "\n".join(lines)


def _row(mark: str, left: str, right: str) -> str:
    return f"{mark}{left:<{_WIDTH}} | {right}".rstrip()


def _windows(left: str, right: str) -> tuple[str, str]:
    """Both texts cut to the column's width, at the same place: where they differ."""
    pairs = enumerate(zip(left, right, strict=False))
    parting = next((at for at, (one, other) in pairs if one != other), 0)
    start = parting - _WIDTH // 3 if parting > _WIDTH // 2 else 0
    return _window(left, start), _window(right, start)


def _window(text: str, start: int) -> str:
    head = "…" if start and text[start:] else ""
    cut = head + text[start:]
    return cut if len(cut) <= _WIDTH else cut[: _WIDTH - 1] + "…"


def event_line(event: Event) -> str:
    """An event on one line, with all that takes part in comparing."""
    return " ".join(_words(event))


def _words(event: Event) -> Iterator[str]:
    match event:
        case TextDelta(text=text, span=span):
            yield f"text {text!r}{_at(span)}"
        case ReasoningDelta(text=text, span=span):
            yield f"thought {text!r}{_at(span)}"
        case CallStarted(index=index, name=name):
            yield f"started {index}: {name}"
        case ArgumentsDelta(index=index, text=text):
            yield f"arguments {index}: {text!r}"
        case CallCompleted(index=index, call=call):
            yield f"completed {index}: {call_line(call)}{_at(call.span)}"
            yield from _repaired(call.repairs)
            yield f"raw {call.raw!r}"
            yield f"in {call.place}" if call.place else ""
        case CallDoubted(index=index, place=place):
            yield f"doubted {index}: {place}"
        case CallRejected(index=index, problem=problem):
            yield f"rejected {index}: {problem.kind.value}: {problem.message}{_at(problem.span)}"
            yield from _repaired(problem.repairs)
            yield f"raw {problem.raw!r}"


def call_line(call: ToolCall) -> str:
    """What a call asks for, on one line."""
    return f"{call.name} {_json(call.arguments)}"


def _at(span: Span | None) -> str:
    return f" @{span.start}-{span.end}" if span else ""


def _repaired(repairs: tuple[Repair, ...]) -> Iterator[str]:
    for repair in dict.fromkeys(repairs):
        yield f"[{repair.grade.value} {repair.name}{repair.detail and f' {repair.detail!r}'}]"
