"""A session, used in any order by a program that does not know when to stop: what always holds.

``soak/sessions.py`` takes a hundred thousand steps; here, some.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.amount import amount
from tests.patience import PATIENCE
from toolproto import Message, ToolFailed, UsageError, tool
from toolproto.conversation.deciding.approvals import Allow, Defer, Deny, call_digest
from toolproto.conversation.hooks import Hooks
from toolproto.conversation.journal.log import conversation_of
from toolproto.conversation.session import AsyncChatSession, ChatSession
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.toolsets import MemoryFiles, file_tools
from toolproto.conversation.turn.events import StateChanged, TurnEnded
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.conversation.turn.states import MOVES, TERMINAL, TurnState
from toolproto.endpoints import ScriptedEndpoint
from toolproto.endpoints.recorded.scripted import ScriptedReply
from toolproto.protocol.deciding.policy import Policy
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.messages import Chunk, ToolCall, ToolResult, Usage
from toolproto.protocol.tools.context import ToolContext
from toolproto.protocol.tools.define import Tool

# -- what a program, a person and a model may do ------------------------------------------

SPENT = Usage(3, 5)
QUESTION = "Are you sure?"
TOOLS = ["look", "save", "save", "fail", "hang", "later", "stall", "ask", "outside", "forbidden"]
TOOLS += ["write_file", "write_file"]


def written(name: str, n: int) -> str:
    """A call as the model writes it."""
    if name == "write_file":
        inside = f'{{"path": "file{n % 2}", "content": "{n}"}}'
        return f'<tool_code>{{"name": "write_file", "arguments": {inside}}}</tool_code>'
    return f'<tool_code>{{"name": "{name}", "arguments": {{"n": {n}}}}}</tool_code>'


def reply(said: list[str], end: str | None = "stop") -> ScriptedReply:
    return ScriptedReply([*said, Chunk(usage=SPENT)], finish_reason=end)


CALLS = st.builds(written, st.sampled_from(TOOLS), st.integers(0, 5))
#: In the middle of a sentence, and so often in one reply that somebody is asked about that.
DOUBTED = st.builds("I will do it now: {} and then go on. ".format, CALLS)
REPEATED = CALLS.map(lambda call: call * 3)
PROSE = st.sampled_from(["Let me see. ", "<tool_code>{oops}</tool_code>"])
# What is listed more often comes more often.
SAID = st.lists(st.one_of(CALLS, CALLS, CALLS, DOUBTED, REPEATED, PROSE), min_size=1, max_size=3)
WHOLE = st.builds(reply, SAID)
CUT = st.builds(reply, SAID, st.sampled_from(["length", None]))
FAILING = st.just(EndpointError("the service is gone", status=503))
REPLIES = st.lists(
    st.one_of(WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, CUT, FAILING), min_size=1, max_size=3
)
USUAL = ["allow", "deny", "defer", "instead"]
MOODS = st.lists(
    st.sampled_from([*USUAL, *USUAL, "always", "stop", "cancel", "raise", "nonsense"]),
    min_size=1,
    max_size=4,
)
REVIEWS = st.sampled_from(["pass"] * 5 + ["withhold", "replace", "defer", "cancel", "raise"])
PLACES = ["on_turn_start", "on_before_request", "on_stream_data", "on_after_request"]
PLACES += ["on_message_append", "before_tool", "after_tool", "on_turn_end", "clean_up"]
TROUBLE = st.tuples(st.sampled_from(PLACES), st.sampled_from(["cancel", "raise"]))
TROUBLES = st.one_of(st.none(), st.none(), st.none(), TROUBLE)
#: What one turn may have of its own; every tool is still called, offered or not.
TERMS = st.sampled_from(
    [{}, {}, {}, {"without": ["save"]}, {"tools": ["look", "ask"]}, {"tools": []},
     {"system": "Be long."}, {"paradigm": "hermes"}, {"params": {"seed": None}}, {"model": "m"}]
)  # fmt: skip
VERDICTS = st.sampled_from(["allow", "deny", "defer", "result", "result", "missing", "nonsense"])


class Trouble(Exception):
    """Raised by the program's own code."""


class Meddling(Hooks):
    """Hooks that count what they see, and make trouble where the machine says so."""

    def __init__(self, machine: SessionMachine) -> None:
        self.machine = machine
        self.seen: Counter[str] = Counter()
        self.usage = Usage()

    def _at(self, place: str) -> None:
        self.seen[place] += 1
        if self.machine.trouble and self.machine.trouble[0] == place:
            action, self.machine.trouble = self.machine.trouble[1], None
            self.machine.act(action)

    def on_turn_start(self, turn):
        self._at("on_turn_start")
        self.seen["started"] += 1
        return lambda: self._at("clean_up")

    def on_before_request(self, moment):
        self._at("on_before_request")

    def on_stream_data(self, data):
        self._at("on_stream_data")
        self.usage += data.chunk.usage or Usage()

    def on_after_request(self, moment):
        self._at("on_after_request")

    def on_message_append(self, moment):
        self._at("on_message_append")

    def before_tool(self, call, tool):
        self._at("before_tool")

    def after_tool(self, result):
        self._at("after_tool")

    def on_turn_end(self, result):
        self._at("on_turn_end")


# -- the two kinds of session, used a step at a time --------------------------------------


class Line:
    """An open turn of a ChatSession, read event by event."""

    session = ChatSession

    def __init__(self) -> None:
        self._block: Any = None

    @property
    def is_open(self) -> bool:
        return self._block is not None

    def open(self, block: Any) -> None:
        self._events = self._enter(block)
        self._block = block

    def next(self) -> Any:
        """The next event, None at the end."""
        return next(self._events, None)

    def whole(self, turn: Callable[[], Any]) -> Any:
        """Run *turn* from its beginning to its end."""
        return turn()

    def leave(self) -> None:
        block, self._block = self._block, None
        block.__exit__(None, None, None)

    def tasks(self) -> int:
        return 0

    def end(self) -> None:
        if self.is_open:
            self.leave()

    def _enter(self, block: Any) -> Any:
        return block.__enter__()


class AsyncLine(Line):
    """An open turn of an AsyncChatSession."""

    session: Any = AsyncChatSession

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()

    def next(self) -> Any:
        async def read() -> Any:
            return await anext(self._events, None)

        return self._runner.run(read())

    def next_cancelled(self, patience: int) -> Any:
        """Read on in a task that is cancelled after some turns of the loop."""

        async def read() -> Any:
            task = asyncio.ensure_future(anext(self._events, None))
            for _ in range(patience):
                await asyncio.sleep(0)
            task.cancel()
            return await task

        return self._runner.run(read())

    def whole(self, turn: Callable[[], Any]) -> Any:
        return self._runner.run(turn())

    def leave(self) -> None:
        block, self._block = self._block, None
        self._runner.run(block.__aexit__(None, None, None))

    def tasks(self) -> int:
        async def count() -> int:
            return len(asyncio.all_tasks()) - 1

        return self._runner.run(count())

    def end(self) -> None:
        super().end()
        self._runner.close()

    def _enter(self, block: Any) -> Any:
        return self._runner.run(block.__aenter__())


# -- the machine --------------------------------------------------------------------------


class SessionMachine(RuleBasedStateMachine):
    """One session; what it must keep to is in the checks at the end."""

    make_line: ClassVar[Callable[[], Line]] = Line
    tally: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.line = self.make_line()
        self.hooks = Meddling(self)
        self.endpoint = ScriptedEndpoint(*[self._reply] * 2_000)
        self.script: deque[Any] = deque()
        self.moods: deque[str] = deque()
        self.reviews: deque[str] = deque()
        self.trouble: tuple[str, str] | None = None
        self.ran: dict[str, str] = {}
        self.twice: list[str] = []
        self.allowed: dict[str, str] = {}
        self.granted: dict[str, bool] = {}  # whether doubted calls of the tool are granted, too
        self.changed: dict[str, ToolCall] = {}
        self.barred: set[str] = set()
        self.ignored: set[str] = set()
        self.lock = threading.Lock()
        self.active: dict[str, tuple[int, bool]] = {}
        self.met: list[str] = []
        self.begun = 0
        self.terms: dict[str, Any] | None = None
        self.first_request = 0
        self.files = MemoryFiles({"file0": "old"})
        self.checked_requests = 0
        self.usage = Usage()
        self.events: list[Any] = []
        self.tally["steps"] -= 1  # the invariants are held once before any step
        self.session: Any = self.line.session(
            self.endpoint,
            "xml_tag",
            self._tools(),
            hooks=[self.hooks],
            approver=self._approve,
            reviewer=self._review,
            policy=Policy({"forbidden": "deny"}),
            limits=TurnLimits(requests=4, reasks=1),
            system="Be brief.",
            store=MemoryStore(),
            id="x",
        )

    # -- the world around the session ------------------------------------------------

    def act(self, action: str) -> None:
        """What trouble somebody's code makes."""
        if action == "cancel":
            self.session.cancel()
        elif action == "raise":
            raise Trouble

    def _reply(self, request: Any) -> Any:
        return self.script.popleft() if self.script else ["That is all.", Chunk(usage=SPENT)]

    def _tools(self) -> list[Tool]:
        @tool
        def look(n: int, context: ToolContext) -> str:
            with self._running(context):
                time.sleep(0.0005)  # long enough to be met by what must wait for it
                return self._note(context)

        @tool(risk="write", ordering="in_order")
        def save(n: int, context: ToolContext) -> str:
            with self._running(context, alone=True):
                return self._note(context)

        @tool(risk="exec")
        def fail(n: int, context: ToolContext) -> str:
            self._note(context)
            raise ToolFailed("no")

        @tool(risk="write", timeout=0.005)
        def hang(n: int, context: ToolContext) -> str:
            self._note(context)
            context.cancelled.wait(PATIENCE)
            return "late"

        @tool(risk="egress")
        async def later(n: int, context: ToolContext) -> str:
            await asyncio.sleep(0)
            return self._note(context)

        @tool(risk="write", timeout=0.005)
        async def stall(n: int, context: ToolContext) -> str:
            self._note(context)
            await asyncio.sleep(PATIENCE)
            return "late"

        @tool
        def ask(n: int, context: ToolContext) -> str:
            self._note(context)
            return "yes" if context.ask(QUESTION) else "no"

        @tool(risk="write")
        def forbidden(n: int, context: ToolContext) -> str:
            return self._note(context)

        schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        outside = Tool.from_schema("outside", "Done elsewhere.", schema)
        writing = file_tools(self.files)[2:]
        return [look, save, fail, hang, later, stall, ask, forbidden, outside, *writing]

    @contextmanager
    def _running(self, context: ToolContext, alone: bool = False) -> Iterator[None]:
        """Of the calls of one reply, those that are to be in order meet no other."""
        with self.lock:
            beside = [id for id, (turn, _) in self.active.items() if turn == self.begun]
            strict = any(self.active[id][1] for id in beside)
            if beside and (alone or strict) and not context.cancelled.is_set():
                self.met.append(context.call_id)
            self.active[context.call_id] = self.begun, alone
            self.tally["calls that met others"] += bool(beside)
        try:
            yield
        finally:
            with self.lock:
                self.active.pop(context.call_id, None)

    def _note(self, context: ToolContext) -> str:
        self.tally["calls run"] += 1
        if context.call_id in self.ran:
            self.twice.append(context.call_id)
        self.ran[context.call_id] = call_digest(context.call)
        return "done"

    def _approve(self, request: Any) -> Any:
        mood = self.moods.popleft() if self.moods else "allow"
        self.act(mood)
        decision = _decision(mood, request.call)
        self._decided(request, decision)
        return decision

    def _decided(self, request: Any, decision: Any) -> None:
        call = request.call
        self.tally[f"{request.kind} questions"] += 1
        self.tally["doubted calls asked about"] += bool(call.place)
        # Neither a tool's own question nor one about a loop is about whether the call may run.
        if request.kind in ("elicitation", "loop"):
            if isinstance(decision, Allow) and decision.instead and request.kind == "loop":
                self.changed[call.id] = decision.instead  # and decided about like any call
            return
        self.allowed.pop(call.id, None)
        self.tally["nonsense" if decision is True else type(decision).__name__] += 1
        self.barred.discard(call.id)
        if decision is True:
            return
        if isinstance(decision, Allow):
            self.allowed[call.id] = call_digest(decision.instead or call)
            if decision.always:
                covers_all = {each.kind for each in request.asked} == {"approval"}
                self.granted[call.name] = covers_all or self.granted.get(call.name, False)
        else:
            self.barred.add(call.id)

    def _review(self, result: ToolResult) -> Any:
        review = self.reviews.popleft() if self.reviews else "pass"
        self.act(review)
        if review == "replace":
            return ToolResult(result.call, "replaced")
        if review == "defer":
            return Defer()
        return Deny("secret") if review == "withhold" else None

    # -- what the program does -------------------------------------------------------
    # No rule has a precondition: how far a turn got depends on threads, and Hypothesis wants to
    # be offered the same rules again. Where there is no turn to go on with, one is begun.

    @rule(
        replies=REPLIES,
        moods=MOODS,
        reviews=st.lists(REVIEWS, max_size=2),
        trouble=TROUBLES,
        terms=TERMS,
    )
    def begin(self, replies, moods, reviews, trouble, terms):
        if self.line.is_open:
            return self._refused("a turn is running", self.session.stream("hi"))
        self._expect(replies, moods, reviews, trouble)
        waiting = {request.call.id for request in self.session.pending}
        self._open(self.session.stream("hello", **terms))
        self.ignored, self.terms = waiting, terms

    @rule(
        said=st.lists(VERDICTS, min_size=1, max_size=4),
        replies=REPLIES,
        moods=MOODS,
        trouble=TROUBLES,
    )
    def resume(self, said, replies, moods, trouble):
        if self.line.is_open:
            return self._refused("a turn is running", self.session.stream_resumed({}))
        self._expect(replies, moods, [], trouble)
        waiting = self.session.pending
        if not waiting:
            return self._refused("no call is pending", self.session.stream_resumed({}))
        verdicts = {
            request.call.id: _decision(word, request.call)
            for request, word in zip(waiting, said * len(waiting), strict=False)
            if word != "missing"
        }
        if reason := self._objection(verdicts):
            return self._refused(reason, self.session.stream_resumed(verdicts))
        waiting = [each for each in waiting if "review" not in each.reason]
        self._open(self.session.stream_resumed(verdicts))
        for request in waiting:
            if isinstance(verdict := verdicts.get(request.call.id), Allow | Deny):
                self._decided(request, verdict)

    @rule(
        replies=REPLIES,
        moods=MOODS,
        reviews=st.lists(REVIEWS, max_size=2),
        trouble=TROUBLES,
        terms=TERMS,
    )
    def send(self, replies, moods, reviews, trouble, terms):
        self.begin(replies, moods, reviews, trouble, terms)
        if self.line.is_open:
            self.read_to_the_end()

    @rule(place=st.integers(0, 9), again=st.booleans(), replies=REPLIES, moods=MOODS)
    def insert(self, place, again, replies, moods):
        """Put a turn in the middle of the conversation, or run one of its turns again."""
        if self.line.is_open:
            return
        log = self.session._kept.log
        way = [turn for turn in log.way(log.head) if turn.message or not again]
        if not way:
            return
        turn, branches = way[place % len(way)].number, len(self.session.turns)
        behind = self.session._kept.following(turn)
        if again and not self.session._behind(turn):  # all that follows is the end of this turn
            behind = []
        self._expect(replies, moods, [], None)
        self._begun()
        run = partial(self.session.rerun, turn, keep_following=True)
        if not again:
            run = partial(self.session.insert, "between", after=turn)
        try:
            result = self.line.whole(run)
        except (UsageError, ExceptionGroup) as error:
            assert _is_usage_error(error)
            result = self.session.result
        self.tally["inserted turns"] += 1
        follows = len(behind) if result.status == "completed" else 0
        assert len(self.session.turns) == branches + 1 + follows
        reopened = conversation_of(log.way(log.head)).messages
        assert tuple(reopened) == self.session.messages

    @rule(numbers=st.lists(st.integers(0, 9), min_size=1, max_size=3), twice=st.booleans())
    def write_and_undo(self, numbers, twice):
        """Files that a turn wrote are as they were before it, and stay so if asked twice."""
        if self.line.is_open or not wait_for_tools():
            return
        self._expect([reply([written("write_file", n) for n in numbers])], ["allow"] * 3, [], None)
        before = self.files.contents()
        self._open(self.session.stream("write"))
        self.read_to_the_end()
        if self.session.result.status != "completed" or not wait_for_tools():
            return
        for _ in range(1 + twice):
            self._undo(None)
            assert self.files.contents() == before

    @rule(place=st.integers(0, 30))
    def undo(self, place):
        """Undo any turn: what nobody has changed since is as before, all else is left alone."""
        if self.line.is_open or not wait_for_tools():
            return
        numbers = [turn.number for turn in self.session.turns]
        if numbers:
            self._undo(numbers[place % len(numbers)])

    def _undo(self, number: int | None) -> None:
        log = self.session._kept.log
        stored = log.turns[log.head if number is None else number]
        first: dict[str, str | None] = {}
        last: dict[str, str | None] = {}
        for record in stored.result.calls if stored.result else ():
            if change := record.result.metadata.get("change"):
                first.setdefault(change["path"], change["before"])
                last[change["path"]] = change["after"]
        now = {path: content.decode() for path, content in self.files.contents().items()}
        expected = dict(now)
        for path in first:
            if now.get(path) == last[path]:
                expected.pop(path, None)
                expected |= {path: said} if (said := first[path]) is not None else {}
        try:
            paths = self.session.undo(number)
            assert set(paths) == set(first)
        except UsageError:
            assert not first or any(now.get(path) != last[path] for path in first)
        else:
            self.tally["turns undone"] += 1
        after = {path: content.decode() for path, content in self.files.contents().items()}
        assert after == expected

    @rule(names=st.lists(st.sampled_from(["look", "look", "save"]), min_size=2, max_size=5))
    def several_in_one_reply(self, names):
        """Calls run beside each other, but one that is to be in order waits, and is waited for."""
        if self.line.is_open or not wait_for_tools():
            return
        said = [written(name, n) for n, name in enumerate(names)]
        self._expect([reply(said)], ["allow"] * len(names), [], None)
        self._open(self.session.stream("do it all"))
        self.read_to_the_end()
        # The last ones: calls that waited before were answered first, since the user went on.
        ran = [record.call.name for record in self.session.result.calls][-len(names) :]
        assert self.session.result.status != "completed" or ran == names
        self.tally["replies with several calls"] += 1

    @rule(n=st.integers(0, 5), terms=TERMS)
    def leave_a_call_and_go_on(self, n, terms):
        """A call that waits is answered when the user goes on, and no request is made for it."""
        if self.line.is_open or not wait_for_tools():
            return
        if not self.session.pending:
            self._expect([reply([written("save", n)])], ["defer"], [], None)
            self._open(self.session.stream("save it"))
            self.read_to_the_end()
        waiting = [request.call.id for request in self.session.pending]
        requests = len(self.endpoint.requests)
        self.begin([], [], [], None, terms)
        self.read_to_the_end()
        if waiting and self.session.result.status == "completed":
            assert len(self.endpoint.requests) == requests + 1
            answers = [each for message in self.session.messages for each in message.results]
            told = {each.call.id: each.content for each in answers}
            assert all("the user went on" in told[id] for id in waiting)
            self.tally["calls left"] += len(waiting)

    @rule(count=st.integers(1, 25))
    def read(self, count):
        self._have_a_turn()
        for _ in range(count):
            if not self._read_one(self.line.next):
                break

    @rule()
    def read_to_the_end(self):
        self._have_a_turn()
        while self._read_one(self.line.next):
            pass

    @rule(elsewhere=st.booleans())
    def cancel(self, elsewhere):
        if not elsewhere:
            return self.session.cancel()
        thread = threading.Thread(target=self.session.cancel)
        thread.start()
        thread.join()

    @rule(after=st.floats(0, 0.002))
    def cancel_while_reading(self, after):
        self._have_a_turn()
        timer = threading.Timer(after, self.session.cancel)
        timer.start()
        self.read_to_the_end()
        timer.join()

    @rule()
    def leave(self):
        self._have_a_turn()
        begun = bool(self.events)
        self.line.leave()
        self._check_end(begun=begun, seen=False)

    def _objection(self, verdicts: dict[str, Any]) -> str:
        """Why these verdicts cannot be taken, if they cannot."""
        outside = [
            each.call.id
            for each in self.session.pending
            if each.call.name == "outside" and each.kind != "loop"
        ]
        allowed = any(isinstance(verdicts.get(id), Allow) for id in outside)
        nonsense = any(verdict is True for verdict in verdicts.values())
        reviewed = {each.call.id for each in self.session.pending if "review" in each.reason}
        changed = any(getattr(verdicts.get(id), "instead", None) for id in reviewed)
        why = "no function to run|expected Allow, Deny or Defer|the call ran"
        return why if allowed or nonsense or changed else ""

    def _have_a_turn(self) -> None:
        if self.line.is_open:
            return
        n = len(self.session.messages) % 7
        replies, moods = [reply([written("save", n), written("look", n)])], [USUAL[n % len(USUAL)]]
        if self.session.pending:
            self.resume(["result", "deny"], replies, moods, None)
        else:
            self.begin(replies, moods, [], None, {})

    def _refused(self, why: str, block: Any) -> None:
        with pytest.raises(UsageError, match=why):
            self.line._enter(block)

    def _expect(self, replies: Any, moods: Any, reviews: Any, trouble: Any) -> None:
        self.script, self.moods = deque(replies), deque(moods)
        self.reviews, self.trouble = deque(reviews), trouble

    def _open(self, block: Any) -> None:
        self._begun()
        self.line.open(block)

    def _begun(self) -> None:
        self.events = []
        self.ignored, self.terms = set(), None
        self.begun += 1
        self.first_request = len(self.endpoint.requests)
        self.usage, self.hooks.usage = self.usage + self.hooks.usage, Usage()
        self.hooks.seen.clear()

    def _read_one(self, read: Callable[[], Any]) -> bool:
        """Read an event; False at the end of the turn, which is then checked."""
        try:
            event = read()
        except (UsageError, ExceptionGroup) as error:  # an approver's nonsense, and what came of it
            assert error is self.session.result.error and _is_usage_error(error)
            event = None
        if event is not None:
            self.events.append(event)
            return True
        self.line.leave()
        self._check_end(begun=True, seen=True)
        return False

    # -- what must hold --------------------------------------------------------------

    def _check_end(self, *, begun: bool, seen: bool) -> None:
        """One turn is over; *seen*: all its events were read."""
        if not begun:  # nothing was read of it, so nothing was done
            assert self.session.result is None and self.session.state is TurnState.IDLE
            return
        result = self.session.result
        self.tally[f"{result.status} turns"] += 1
        # What the user went on without has not run, unless it only waited for a review.
        self.barred |= self.ignored - self.ran.keys()
        self.tally["ignored calls"] += len(self.ignored)
        ends = [event.result for event in self.events if isinstance(event, TurnEnded)]
        assert ends == [result][: len(ends)] and (ends or not seen)
        assert not ends or isinstance(self.events[-1], TurnEnded)
        assert self.session.state in TERMINAL
        assert result.usage == self.hooks.usage
        assert (result.status == "pending") == (result.error is None and bool(result.pending))
        assert result.pending == self.session.pending
        self._check_moves(seen)
        self._check_hooks(result)
        for request in self.endpoint.requests[self.first_request :]:
            self._check_terms(request)

    def _check_terms(self, request: Any) -> None:
        """What one turn had of its own was told in it, and in no other."""
        if self.terms is None:  # a turn of another kind, which goes on as it was begun
            return
        told, terms = request.messages[0].content, self.terms
        # As TypeScript, or as the very call.
        taught = {n for n in ("look", "save", "ask") if f"\n{n}(" in told or f'"{n}"' in told}
        offered = {"look", "save", "ask"} - set(terms.get("without", ()))
        assert taught == offered & set(terms.get("tools", offered))
        assert ("Be long." in told) is ("system" in terms)
        assert told.startswith("Be brief.")  # a turn's own prompt stands below that of the session
        if taught:
            assert ("<tool_call>" in told) is ("paradigm" in terms)
        assert request.model == terms.get("model", "")
        self.tally["requests on terms of a turn"] += bool(terms)

    def _check_moves(self, seen: bool) -> None:
        changes = [event.snapshot for event in self.events if isinstance(event, StateChanged)]
        states = [TurnState.IDLE, *(change.state for change in changes)]
        assert all(after in MOVES[before] for before, after in pairwise(states))
        assert [change.previous for change in changes] == states[:-1]
        assert states[-1] is self.session.state or not seen

    def _check_hooks(self, result: Any) -> None:
        seen = self.hooks.seen
        assert seen["clean_up"] == seen["started"] <= 1
        assert seen["on_turn_end"] <= seen["started"]
        assert seen["on_turn_end"] or result.error is not None

    @invariant()
    def count_the_step(self):
        self.tally["steps"] += 1

    @invariant()
    def every_call_runs_once_and_as_approved(self):
        assert not self.twice
        assert not self.met, "ran beside another, although in order"
        assert not self.barred & self.ran.keys(), "ran although denied or deferred"
        for message in self.session.messages:
            for call in message.calls:
                if call.id in self.ran:
                    self._check_approved(call)

    def _check_approved(self, written: ToolCall) -> None:
        call = self.changed.get(written.id, written)
        assert call.name not in ("forbidden", "outside")
        covers_all = self.granted.get(call.name)
        is_granted = covers_all or (covers_all is False and not call.place)
        if call.name not in ("look", "ask", "write_file") and not is_granted:
            assert self.allowed[written.id] == self.ran[written.id], "ran unlike what was approved"

    @precondition(lambda self: not self.line.is_open)
    @invariant()
    def every_call_is_answered_once_or_waits(self):
        calls = Counter(call.id for each in self.session.messages for call in each.calls)
        results = [result for each in self.session.messages for result in each.results]
        answers = Counter(result.call.id for result in results)
        assert set(calls.values()) <= {1} and set(answers.values()) <= {1}
        waiting = {request.call.id for request in self.session.pending}
        open_calls = calls.keys() - answers.keys()
        assert waiting <= open_calls and bool(waiting) == bool(open_calls)
        assert answers.keys() <= calls.keys()
        for result in results:
            if result.content.startswith("not run"):
                assert result.call.id not in self.ran, "the model is told a lie"

    @invariant()
    def every_request_can_be_sent(self):
        for request in self.endpoint.requests[self.checked_requests :]:
            check_request(request.messages)
        self.checked_requests = len(self.endpoint.requests)

    @precondition(lambda self: not self.line.is_open)
    @invariant()
    def nothing_is_left_behind(self):
        assert self.endpoint.open == 0
        assert self.line.tasks() == 0
        assert not self.session._busy.locked()

    def teardown(self):
        self.line.end()
        self.endpoint = ScriptedEndpoint("fine")
        assert wait_for_tools(), "a tool was not told to stop"


class AsyncSessionMachine(SessionMachine):
    """The same for the async session, and its tasks may be cancelled."""

    make_line = AsyncLine

    @rule(patience=st.integers(0, 8))
    def cancel_the_task(self, patience):
        self._have_a_turn()
        begun = bool(self.events)
        try:
            self._read_one(lambda: self.line.next_cancelled(patience))
        except asyncio.CancelledError:
            begun = begun or self.session.state is not TurnState.IDLE
            self.line.leave()
            self._check_end(begun=begun, seen=False)


def _is_usage_error(error: Exception) -> bool:
    group = error.exceptions if isinstance(error, ExceptionGroup) else (error,)
    return any(isinstance(each, UsageError) for each in group)


def _decision(word: str, call: ToolCall) -> Any:
    match word:
        case "deny":
            return Deny()
        case "defer":
            return Defer()
        case "stop":
            return Deny(stop=True)
        case "always":
            return Allow(always=True)
        case "instead":
            return Allow(instead=ToolCall("save", {"n": 7}))
        case "result":
            return ToolResult(call, "from elsewhere")
        case "nonsense":
            return True
    return Allow()


def check_request(messages: tuple[Message, ...]) -> None:
    """*messages* are what every chat template takes."""
    roles = [message.role for message in messages]
    assert all(message.content.strip() for message in messages)
    assert roles[0] == "system" and "system" not in roles[1:]
    assert roles[1] == roles[-1] == "user"
    assert all(before != after for before, after in pairwise(roles))
    assert not any(message.calls or message.results for message in messages)


def wait_for_tools(seconds: float = PATIENCE / 2) -> bool:
    """Whether every thread of a tool is done soon."""
    until = time.monotonic() + seconds
    for thread in threading.enumerate():
        if thread.name == "toolproto-tool":
            thread.join(max(0.0, until - time.monotonic()))
    return not any(each.name == "toolproto-tool" for each in threading.enumerate())


FEW = settings(max_examples=amount(15, 25), stateful_step_count=30)
TestSession = SessionMachine.TestCase
TestSession.settings = FEW
TestAsyncSession = AsyncSessionMachine.TestCase
TestAsyncSession.settings = FEW


# -- what the machine found ---------------------------------------------------------------


def test_a_resumed_call_is_answered_though_its_result_cannot_be_kept(play):
    class Refusing(Hooks):
        def on_message_append(self, moment):
            if moment.message.results:
                raise Trouble

    @tool(risk="write")
    def save(n: int) -> str:
        return "saved"

    options = {"tools": [save], "approver": lambda request: Defer(), "hooks": [Refusing()]}
    waiting = play(written("save", 1), "ok", **options).send().pending
    assert play.resume({waiting[0].call.id: Allow()}).status == "error"
    answers = [result.call.id for each in play.session.messages for result in each.results]
    assert answers == [waiting[0].call.id]
