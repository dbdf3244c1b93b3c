"""The reader of native answers, fed with what services that lose calls are known to send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from toolproto import ToolCall, get_paradigm
from toolproto.protocol.decoding.contract import heard
from toolproto.protocol.events import TextDelta, calls_of
from toolproto.protocol.native import NativeTools
from toolproto.protocol.tools.check import check_call

from .answers import OFFER, Answer, Way
from .ways import LOSING, SOUND, WAYS

NATIVE = NativeTools(get_paradigm("json_strict"))
#: A piece for each character, pieces that cut markers anywhere, and all at once.
SIZES = (1, 7, None)
#: Ways that the reader does not read yet.
UNREAD = frozenset(
    ["qwen_coder_underscore", "qwen_coder_beheaded", "dsml_double_bars", "kimi_k2_beheaded",
     "hermes_behind_thinking_tags", "harmony_behind_analysis", "arguments_cut",
     "arguments_beheaded", "arguments_fenced"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Heard:
    """What a client would get."""

    calls: list[tuple[str, Mapping[str, Any]]]
    text: str


def read(answer: Answer, size: int | None) -> Heard:
    """Return what *answer* comes to, read in pieces of *size* characters."""
    decoder = NATIVE.decoder(OFFER)
    events = [event for chunk in answer.chunks(size) for event in heard(decoder, chunk)]
    events += decoder.finish(answer.finish)
    checked = [check_call(call, OFFER) for call in calls_of(events) if not call.place]
    calls = [(each.name, each.arguments) for each in checked if isinstance(each, ToolCall)]
    return Heard(calls, "".join(each.text for each in events if isinstance(each, TextDelta)))


def test_there_are_as_many_ways_as_were_published():
    assert len(LOSING) >= 60 and len(SOUND) >= 30
    assert len(WAYS) == len(LOSING) + len(SOUND), "two ways have one name"
    assert all(way.source for way in WAYS.values())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", [pytest.param(way, id=way.name) for way in SOUND])
def test_what_loses_nothing_is_handed_on_as_it_came(way: Way, size: int | None):
    came = read(way.answer, size)
    assert came.calls == list(way.calls)
    assert came.text == way.shown


READ = [way for way in LOSING if way.name not in UNREAD and not way.answer.refused]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", [pytest.param(way, id=way.name) for way in READ])
def test_lost_calls_are_found_or_their_answer_cannot_be_used(way: Way, size: int | None):
    came = read(way.answer, size)
    assert came.calls == ([] if way.again else list(way.calls))
    assert came.text.strip() == way.shown.strip()


def test_unread_ways_are_known():
    assert {way.name for way in LOSING} >= UNREAD
