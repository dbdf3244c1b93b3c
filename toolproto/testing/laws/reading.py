"""The laws of any text that is read: nothing raises, nothing is lost, nothing is made up."""

from __future__ import annotations

import json
from collections import defaultdict

from ...protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallDoubted,
    CallRejected,
    CallStarted,
    Event,
)
from ...protocol.messages import ToolCall
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.parsed import ParsedResponse, SegmentKind
from ...protocol.tools.spec import ToolOffer
from .asking import read_in_pieces, read_whole
from .broken import LawBroken, shown
from .comparison import event_line, same_value

__all__ = ["lossless", "streamed_arguments", "totality", "verbatim"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it


def totality(paradigm: ToolContextDef, text: str, offer: ToolOffer) -> None:
    """Law 3: any text gives events, and no exception; each index ends exactly once."""
    for reason in (None, "length"):
        _check_order(read_in_pieces(paradigm, [text], offer, reason), text)


def _check_order(events: list[Event], text: str) -> None:
    open_calls: dict[int, str] = {}
    ended: set[int] = set()
    plain: set[int] = set()  # of these, what nothing doubts yet
    for event in events:
        match event:
            case CallStarted(index=index) if index not in open_calls and index not in ended:
                open_calls[index] = event.id
            case ArgumentsDelta(index=index) if index in open_calls:
                pass
            case CallCompleted(index=index) if open_calls.get(index) == event.call.id:
                del open_calls[index]
                ended.add(index)
                plain |= set() if event.call.place else {index}
            case CallDoubted(index=index) if index in plain:
                plain.remove(index)
            case CallRejected(index=index) if index not in ended:
                open_calls.pop(index, None)
                ended.add(index)
            case (
                CallStarted() | ArgumentsDelta() | CallCompleted() | CallDoubted() | CallRejected()
            ):
                raise LawBroken(
                    "totality",
                    f"{shown(text)} gives\n  {_told(events)}\nand there {event_line(event)!r}"
                    " is out of order, or its id is not that of its start",
                    "start a call once, send its arguments, end it once, with the same id, and"
                    " doubt it at most once behind that",
                )
    if open_calls or ended != set(range(len(ended))):
        raise LawBroken(
            "totality",
            f"{shown(text)} leaves calls {sorted(open_calls)} open and ends {sorted(ended)}:"
            f"\n  {_told(events)}",
            "end every index, counted from 0, with one CallCompleted or CallRejected",
        )


def _told(events: list[Event]) -> str:
    return "\n  ".join(event_line(event) for event in events)


def streamed_arguments(paradigm: ToolContextDef, reply: str, offer: ToolOffer) -> None:
    """Law 4: the joined ``ArgumentsDelta`` of a completed call parse to its arguments."""
    texts: dict[int, str] = defaultdict(str)
    for event in read_in_pieces(paradigm, reply, offer):
        if isinstance(event, ArgumentsDelta):
            texts[event.index] += event.text
        elif isinstance(event, CallCompleted):
            _check_arguments(texts[event.index], event.call, reply)


def _check_arguments(text: str, call: ToolCall, reply: str) -> None:
    try:
        same = same_value(json.loads(text), call.arguments)
    except ValueError:
        same = False
    if not same:
        raise LawBroken(
            "streaming arguments",
            f"{shown(reply)}, character by character, gives"
            f"\n  {shown(text)}\nfor the arguments\n  {shown(call.arguments)}",
            "send only what no later character can change, and send the rest at the end",
        )


def lossless(paradigm: ToolContextDef, reply: str, offer: ToolOffer) -> None:
    """Law 5: segments cover the reply exactly, and say what stands in it."""
    parsed = read_whole(paradigm, reply, offer)
    _check_covering(parsed)
    _check_places(parsed)


def _check_covering(parsed: ParsedResponse) -> None:
    at = 0
    for segment in parsed.segments:
        if segment.span.start != at or len(segment.text) != segment.span.end - at:
            break
        at = segment.span.end
    else:
        if at == len(parsed.raw):
            return
    raise LawBroken(
        "lossless",
        f"{shown(parsed.raw)} has segments that leave something out or overlap at {at}:"
        f"\n  {_listed(parsed)}",
        "give every event the span it was read from, in order and without overlap",
    )


def _check_places(parsed: ParsedResponse) -> None:
    text = "".join(s.text for s in parsed.segments if s.kind is SegmentKind.TEXT)
    raws = [call.raw for call in parsed.calls] + [problem.raw for problem in parsed.problems]
    places = [s.text for s in parsed.segments if s.kind in (SegmentKind.CALL, SegmentKind.PROBLEM)]
    if text != parsed.text or sorted(places) != sorted(raw for raw in raws if raw):
        raise LawBroken(
            "lossless",
            f"{shown(parsed.raw)} says the text {shown(parsed.text)},"
            f" calls and problems {shown(raws)}; but their spans say\n  {_listed(parsed)}",
            "the span of each text, call and problem must be its place in the reply",
        )


def _listed(parsed: ParsedResponse) -> str:
    return "\n  ".join(f"{s.kind.value} {s.text!r} @{s.span.start}" for s in parsed.segments)


def verbatim(paradigm: ToolContextDef, prose: str, offer: ToolOffer) -> None:
    """Law 13: prose in which nothing could be a marker is passed on as it is."""
    parsed = read_whole(paradigm, prose, offer)
    if parsed.text != prose:
        raise LawBroken(
            "verbatim",
            f"the prose {shown(prose)} comes out as {shown(parsed.text)}, with"
            f"\n  {_told(list(parsed.events))}",
            "pass on all of the prose, its last spaces and line ends included",
        )
