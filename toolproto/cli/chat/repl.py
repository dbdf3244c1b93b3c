"""The chat loop: a line, what it asks for, the next line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial

from rich.text import Text

from ...conversation.deciding.answers import Verdict
from ...conversation.deciding.approvals import ApprovalRequest, Deny
from ...conversation.turn.events import SessionEvent
from ...conversation.turn.result import TurnResult
from ...protocol.errors import ToolProtoError
from ...protocol.foreign_text import visible
from ...protocol.messages import CallProblem, ToolCall
from ...protocol.tools.check import check_call
from . import commands
from .approval import Asking
from .cards import Card
from .conversation import TerminalChat
from .editing import CallDraft
from .folding import counted, one_line
from .inputs import Inputs
from .interrupts import Interrupts
from .markdown_view import answer
from .screen import Screen
from .view import TurnView

__all__ = ["Repl"]

_BLANK = Text("")
_MARK = "> "
_RESULT_MARK = "result > "
_DENIAL = "/deny"


class Repl:
    """A conversation with somebody at a terminal. *attended*: they are asked about calls."""

    def __init__(
        self,
        chat: TerminalChat,
        screen: Screen,
        inputs: Inputs,
        interrupts: Interrupts,
        *,
        attended: bool = True,
        thinking: bool = False,
    ) -> None:
        self.chat = chat
        self.screen = screen
        self.thinking = thinking
        self._inputs = inputs
        self._interrupts = interrupts
        self._attended = attended
        self._view = self._new_view()
        self._is_leaving = False
        self._asking = Asking(screen, inputs, self._draft, self._is_announced, self._cancel)
        if attended:
            chat.ask(self._asking)

    def run(self) -> None:
        """Talk until the person leaves."""
        with self._interrupts.installed():
            try:
                self._step(self._catch_up)
                while True:
                    with suppress(KeyboardInterrupt):  # between two steps it is about nothing
                        self._step(partial(self.take, self._next_line()))
            except commands.Leave:
                self.screen.still()

    def once(self, message: str) -> TurnResult | None:
        """One turn and no more; None if it was left in the middle."""
        with self._interrupts.installed():
            self.turn(message)
            return self._view.result

    def take(self, line: str) -> None:
        """Do what *line* asks for: a command, or a message."""
        if line.startswith("/") and not line.startswith("//"):
            commands.run(self, line.rstrip())
        elif line.strip():
            self.turn(line.removeprefix("/") if line.startswith("//") else line)

    def turn(self, text: str, beside: int | None = None) -> None:
        """Send *text*, and watch what comes of it until nothing waits for an answer.

        With *beside* it takes the place of that turn, and of what waits there. What waits before
        it is not run: the person went on.
        """
        self._watch(self.chat.session.stream(self.chat.said(text), beside=beside))
        self.settle_pending()

    def agrees(self, question: str) -> bool:
        """Whether the person says yes."""
        while True:
            said = self._inputs.answer(f"{visible(question)} [y]es · [n]o > ").strip().lower()
            if said in ("y", "yes", "n", "no"):
                return said.startswith("y")

    # -- one step ------------------------------------------------------------------------

    def _next_line(self) -> str:
        self.screen.show(_BLANK)
        try:
            line = self._inputs.message(_MARK)
        except EOFError:
            raise commands.Leave from None
        except KeyboardInterrupt:
            if not self._inputs.is_line_empty:
                return ""
            if self._is_leaving:
                raise commands.Leave from None
            self._is_leaving = True
            self.screen.say("Ctrl-C again, Ctrl-D or /quit leaves")
            return ""
        self._is_leaving = False
        return line

    def _step(self, step: Callable[[], None]) -> None:
        """Do *step*; whatever goes wrong in it is told, and the chat goes on."""
        try:
            step()
        except (KeyboardInterrupt, EOFError):
            self.screen.say("stopped", "yellow")
        except (ToolProtoError, OSError) as error:
            self.screen.say(str(error), "red")

    def _catch_up(self) -> None:
        """Go on where an opened session stands: what was said, what broke off, what waits."""
        session = self.chat.session
        if last := self.chat.last_message():
            self.screen.show(Text(f"{_MARK}{one_line(last[0])}", style="dim"))
        if said := self.chat.last_answer():
            self.screen.show(_BLANK, answer(visible(said)))
        if session.interrupted and self.agrees("the last turn did not finish; continue it?"):
            self._watch(session.stream_resumed({}))
        self.settle_pending()

    # -- turns ---------------------------------------------------------------------------

    def _watch(
        self, turn: AbstractContextManager[Iterator[SessionEvent]], drawn: Iterable[str] = ()
    ) -> None:
        view = self._view = self._new_view(drawn)
        try:
            with (
                self._inputs.quiet(),
                self._interrupts.cancelling(self._cancel),
                turn as events,
            ):
                for event in events:
                    view.see(event)
        except KeyboardInterrupt:  # the second one: somebody would not wait for the first
            view.settle()
            self.screen.say("stopped", "yellow")
        finally:
            view.settle()

    def settle_pending(self) -> bool:
        """Ask about what waits until nothing does; False if the person will not be asked now."""
        while pending := self.chat.session.pending:
            try:
                verdicts = {each.call.id: self._verdict(each) for each in pending}
            except (KeyboardInterrupt, EOFError):
                waiting = counted(len(pending), "call")
                self.screen.say(
                    f"{waiting} not decided: /pending asks again; if you send a message instead, "
                    "nothing that waits is run",
                    "yellow",
                )
                return False
            self._watch(self.chat.session.stream_resumed(verdicts), verdicts)
        return True

    def _verdict(self, request: ApprovalRequest) -> Verdict:
        tool = self.chat.setup.tools.get(request.call.name)
        if tool is None or tool.function is not None or request.kind == "loop":
            return self._asking.decision(request)
        self.screen.show(_BLANK, self._card(request))
        self.screen.say(f"what is its result? ({_DENIAL} REASON denies)")
        said = self._inputs.message(_RESULT_MARK, kept=False)
        if said.startswith(_DENIAL):
            return Deny(said.removeprefix(_DENIAL).strip() or Deny().reason)
        return said

    def _card(self, request: ApprovalRequest) -> Card:
        return Card.of(request, request.call, whole=True)

    def _new_view(self, drawn: Iterable[str] = ()) -> TurnView:
        return TurnView(
            self.screen,
            self.chat.setup.tools,
            thinking=self.thinking,
            attended=self._attended,
            drawn=drawn,
        )

    def _is_announced(self, request: ApprovalRequest) -> bool:
        return self._view.is_announced(request)

    def _cancel(self) -> None:
        self.chat.session.cancel()

    def _draft(self, call: ToolCall) -> CallDraft:
        return CallDraft(call, self._checked)

    def _checked(self, call: ToolCall) -> ToolCall | CallProblem:
        return check_call(call, self.chat.setup.tools.offer())
