"""What Ctrl-C means."""

from __future__ import annotations

import signal
import threading
from signal import SIGINT, raise_signal

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


def test_an_editor_has_it_for_itself_in_the_thread_of_a_tool_too(interrupts):
    opened, closed = threading.Event(), threading.Event()

    def edit() -> None:
        with interrupts.ignored():
            opened.set()
            closed.wait(PATIENCE)

    with interrupts.cancelling(lambda: None):
        thread = threading.Thread(target=edit)
        thread.start()
        assert opened.wait(PATIENCE)
        for _ in range(3):  # the second one would be raised
            raise_signal(SIGINT)
        closed.set()
        thread.join()
