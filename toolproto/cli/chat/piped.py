"""One turn for programs: the answer on standard output, all else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from ...conversation.as_json import event_json
from ...conversation.turn.events import (
    ApprovalAsked,
    CompactionFailed,
    HistoryCompacted,
    MessageAppended,
    SessionEvent,
    ToolStatus,
    ToolUpdated,
    TurnEnded,
)
from ...conversation.turn.result import TurnResult
from ...protocol.errors import EndpointError
from ...protocol.events import CallRejected, TextDelta
from ...protocol.finish_reasons import cut_words
from ..console import mark
from ..exits import Exit
from .conversation import TerminalChat
from .folding import one_line
from .interrupts import Interrupts

__all__ = ["Piped", "exit_of_turn"]


def exit_of_turn(result: TurnResult) -> Exit:
    """The exit code that says how the turn went."""
    match result.status:
        case "completed":
            return Exit.FINE
        case "aborted":  # by whoever pressed Ctrl-C
            return Exit.INTERRUPTED
    return Exit.ENDPOINT if isinstance(result.error, EndpointError) else Exit.FAILED


class Piped:
    """Runs one turn. *write* takes the answer, *note* remarks, *emit* events (if given, alone)."""

    def __init__(
        self,
        chat: TerminalChat,
        write: Callable[[str], None],
        note: Callable[[str], None],
        emit: Callable[[Any], None] | None = None,
    ) -> None:
        self._chat = chat
        self._write = write
        self._note = note
        self._emit = emit
        # A model without tools says nothing but its answer, which may be read as it comes.
        self._is_streaming = not chat.setup.tools and emit is None

    def run(self, message: str) -> Exit:
        """Send *message*; how it went."""
        result: TurnResult | None = None
        session, interrupts = self._chat.session, Interrupts()
        with (
            interrupts.installed(),
            interrupts.cancelling(session.cancel),
            session.stream(self._chat.said(message)) as events,
        ):
            for event in events:
                self._see(event)
                if isinstance(event, TurnEnded):
                    result = event.result
        assert result is not None
        return exit_of_turn(result)

    def _see(self, event: SessionEvent) -> None:
        if self._emit:
            self._emit(event_json(event))
        elif isinstance(event, TurnEnded):
            self._end(event.result)
        else:
            self._tell(event)

    def _tell(self, event: SessionEvent) -> None:
        match event:
            case TextDelta(text) if self._is_streaming:
                self._write(text)
            case ToolUpdated(call, ToolStatus.RUNNING):
                written = json.dumps(dict(call.arguments), ensure_ascii=False, default=str)
                self._note(f"→ {call.name} {one_line(written)}")
            case ToolUpdated(call, _, result) if result:
                sign = mark("broken" if result.is_error else "fine", sys.stderr)
                self._note(f"{sign} {call.name} · {one_line(result.content)}")
            case MessageAppended(message) if message.calls and message.content:
                self._note(one_line(message.content))
            case CallRejected(_, problem):
                self._note(f"! {problem.kind.value}: {one_line(problem.message)}")
            case ApprovalAsked(request):
                for concern in request.concerns:
                    self._note(f"! {request.call.name}: {one_line(concern.line, 200)}")
            case HistoryCompacted():
                self._note("~ history shortened")
            case CompactionFailed(error):
                self._note(f"~ history could not be shortened: {one_line(str(error), 200)}")

    def _end(self, result: TurnResult) -> None:
        if self._is_streaming and result.partial_text:
            self._write("\n")
        elif result.status == "completed":  # otherwise it is not the answer
            self._write(f"{result.text}\n")
        if cut := cut_words(result.finish_reason):
            self._note(one_line(cut, 200))
        for each in result.not_run:
            self._note(f"! not run: {each.call.name}: {one_line(each.reason, 300)}")
        for request in result.pending:
            self._note(f"{request.call.name} waits: {request.reason}")
        if result.error is not None:
            self._note(f"error: {one_line(str(result.error), 1_000)}")
