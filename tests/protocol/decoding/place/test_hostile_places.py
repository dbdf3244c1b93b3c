"""Text made to be slow takes time in proportion to its length; odd characters break nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.amount import some
from toolproto.protocol.decoding.place import Place, PlaceTracker

LENGTH = 8_000
HOSTILE = {
    "nested items": "- ", "nested quotes": ">", "items": "- x\n", "backticks": "`",
    "spans": "`a ``b", "comments": "<!--", "instructions": "<?", "tags": "<a b='\n",
    "brackets": "[", "definitions": "[a]:\n", "labels": "[a\n", "links": '](a "', "json": '{"a":',
    "json lines": '{"a": 1,\n', "broken json": '{ "a\n', "quotes": "“", "fences": "```\n",
    "pipes": "|\n", "blanks": " ", "tabs": "\t", "lines": "\n", "returns": "\r", "rules": "---\n",
    "letters": "x\n", "paragraphs": "a\n\n", "introductions": "a:\n",
}  # fmt: skip


def ask_once(text: str) -> None:
    tracker = PlaceTracker()
    tracker.unseen.append(text)
    tracker.before()
    tracker.finish()


def wait_all_along(text: str) -> None:
    tracker = PlaceTracker()
    tracker.feed("So:\n[")
    tracker.call()
    for at in range(0, len(text), 4):
        tracker.feed(text[at : at + 4])
    tracker.finish()


def call_often(text: str) -> None:
    tracker = PlaceTracker()
    for at in range(0, len(text), 100):
        tracker.feed(text[at : at + 100])
        tracker.call()
    tracker.finish()


WAYS = (ask_once, wait_all_along, call_often)


def seconds(way: Callable[[str], None], text: str) -> float:
    start = time.process_time()
    way(text)
    return time.process_time() - start


# One way for each text in a usual run: the three ways share nearly all that could be slow.
@pytest.mark.parametrize(("name", "way"), some([(n, w) for n in HOSTILE for w in WAYS], 4))
def test_four_times_the_text_takes_about_four_times_as_long(name, way):
    unit = HOSTILE[name]
    text = unit * (LENGTH // len(unit))
    # What may be asked of the library is bounded, so that only the rest grows.
    assert seconds(way, text * 4) < 8 * seconds(way, text) + 1.5


def test_deep_lists_are_bounded():
    tracker = PlaceTracker()
    tracker.feed("".join("  " * (n % 40) + "- x\n" for n in range(2000)) + "    ")
    assert tracker.before() == Place("container")


@pytest.mark.parametrize("odd", ["\0", "\x1a", "\ud800", "\udfff", "\ue000", "W\ue001", "\u2028"])
def test_odd_characters_are_words_like_others(odd):
    tracker = PlaceTracker()
    tracker.feed(f"- {odd}\n\n> {odd}\n\n[x]: {odd}\n\n{odd} `{odd}` <{odd}> ")
    assert tracker.before() in (Place(), Place("sentence"))
    tracker.feed(f"\n\n`{odd}")
    assert tracker.before() == Place("code", shown=True)


def test_a_word_that_looks_like_ours_is_no_call():
    tracker = PlaceTracker()
    tracker.feed("```\nW\ue000\n")
    assert tracker.before() == Place("code", shown=True)
    assert not tracker.fenced


def test_beyond_what_may_be_asked_all_is_doubted():
    tracker, places = PlaceTracker(), []
    for _ in range(65):
        tracker.feed("`x`\n")
        places.append(tracker.before())
        tracker.call()
        tracker.feed("\n")
    asked = places.index(Place("container"))
    assert asked > 24
    assert places == [Place()] * asked + [Place("container")] * (65 - asked)
    # Where nothing has to be asked, nothing is doubted.
    tracker.feed("\n\nSo.\n")
    assert tracker.before() == Place()


@pytest.mark.parametrize("opener", ["`", "“", "<!-- ", ""])
def test_what_a_line_opened_that_is_too_long_to_be_kept_is_not_forgotten(opener):
    tracker = PlaceTracker()
    tracker.feed("w. " * 200 + opener + "w. " * 8000)
    assert tracker.before() == Place("container")
    tracker.feed("\n\n")
    assert tracker.before() == Place()
