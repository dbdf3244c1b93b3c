"""A program that uses every public name, as its author would: type checkers find nothing wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toolproto import (
    Allow,
    ApprovalRequest,
    ArgumentsDelta,
    ArgumentStrings,
    AsyncChatSession,
    Attachment,
    CallCompleted,
    CallDoubted,
    CallError,
    CallProblem,
    CallRejected,
    CallStarted,
    ChatRequest,
    ChatSession,
    Chunk,
    Concern,
    CustomCall,
    Decoder,
    Defer,
    Deny,
    EndpointError,
    EndpointTimeout,
    Event,
    Grade,
    Guard,
    Hooks,
    HttpEndpoint,
    JsonCall,
    LimitReached,
    Limits,
    LocalEndpoint,
    Message,
    MessageAppended,
    NamedJson,
    NativePiece,
    NotRun,
    ParsedResponse,
    Policy,
    ProblemKind,
    PythonCall,
    Reasoning,
    ReasoningDelta,
    Recommendation,
    Repair,
    Segment,
    SegmentKind,
    Span,
    StateChanged,
    StringDelta,
    TaggedCall,
    TemplateCall,
    TextDelta,
    Tool,
    ToolCall,
    ToolContext,
    ToolContextBuilder,
    ToolContextDef,
    ToolFailed,
    ToolOffer,
    ToolOutput,
    ToolProtoError,
    ToolRegistry,
    ToolResult,
    ToolSpec,
    ToolsRefused,
    ToolStatus,
    ToolUpdated,
    TurnCancelled,
    TurnEnded,
    TurnLimits,
    TurnResult,
    TurnState,
    TurnTimeout,
    Usage,
    UsageError,
    WireError,
    WireFormat,
    WireParadigm,
    XmlCall,
    check_call,
    counted_ids,
    document,
    get_paradigm,
    image,
    list_paradigms,
    merge,
    parse_any,
    recommend,
    register_paradigm,
    tool,
)


@tool
def get_weather(city: str, days: int = 1) -> str:
    """The weather."""
    if not city:
        raise ToolFailed("a city has a name")
    return f"sunny in {city} for {days}"


@tool(risk="write", timeout=3.0, ordering="in_order")
async def save(text: str, context: ToolContext) -> ToolOutput:
    """Keep a note."""
    if await context.aask("really?"):
        return ToolOutput({"saved": text}, title="a note")
    return ToolOutput("no")


def count(text: str) -> int:
    return len(text)


said: str = get_weather("Oslo", days=2)
by_hand: Callable[[str, int], str] = get_weather
elsewhere: Tool = Tool.from_schema("ask", "Asks a person.", {"type": "object"})
counted: Tool[[str], int] = Tool.from_function(count, name="counted")
registry = ToolRegistry([get_weather, save, elsewhere])
offer: ToolOffer = registry.offer(choice="auto", parallel=False)
spec: ToolSpec = get_weather.spec


@register_paradigm
class Program(WireParadigm):
    """``[[{"tool": …}]]``."""

    name = "typing_program"
    wire = WireFormat(call=("[[", "]]"), payload=JsonCall(name="tool"))


payloads = (NamedJson(), PythonCall(), TaggedCall(), XmlCall(), JsonCall(listed=True))
phrased = WireFormat(call=("CALL ", "END"), payload=TemplateCall("{name} WITH {arguments} "))
custom = WireFormat(
    call=("<<", ">>"), payload=CustomCall(lambda call: call.name, lambda text: (text, {}))
)


def approve(request: ApprovalRequest) -> Allow | Deny | Defer:
    worries: tuple[Concern, ...] = request.concerns
    if request.risk == "write" and not worries:
        return Allow(always=True)
    return Deny("not today") if request.call.arguments else Defer()


class Counting(Hooks):
    """Counts chunks."""

    chunks = 0

    def on_stream_data(self, data: object) -> None:
        self.chunks += 1


def events_of(decoder: Decoder, pieces: list[str]) -> Iterator[Event]:
    strings = ArgumentStrings()
    for piece in pieces:
        for event in decoder.feed(piece):
            match event:
                case ArgumentsDelta(text=text):
                    deltas: list[StringDelta] = strings.feed(text)
                    assert all(isinstance(delta.path, tuple) for delta in deltas)
                case CallStarted() | CallCompleted() | CallRejected():
                    assert event.index >= 0
                case CallDoubted(index=index, place=place):
                    assert index >= 0
                    assert place
                case TextDelta() | ReasoningDelta():
                    assert event.text
            yield event
    yield from merge(decoder.finish("stop"))


def read_replies() -> str:
    paradigm: ToolContextDef = get_paradigm("hermes", reasoning=Reasoning(), limits=Limits(depth=8))
    call = ToolCall("get_weather", {"city": "Oslo"}, counted_ids()())
    parsed: ParsedResponse = paradigm.parse_response(paradigm.encode_call(call), offer)
    checked: ToolCall | CallProblem = check_call(parsed.calls[0], offer)
    if isinstance(checked, CallProblem):
        kind: ProblemKind = checked.kind
        return kind.value
    repairs: list[Repair] = [each for each in checked.repairs if each.grade is Grade.GUESSED]
    spans: list[Span] = [each.span for each in parsed.segments if each.kind is SegmentKind.TEXT]
    first: Segment | None = parsed.segments[0] if parsed.segments else None
    advice: Recommendation = recommend("qwen3")
    anything: ParsedResponse = parse_any("get_weather(city='Oslo')", offer)
    try:
        parsed.raise_for_problems()
    except CallError as error:
        return str(error.problem)
    told = paradigm.encode_results([ToolResult(checked, "sunny")])
    list(events_of(paradigm.decoder(offer), ["a", "b"]))
    return f"{told} {repairs} {spans} {first} {advice.paradigm} {anything.calls} {list_paradigms()}"


@dataclass
class Place:
    """Somewhere."""

    name: str


def answer(request: ChatRequest) -> Iterator[Chunk]:
    asked = request.messages[-1].content
    listed = "[]" if '"value"' in request.messages[0].content else '{"name": "Oslo"}'
    said = listed if asked == "where?" else asked
    yield Chunk(said, finish_reason="stop", usage=Usage(1, 1))


def chat() -> str:
    endpoint = HttpEndpoint("http://127.0.0.1:1/v1", model="m", params={"temperature": 0})
    local: type[LocalEndpoint] = LocalEndpoint
    builder = ToolContextBuilder("Be brief.", rules={"get_*": "Ask first."})
    with ChatSession(
        answer,
        Program(),
        registry,
        system=builder,
        approver=approve,
        policy=Policy(),
        limits=TurnLimits(requests=3),
        guard=Guard(echo=False),
        hooks=[Counting()],
    ) as session:
        result: TurnResult = session.send("hi", choice="auto", without=["save"])
        skipped: tuple[NotRun, ...] = result.not_run
        print(len(skipped), NativePiece(0, name="now").arguments)
        usage: Usage = result.raise_for_status().usage
        with session.stream(Message("user", "look", attachments=(Attachment("image/png"),))) as all:
            for event in all:
                match event:
                    case TextDelta(text=text):
                        print(text)
                    case ToolUpdated(call=call, status=ToolStatus.COMPLETED):
                        print(call.name)
                    case StateChanged(snapshot=snapshot):
                        assert snapshot.state in TurnState
                    case MessageAppended() | TurnEnded():
                        pass
                    case _:
                        pass
        place: Place = session.send("where?", output=Place).output
        places: list[Place] = session.send("where?", output=list[Place]).output
        nothing: None = session.send("hi").output
        seen: TurnResult = session.send(["What is it?", image(b"GIF89a"), document(b"%PDF-1")])
        words: list[str] = [piece.upper() for piece in session.stream_text("hi")]
    return f"{result.text} {usage} {words} {endpoint} {local} {place.name} {places} {nothing}{seen}"


async def chat_later() -> str:
    async with AsyncChatSession(answer, "xml_tag", [get_weather]) as session:
        try:
            async for piece in session.stream_text("hi", params={"seed": 1}):
                print(piece.upper())
            return (await session.send("and now?")).text
        except (EndpointTimeout, ToolsRefused, WireError, EndpointError, LimitReached) as error:
            return str(error)
        except (TurnTimeout, TurnCancelled, UsageError, ToolProtoError):
            raise


if __name__ == "__main__":
    print(said, by_hand("Rome", 1), counted("x"), payloads, spec, read_replies(), chat())
    print(asyncio.run(chat_later()))
