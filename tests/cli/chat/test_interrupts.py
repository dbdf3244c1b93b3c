"""What Ctrl-C means."""

from __future__ import annotations

import signal
import sys
import threading
from signal import SIGINT, raise_signal

import pexpect
import pytest

from tests.patience import PATIENCE
from toolproto.cli.chat.interrupts import Interrupts


@pytest.fixture
def interrupts():
    before = signal.getsignal(SIGINT)
    made = Interrupts()
    with made.installed():
        yield made
    assert signal.getsignal(SIGINT) is before


def test_by_itself_it_is_raised_as_ever(interrupts):
    with pytest.raises(KeyboardInterrupt):
        raise_signal(SIGINT)


def test_during_a_turn_it_cancels_in_another_thread(interrupts):
    cancelled = threading.Event()
    threads: list[threading.Thread] = []

    def cancel() -> None:
        threads.append(threading.current_thread())
        cancelled.set()

    with interrupts.cancelling(cancel):
        raise_signal(SIGINT)
        assert cancelled.wait(PATIENCE) and interrupts.cancelled.is_set()
    assert threads[0] is not threading.main_thread() and not threads[0].is_alive()


def test_the_second_one_is_raised(interrupts):
    with pytest.raises(KeyboardInterrupt), interrupts.cancelling(lambda: None):
        raise_signal(SIGINT)
        raise_signal(SIGINT)


def test_each_turn_begins_anew(interrupts):
    for _ in range(2):
        cancelled = threading.Event()
        with interrupts.cancelling(cancelled.set):
            assert not interrupts.cancelled.is_set()
            raise_signal(SIGINT)
            assert cancelled.wait(PATIENCE)


def test_a_question_within_a_turn_gets_it_first(interrupts):
    with interrupts.cancelling(lambda: pytest.fail("the turn was cancelled")):
        with pytest.raises(KeyboardInterrupt), interrupts.raising():
            raise_signal(SIGINT)
        assert not interrupts.cancelled.is_set()


def test_an_editor_has_it_for_itself(interrupts):
    with interrupts.ignored():
        raise_signal(SIGINT)
    assert not interrupts.cancelled.is_set()


#: Ctrl-C comes when the mark is shown and nothing waits for a key yet; no line of Python runs
#: in between, which would notice it.
PRESSED_TOO_EARLY = """
import ctypes, functools, readline, signal
from toolproto.cli.chat.interrupts import Interrupts

interrupts = Interrupts()
press = getattr(ctypes.CDLL(None), "raise")
readline.set_pre_input_hook(functools.partial(press, int(signal.SIGINT)))
with interrupts.installed():
    try:
        with interrupts.raising():
            input("> ")
    except KeyboardInterrupt:
        print("noticed")
"""


def test_it_is_noticed_between_the_mark_and_the_waiting_for_a_key():
    child = pexpect.spawn(
        sys.executable, ["-c", PRESSED_TOO_EARLY], timeout=PATIENCE, encoding="utf-8"
    )
    assert "noticed" in child.read()
