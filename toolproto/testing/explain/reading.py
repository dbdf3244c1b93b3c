"""How a paradigm reads one reply, and why each call in it was taken as it was."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import takewhile

from ...protocol.decoding.reply.attempts import PassedOver
from ...protocol.decoding.reply.landmarks import LEAKS
from ...protocol.decoding.reply.thinking_tokens import Reasoning
from ...protocol.errors import UsageError
from ...protocol.events import merge
from ...protocol.guard.concerns import Concern
from ...protocol.guard.echo import doubted_echo, echo_of
from ...protocol.guard.levels import STANDARD
from ...protocol.guard.taint import Sources
from ...protocol.messages import CallProblem, Grade, Span, ToolCall, counted_ids
from ...protocol.paradigms.base import NO_TOOLS, ToolContextDef
from ...protocol.paradigms.parsed import ParsedResponse, Segment, SegmentKind
from ...protocol.tools.check_run import check_run
from ...protocol.tools.define import Tool
from ...protocol.tools.offers import Offerable, offer_and_tools
from ...protocol.tools.spec import ToolOffer, ToolSpec
from .alone import paradigms_code
from .ignored import ignored_calls
from .streaming import steps_of
from .values import Explanation, Finding, Part, PartKind, Verdict

__all__ = ["explain_reply"]


def explain_reply(
    reply: str,
    paradigm: ToolContextDef,
    tools: Offerable = NO_TOOLS,
    *,
    finish_reason: str | None = None,
    chunks: Sequence[str] = (),
    strangers: Sequence[str] = (),
) -> Explanation:
    """How *paradigm* reads *reply*, to the last character.

    With *tools*, each call is also checked against them as the chat loop does; given the tools
    themselves, their risks count, too. *finish_reason* is ``"length"`` for a reply that was cut.
    With *chunks*, which join to the reply, it is also told what came out at which of them. A call
    that stands word for word in what *strangers* wrote before is doubted, and it is told which of
    its arguments come from there, unless it is known to do no more than read.
    """
    offer, known = offer_and_tools(tools)
    paradigm = copy(paradigm)
    paradigm.ids = counted_ids()
    heard = Sources()
    for text in strangers:
        heard.strangers.add("a stranger", text)
    with paradigms_code("decoder"):
        decoder = paradigm.decoder(offer)
        events = merge([*decoder.feed(reply), *decoder.finish(finish_reason)])
        # Somebody else's decoder may not say what it passed over.
        passed_over: Sequence[PassedOver] = getattr(decoder, "passed_over", ())
        parsed = ParsedResponse(reply, tuple(events))
        steps = tuple(steps_of(reply, paradigm, offer, chunks, finish_reason))
        ignored, searched = ignored_calls(parsed, paradigm, offer, passed_over)
    findings = sorted(
        [*_told(parsed, paradigm, offer, known, heard), *ignored], key=lambda f: f.span
    )
    parts = tuple(_parts(parsed, findings, paradigm))
    if "".join(part.text for part in parts) != reply:
        raise UsageError(
            f"the paradigm {paradigm.name!r} breaks the law that nothing is lost: the spans of its"
            " events do not cover this reply"
        )
    return Explanation(paradigm.name, reply, parts, tuple(findings), finish_reason, searched, steps)


def _told(
    parsed: ParsedResponse,
    paradigm: ToolContextDef,
    offer: ToolOffer,
    known: dict[str, Tool],
    heard: Sources,
) -> Iterator[Finding]:
    """What the decoder told of: calls, as they would run, and problems."""
    for problem in parsed.problems:
        yield _rejected(problem, paradigm)
    for read in parsed.calls:
        call = doubted_echo(read, echo_of(read, heard.strangers))
        found = _checked(call, offer, known)
        if isinstance(found, CallProblem):
            yield _rejected(found, paradigm, read)
        else:
            concerns = _concerns(found, offer, known, heard)
            yield Finding(_verdict(found), found.span, found, concerns=concerns)


def _concerns(
    call: ToolCall, offer: ToolOffer, known: dict[str, Tool], heard: Sources
) -> tuple[Concern, ...]:
    """What of *call* is a stranger's, unless all of it is. What the user said is not known here."""
    if call.is_echoed:
        return ()
    spec = offer.get(call.name) or ToolSpec("unknown", "", {})
    tool = known.get(call.name) or Tool(spec, risk="write")
    concerns = heard.concerns(call, tool, STANDARD)
    return tuple(each for each in concerns if each.kind == "argument")


def _verdict(call: ToolCall) -> Verdict:
    if call.doubt:
        return Verdict.DOUBTED
    return Verdict.REPAIRED if call.repairs else Verdict.ACCEPTED


def _checked(call: ToolCall, offer: ToolOffer, tools: dict[str, Tool]) -> ToolCall | CallProblem:
    """*call* as the chat loop would run it, or what is wrong with it.

    Without any tool on offer, only what the text itself says counts.
    """
    return check_run(call, offer, tools) if offer.tools or call.grade is Grade.TRUNCATED else call


def _rejected(
    problem: CallProblem, paradigm: ToolContextDef, call: ToolCall | None = None
) -> Finding:
    told = paradigm.format_problem(problem)
    return Finding(Verdict.REJECTED, problem.span, call, problem, told)


# -- the reply in parts -------------------------------------------------------------------

_TOKENS = re.compile("|".join(map(re.escape, LEAKS)))


def _parts(
    parsed: ParsedResponse, findings: Sequence[Finding], paradigm: ToolContextDef
) -> Iterator[Part]:
    numbers = {each.span: number for number, each in enumerate(findings)}
    ignored = [each.span for each in findings if each.verdict is Verdict.IGNORED]
    segments = parsed.segments
    for segment in segments:
        thought, last = segment.kind is SegmentKind.REASONING, segment is segments[-1]
        kind = PartKind.THINKING if thought else PartKind(segment.kind.value)
        markup = kind is PartKind.MARKUP
        note = _markup_note(segment.text, paradigm.reasoning, last=last) if markup else ""
        for span, is_ignored in _cut(segment, ignored):
            text = parsed.raw[span.start : span.end]
            if is_ignored:
                yield Part(PartKind.IGNORED, text, span, numbers[span])
            else:
                yield Part(kind, text, span, numbers.get(segment.span), note)


def _cut(segment: Segment, ignored: Sequence[Span]) -> Iterator[tuple[Span, bool]]:
    """The spans of *segment*, and whether each is one of *ignored*."""
    at, end = segment.span
    first = bisect_left(ignored, segment.span.start, key=lambda span: span.start)
    for span in takewhile(lambda span: span.end <= end, ignored[first:]):
        if span.start > at:
            yield Span(at, span.start), False
        yield span, True
        at = span.end
    if at < end:
        yield Span(at, end), False


def _markup_note(text: str, reasoning: Reasoning, *, last: bool) -> str:
    """What kind of markup *text* is; the *last* part of a reply may have been cut off."""
    lowered = text.lower()
    if not text.strip():
        return "space between calls"
    beside = _TOKENS.sub("", text)
    if beside != text:
        cut = ", and what was cut off after them" if last and beside.strip() else ""
        return f"tokens of a chat template{cut}"
    if any(tag.strip().lower() in lowered for pair in reasoning.tags for tag in pair):
        return "tags around thinking"
    if "```" in text or "~~~" in text:
        return "a code fence around calls, with their markers"
    return "markers of calls"
