"""Lines from a keyboard, read by prompt_toolkit: editing, history, completion and paste.

It draws the line that is being typed, and no more: nothing is drawn while the model answers, and
what was shown before stays as it is.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session, get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.history import History as Remembered
from prompt_toolkit.input import create_input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import Dimension
from prompt_toolkit.output import create_output
from prompt_toolkit.output.plain_text import PlainTextOutput
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle, print_formatted_text
from prompt_toolkit.utils import is_dumb_terminal

from ...protocol.foreign_text import visible
from .inputs import is_open, unquoted
from .interrupts import Interrupts

__all__ = ["Terminal"]

_MORE = "… "
#: Rows of the window that a long text leaves free while it is edited.
_FREE = 2
#: Seconds after which a tool that waits for an answer looks whether anybody still wants one.
_LOOK = 0.1


class Terminal:
    """Reads standard input, which is a terminal.

    *complete* gives the lines that a line may become. *editor* shows a text to be changed and
    gives what became of it, or raises OSError where there is none.
    """

    def __init__(
        self,
        interrupts: Interrupts,
        history: Remembered,
        complete: Callable[[str], list[str]],
        editor: Callable[[str], str | None],
        colour: bool = True,
    ) -> None:
        self._interrupts = interrupts
        self._editor = editor
        self._style = "bold fg:ansicyan" if colour else ""
        self._input = create_input()
        # A terminal that obeys nothing is sent nothing; there the library draws no line either.
        self._output = PlainTextOutput(sys.stdout) if is_dumb_terminal() else create_output()
        if isinstance(self._output, Vt100_Output):
            # Asking a terminal where its cursor is serves menus, which there are none of. What it
            # answers too late would be read as keys.
            self._output.enable_cpr = False
        self._messages = self._session(history, _Lines(complete))

    @property
    def is_line_empty(self) -> bool:
        """Whether nothing had been typed when Ctrl-C ended the last message."""
        return not self._messages.default_buffer.text

    def quiet(self) -> AbstractContextManager[None]:
        """Until the block is left, keys that are pressed are not shown: they would stand in the
        middle of an answer. What was typed is there when the next message is asked for.
        """
        return _echoing(False)

    def message(self, mark: str, *, kept: bool = True) -> str:
        """What the person says next."""
        session = self._messages if kept else self._session(DummyHistory())
        return unquoted(self._line(session, mark))

    def answer(self, question: str) -> str:
        """The answer to *question*. In another thread than the main one it ends with the turn."""
        self._forget_what_was_typed()
        return self._line(self._session(DummyHistory()), question)

    def edited(self, text: str) -> str | None:
        """*text* from an editor, or on the line itself where there is none."""
        try:
            with _echoing(True), self._interrupts.ignored():
                return self._editor(text)
        except OSError:
            return self._edited_here(text)

    def _edited_here(self, text: str) -> str | None:
        sys.stdout.write("there is no editor; change the line here, or press Enter to keep it\n")
        flat = " ".join(line.strip() for line in text.splitlines())
        return self._line(self._session(DummyHistory()), "arguments > ", flat) or None

    def _session(
        self, history: Remembered, completer: Completer | None = None
    ) -> PromptSession[str]:
        # Not given to the session itself, which would draw on a dumb terminal then.
        with create_app_session(self._input, self._output):
            session = PromptSession[str](
                history=history,
                completer=completer,
                complete_style=CompleteStyle.READLINE_LIKE,  # a menu needs room below the line
                enable_suspend=True,
                erase_when_done=True,  # see _stay
                prompt_continuation=lambda width, line, wrapped: "" if wrapped else _MORE,
                key_bindings=_keys(),
            )
        session.layout.current_window.height = self._room
        return session

    def _room(self) -> Dimension:
        """How much of a long text is seen while it is edited; less than the window, always.

        Some terminals keep a copy of what they show when all of it is erased.
        """
        return Dimension(max=max(1, self._output.get_size().rows - _FREE))

    def _line(self, session: PromptSession[str], mark: str, default: str = "") -> str:
        shown = FormattedText([(self._style, mark)])
        try:
            with _echoing(False):  # what is typed before the library reads is shown by it alone
                line = self._prompted(session, shown, default)
        finally:
            self._stay(mark, session.default_buffer.text)
        # Bytes that are no text come as halves of characters, which no service takes.
        return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def _prompted(self, session: PromptSession[str], shown: FormattedText, default: str) -> str:
        if threading.current_thread() is threading.main_thread():
            with self._interrupts.raising():
                return session.prompt(shown, default=default)
        # An event loop may run in this thread, the one of a tool; here it has its own.
        return session.prompt(shown, default=default, pre_run=self._end_with_turn, in_thread=True)

    def _stay(self, mark: str, text: str) -> None:
        """Show what was typed for good: all of it, where the prompt showed what had room."""
        if not is_dumb_terminal():  # there it was not drawn, and stands there already
            lines = visible(text).replace("\n", f"\n{_MORE}")
            print_formatted_text(
                FormattedText([(self._style, mark), ("", lines)]), output=self._output
            )

    def _end_with_turn(self) -> None:
        app = get_app()

        async def watch() -> None:
            while not self._interrupts.cancelled.is_set():
                await asyncio.sleep(_LOOK)
            if not app.is_done:  # it may have been answered in the same moment
                app.exit(exception=KeyboardInterrupt)

        app.create_background_task(watch())

    def _forget_what_was_typed(self) -> None:
        """What was typed ahead, or pasted, does not answer a question nobody had seen."""
        self._input.flush_keys()
        clear_typeahead(self._input)
        with suppress(ImportError, OSError, ValueError):  # it may be no terminal after all
            import termios

            with suppress(termios.error):
                termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


class _Lines(Completer):
    """Completes the last word of a line, given the whole lines that it may become."""

    def __init__(self, complete: Callable[[str], list[str]]) -> None:
        self._complete = complete

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        line = document.text_before_cursor
        begun = line.rfind(" ") + 1
        for found in self._complete(line):
            yield Completion(found[begun:], begun - len(line))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_open(buffer.text):
            buffer.insert_text("\n")
        elif buffer.text.endswith("\\"):
            buffer.document = Document(f"{buffer.text[:-1]}\n")
        else:
            buffer.validate_and_handle()

    return keys


@contextmanager
def _echoing(shown: bool) -> Iterator[None]:
    """Until the block is left, the terminal shows the keys that are pressed, or it does not."""
    try:
        import termios
    except ImportError:  # on Windows
        yield
        return
    try:
        handle = sys.stdin.fileno()
        before = termios.tcgetattr(handle)
    except (termios.error, OSError, ValueError):
        yield
        return
    changed = [*before]
    changed[3] = before[3] | termios.ECHO if shown else before[3] & ~termios.ECHO
    with suppress(termios.error):
        termios.tcsetattr(handle, termios.TCSANOW, changed)
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(handle, termios.TCSANOW, before)
