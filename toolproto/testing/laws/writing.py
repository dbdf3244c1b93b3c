"""The laws of calls as a model writes them: what was meant is what is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...protocol.describe.text import shared_beginning
from ...protocol.events import merge
from ...protocol.messages import CallProblem, Grade, ProblemKind, ToolCall
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.parsed import ParsedResponse
from ...protocol.tools.spec import ToolOffer, ToolSpec
from .asking import asked, read_in_pieces, read_whole
from .broken import LawBroken, shown
from .comparison import call_line, columns, same_value

__all__ = ["round_trip", "sequence", "stopping", "truncation"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

_WORDS = re.compile(r"[A-Za-z ]{9,}")
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}


def round_trip(paradigm: ToolContextDef, call: ToolCall, offer: ToolOffer) -> None:
    """Law 1: reading what ``encode_call`` wrote gives the call.

    A form without quotes needs the tool's schema to tell 3 from "3": where *offer* has no tool
    that fits, one that does is added to it.
    """
    written = asked("round trip", paradigm, "encode_call", call)
    parsed = read_whole(paradigm, written, _fitting(offer, [call]))
    if not _same_calls(parsed.calls, [call]) or parsed.problems or parsed.text.strip():
        raise LawBroken(
            "round trip",
            f"{shown(written)} is not read as it was meant:\n{_compared([call], parsed)}",
            "make encode_call escape what decoder looks for, or let decoder find the end by the"
            " payload's own grammar and keep each value as it is",
        )
    if parsed.calls[0].repairs:
        raise LawBroken(
            "round trip",
            f"{shown(written)} needs repairs: {parsed.calls[0].repairs!r}",
            "encode_call must write exactly the form that decoder reads without a doubt",
        )


def sequence(paradigm: ToolContextDef, calls: Sequence[ToolCall], offer: ToolOffer) -> None:
    """Law 11: several calls in one reply read back as many, in order, each with its own id."""
    written = asked("sequence", paradigm, "encode_calls", calls)
    parsed = read_whole(paradigm, written, _fitting(offer, calls))
    if not _same_calls(parsed.calls, calls):
        raise LawBroken(
            "sequence",
            f"{len(calls)} calls, {shown(written)}, are not all read:\n{_compared(calls, parsed)}",
            "give every call its own index, and do not drop calls that are equal",
        )
    ids = [call.id for call in parsed.calls]
    if len({*ids, ""}) != len(calls) + 1:
        raise LawBroken(
            "sequence",
            f"{shown(written)} gives its calls the ids {ids!r}",
            "take a new id from the paradigm's ids for every call without one",
        )


def _same_calls(read: Sequence[ToolCall], meant: Sequence[ToolCall]) -> bool:
    return len(read) == len(meant) and all(
        one.name == other.name and same_value(one.arguments, other.arguments)
        for one, other in zip(read, meant, strict=True)
    )


def _compared(meant: Sequence[ToolCall], parsed: ParsedResponse) -> str:
    return columns(("meant", "read"), [*map(call_line, meant)], _told(parsed))


def _told(parsed: ParsedResponse) -> list[str]:
    problems = (f"problem {each.kind.value}: {each.message}" for each in parsed.problems)
    text = f"text {parsed.text!r}" if parsed.text.strip() else ""
    return [line for line in (*map(call_line, parsed.calls), *problems, text) if line]


def _fitting(offer: ToolOffer, calls: Sequence[ToolCall]) -> ToolOffer:
    """*offer* with tools that take *calls*."""
    taken = {call.name for call in calls}
    others = tuple(tool for tool in offer.tools if tool.name not in taken)
    fitting = {call.name: _fitting_tool(call) for call in calls}
    return ToolOffer((*others, *fitting.values()), offer.choice, offer.parallel)


def _fitting_tool(call: ToolCall) -> ToolSpec:
    kinds = {key: _TYPES.get(type(value), "object") for key, value in call.arguments.items()}
    kinds = {key: "null" if call.arguments[key] is None else kind for key, kind in kinds.items()}
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    return ToolSpec(call.name, "", {"type": "object", "properties": properties})


def truncation(paradigm: ToolContextDef, call: ToolCall, cut: int, offer: ToolOffer) -> None:
    """Law 14: a call cut short by the length limit is never taken for a whole one.

    *cut* is taken modulo the written call's length. A call that lacks no more than its closer
    may be read; one that was cut inside an argument of plain words, in whatever letters the form
    writes it, is a problem of kind ``truncated``.
    """
    written = asked("truncation", paradigm, "encode_call", call)
    fitting = _fitting(offer, [call])
    inside = set(_inside_texts(paradigm, written, call))
    for place in sorted({cut % (len(written) + 1), *inside}):
        events = read_in_pieces(paradigm, [written[:place]], fitting, "length")
        parsed = ParsedResponse(written[:place], tuple(merge(events)))
        if any(_is_sure(read) and not _same_calls([read], [call]) for read in parsed.calls):
            raise _cut_call("is taken for a whole call", parsed)
        if place in inside and not _only_truncated(parsed.problems):
            raise _cut_call("is not reported as truncated", parsed)


def _inside_texts(paradigm: ToolContextDef, written: str, call: ToolCall) -> Iterator[int]:
    """The middles of those texts among the arguments that are plain words.

    A text stands where the call is written otherwise with other words in its place.
    """
    for key, value in call.arguments.items():
        if isinstance(value, str) and _WORDS.fullmatch(value):
            other = replace(call, arguments={**call.arguments, key: value.swapcase()})
            rewritten = asked("truncation", paradigm, "encode_call", other)
            first = len(shared_beginning(written, rewritten))
            last = len(shared_beginning(written[first:][::-1], rewritten[first:][::-1]))
            if first < len(written) - last:
                yield (first + len(written) - last) // 2


def _is_sure(call: ToolCall) -> bool:
    """Would it run without a question? A guess says that it is one."""
    return call.grade in (None, Grade.LOSSLESS)


def _only_truncated(problems: Sequence[CallProblem]) -> bool:
    return [problem.kind for problem in problems] == [ProblemKind.TRUNCATED]


def _cut_call(what: str, parsed: ParsedResponse) -> LawBroken:
    return LawBroken(
        "truncation",
        f"the call that was cut to {shown(parsed.raw)} {what}: it is read as {_told(parsed)}",
        'let finish("length") end an open call with CallRejected, of kind TRUNCATED',
    )


def stopping(paradigm: ToolContextDef, calls: Sequence[ToolCall], offer: ToolOffer) -> None:
    """Law 15: no stop sequence cuts a reply of *calls* short, whatever their arguments."""
    for mark in asked("stopping", paradigm, "stop", offer):
        holding = [replace(call, arguments={**call.arguments, "text": mark}) for call in calls]
        for each in (calls, holding):
            written = asked("stopping", paradigm, "encode_calls", each)
            if not mark or mark in written:
                raise LawBroken(
                    "stopping",
                    f"the stop sequence {mark!r} would end {shown(written)} in its middle",
                    "give no stop sequence: the decoder stops reading at a made-up result",
                )
