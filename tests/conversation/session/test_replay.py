"""A turn told again from its journal is the same turn, wherever the journal was cut."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.amount import recorded, some
from tests.patience import PATIENCE
from toolproto import Allow, Defer, Deny, Message, ToolFailed, ToolResult, merge, tool
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.journal.journal import unpacked
from toolproto.conversation.masking import Masking
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.stores.base import Record
from toolproto.conversation.turn.compaction import Compaction
from toolproto.conversation.turn.events import (
    ApprovalAsked,
    Decided,
    HistoryCompacted,
    MessageAppended,
    StateChanged,
    ToolStatus,
    ToolUpdated,
    TurnEnded,
)
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.conversation.turn.states import TurnState
from toolproto.endpoints import Hold, ScriptedEndpoint, ScriptedReply
from toolproto.protocol.errors import (
    EndpointError,
    EndpointTimeout,
    StoreError,
    ToolProtoError,
    ToolsRefused,
)
from toolproto.protocol.events import CallCompleted, ReasoningDelta, TextDelta
from toolproto.protocol.messages import Chunk, NativePiece, ToolCall, Usage, counted_ids
from toolproto.protocol.paradigms.registry import get_paradigm
from toolproto.protocol.tools.context import ToolContext
from toolproto.protocol.tools.define import Tool
from toolproto.protocol.tools.outcome import ToolOutput
from toolproto.testing.fixtures import Fixture

from .conftest import Player
from .sampling import sampled
from .test_turns import call

FIXTURES = recorded()
TURN_EVENTS = (StateChanged, ToolUpdated, ApprovalAsked, Decided, MessageAppended)
TURN_EVENTS += (HistoryCompacted, TurnEnded)

ADD = call("add", '{"a": 1, "b": 2}')
PUT = call("put", '{"key": "k", "value": 1}')
PUT_TWO = call("put", '{"key": "l", "value": 2}')


# -- the stage ------------------------------------------------------------------------------


@dataclass
class Stage:
    """What the tools, approvers and hooks of one process see and leave behind."""

    player: Any = None
    ran: list[str] = field(default_factory=list)
    asked: list[Any] = field(default_factory=list)
    reviewed: list[Any] = field(default_factory=list)
    second_ran: threading.Event = field(default_factory=threading.Event)
    live: bool = False

    @property
    def session(self) -> Any:
        return self.player.session

    def approver(self, *decisions: Any) -> Callable[[Any], Any]:
        """Answers with *decisions* in turn, the last one for ever."""
        left = list(decisions)

        def approve(request: Any) -> Any:
            self.asked.append(request)
            decision = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(decision, Exception):
                raise decision
            return decision(request) if callable(decision) else decision

        return approve

    def reviewer(self, review: Callable[[ToolResult], Any]) -> Callable[[ToolResult], Any]:
        def see(result: ToolResult) -> Any:
            self.reviewed.append(result)
            return review(result)

        return see


def noted(context: ToolContext) -> Stage:
    """The stage of the call's session, on which it is noted that it ran."""
    stage: Stage = context.session.stage
    stage.ran.append(context.call_id)
    return stage


@tool
def add(a: int, b: int, context: ToolContext) -> int:
    noted(context)
    return a + b


@tool(risk="write")
def put(key: str, value: int, context: ToolContext) -> str:
    noted(context)
    return f"{key} is {value}"


@tool
def fail(context: ToolContext) -> str:
    noted(context)
    raise ToolFailed("there is no paper")


@tool
def crash(context: ToolContext) -> str:
    noted(context)
    raise ZeroDivisionError("by zero")


@tool
def hang(context: ToolContext) -> str:
    context.cancelled.wait(PATIENCE if noted(context).live else 0)
    return "at last"


@tool
def first(context: ToolContext) -> str:
    stage = noted(context)
    stage.second_ran.wait(PATIENCE if stage.live else 0)
    return "first"


@tool
def second(context: ToolContext) -> str:
    noted(context).second_ran.set()
    return "second"


@tool
def big(context: ToolContext) -> str:
    noted(context)
    return "page " * 100


TOOLS = [add, put, fail, crash, hang, first, second, big]

Options = Callable[[Stage], Mapping[str, Any]]
Step = Callable[[Any, "Scenario"], Any]


def send(text: str = "go", **terms: Any) -> Step:
    return lambda play, scenario: play.send(text, scenario.watch, **terms)


def decide(*verdicts: Any) -> Step:
    """Resume with *verdicts*, in the order of what waits; None leaves a call waiting."""

    def step(play: Any, scenario: Scenario) -> Any:
        waiting = [request.call.id for request in play.session.pending]
        told = dict(zip(waiting, verdicts, strict=False))
        given = {id: verdict for id, verdict in told.items() if verdict is not None}
        return play.resume(given, scenario.watch)

    return step


@dataclass(frozen=True)
class Scenario:
    """Turns to play, and the status of the last of them."""

    name: str
    replies: tuple[Any, ...]
    options: Options = lambda stage: {}
    steps: tuple[Step, ...] = (send(),)
    status: str = "completed"
    watch: Any = None


def stop_at(matches: Callable[[Any], bool]) -> Callable[[Any, Any], None]:
    """Cancel the turn at the first event that *matches*."""
    return lambda event, session: session.cancel() if matches(event) else None


def entering(state: TurnState) -> Callable[[Any], bool]:
    return lambda event: isinstance(event, StateChanged) and event.snapshot.state is state


def is_a(kind: type) -> Callable[[Any], bool]:
    return lambda event: isinstance(event, kind)


def running(event: Any) -> bool:
    return isinstance(event, ToolUpdated) and event.status is ToolStatus.RUNNING


class EveryHook(Hooks):
    """Is there for everything, and changes nothing."""

    def on_turn_start(self, turn):
        return lambda: None

    def on_stream_data(self, data):
        return None

    def on_after_request(self, moment):
        return None

    def before_tool(self, call, tool):
        return None

    def after_tool(self, result):
        return None

    def on_turn_end(self, result):
        return None


class Asking(Hooks):
    """Has the model asked once more after its first reply without a call."""

    def __init__(self, **how: Any) -> None:
        self.how = how

    def on_after_request(self, moment):
        if moment.message.content == "Draft.":
            moment.append_and_request(Message("user", "Shorter."), **self.how)


class Again(Hooks):
    """Appends the very message that began the turn once more."""

    def on_turn_start(self, turn):
        self.message = turn.message

    def on_after_request(self, moment):
        if moment.message.content == "Draft.":
            moment.append_and_request(self.message)


class Doubling(Hooks):
    def before_tool(self, call, tool):
        return replace(call, arguments={"a": 10, "b": 20})

    def after_tool(self, result):
        return replace(result, content=f"<{result.content}>")


class Answering(Hooks):
    def before_tool(self, call, tool):
        return ToolResult(call, "from the cache", metadata={"cached": True})


class Transforming(Hooks):
    def transform_system(self, prompt):
        return prompt + "\nBe brief."

    def transform_params(self, params):
        return {**params, "temperature": 0}

    def on_before_request(self, moment):
        return replace(moment.request, stop=("END",))

    def on_stream_data(self, data):
        return replace(data.chunk, text=data.chunk.text.upper())


class Placing(Hooks):
    """Puts what the model says first, and leaves its questions out."""

    def on_message_append(self, moment):
        if moment.message.calls or moment.message.results:
            return
        moment.place(0)
        if "?" in moment.message.content:
            moment.prevent_default()
            moment.position = None


class CleaningUpBadly(Hooks):
    def on_turn_start(self, turn):
        def clean_up() -> None:
            raise ValueError("the mop is gone")

        return clean_up


class FailingHook(Hooks):
    def on_after_request(self, moment):
        raise ValueError("I do not like it")


class StoppingHook(Hooks):
    """Cancels the turn, the first time it is played: the hook behind it is broken off."""

    def __init__(self, stage: Stage, where: str) -> None:
        self.stage = stage
        setattr(self, where, self._stop)

    def _stop(self, *_: Any) -> None:
        if self.stage.live:
            self.stage.session.cancel()


def tools(**more: Any) -> Options:
    return lambda stage: {"tools": TOOLS, **more}


def approved(*decisions: Any, **more: Any) -> Options:
    return lambda stage: {
        "tools": TOOLS, "approver": stage.approver(*decisions), **more
    }  # fmt: skip


def edit(name: str, always: bool = False, **arguments: Any) -> Callable[[Any], Allow]:
    """Run another call in place of the one that is asked about."""
    return lambda request: Allow(ToolCall(name, arguments), always)


def hooked(*makes: Callable[[], Any], **more: Any) -> Options:
    return lambda stage: {"tools": TOOLS, "hooks": [make() for make in makes], **more}


def stopped_in(where: str) -> Options:
    return lambda stage: {
        "tools": TOOLS, "hooks": [StoppingHook(stage, where), EveryHook()]
    }  # fmt: skip


def reviewed(review: Callable[[ToolResult], Any]) -> Options:
    return lambda stage: {"tools": TOOLS, "reviewer": stage.reviewer(review)}


class GivenIds:
    """A decoder whose calls all have the id the model gave them: the same one."""

    def __init__(self, decoder: Any) -> None:
        self.decoder = decoder

    def feed(self, chunk):
        return [self._given(event) for event in self.decoder.feed(chunk)]

    def finish(self, reason=None):
        return [self._given(event) for event in self.decoder.finish(reason)]

    def _given(self, event):
        if isinstance(event, CallCompleted):
            return replace(event, call=replace(event.call, id="c1"))
        return event


def with_given_ids(stage: Stage) -> Mapping[str, Any]:
    given = type("Given", (type(get_paradigm("xml_tag")),), {
        "decoder": lambda self, *offer: GivenIds(super(given, self).decoder(*offer))
    })  # fmt: skip
    return {"tools": TOOLS, "paradigm": given()}


def with_repeating_ids(stage: Stage) -> Mapping[str, Any]:
    paradigm = get_paradigm("xml_tag")
    paradigm.ids = lambda: "call_0"
    return {"tools": TOOLS, "paradigm": paradigm}


def with_counted_ids(stage: Stage) -> Mapping[str, Any]:
    paradigm = get_paradigm("xml_tag")
    paradigm.ids = counted_ids()  # every process counts from one
    return {"tools": TOOLS, "paradigm": paradigm}


def masked(stage: Stage) -> Mapping[str, Any]:
    masking = Masking({"email": "countess@example.org"}, nonce=lambda: "4F9A2C1B")
    return {"tools": TOOLS, "masking": masking, "system": "Write to countess@example.org."}


def natively(approver: Any = None, **more: Any) -> Options:
    """A service with tools of its own."""
    approves = {"approver": approver} if approver else {}
    return lambda stage: {
        "native": "auto", "tools": TOOLS, **more,
        **{name: stage.approver(each) for name, each in approves.items()},
    }  # fmt: skip


NATIVE_ADD = [
    Chunk(calls=(NativePiece(0, "a", "add"),)),
    *(Chunk(calls=(NativePiece(0, arguments=each),)) for each in ('{"a": 1', ', "b', '": 2}')),
]
NATIVE_PUT = [Chunk(calls=(NativePiece(1, "b", "put", '{"key": "k", "value": 1}'),))]
BOTH = "First this. " + ADD + "\n" + PUT
CHUNKS = [Chunk(text) for text in ("Let ", "me ", "see. ", ADD[:30], ADD[30:50], ADD[50:], " ok")]
THINKING = [
    Chunk(reasoning="Hm, "), Chunk(reasoning="well."), Chunk("I say <to"), Chunk(reasoning="wait"),
    Chunk("ol_code in the mid"), Chunk("dle. ", reasoning="and on"), Chunk("Done."),
]  # fmt: skip
STREAMED = ["Hel", "lo ", "there, ", "you"]

SCENARIOS = [
    Scenario("plain", ("Hello!",)),
    Scenario("nothing said", ("", "x"), status="completed"),
    Scenario("many chunks", (["a", "b", "c ", "d"],)),
    Scenario("reasoning between text", (THINKING,)),
    Scenario("thinking in the text", (["<thi", "nk>a call ", ADD, "</think>", "No."],), tools()),
    Scenario("usage in pieces", (
        ["a", Chunk(usage=Usage(3, 1)), Chunk("b", usage=Usage(0, 2), finish_reason="stop"), "c"],
    )),
    Scenario("a call", (CHUNKS, "It is 3."), tools()),
    Scenario("calls of two turns", (ADD, "3.", ADD, "3 again."), tools(), (send("a"), send("b"))),
    Scenario("a failing call", (call("fail", "{}"), "Sorry."), tools()),
    Scenario("a crashing call", (call("crash", "{}"), "Sorry."), tools()),
    Scenario("a call that takes too long", (call("hang", "{}"), "Late."),
             tools(limits=TurnLimits(tool_seconds=0.05))),
    Scenario("an unknown tool", (call("nope", "{}"), "Sorry."), tools()),
    Scenario("wrong arguments", (call("add", '{"a": "x"}'), ADD, "3."), tools()),
    Scenario("a call that cannot be read", ('<tool_code>{"name": </tool_code>', ADD, "3"), tools()),
    Scenario("a result made up", (
        ADD + '\n<tool_output name="add">\n5\n</tool_output>\nIt is 5.', "It is 3."), tools()),
    Scenario("calls that finish in another order", (
        call("first", "{}") + call("second", "{}") + call("fail", "{}"), "Both."), tools()),
    Scenario("a mended call", (call("add", "{'a': '1', 'b': 2,}"), call("Add", '{"a":1,"b":1}'),
                               "3."), tools()),
    Scenario("a guessed call asks", (call("put", '{"key": "k", "value": "1",}')[:-14], "ok"),
             approved(Allow())),
    Scenario("ids the model gave twice", (ADD + ADD, ADD, "3."), with_given_ids),
    Scenario("ids that repeat themselves", (ADD + ADD, "3.", ADD, "4"), with_repeating_ids,
             (send(), send())),
    Scenario("ids counted anew", (ADD + ADD, "3.", ADD, "4"), with_counted_ids, (send(), send())),
    Scenario("denied", (PUT, "Not done."), approved(Deny("not today"))),
    Scenario("nobody to approve", (PUT, "Not done."), tools()),
    Scenario("allowed", (BOTH, "Done."), approved(Allow())),
    Scenario("edited", (PUT, "Done."), approved(edit("put", key="z", value=9))),
    Scenario("edited into another tool, always", (PUT, ADD, PUT_TWO, "Done."),
             approved(edit("add", always=True, a=1, b=1), Deny())),
    Scenario("edited into what cannot run", (PUT, "Done."), approved(edit("put", key=1))),
    Scenario("always", (PUT, PUT_TWO, "Done.", PUT, "Again."), approved(Allow(always=True)),
             (send(), send())),
    Scenario("an approver that fails", (PUT, "x"), approved(RuntimeError("asleep")),
             status="error"),
    Scenario("deferred", (BOTH, "x"), approved(Defer()), status="pending"),
    Scenario("deferred and allowed", (PUT + PUT_TWO, "Done."), approved(Defer()),
             (send(), decide(Allow(), Deny("no")))),
    Scenario("deferred and partly decided", (PUT + PUT_TWO, "Done."), approved(Defer()),
             (send(), decide(Allow()), decide(Allow()))),
    Scenario("deferred and left so", (PUT, "x"), approved(Defer()), (send(), decide(None)),
             status="pending"),
    Scenario("deferred and answered by hand", (PUT + PUT_TWO, "Done."), approved(Defer()),
             (send(), lambda play, scenario: play.resume({
                 play.session.pending[0].call.id: "by hand",
                 play.session.pending[1].call.id: ToolResult(
                     play.session.pending[1].call, "elsewhere", metadata={"who": "me"}),
             }))),
    Scenario("deferred, allowed always", (PUT, "Done.", PUT_TWO, "Too."),
             approved(Defer(), Deny("asked again")), (send(), decide(Allow(always=True)), send())),
    Scenario("deferred with terms", (PUT, ADD + ADD, "Done."), approved(Defer()),
             (send("go", parallel=False, choice="required"), decide(Allow()))),
    Scenario("a review that replaces", (ADD, "4."), reviewed(lambda r: replace(r, content="4"))),
    Scenario("a review that withholds", (ADD, "Oh."), reviewed(lambda r: Deny("private"))),
    Scenario("a review that passes", (ADD, "3."), reviewed(lambda r: None)),
    Scenario("an endpoint that refuses", (EndpointError("no", status=503, body="busy"),), tools(),
             status="error"),
    Scenario("an endpoint that wants a pause", (EndpointError("no", retry_after=0.0),), tools(),
             status="error"),
    Scenario("an endpoint that breaks", (ADD, [*STREAMED, EndpointError("gone", retry_after=2.0)]),
             tools(), status="error"),
    Scenario("an endpoint that is late", (["Hel", EndpointTimeout("late")],), tools(),
             status="timeout"),
    Scenario("an endpoint with a bug", (["Hel", ZeroDivisionError("oops")],), tools(),
             status="error"),
    Scenario("a reply without an end", (ScriptedReply(["Hel", "lo"], None),), tools(),
             status="error"),
    Scenario("a reply cut inside a call", (ScriptedReply(ADD[:40], "length"), ADD, "3."), tools()),
    Scenario("a reply continued", (
        ScriptedReply("I add. " + ADD[:40], "length"), [ADD[40:50], ADD[50:]], "3."),
        tools(limits=TurnLimits(continuations=2))),
    Scenario("native calls", (
        ["Both. ", *NATIVE_ADD, *NATIVE_PUT], [Chunk(reasoning="Hm."), "Done."]),
        natively(approver=Allow())),
    Scenario("native tools that are refused", (ToolsRefused("no tools", status=400), ADD, "3."),
             natively()),
    Scenario("a native call that cannot be read", (
        [Chunk(calls=(NativePiece(0, "a", "add", "now"),))], ADD, "3.", NATIVE_ADD, "3."),
        natively(), (send(), send())),
    Scenario("a native call whose arguments are a value", (
        [Chunk(calls=(NativePiece(None, "", "add", {"a": 1, "b": 2}),))], "3."), natively()),
    Scenario("cancelled while preparing", ("x",), hooked(EveryHook), status="aborted",
             watch=stop_at(entering(TurnState.PREPARING))),
    Scenario("cancelled before the request", ("x",), tools(), status="aborted",
             watch=stop_at(entering(TurnState.STREAMING))),
    Scenario("cancelled while streaming", (STREAMED,), tools(), status="aborted",
             watch=stop_at(is_a(TextDelta))),
    Scenario("cancelled while streaming a call", (CHUNKS,), tools(), status="aborted",
             watch=stop_at(is_a(TextDelta))),
    Scenario("cancelled while asking", (PUT, "x"), approved(Allow()), status="aborted",
             watch=stop_at(is_a(ApprovalAsked))),
    Scenario("cancelled once decided", (PUT, "x"), approved(Allow()), status="aborted",
             watch=stop_at(is_a(Decided))),
    Scenario("cancelled while calls run", (call("hang", "{}") + ADD, "x"), tools(),
             status="aborted", watch=stop_at(running)),
    Scenario("cancelled with the results", (ADD, "x"), tools(), status="aborted",
             watch=stop_at(lambda e: isinstance(e, MessageAppended) and bool(e.message.results))),
    Scenario("cancelled at the end", ("Hello.",), hooked(EveryHook, EveryHook), status="aborted",
             watch=stop_at(entering(TurnState.FINALIZING))),
    Scenario("cancelled at the end of a stream in pieces", (STREAMED,),
             hooked(EveryHook, EveryHook), status="aborted",
             watch=stop_at(entering(TurnState.FINALIZING))),
    *(Scenario(f"cancelled in {where}", ([*STREAMED, ADD], STREAMED), stopped_in(where),
               status="aborted")
      for where in ("on_turn_start", "on_stream_data", "on_after_request", "before_tool",
                    "after_tool", "on_turn_end", "on_before_request", "transform_system")),
    Scenario("cancelled while resumed", (PUT, STREAMED), approved(Defer()),
             (send(), decide(Allow())), status="aborted", watch=stop_at(is_a(TextDelta))),
    Scenario("out of time", (["Hel", Hold()],), tools(limits=TurnLimits(seconds=0.1)),
             status="timeout"),
    Scenario("out of time with calls", (ADD + call("hang", "{}"),),
             tools(limits=TurnLimits(seconds=0.1)), status="timeout"),
    Scenario("too many requests", (ADD, PUT, ADD), tools(limits=TurnLimits(requests=3)),
             status="error"),
    Scenario("nothing usable", (call("nope", "{}"),) * 3, tools(limits=TurnLimits(reasks=1)),
             status="error"),
    Scenario("in circles", (ADD, ADD, ADD, "I stop."), tools()),
    Scenario("in circles for ever", (ADD,) * 5, tools(), status="error"),
    Scenario("in circles, allowed", (ADD,) * 4 + ("Done.", ADD, ADD, "More."), approved(Allow()),
             (send(), send())),
    Scenario("in circles, allowed always", (ADD,) * 5 + ("Done.", PUT, "Not put."),
             approved(Allow(always=True), Deny("asked")), (send(), send())),
    Scenario("in circles, deferred", (ADD,) * 3 + ("Done.",), approved(Defer()),
             (send(), decide(Allow()))),
    Scenario("in circles, stopped", (ADD,) * 3, approved(Deny()), status="error"),
    Scenario("in circles over turns", (ADD, "a", call("nope", "{}"), ADD, "b", ADD, "c"), tools(),
             (send(), send(), send())),
    Scenario("a call required", ("No.", ADD, "3."), tools(), (send("go", choice="required"),)),
    Scenario("one call at a time", (ADD + ADD, "3."), tools(), (send("go", parallel=False),)),
    Scenario("parameters of a turn", ("ok",), tools(params={"top_p": 1}),
             (send("go", params={"seed": 7}),)),
    Scenario("masked", (["I write to __em", "ail_4F9A2C1B__ at once"], "x"), masked),
    Scenario("pruned", (call("big", "{}"), ADD, "1.", call("big", "{}"), ADD, "2.", ADD, "3."),
             tools(compaction=Compaction(1500, keep_steps=1), limits=TurnLimits(repeats=9)),
             (send("a" * 900), send("b" * 900), send("c"))),
    Scenario("summed up", (ADD, "1.", ADD, "2.", ["They ", "add."], ADD, "3.", ADD, "4."),
             tools(compaction=Compaction(1500, keep_turns=1), limits=TurnLimits(repeats=9)),
             (send("a" * 1500), send("b" * 1500), send("c"), send("d"))),
    Scenario("ids given again once summed up",
             (ADD, "1.", ADD, "2.", ["They ", "add."], ADD, "3.", ADD, "4."),
             lambda stage: {**with_given_ids(stage), "limits": TurnLimits(repeats=9),
                            "compaction": Compaction(1500, keep_turns=1)},
             (send("a" * 1500), send("b" * 1500), send("c"), send("d"))),
    Scenario("calls not kept", (ADD, "3.", "x"), tools(keep_calls=False), (send(), send())),
    Scenario("with examples", (ADD, "3."), tools(examples=True)),
    Scenario("asked once more", ("Draft.", "Short."), hooked(Asking)),
    Scenario("asked once more, deferred", ("Draft.", ADD, "Short."),
             hooked(lambda: Asking(deferred=True, priority=3))),
    Scenario("the same message again", ("Draft.", "Short."), hooked(Again)),
    Scenario("a call that a hook changes", (ADD, "30."), hooked(Doubling)),
    Scenario("a call that a hook answers", (ADD, "3."), hooked(Answering)),
    Scenario("everything transformed", (["hel", "lo"],), hooked(Transforming)),
    Scenario("messages put elsewhere", (ADD + " well?", "3.", "Why?"), hooked(Placing),
             (send(), send())),
    Scenario("a clean-up that fails", ("Hello.",), hooked(CleaningUpBadly), status="error"),
    Scenario("a hook that fails", (STREAMED,), hooked(EveryHook, FailingHook), status="error"),
]  # fmt: skip


def _told(value: Any) -> Any:
    """*value* with all that equality leaves out, but for the text that calls were read from."""
    if isinstance(value, BaseExceptionGroup):
        return [_told(each) for each in value.exceptions]
    if isinstance(value, BaseException):
        return _told_error(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in dataclasses.fields(value)]
        shown = [name for name in names if name not in ("raw", "span", "constraint")]
        return type(value).__name__, {name: _told(getattr(value, name)) for name in shown}
    if isinstance(value, Mapping):
        return {key: _told(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_told(each) for each in value]
    return value


def _told_error(error: BaseException) -> Any:
    # Somebody else's exception comes back as one of ours that tells its type.
    if not isinstance(error, ToolProtoError):
        return f"{type(error).__name__}: {error}"
    if type(error) is ToolProtoError:
        return str(error)
    return type(error).__name__, str(error), dict(vars(error))


def merged(events: list[Any]) -> list[Any]:
    """*events* however the text was cut."""
    out: list[Any] = []
    run: list[Any] = []
    for event in events:
        if isinstance(event, TURN_EVENTS):
            out += [*merge(run), event]
            run = []
        else:
            run.append(event)
    return out + merge(run)


@dataclass(frozen=True)
class Played:
    """A turn as it went live; *until* is how many records there were at its end."""

    events: list[Any]
    result: Any
    messages: tuple[Message, ...]
    pending: tuple[Any, ...]
    until: int


def opened(play: Any, scenario: Scenario, store: Any, *replies: Any) -> Stage:
    """The session of *scenario* in a process of its own."""
    stage = Stage(play)
    options = {"paradigm": "xml_tag", **scenario.options(stage)}
    play(*replies, store=store, id="x", **options)
    play.session.stage = stage
    return stage


def played(play: Any, scenario: Scenario, store: Any) -> tuple[Stage, list[Played]]:
    stage = opened(play, scenario, store, *scenario.replies)
    stage.live = True
    turns = []
    for step in scenario.steps:
        result = step(play, scenario)
        session, until = play.session, len(told_one_by_one(store))
        turns.append(Played(play.events, result, session.messages, session.pending, until))
    assert turns[-1].result.status == scenario.status
    return stage, turns


def told_one_by_one(store: Any) -> list[Record]:
    """What *store* holds, one by one: a journal may be cut between any two."""
    return [each for record in store.read("x") for each in unpacked(record)]


#: By driver and scenario.
JOURNALS: dict[tuple[str, str], list[Record]] = {}


def copied(records: list[Record]) -> MemoryStore:
    store = MemoryStore()
    store.create("x")
    store.append("x", records, 0, durable=True)
    return store


def journal_of(play: Any, scenario: Scenario) -> list[Record]:
    """The records of *scenario*, played once for all tests that only cut them."""
    key = play.kind, scenario.name
    if key not in JOURNALS:
        store = MemoryStore()
        played(play, scenario, store)
        JOURNALS[key] = told_one_by_one(store)
    return JOURNALS[key]


def every_call_is_answered(session: Any) -> bool:
    """Once each; or it waits, and then not at all."""
    calls = [call.id for message in session.messages for call in message.calls]
    answered = [each.call.id for message in session.messages for each in message.results]
    waiting = {request.call.id for request in session.pending}
    kept = session._conversation.pending
    open_ = {call.id for call in kept.calls} if kept else set()
    assert waiting <= open_
    return sorted(calls) == sorted([*answered, *open_]) and len(calls) == len(set(calls))


def reopened(play: Any, scenario: Scenario, store: Any) -> Any:
    opened(play, scenario, store)
    return play.session


scenarios = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)


@scenarios
def test_a_turn_told_again_is_the_same_event_for_event(play, scenario):
    store = MemoryStore()
    _, turns = played(play, scenario, store)
    records = JOURNALS[play.kind, scenario.name] = told_one_by_one(store)
    for turn in turns:
        assert records[turn.until - 1].kind == "ended"
        kept = copied(records[: turn.until - 1])
        stage = opened(play, scenario, kept)
        assert play.session.interrupted
        result = play.resume({})
        assert _told(merged(play.events)) == _told(merged(turn.events))
        assert _told(result) == _told(turn.result)
        assert _told(play.session.messages) == _told(turn.messages)
        assert _told(play.session.pending) == _told(turn.pending)
        assert (play.requests, stage.ran, stage.asked, stage.reviewed) == ([], [], [], [])
        # Nothing was written twice, and whoever opens it now sees the same.
        assert [each.kind for each in told_one_by_one(kept)] == [
            each.kind for each in records[: turn.until]
        ]
        assert _told(reopened(play, scenario, kept).messages) == _told(turn.messages)


@scenarios
def test_a_session_opened_between_turns_is_what_it_was(play, scenario):
    store = MemoryStore()
    _, turns = played(play, scenario, store)
    live = play.session._conversation
    session = reopened(play, scenario, store)
    assert _told(session.messages) == _told(turns[-1].messages)
    assert _told(session.pending) == _told(turns[-1].pending)
    again = session._conversation
    assert again.granted == live.granted
    assert again.seen >= again.started >= live.started
    assert vars(again.doom_loop) == vars(live.doom_loop)


@scenarios
def test_a_turn_cut_anywhere_is_brought_to_an_end(play, scenario):
    records = journal_of(play, scenario)
    for cut in shared(play, range(1, len(records))):
        kept = copied(records[:cut])
        later = opened(play, scenario, kept, *["Fine."] * 12)
        if play.session.interrupted:
            result = play.resume({})
            assert result.status in ("completed", "aborted", "error", "timeout", "pending")
            assert not isinstance(result.error, StoreError), result.error
        check_once(records[:cut], later)
        check_usable(play, scenario, kept)


@scenarios
def test_a_turn_cut_anywhere_can_be_left(play, scenario):
    records = journal_of(play, scenario)
    passing = ("clock", "today", "ids", "native")  # leave a turn as it was
    cuts = [at for at, each in enumerate(records, 1) if each.kind not in passing]
    for cut in shared(play, cuts):
        kept = copied(records[:cut])
        later = opened(play, scenario, kept, *["Fine."] * 12)
        check_usable(play, scenario, kept)
        check_once(records[:cut], later)
        texts = [each.data["message"]["content"] for each in records[:cut] if each.kind == "turn"
                 and "message" in each.data]  # fmt: skip
        said = "\n".join(m.content for m in play.session.messages)
        if "compacted" not in {each.kind for each in told_one_by_one(kept)}:
            assert all(text in said for text in texts)


def shared(play: Any, cuts: Sequence[int]) -> Sequence[int]:
    """Every other one of *cuts*: the turn is told the same by both drivers, so they take turns.

    Of these a fifth, in a usual run. A hundred turns end with most of the records that there are.
    """
    return some(cuts[play.kind == "async" :: 2], 5, first=len(cuts))


def check_once(records: list[Record], after: Stage) -> None:
    """No call that was started runs again, none runs twice."""
    started = {id for each in records if each.kind == "started" for id in each.data["ids"]}
    assert not started & set(after.ran)
    assert len(after.ran) == len(set(after.ran))


def check_usable(play: Any, scenario: Scenario, store: Any) -> None:
    """Whatever the last turn came to, the next one goes well and is there when opened again."""
    if play.session.pending:
        assert not play.session.interrupted
        play.resume({request.call.id: Deny() for request in play.session.pending})
    session = play.session
    # Some hooks only fail, or only ask; and a turn that may go well may take its time.
    limits = replace(session._setup.limits, seconds=None)
    session._keeping.setup = replace(session._setup, hooks=(), limits=limits)
    result = play.send("And now?", choice="none")
    assert result.status == "completed", result.error
    assert every_call_is_answered(session)
    messages = play.session.messages
    opened(play, scenario, store)
    assert _told(play.session.messages) == _told(messages)
    assert not play.session.interrupted and every_call_is_answered(play.session)


# -- what a process may do to its journal, and find in it -----------------------------------


def cut_at(records: list[Record], kind: str, nth: int = 0) -> list[Record]:
    """*records* up to the nth of its *kind*, that included."""
    places = [at for at, each in enumerate(records) if each.kind == kind]
    return records[: places[nth] + 1]


def test_a_clock_that_began_anew_makes_no_turn_last_for_ages(play):
    scenario, store = Scenario("", (ADD, "3."), tools()), MemoryStore()
    played(play, scenario, store)
    shifted = [
        Record("clock", {"at": each.data["at"] + 1e6}) if each.kind == "clock" else each
        for each in cut_at(told_one_by_one(store), "outcome")
    ]
    opened(play, scenario, copied(shifted), "3.")
    assert 0 <= play.resume({}).stats.seconds < 1_000


@pytest.mark.parametrize("kind", ["reply", "started", "outcome", "message"])
def test_a_session_whose_tools_have_changed_ends_its_turn_and_goes_on(play, kind):
    scenario, store = Scenario("", (PUT, ADD, "3."), approved(Allow())), MemoryStore()
    played(play, scenario, store)
    for nth in range(sum(each.kind == kind for each in told_one_by_one(store))):
        kept = copied(cut_at(told_one_by_one(store), kind, nth))
        bare = replace(scenario, options=lambda stage: {"tools": TOOLS[:1]})
        later = opened(play, bare, kept, *["Fine."] * 5)
        play.resume({})
        assert every_call_is_answered(play.session)
        check_once(told_one_by_one(kept), later)
        check_usable(play, bare, kept)


class CtrlC(BaseException):
    """Like KeyboardInterrupt, which asyncio and pytest take for themselves."""


class BrokenOff(MemoryStore):
    """A store in which Ctrl-C strikes at the n-th append, before or after it is done."""

    left, after = 0, False

    def append(self, id, records, at, *, durable):
        self.left -= 1
        if self.left == 0 and not self.after:
            raise CtrlC
        super().append(id, records, at, durable=durable)
        if self.left == 0:
            raise CtrlC


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("n", range(1, 5))
def test_a_write_that_ctrl_c_breaks_off_leaves_a_session_that_goes_on(play, n, after):
    store = BrokenOff()
    stage = opened(play, Scenario("", (), tools()), store, ADD, "3.", *["Fine."] * 5)
    store.left, store.after = n, after
    with suppress(CtrlC):
        play.send("1+2?")
    assert store.left <= 0
    check_usable(play, Scenario("", (), tools()), store)
    assert len(stage.ran) == len(set(stage.ran)) <= 1


class LeavingBadly(ScriptedEndpoint):
    """Fails when its stream is closed."""

    def stream(self, request):
        return self._left(super().stream(request))

    @contextmanager
    def _left(self, stream):
        with stream as chunks:
            yield chunks
        raise EndpointError("could not hang up")

    def astream(self, request):
        return self._aleft(super().astream(request))

    @asynccontextmanager
    async def _aleft(self, stream):
        async with stream as chunks:
            yield chunks
        raise EndpointError("could not hang up")


def test_a_stream_that_cannot_be_closed_is_told_again(play):
    store = MemoryStore()
    play.open(LeavingBadly("Hello.", chunk_size=2), store=store, id="x")
    live = play.send(), play.events, play.session.messages
    assert live[0].status == "error"
    again = opened(play, Scenario("", ()), copied(told_one_by_one(store)[:-1]))
    assert (_told(play.resume({})), _told(merged(play.events))) == (
        _told(live[0]), _told(merged(live[1]))
    )  # fmt: skip
    assert play.session.messages == live[2] and not again.asked


class Picky(Hooks):
    def on_stream_data(self, data):
        if "bad" in data.chunk.text:
            raise ValueError("a bad word")


def test_a_hook_that_fails_in_the_middle_of_a_stream_is_told_again(play):
    scenario = Scenario("", (["good ", "bad ", "ugly"],), hooked(Picky), status="error")
    store = MemoryStore()
    _, (turn,) = played(play, scenario, store)
    opened(play, scenario, copied(told_one_by_one(store)[:-1]))
    assert _told(play.resume({})) == _told(turn.result)
    assert _told(merged(play.events)) == _told(merged(turn.events))


class Stripping(Hooks):
    """Keeps what is said, and not what is called."""

    def on_message_append(self, moment):
        moment.message = Message(moment.message.role, moment.message.content)


def test_a_pending_call_is_answered_even_if_a_hook_left_it_out_of_its_message(play):
    options = approved(Defer())
    scenario = Scenario("", (), lambda stage: {**options(stage), "hooks": [Stripping()]})
    store = MemoryStore()
    stage = opened(play, scenario, store, "I put. " + PUT)
    assert play.send().status == "pending"
    stage = opened(play, scenario, store, "Done.")
    result = play.resume({play.session.pending[0].call.id: Allow()})
    assert len(stage.ran) == 1 and "k is 1" in play.requests[0].messages[-1].content
    assert [record.result.content for record in result.calls] == ["k is 1"]


def test_what_somebody_answered_by_hand_is_not_lost_with_the_turn(play):
    scenario, store = Scenario("", (), approved(Defer())), MemoryStore()
    opened(play, scenario, store, PUT + PUT_TWO, "Done.")
    play.send()
    one, two = (request.call.id for request in play.session.pending)
    play.resume({one: "put by hand", two: Deny("too dear")})
    kept = copied(cut_at(told_one_by_one(store), "turn", 1))
    opened(play, scenario, kept, "Fine.")
    play.send("And?")
    answers = [each.content for said in play.session.messages for each in said.results]
    assert answers == ["put by hand", "not run: too dear"]


def test_a_decision_made_again_in_another_branch_runs_nothing_again(play):
    scenario, store = Scenario("", (), approved(Defer())), MemoryStore()
    stage = opened(play, scenario, store, PUT, "Done.", "Done, as before.")
    play.send()
    id = play.session.pending[0].call.id
    play.resume({id: Allow()})
    play.session.switch(1)
    result = play.resume({id: Allow()})
    assert stage.ran == [id]
    assert [record.result.content for record in result.calls] == ["not run: it already ran"]


def test_a_permission_for_a_loop_is_none_for_the_tool(play):
    scenario = Scenario("", (), approved(Allow(), Allow(), Allow(always=True), Deny("asked")))
    store = MemoryStore()
    opened(play, scenario, store, PUT, PUT, PUT, "Done.")
    assert play.send().status == "completed"
    stage = opened(play, Scenario("", (), approved(Deny("asked"))), store, PUT_TWO, "Well.")
    play.send()
    assert len(stage.asked) == 1 and stage.ran == []


def test_what_json_cannot_hold_does_not_stop_a_turn(play):
    @tool
    def odd() -> Any:
        circle: list[Any] = []
        circle.append(circle)
        hidden = {("a", 1): 2, "big": 10**5000, "circle": circle, "self": object()}
        return ToolOutput("seen", metadata=hidden, attachments=(circle, b"x", {1: {2}}))

    options = {"tools": [odd], "limits": TurnLimits(result_characters=100)}
    store = MemoryStore()
    play(call("odd", "{}"), "ok", store=store, id="x", **options)
    assert play.send().status == "completed"
    play("ok", "ok", store=copied(cut_at(told_one_by_one(store), "outcome")), id="x", **options)
    result = play.resume({})
    assert result.status == "completed" and result.calls[0].result.content == "seen"
    assert isinstance(result.calls[0].result.metadata, dict)
    assert len(result.calls[0].result.attachments) == 3


@pytest.mark.parametrize("deep", [50, 90, 120, 400])
def test_arguments_however_deep_end_no_turn_with_the_programs_error(play, deep):
    @tool
    def take(tree: list) -> str:
        return "taken"

    nested = "[" * deep + "]" * deep
    play(call("take", f'{{"tree": {nested}}}'), "ok", "ok", "ok", "ok", tools=[take],
         store=MemoryStore(), id="x")  # fmt: skip
    assert play.send().status == "completed"


class Odd(Exception):
    status, body = object(), b"bytes"

    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_error_that_cannot_be_written_is_written_by_its_name(play):
    store = MemoryStore()
    play(["Hel", Odd()], store=store, id="x")
    assert play.send().status == "error"
    play("ok", store=copied(told_one_by_one(store)[:-1]), id="x")
    assert isinstance(play.resume({}).error, ToolProtoError)


# -- replies that models wrote ----------------------------------------------------------


def _pieces(text: str, size: int = 4) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _one_turn(play: Any, fixture: Fixture, store: Any, *replies: Any) -> None:
    offered = [Tool(spec, lambda **_: "done") for spec in fixture.offer.tools]
    paradigm = get_paradigm(fixture.paradigm)
    play(*replies, paradigm=paradigm, tools=offered, store=store, id="x",
         limits=TurnLimits(requests=2))  # fmt: skip


@pytest.mark.parametrize(
    "fixture", sampled(FIXTURES), ids=lambda each: f"{each.paradigm}-{each.case}"
)
def test_a_reply_told_whole_is_the_one_that_came_in_pieces(one_player, fixture):
    play, store = one_player, MemoryStore()
    thinking = [Chunk(text, reasoning="." * (n % 7 == 3)) for n, text in
                enumerate(_pieces(fixture.reply))]  # fmt: skip
    for content in (_pieces(fixture.reply), thinking):
        store = MemoryStore()
        reply = ScriptedReply(content, fixture.finish_reason or "stop")
        _one_turn(play, fixture, store, reply, "Well.")
        live = play.send(), play.events, play.session.messages
        _one_turn(play, fixture, copied(told_one_by_one(store)[:-1]))
        again = play.resume({})
        assert _said(play.events) == _said(live[1])
        assert _told(again) == _told(live[0]) and play.session.messages == live[2]
        assert play.requests == []


def _said(events: list[Any]) -> Any:
    # Thoughts in the middle of a call may come a few characters earlier or later; the message,
    # which is compared too, has them all.
    return _told(merged([each for each in events if not isinstance(each, ReasoningDelta)]))


@pytest.fixture(scope="module")
def one_player() -> Iterator[Any]:
    # The drivers differ in nothing that a reply has: one of them will do.
    with asyncio.Runner() as runner:
        yield Player("sync", runner)
