"""Answers do not depend on the pieces in which a text comes, nor on what is asked on the way."""

from __future__ import annotations

import random

import pytest

from tests.amount import amount
from toolproto.protocol.decoding.place import Late, Place, PlaceTracker

from .telling import LONG, C, reply, tell


def test_the_answers_are_the_same_in_any_pieces():
    rng, late = random.Random(7), 0
    for _ in range(amount(300, 30_000)):
        text = reply(rng)
        whole = tell(text)
        late += len(whole[1])
        assert tell(text, 1) == whole, repr(text[:300])
        assert tell(text, 7) == whole, repr(text[:300])
        if len(text) < 2000:  # asking about long text uses up what may be asked
            assert tell(text, 5, asks=True) == whole, repr(text)
    assert late > 20


@pytest.mark.parametrize("long", LONG, ids=lambda text: repr(text[:12]))
def test_long_text_is_cut_at_the_same_places(long):
    for behind in ("", "\n\nThen. ", "\n```\n\nSo:\n"):
        text = f"Then.\n\n{long}{behind}{C} and\n\nso: {C}\n{long}{behind}{C}.\n{long}"
        assert tell(text, 1021) == tell(text) == tell(text, 16 * 1024 + 1)


def test_a_carriage_return_ends_a_line_even_if_a_line_feed_follows_later():
    tracker = PlaceTracker()
    tracker.feed("# A heading\r")
    assert tracker.before() == Place()
    tracker.feed("\nand")
    assert tracker.before() == Place("sentence")
    tracker.feed(":\r")
    tracker.call()
    assert tracker.feed("\n") == ()
    assert list(tracker.feed("Done.\n")) == [Late(0, "introduced")]


def test_prose_may_be_appended_while_no_call_waits():
    tracker = PlaceTracker()
    tracker.unseen.append("So:\n")
    assert not tracker.waits
    tracker.call()
    assert tracker.waits
    assert list(tracker.feed("\nThat is all.\n")) == [Late(0, "introduced")]
    assert not tracker.waits
    tracker.unseen += ["\n", "> "]
    assert tracker.before() == Place("quote", shown=True)
