"""What happens, numbered: nobody misses anything, and nobody is sent anything twice."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolproto.conversation.stores import MemoryStore
from toolproto.web import events
from toolproto.web.events import EventLog
from toolproto.web.notes import Notes


async def heard(log: EventLog, after: str, count: int) -> list[tuple[str, Any]]:
    """The first *count* events behind *after*, with their ids."""
    found: list[tuple[str, Any]] = []
    stream = log.follow(after)
    async for block in stream:
        for lines in block.decode().strip().split("\n\n"):
            told = dict(line.partition(": ")[::2] for line in lines.split("\n"))
            if "data" in told:
                found.append((told.get("id", ""), json.loads(told["data"])))
        if len(found) >= count:
            break
    await stream.aclose()  # type: ignore[attr-defined]
    return found


def test_pieces_are_joined_and_nothing_is_out_of_order() -> None:
    async def play() -> None:
        log = EventLog(pace=10)
        for text in ("a", "b"):
            log.publish({"event": "text", "text": text})
        log.publish({"event": "arguments", "index": 0, "text": "x"})
        log.publish({"event": "arguments", "index": 1, "text": "y"})
        log.publish({"event": "ended"})
        told = [event for _, event in await heard(log, log.id(0), 4)]
        assert told == [
            {"event": "text", "text": "ab"},
            {"event": "arguments", "index": 0, "text": "x"},
            {"event": "arguments", "index": 1, "text": "y"},
            {"event": "ended"},
        ]
        assert log.viewers == 0

    asyncio.run(play())


@given(st.lists(st.sampled_from(["text", "tool", "ended"]), min_size=1, max_size=20), st.data())
def test_whoever_comes_back_hears_the_rest(kinds: list[str], data: st.DataObject) -> None:
    async def play() -> None:
        log = EventLog(pace=10)
        for number, kind in enumerate(kinds):
            log.publish({"event": kind, "text": f"{number},"})
        log.flush()
        whole = await heard(log, log.id(0), log.last)
        place = data.draw(st.integers(0, len(whole) - 1))
        after = whole[place - 1][0] if place else log.id(0)
        assert await heard(log, after, len(whole) - place) == whole[place:]

    asyncio.run(play())


def test_old_events_are_dropped_and_those_who_missed_them_are_told(monkeypatch: Any) -> None:
    async def play() -> None:
        monkeypatch.setattr(events, "_MOST_BYTES", 1000)
        log = EventLog()
        for number in range(100):
            log.publish({"event": "tool", "text": "x" * 50, "number": number})
        assert log.first > 1 and log.last == 100
        assert (await heard(log, log.id(1), 1))[0][1] == {"event": "reset"}
        (last,) = await heard(log, log.id(99), 1)
        assert last[1]["number"] == 99

    asyncio.run(play())


def test_half_a_character_can_be_told() -> None:
    async def play() -> None:
        log = EventLog()
        log.publish({"event": "tool", "text": "\ud83d\r\n\n\u2028"})
        assert (await heard(log, log.id(0), 1))[0][1]["text"] == "\ud83d\r\n\n\u2028"

    asyncio.run(play())


def test_notes_outlast_their_writer_and_stay_few() -> None:
    store = MemoryStore()
    mine, yours = Notes(store, "x"), Notes(store, "x")
    for number in range(1200):
        mine.set("a", number)
    mine.set("b", {"deep": [1]})
    mine.set("a", None)
    assert yours.all() == {"b": {"deep": [1]}}
    assert store.read("web:x").__len__() < 600
    yours.forget()
    assert mine.all() == {}
