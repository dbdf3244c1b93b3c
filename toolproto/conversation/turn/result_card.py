"""Showing a turn's result to a person: one line for a console, and a card for notebooks.

The protocols say what is read of a result, so that ``result.py`` can import this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

from ...protocol.messages import ToolCall, ToolResult, Usage
from ..deciding.approvals import ApprovalRequest

__all__ = ["as_card", "in_a_line"]

#: A card is to be looked at: so much of a text, and so many calls.
_CHARACTERS = 2_000
_CALLS = 20
_COLOURS = {"completed": "#2e7d32", "pending": "#b26a00"}
_FAILED = "#c62828"


class Called(Protocol):
    """A call and what it gave."""

    @property
    def call(self) -> ToolCall: ...
    @property
    def result(self) -> ToolResult: ...


class Took(Protocol):
    """What a turn took."""

    @property
    def requests(self) -> int: ...
    @property
    def calls(self) -> int: ...
    @property
    def failed_calls(self) -> int: ...
    @property
    def seconds(self) -> float: ...


class Ended(Protocol):
    """A turn's result, as far as it is shown."""

    @property
    def status(self) -> str: ...
    @property
    def partial_text(self) -> str: ...
    @property
    def error(self) -> BaseException | None: ...
    @property
    def pending(self) -> Sequence[ApprovalRequest]: ...
    @property
    def calls(self) -> Sequence[Called]: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def stats(self) -> Took: ...


def in_a_line(result: Ended) -> str:
    """Return one line: how the turn ended, how its answer begins, and what it took."""
    said = f"{_shortened(result.partial_text, 60)!r}"
    if result.error is not None:
        said = f"{type(result.error).__name__}: {_shortened(str(result.error), 80)!r}"
    elif result.pending:
        said = "waits for " + ", ".join(each.call.name for each in result.pending[:3])
    return f"{result.status}: {said}, {_took(result)}"


def as_card(result: Ended) -> str:
    """The same with the calls, as HTML; whatever a model or a tool wrote is escaped."""
    colour = _COLOURS.get(result.status, _FAILED)
    text = result.partial_text if result.error is None else f"{result.error}"
    calls = "".join(f"<li>{_call(each)}</li>" for each in result.calls[:_CALLS])
    if more := len(result.calls) - _CALLS:
        calls += f"<li>and {more} more</li>" if more > 0 else ""
    return (
        f'<div style="border-left:4px solid {colour};padding:.3em .8em;max-width:60em">'
        f'<div style="white-space:pre-wrap"><bdi>{escape(_cut(text, _CHARACTERS))}</bdi></div>'
        + (f'<ul style="margin:.3em 0;font-size:90%">{calls}</ul>' if calls else "")
        + f'<div style="color:#777;font-size:85%">{escape(result.status)}, {_took(result)}</div>'
        "</div>"
    )


def _call(record: Called) -> str:
    arguments = ", ".join(f"{name}={value!r:.60}" for name, value in record.call.arguments.items())
    shown = f"{record.call.name}({_cut(arguments, 200)})"
    failed = f' style="color:{_FAILED}"' if record.result.is_error else ""
    came = _shortened(record.result.content, 200)
    return f"<code>{escape(shown)}</code> → <bdi{failed}>{escape(came)}</bdi>"


def _took(result: Ended) -> str:
    stats, usage = result.stats, result.usage
    took = [_counted(stats.requests, "request")]
    if stats.calls:
        failed = f" ({stats.failed_calls} failed)" if stats.failed_calls else ""
        took.append(_counted(stats.calls, "call") + failed)
    if usage.input_tokens or usage.output_tokens:
        took.append(f"{usage.input_tokens}+{usage.output_tokens} tokens")
    took.append(f"{stats.seconds:.1f} s")
    return ", ".join(took)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _shortened(text: str, most: int) -> str:
    # Only the beginning is looked at: a result may be megabytes.
    return _cut(" ".join(text[: 4 * most].split()), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
