"""A long string argument, token by token: what is remembered of it."""

from __future__ import annotations

from typing import Any

import pytest

from toolproto import ArgumentsDelta, get_paradigm
from toolproto.decoding.reply import hot_string
from toolproto.decoding.values.strings import SPECIAL_IN_STRING
from toolproto.testing import STANDARD_OFFER

CALL = '{"name": "get_weather", "arguments": {"city": "'
LATER = '{"name": "now", "arguments": {}},' + CALL


def texts_of(*chunks: str, before: str = f'{{"tool_calls": [{CALL}') -> list[tuple[int, str]]:
    """Index and text of the arguments of each of *chunks*, inside a string."""
    decoder = get_paradigm("json_strict").decoder(STANDARD_OFFER)
    decoder.feed(before)
    told = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [(each.index, each.text) for each in told if isinstance(each, ArgumentsDelta)]


def test_what_is_remembered_of_one_call_says_nothing_of_another() -> None:
    assert texts_of("Osl", "o", "Osl") == [(0, "Osl"), (0, "o"), (0, "Osl")]
    later = f'{{"tool_calls": [{LATER}'
    assert texts_of("Osl", "o", before=later) == [(1, "Osl"), (1, "o")]
    assert texts_of("Osl", "o") == [(0, "Osl"), (0, "o")]


def test_chunks_of_one_reply_are_known_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Counted(hot_string.NewArguments):
        __slots__ = ()

        def __init__(self) -> None:
            made.append(self)

    monkeypatch.setattr(hot_string, "NewArguments", Counted)
    hot_string.shared.cache_clear()
    first = texts_of("Os", "lo", "Os")
    assert len(made) == 2
    assert texts_of("Os", "lo", "Os") == first and len(made) == 2


def test_no_more_is_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_string, "_MOST_SHARED", 100)
    chunks = [f"{number:05}" for number in range(3000)]
    assert texts_of(*chunks) == [(0, chunk) for chunk in chunks]
    assert len(hot_string.shared(SPECIAL_IN_STRING, 0)) <= 100 + 256
