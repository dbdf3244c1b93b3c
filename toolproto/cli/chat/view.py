"""A turn as it is watched: each event of a session, drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from rich.text import Text

from ...conversation.deciding.approvals import Allow, ApprovalRequest
from ...conversation.turn.events import (
    ApprovalAsked,
    CompactionFailed,
    Decided,
    HistoryCompacted,
    ReasoningEnded,
    ReasoningStarted,
    SessionEvent,
    StateChanged,
    StepEnded,
    StepStarted,
    ToolProgressed,
    ToolStatus,
    ToolUpdated,
    TurnEnded,
)
from ...conversation.turn.result import TurnResult
from ...conversation.turn.states import TurnState
from ...protocol.events import (
    ArgumentsDelta,
    CallRejected,
    CallStarted,
    ReasoningDelta,
    TextDelta,
)
from ...protocol.guard.concerns import Concern
from ...protocol.messages import ToolCall, ToolResult
from ...protocol.tools.registry import ToolRegistry
from . import drawing
from .cards import Card
from .folding import counted, one_line
from .live_text import LiveCount, LiveText, Writing, thought
from .screen import Screen

__all__ = ["TurnView"]

_BLANK = Text("")
_HINT = "Ctrl-C cancels"
_CHANGED = "[the user changed the call"


class TurnView:
    """Draws one turn on *screen*.

    Thinking is counted, and shown only if *thinking*. *attended*: somebody is asked about calls,
    and whoever asks draws the card. *drawn* are the ids of calls whose cards are there already.
    """

    def __init__(
        self,
        screen: Screen,
        tools: ToolRegistry,
        *,
        thinking: bool = False,
        attended: bool = True,
        drawn: Iterable[str] = (),
    ) -> None:
        self.result: TurnResult | None = None
        self._screen = screen
        self._tools = tools
        self._thinking = thinking
        self._attended = attended
        self._kind: object = None
        self._writing: Writing | None = None
        self._drawn = set(drawn)
        self._running: dict[str, ToolCall] = {}
        self._progressed: dict[str, str] = {}
        self._edited: set[str] = set()
        self._announced: ApprovalRequest | None = None

    def is_announced(self, request: ApprovalRequest) -> bool:
        """Whether the turn said that it asks about *request*."""
        return request is self._announced

    def see(self, event: SessionEvent) -> None:
        """Draw *event*."""
        with self._screen.lock:
            match event:
                case TextDelta(text):
                    self._write("text", text, lambda: LiveText(self._screen))
                case ReasoningDelta(text):
                    self._write("thinking", text, self._thoughts)
                case CallStarted(index, name):
                    self._write(index, "", lambda: self._progress(name))
                case ArgumentsDelta(index, text):
                    self._write(index, text, lambda: self._progress("a call"))
                case StepStarted() | ReasoningStarted() | ReasoningEnded():
                    pass
                case _:
                    self.settle()
                    self._see_step(event)

    def settle(self) -> None:
        """Finish what is being written."""
        writing, self._writing, self._kind = self._writing, None, None
        self._screen.still()
        if writing:
            writing.finish()

    def _see_step(self, event: SessionEvent) -> None:
        match event:
            case StateChanged(snapshot) if snapshot.state is TurnState.STREAMING:
                self._screen.wait(f"waiting for the model · {_HINT}")
            case CallRejected(_, problem):
                self._screen.show(drawing.problem(problem))
            case ApprovalAsked(request) if self._attended:
                self._announced = request
                self._drawn.add(request.call.id)
            case ApprovalAsked(request):
                self._card(request.call, request.reason, request.concerns)
            case ToolUpdated(call, ToolStatus.RUNNING):
                self._card(call)
                self._running[call.id] = call
                self._wait_for_tools()
            case ToolProgressed(call) if call.id in self._running:
                self._progressed[call.id] = drawing.progress(event)
                self._wait_for_tools()
            case Decided(request, Allow(instead)) if instead:
                self._edited.add(request.call.id)
            case ToolUpdated(call, result=result) if result:
                self._card(call)
                self._running.pop(call.id, None)
                self._progressed.pop(call.id, None)
                self._screen.show(drawing.result(self._own(result), self._screen.width))
                self._wait_for_tools()
            case HistoryCompacted(before, after):
                self._screen.say(f"~ history shortened: {len(before)} messages to {len(after)}")
            case StepEnded(step) if step.diff:
                self._screen.say("± files were changed: /diff shows how, /undo restores them")
            case CompactionFailed(error):
                self._screen.say(f"~ history could not be shortened: {one_line(str(error))}")
            case TurnEnded(result):
                self._end(result)

    def _write(self, kind: object, text: str, begin: Callable[[], Writing]) -> None:
        if self._writing is None or self._kind != kind:
            self.settle()
            self._kind, self._writing = kind, begin()
        self._writing.feed(text)

    def _thoughts(self) -> Writing:
        if self._thinking:
            return LiveText(self._screen, thought)
        return LiveCount(self._screen, _thought_words)

    def _progress(self, name: str) -> Writing:
        shown = one_line(name, 60)
        return LiveCount(
            self._screen, lambda count, _: f"→ {shown} {counted(count, 'character')}…", stays=False
        )

    def _card(self, call: ToolCall, reason: str = "", concerns: Sequence[Concern] = ()) -> None:
        if call.id not in self._drawn:
            self._drawn.add(call.id)
            tool = self._tools.get(call.name)
            self._screen.show(
                _BLANK, Card(call, tool.risk if tool else "", reason, False, concerns)
            )

    def _own(self, result: ToolResult) -> ToolResult:
        """*result* without the line that tells the model how the person changed the call."""
        told, _, own = result.content.partition("\n")
        changed = result.call.id in self._edited and told.startswith(_CHANGED)
        return replace(result, content=own) if changed else result

    def _wait_for_tools(self) -> None:
        if self._running:
            told = [
                f"{call.name}{self._progressed.get(id, '')}" for id, call in self._running.items()
            ]
            self._screen.wait(f"{', '.join(told)} · {_HINT}")

    def _end(self, result: TurnResult) -> None:
        self.result = result
        if result.status != "pending":  # then it is not over, only interrupted by a question
            told = [*filter(None, [drawing.ending(result)]), *drawing.not_run(result)]
            self._screen.show(_BLANK, *told, drawing.totals(result))


def _thought_words(count: int, is_all: bool) -> str:
    size = counted(count, "character")
    return f"∴ thought, {size}: /thinking shows it" if is_all else f"∴ thinking… {size}"
