"""Lines from a keyboard: with editing, history and completion where the system has them."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

from .history import History
from .inputs import gathered
from .interrupts import Interrupts

__all__ = ["Terminal"]

_MORE = "… "
_LONGEST_LINE = 65_536
_CAN_POLL = sys.platform != "win32"  # where only sockets can be waited for
#: Seconds after which a tool that waits for an answer looks whether anybody still wants one.
_LOOK = 0.1


class Terminal:
    """Reads standard input, which is a terminal.

    *complete* gives the words that a line may begin with. *editor* shows a text to be changed and
    gives what became of it, or raises OSError where there is none.
    """

    def __init__(
        self,
        interrupts: Interrupts,
        history: History,
        complete: Callable[[str], list[str]],
        editor: Callable[[str], str | None],
        colour: bool = True,
    ) -> None:
        self._interrupts = interrupts
        self._history = history
        self._editor = editor
        self._colour = colour
        #: How the terminal was set before it was told to show no keys.
        self._echo: list[Any] | None = None
        self._readline = _readline()
        if self._readline:
            _set_up(self._readline, history.lines(), complete)

    @property
    def is_line_empty(self) -> bool:
        """Whether nothing had been typed when Ctrl-C ended the last message."""
        return not (self._readline and self._readline.get_line_buffer())

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Until the block is left, keys that are pressed are not shown: they would stand in the
        middle of an answer. What was typed is there when the next message is asked for.
        """
        before = _hide_keys()
        self._echo = before
        try:
            yield
        finally:
            self._echo = None
            _restore(before)

    def message(self, mark: str, *, kept: bool = True) -> str:
        """What the person says next."""
        with self._interrupts.raising():
            return gathered(lambda more: self._line(_MORE if more else mark, kept))

    def answer(self, question: str) -> str:
        """The answer to *question*. In another thread than the main one it ends with the turn."""
        _forget_what_was_typed()
        with self._shown():
            if threading.current_thread() is not threading.main_thread():
                return self._polled(question) if _CAN_POLL else input(question)
            with self._interrupts.raising():
                return input(self._painted(question))

    def edited(self, text: str) -> str | None:
        """*text* from an editor, or on the line itself where there is none."""
        with self._shown():
            try:
                with self._interrupts.ignored():
                    return self._editor(text)
            except OSError:
                return self._edited_here(text)

    @contextmanager
    def _shown(self) -> Iterator[None]:
        """During the block keys are shown, also in the middle of a turn."""
        _restore(self._echo)
        try:
            yield
        finally:
            if self._echo is not None:
                _hide_keys()

    def _line(self, mark: str, kept: bool) -> str:
        line = input(self._painted(mark))
        if kept:
            for part in line.split("\n"):
                self._history.add(part)
            if self._readline and line.strip():
                self._readline.add_history(line)
        return line

    def _painted(self, mark: str) -> str:
        if not self._colour:
            return mark
        # Readline must know which characters take no room.
        hidden = ("\x01\x1b[1;36m\x02", "\x01\x1b[0m\x02") if self._readline else ("", "")
        return mark.join(hidden)

    def _edited_here(self, text: str) -> str | None:
        sys.stdout.write("there is no editor; change the line here, or press Enter to keep it\n")
        flat = " ".join(line.strip() for line in text.splitlines())
        readline = self._readline
        if readline:
            readline.set_startup_hook(lambda: readline.insert_text(flat))
        try:
            with self._interrupts.raising():
                return input("arguments > ") or None
        finally:
            if readline:
                readline.set_startup_hook()

    def _polled(self, question: str) -> str:
        """A line read without readline, which belongs to the main thread."""
        sys.stdout.write(question)
        sys.stdout.flush()
        handle = sys.stdin.fileno()
        while not self._interrupts.cancelled.is_set():
            if select.select([handle], [], [], _LOOK)[0]:
                line = os.read(handle, _LONGEST_LINE)
                if not line:
                    raise EOFError
                return line.decode(sys.stdin.encoding, "replace").rstrip("\n")
        raise KeyboardInterrupt


def _readline() -> ModuleType | None:
    try:
        import readline
    except ImportError:
        return None
    return readline


def _set_up(readline: ModuleType, lines: list[str], complete: Callable[[str], list[str]]) -> None:
    readline.set_auto_history(False)  # answers to questions are nobody's history
    for line in lines:
        readline.add_history(line)
    readline.set_completer_delims(" ")
    readline.set_completer(
        lambda text, state: dict(enumerate(_whole(readline, complete))).get(state)
    )
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")


def _whole(readline: ModuleType, complete: Callable[[str], list[str]]) -> list[str]:
    """The endings of the line so far, each without what stands before its last word."""
    line = readline.get_line_buffer()[: readline.get_endidx()]
    return [found[readline.get_begidx() :] for found in complete(line)]


def _hide_keys() -> list[Any] | None:
    """Have the terminal show no keys; how it was set before, None where that cannot be done."""
    try:
        import termios
    except ImportError:  # on Windows
        return None
    try:
        before: list[Any] = termios.tcgetattr(sys.stdin.fileno())
        changed = [*before]
        changed[3] &= ~termios.ECHO
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, changed)
    except (termios.error, OSError, ValueError):
        return None
    return before


def _restore(before: list[Any] | None) -> None:
    if before is None:
        return
    import termios

    with suppress(termios.error, OSError, ValueError):
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, before)


def _forget_what_was_typed() -> None:
    """What was typed ahead, or pasted, does not answer a question nobody had seen."""
    try:
        import termios
    except ImportError:
        return
    with suppress(termios.error, OSError, ValueError):  # it may be no terminal after all
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
