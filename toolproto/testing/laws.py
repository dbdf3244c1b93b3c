"""The laws that every paradigm keeps, as functions that raise :class:`LawBroken`.

Each takes a paradigm and one case; what cases to try is the caller's business (the project's
own tests draw them with Hypothesis). A message names the law, shows the smallest facts that
contradict it, and says what to change.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..events import (
    ArgumentsDelta,
    CallCompleted,
    CallRejected,
    CallStarted,
    Event,
    TextDelta,
    merge,
)
from ..messages import CallProblem, ProblemKind, ToolCall, ToolResult
from ..paradigms.base import ToolContextDef
from ..paradigms.parsed import SegmentKind
from ..tools.spec import ToolOffer, ToolSpec

__all__ = [
    "LAWS",
    "LawBroken",
    "chunking",
    "inertness",
    "linearity",
    "lossless",
    "promptness",
    "round_trip",
    "streamed_arguments",
    "teaching",
    "totality",
]

#: More prose than this may not be held back, whatever the paradigm's markers.
LONGEST_HOLD = 256


class LawBroken(AssertionError):
    """A paradigm breaks a law; the message says which, how, and what to change."""

    def __init__(self, law: str, what: str, remedy: str) -> None:
        super().__init__(f"{law}: {what}\n→ {remedy}")
        self.law = law


def round_trip(paradigm: ToolContextDef, call: ToolCall, offer: ToolOffer) -> None:
    """Law 1: reading what ``encode_call`` wrote gives the call.

    A form without quotes needs the tool's schema to tell 3 from "3": where *offer* has no tool
    that fits, one that does is added to it.
    """
    written = paradigm.encode_call(call)
    parsed = paradigm.parse_response(written, _fitting(offer, call))
    if parsed.calls != [call] or parsed.problems or parsed.text.strip():
        raise LawBroken(
            "round trip",
            f"{written!r} reads as {parsed.calls!r}, {parsed.problems!r}, text {parsed.text!r}",
            "make encode_call escape what decoder looks for, or decoder end by the payload",
        )
    if parsed.calls[0].repairs:
        raise LawBroken(
            "round trip",
            f"{written!r} needs repairs: {parsed.calls[0].repairs!r}",
            "encode_call must write exactly the form that decoder calls plain",
        )


_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}


def _fitting(offer: ToolOffer, call: ToolCall) -> ToolOffer:
    """*offer* with a tool that takes *call*."""
    kinds = {key: _TYPES.get(type(value), "object") for key, value in call.arguments.items()}
    kinds = {key: "null" if call.arguments[key] is None else kind for key, kind in kinds.items()}
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    tool = ToolSpec(call.name, "", {"type": "object", "properties": properties})
    others = tuple(each for each in offer.tools if each.name != call.name)
    return ToolOffer((*others, tool), offer.choice, offer.parallel)


def read_in_pieces(
    paradigm: ToolContextDef, pieces: Iterable[str], offer: ToolOffer, reason: str | None = None
) -> list[Event]:
    """The merged events of a reply that came in *pieces*."""
    decoder = paradigm.decoder(offer)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return merge([*events, *decoder.finish(reason)])


def chunking(paradigm: ToolContextDef, reply: str, cuts: Sequence[int], offer: ToolOffer) -> None:
    """Law 2: any split of a reply merges to the same events."""
    places = sorted({cut % (len(reply) + 1) for cut in cuts})
    ends = [*places, len(reply)]
    pieces = [reply[start:end] for start, end in zip([0, *places], ends, strict=True)]
    whole = read_in_pieces(paradigm, [reply], offer)
    split = read_in_pieces(paradigm, pieces, offer)
    if split != whole:
        raise LawBroken(
            "chunking",
            f"{pieces!r} reads as\n  {split!r}\nbut in one piece as\n  {whole!r}",
            "decide by position in the text: hold back what more text could change",
        )


def totality(paradigm: ToolContextDef, text: str, offer: ToolOffer) -> None:
    """Law 3: any text gives events, and no exception; each index ends exactly once."""
    try:
        events = read_in_pieces(paradigm, [text], offer)
    except Exception as error:
        raise LawBroken(
            "totality", f"{text!r} raises {error!r}", "turn the model's mistakes into CallRejected"
        ) from error
    _check_order(events, text)


def _check_order(events: list[Event], text: str) -> None:
    open_calls: set[int] = set()
    ended: set[int] = set()
    for event in events:
        match event:
            case CallStarted(index=index) if index not in open_calls | ended:
                open_calls.add(index)
            case ArgumentsDelta(index=index) if index in open_calls:
                pass
            case CallCompleted(index=index) if index in open_calls:
                open_calls.remove(index)
                ended.add(index)
            case CallRejected(index=index) if index not in ended:
                open_calls.discard(index)
                ended.add(index)
            case CallStarted() | ArgumentsDelta() | CallCompleted() | CallRejected():
                raise LawBroken(
                    "totality", f"{text!r} gives {event!r} out of order", "see events.py"
                )
    if open_calls or ended != set(range(len(ended))):
        raise LawBroken(
            "totality",
            f"{text!r} leaves calls {sorted(open_calls)} open, ends {sorted(ended)}",
            "end every index, counted from 0, with one CallCompleted or CallRejected",
        )


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
        same = json.loads(text) == call.arguments
    except ValueError:
        same = False
    if not same:
        raise LawBroken(
            "streaming arguments",
            f"{reply!r} hands out {text!r} for {call.arguments!r}",
            "hand out only what no later character can change, and complete it at the end",
        )


def lossless(paradigm: ToolContextDef, reply: str, offer: ToolOffer) -> None:
    """Law 5: segments cover the reply exactly, and say what stands in it."""
    parsed = paradigm.parse_response(reply, offer)
    segments = parsed.segments
    covered = "".join(segment.text for segment in segments)
    at = 0
    for segment in segments:
        if segment.span.start != at:
            covered = ""
        at = segment.span.end
    if covered != reply:
        raise LawBroken(
            "lossless",
            f"{reply!r} falls into {segments!r}",
            "give every event the span it was read from, in order and without overlap",
        )
    text = "".join(s.text for s in segments if s.kind is SegmentKind.TEXT)
    raws = [call.raw for call in parsed.calls] + [problem.raw for problem in parsed.problems]
    shown = [s.text for s in segments if s.kind in (SegmentKind.CALL, SegmentKind.PROBLEM)]
    if text != parsed.text or sorted(shown) != sorted(raw for raw in raws if raw):
        raise LawBroken(
            "lossless",
            f"{reply!r}: text {parsed.text!r}, calls and problems {raws!r}, but {segments!r}",
            "spans must be where the text and the raw text of calls and problems stand",
        )


def promptness(paradigm: ToolContextDef, prose: str, offer: ToolOffer) -> None:
    """Law 6: prose is held back by less than the longest marker."""
    decoder = paradigm.decoder(offer)
    said = 0
    for read, char in enumerate(prose, 1):
        said += sum(len(e.text) for e in decoder.feed(char) if isinstance(e, TextDelta))
        if read - said > LONGEST_HOLD:
            raise LawBroken(
                "promptness",
                f"{read - said} characters are held back behind {prose[:read][-80:]!r}",
                "hold back only what may still become a marker",
            )


def linearity(
    paradigm: ToolContextDef,
    grow: Callable[[int], str],
    offer: ToolOffer,
    *,
    clock: Callable[[], float],
    size: int = 50_000,
    attempts: int = 5,
) -> None:
    """Law 7: the work for 2n characters is at most 2.3 times that for n.

    *grow* makes a reply of about the given size. Clocks are noisy, so the law is broken only if
    it is in every attempt.
    """
    ratio = 0.0
    for _ in range(attempts):
        small, large = (_cost(paradigm, grow(n), offer, clock) for n in (size, 2 * size))
        ratio = large / max(small, 1e-9)
        if ratio <= 2.3:
            return
    raise LawBroken(
        "linearity",
        f"twice the text took {ratio:.1f} times as long: {grow(80)!r} …",
        "never read again what was read; search on from where you stopped",
    )


def _cost(
    paradigm: ToolContextDef, reply: str, offer: ToolOffer, clock: Callable[[], float]
) -> float:
    pieces = [reply[at : at + 4] for at in range(0, len(reply), 4)]
    costs = []
    for _ in range(3):
        decoder = paradigm.decoder(offer)
        start = clock()
        for piece in pieces:
            decoder.feed(piece)
        decoder.finish()
        costs.append(clock() - start)
    return min(costs)


def teaching(paradigm: ToolContextDef, offer: ToolOffer, results: Sequence[ToolResult]) -> None:
    """Law 8: instructions name every tool and required argument; results name or order calls."""
    instructions = paradigm.instructions(offer)
    wanted = [name for tool in offer.tools for name in (tool.name, *tool.required)]
    missing = [name for name in wanted if name not in instructions]
    if missing:
        raise LawBroken(
            "teaching", f"the instructions do not name {missing!r}", "show every tool's own call"
        )
    if paradigm.instructions(offer) != instructions:
        raise LawBroken("teaching", "the instructions change from call to call", "make them stable")
    once = paradigm.splice_system_prompt("Be kind.", offer)
    if paradigm.splice_system_prompt(once, offer) != once:
        raise LawBroken("teaching", "splicing twice differs from once", "replace the earlier block")
    body = paradigm.encode_results(results)
    for result in results:
        if result.call.name not in body and result.call.id not in body:
            raise LawBroken(
                "teaching", f"{body!r} does not say what it answers", "name the call of each result"
            )


def inertness(paradigm: ToolContextDef, offer: ToolOffer, results: Sequence[ToolResult]) -> None:
    """Law 10: instructions, results and problems, quoted by the model, run nothing."""
    problem = CallProblem(ProblemKind.MALFORMED, "there is no JSON in it")
    texts = (
        paradigm.instructions(offer),
        paradigm.encode_results(results),
        paradigm.format_problem(problem),
        *(message.content for message in paradigm.examples(offer)),
    )
    for text in texts:
        for quoted in _quotations(text):
            calls = paradigm.parse_response(quoted, offer).calls
            if calls:
                raise LawBroken(
                    "inertness",
                    f"{quoted!r} runs {calls!r}",
                    "a call in a quotation is shown, not meant",
                )


def _quotations(text: str) -> list[str]:
    block = "\n".join(f"> {line}" for line in text.split("\n"))
    fence = "`" * 8
    return [
        block,
        f"{fence}\n{text}\n{fence}\nThat is what I was told.",
        f"<think>\n{text}\n</think>\nNothing to do.",
    ]


LAWS: dict[str, Callable[..., Any]] = {
    "round trip": round_trip,
    "chunking": chunking,
    "totality": totality,
    "streaming arguments": streamed_arguments,
    "lossless": lossless,
    "promptness": promptness,
    "linearity": linearity,
    "teaching": teaching,
    "inertness": inertness,
}
