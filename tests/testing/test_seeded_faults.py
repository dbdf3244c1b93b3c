"""A correct paradigm, broken in one way after another: a law catches each, and names itself."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, ClassVar

import pytest

from toolproto import (
    CustomCall,
    JsonCall,
    ToolCall,
    ToolOffer,
    ToolResult,
    ToolSpec,
    WireFormat,
    WireParadigm,
)
from toolproto.protocol.decoding.contract import Decoder
from toolproto.protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallDoubted,
    CallRejected,
    Event,
    TextDelta,
)
from toolproto.protocol.messages import CallProblem, Span
from toolproto.protocol.paradigms import ParsedResponse
from toolproto.protocol.paradigms.base import NO_TOOLS
from toolproto.testing import LAWS, LawBroken, ParadigmLaws


class Bracket(WireParadigm):
    """``[[call {"tool": …, "with": {…}}]]``: as it should be."""

    name = "bracket"
    wire = WireFormat(call=("[[call ", "]]"), payload=JsonCall(name="tool", arguments="with"))


class TestAsItShouldBe(ParadigmLaws):
    paradigm = Bracket()
    examples = 10
    size = 800


# -- ways to go wrong while reading ---------------------------------------------------------


@dataclass
class Tampered:
    """A decoder whose chunks, events or end somebody changes."""

    decoder: Decoder
    chunk: Callable[[str], str] = str
    event: Callable[[Event], Iterable[Event]] = lambda event: [event]
    end: Callable[[Decoder, str | None], list[Event]] = lambda decoder, reason: decoder.finish(
        reason
    )

    def feed(self, chunk: str) -> list[Event]:
        return self._changed(self.decoder.feed(self.chunk(chunk)))

    def finish(self, reason: str | None = None) -> list[Event]:
        return self._changed(self.end(self.decoder, reason))

    def _changed(self, events: list[Event]) -> list[Event]:
        return [other for event in events for other in self.event(event)]


def reading(**changes: Any) -> type[Bracket]:
    """Bracket with a tampered decoder; *changes* are made anew for every decoder."""

    class Faulty(Bracket):
        def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
            made = {name: change() for name, change in changes.items()}
            return Tampered(super().decoder(offer), **made)

    return Faulty


def on_call(change: Callable[[ToolCall], ToolCall]) -> Callable[[], Any]:
    def changed(event: Event) -> list[Event]:
        is_call = isinstance(event, CallCompleted)
        return [CallCompleted(event.index, change(event.call)) if is_call else event]

    return lambda: changed


def on_values(change: Callable[[Any], Any]) -> Callable[[], Any]:
    """Another value for each argument, in the call and in what was streamed of it."""

    def changed(call: ToolCall) -> ToolCall:
        values = {key: change(value) for key, value in call.arguments.items()}
        return replace(call, arguments=values)

    return on_call(changed)


def without_spaces_at_edges() -> Callable[[str], str]:
    seen: list[str] = []

    def change(chunk: str) -> str:
        seen.append(chunk)
        return chunk.lstrip(" ") if len(seen) > 1 else chunk

    return change


def evaluated(value: Any) -> Any:
    try:
        return ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError, MemoryError):
        return value


def without_repeated() -> Callable[[Event], Iterable[Event]]:
    seen: list[ToolCall] = []

    def change(event: Event) -> Iterable[Event]:
        if isinstance(event, CallCompleted):
            if event.call in seen:
                return []
            seen.append(event.call)
        return [event]

    return change


def scanning_all() -> Callable[[str], str]:
    read: list[str] = []

    def change(chunk: str) -> str:
        read.append(chunk)
        re.findall(r"\[\[call", "".join(read))
        return chunk

    return change


@dataclass
class EndsAtFirstCloser:
    """Looks for the closer as if no string could hold it."""

    decoder: Decoder
    text: str = ""

    def feed(self, chunk: str) -> list[Event]:
        self.text += chunk
        return []

    def finish(self, reason: str | None = None) -> list[Event]:
        head, closer, tail = self.text.partition("]]")
        events = self.decoder.feed(head + closer) + self.decoder.finish(reason)
        start = len(head + closer)
        return [*events, TextDelta(tail, Span(start, start + len(tail)))] if tail else events


class EndsAtQuotedCloser(Bracket):
    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        return EndsAtFirstCloser(super().decoder(offer))


@dataclass
class HoldsBack:
    """Says nothing before the end."""

    decoder: Decoder
    held: list[Event] = field(default_factory=list)

    def feed(self, chunk: str) -> list[Event]:
        self.held += self.decoder.feed(chunk)
        return []

    def finish(self, reason: str | None = None) -> list[Event]:
        return self.held + self.decoder.finish(reason)


class HoldsBackProse(Bracket):
    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        return HoldsBack(super().decoder(offer))


@dataclass
class EightAtATime:
    """Takes short chunks together once a reply has become long."""

    decoder: Decoder
    length: int = 0
    kept: list[str] = field(default_factory=list)

    def feed(self, chunk: str) -> list[Event]:
        self.length += len(chunk)
        self.kept.append(chunk)
        if self.length > 1000 and len(self.kept) < 8:
            return []
        return self._let_go()

    def finish(self, reason: str | None = None) -> list[Event]:
        return self._let_go() + self.decoder.finish(reason)

    def _let_go(self) -> list[Event]:
        text = "".join(self.kept)
        self.kept.clear()
        return self.decoder.feed(text)


class HoldsBackArguments(Bracket):
    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        return EightAtATime(super().decoder(offer))


@dataclass
class OneBehind:
    """Keeps the last character of a chunk for the next, in a place that others use as well."""

    decoder: Decoder
    kept: list[str]

    def feed(self, chunk: str) -> list[Event]:
        text = "".join((*self.kept, chunk))
        self.kept[:] = [text[-1:]]
        return self.decoder.feed(text[:-1])

    def finish(self, reason: str | None = None) -> list[Event]:
        last = self.decoder.feed("".join(self.kept))
        self.kept.clear()
        return last + self.decoder.finish(reason)


class SharesState(Bracket):
    kept: ClassVar[list[str]] = []

    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        return OneBehind(super().decoder(offer), self.kept)


class ReadsTwice(Bracket):
    def parse_response(self, text: str, offer: ToolOffer = NO_TOOLS) -> ParsedResponse:
        return super().parse_response(text.strip(), offer)


def without_raw(event: Event) -> list[Event]:
    if isinstance(event, CallRejected):
        return [CallRejected(event.index, replace(event.problem, raw=""))]
    return [event]


def always_first(event: Event) -> list[Event]:
    return [event if isinstance(event, TextDelta) else replace(event, index=0)]


def doubted_twice(event: Event) -> list[Event]:
    if not isinstance(event, CallCompleted):
        return [event]
    return [event, *[CallDoubted(event.index, "sentence")] * 2]


def closed(decoder: Decoder, reason: str | None) -> list[Event]:
    return decoder.feed('"}}]]') + decoder.finish("stop")


# -- ways to go wrong while writing ---------------------------------------------------------


class RepeatsIds(Bracket):
    def __init__(self) -> None:
        super().__init__(ids=lambda: "call_1")


class WritesPython(Bracket):
    def encode_call(self, call: ToolCall) -> str:
        return f"[[call { ({'tool': call.name, 'with': dict(call.arguments)})!r}]]"


class ForgetsAnArgument(Bracket):
    def instructions(self, offer: ToolOffer) -> str:
        return super().instructions(offer).replace("content", "…")


class CountsItsInstructions(Bracket):
    numbers = count()

    def instructions(self, offer: ToolOffer) -> str:
        return f"{super().instructions(offer)}\n\nPrompt {next(self.numbers)}."


class SplicesAgain(Bracket):
    def splice_system_prompt(self, prompt: str, offer: ToolOffer) -> str:
        return f"{prompt}\n\n{self.instructions(offer)}"


class SpeltOut(Bracket):
    """JSON in hexadecimal, where a call that was cut is text."""

    wire = WireFormat(
        call=("<hex>", "</hex>"),
        payload=CustomCall(
            lambda call: json.dumps([call.name, dict(call.arguments)]).encode().hex(),
            lambda text: tuple(json.loads(bytes.fromhex(text))),
        ),
    )

    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        decoder = super().decoder(offer)

        class Careless:
            feed = decoder.feed

            def finish(self, reason: str | None = None) -> list[Event]:
                return decoder.finish()

        return Careless()


class AnswersNobody(Bracket):
    def encode_results(self, results: Sequence[ToolResult]) -> str:
        return "\n".join(f"{'Error: ' * result.is_error}{result.content}" for result in results)


class HidesErrors(Bracket):
    def encode_results(self, results: Sequence[ToolResult]) -> str:
        return super().encode_results([replace(result, is_error=False) for result in results])


class KeepsTheReasonToItself(Bracket):
    def format_problem(self, problem: CallProblem) -> str:
        return "That was wrong. Try again."


class StopsAtItsCloser(Bracket):
    def stop(self, offer: ToolOffer) -> tuple[str, ...]:
        return ("]]",)


class ShowsResultsAsTheyCame(Bracket):
    def encode_results(self, results: Sequence[ToolResult]) -> str:
        return "\n".join(f"{each.call.name} {each.is_error}: {each.content}" for each in results)


class OffersOthersTools(Bracket):
    def grammar(self, offer: ToolOffer) -> Any:
        extra = ToolSpec("rm", "", {"type": "object", "properties": {}})
        return super().grammar(replace(offer, tools=(*offer.tools, extra)))


class WantsEveryArgument(Bracket):
    def grammar(self, offer: ToolOffer) -> Any:
        return super().grammar(replace(offer, tools=tuple(map(_with_all, offer.tools))))


def _with_all(tool: ToolSpec) -> ToolSpec:
    return replace(tool, parameters={**tool.parameters, "required": list(tool.properties)})


FAULTS: dict[str, tuple[str, type[Bracket]]] = {
    "lets a tool be called that nobody offered": ("grammar", OffersOthersTools),
    "demands what is optional": ("grammar", WantsEveryArgument),
    "drops a character at a chunk edge": ("chunking", reading(chunk=without_spaces_at_edges)),
    "reads whole replies another way": ("chunking", ReadsTwice),
    "ends at a quoted closer": ("round trip", EndsAtQuotedCloser),
    "loses a newline": (
        "round trip",
        reading(event=on_values(lambda v: v.rstrip("\n") if isinstance(v, str) else v)),
    ),
    "evaluates a literal": ("round trip", reading(event=on_values(evaluated))),
    "makes floats of numbers": (
        "round trip",
        reading(event=on_values(lambda v: float(v) if type(v) is int else v)),
    ),
    "lower-cases keys": (
        "round trip",
        reading(
            event=on_call(
                lambda c: replace(c, arguments={k.lower(): v for k, v in c.arguments.items()})
            )
        ),
    ),
    "drops unicode escapes": (
        "round trip",
        reading(chunk=lambda: lambda chunk: re.sub(r"\\u[0-9a-f]{4}", "", chunk)),
    ),
    "writes what needs a repair": ("round trip", WritesPython),
    "raises on a lone surrogate": (
        "totality",
        reading(chunk=lambda: lambda chunk: chunk.encode().decode()),
    ),
    "loses a call's index": ("totality", reading(event=lambda: always_first)),
    "leaves a call open": (
        "totality",
        reading(event=lambda: lambda event: [] if isinstance(event, CallRejected) else [event]),
    ),
    "gives another id at the end": (
        "totality",
        reading(event=on_call(lambda call: replace(call, id=f"{call.id}b"))),
    ),
    "doubts a call twice": ("totality", reading(event=lambda: doubted_twice)),
    "streams pieces that do not join": (
        "streaming arguments",
        reading(
            event=lambda: (
                lambda event: (
                    [replace(event, text=event.text.replace(" ", ""))]
                    if isinstance(event, ArgumentsDelta)
                    else [event]
                )
            )
        ),
    ),
    "swallows a rejected call's raw text": ("lossless", reading(event=lambda: without_raw)),
    "is wrong by one in its spans": (
        "lossless",
        reading(
            event=on_call(lambda call: replace(call, span=Span(call.span.start, call.span.end + 1)))
        ),
    ),
    "holds prose back": ("promptness", HoldsBackProse),
    "takes pieces of arguments together": ("promptness", HoldsBackArguments),
    "scans all it has read again": ("linearity", reading(chunk=scanning_all)),
    "forgets a required argument": ("teaching", ForgetsAnArgument),
    "changes its instructions": ("teaching", CountsItsInstructions),
    "splices a second block": ("teaching", SplicesAgain),
    "gives results without names": ("teaching", AnswersNobody),
    "tells errors like results": ("teaching", HidesErrors),
    "keeps a problem's reason to itself": ("teaching", KeepsTheReasonToItself),
    "runs quoted calls": (
        "inertness",
        reading(chunk=lambda: lambda chunk: re.sub("^> |`", "", chunk, flags=re.MULTILINE)),
    ),
    "drops a call that is like another": ("sequence", reading(event=without_repeated)),
    "gives ids out twice": ("sequence", RepeatsIds),
    "shares state between decoders": ("freshness", SharesState),
    "strips white space": (
        "verbatim",
        reading(
            event=lambda: (
                lambda event: (
                    [replace(event, text=event.text.rstrip())]
                    if isinstance(event, TextDelta)
                    else [event]
                )
            )
        ),
    ),
    "takes a cut call for a whole one": ("truncation", reading(end=lambda: closed)),
    "takes a cut call for text": ("truncation", SpeltOut),
    "stops in the middle of a call": ("stopping", StopsAtItsCloser),
    "takes quotation marks for nothing": (
        "place",
        reading(chunk=lambda: lambda chunk: re.sub("[“”]", "", chunk)),
    ),
    "shows results as they came": ("neutrality", ShowsResultsAsTheyCame),
}


class Suite(ParadigmLaws):
    """Not collected by its name: the tests below call its methods."""

    examples = 25
    size = 4_000


@pytest.mark.parametrize("fault", FAULTS)
def test_a_law_catches_it_and_says_which(fault: str) -> None:
    law, faulty = FAULTS[fault]
    suite = Suite()
    suite.paradigm = faulty()  # type: ignore[misc]
    with pytest.raises(LawBroken) as caught:
        getattr(suite, f"test_{law.replace(' ', '_')}")()
    said = str(caught.value)
    assert caught.value.law == law
    assert re.match(rf"{law} \(law \d+\): ", said)
    assert "\n→ " in said


def test_there_are_faults_enough_and_one_for_every_law() -> None:
    assert len(FAULTS) >= 20
    assert {law for law, _ in FAULTS.values()} == set(LAWS)
