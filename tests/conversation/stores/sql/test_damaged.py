"""A SQLite file that lost a bit, a disk that is full, and a clock that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from tests.amount import amount
from toolproto import ChatSession, Policy, tool
from toolproto.conversation.stores import MemoryStore, base, open_store
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol import StoreError

CALL = '<tool_code>{"name": "look", "arguments": {"at": "a"}}</tool_code>'


@tool
def look(at: str) -> str:
    """Look at something."""
    return f"there is {at} " * 500


def session(store: Any, *replies: str) -> ChatSession:
    policy = Policy({"look": "allow"})
    return ChatSession(
        ScriptedEndpoint(*replies), "xml_tag", [look], store=store, id="one", policy=policy
    )


def test_a_bit_that_was_lost_is_a_store_error_or_nothing(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "whole.db"))
    led = session(store, *[CALL, "done"] * 4)
    for at in range(4):
        led.send(f"message {at}")
    store.close()
    whole = (tmp_path / "whole.db").read_bytes()
    random, refused = Random(5), 0
    places = [at for at, byte in enumerate(whole) if byte]
    for number in range(amount(40, 2_000)):
        path, changed = tmp_path / f"{number}.db", bytearray(whole)
        changed[random.choice(places)] ^= 1 << random.randrange(8)
        path.write_bytes(changed)
        store = open_store(str(path))
        try:
            for info in store.list():
                session(store, "more").send("again") if info.id == "one" else None
        except StoreError as error:
            refused += 1
            assert str(error)
        finally:
            store.close()
    assert refused


@pytest.fixture
def room() -> Iterator[list[int]]:
    """The pages that a SQLite file may have, while the list holds a number."""
    pages: list[int] = []

    def bound(connection: Any, record: Any, proxy: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages[0] if pages else 1_000_000}")

    event.listen(Engine, "checkout", bound)
    yield pages
    event.remove(Engine, "checkout", bound)


@pytest.mark.parametrize("more", range(0, 12, 3))
def test_once_a_full_disk_has_room_the_next_message_is_answered(
    more: int, tmp_path: Path, room: list[int]
) -> None:
    path = tmp_path / "full.db"
    store = open_store(str(path))
    led = session(store, *[CALL, "done"] * 9)
    assert led.send("first").status == "completed"
    room.append(more + sum(each.stat().st_size for each in tmp_path.iterdir()) // 8192)
    with pytest.raises(StoreError, match="full"):
        for _ in range(20):
            if (error := led.send("second").error) is not None:
                raise error
    room.clear()
    assert led.send("third").status == "completed"
    store.close()
    again = open_store(str(path))
    assert session(again, "done").send("fourth").status == "completed"
    again.close()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_clock_before_1970_stands_at_its_beginning(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "time", lambda: -5_000.0)
    store = MemoryStore() if kind == "memory" else open_store(str(tmp_path / "chats.db"))
    session(store, "done").send("hello")
    (info,) = store.list()
    assert (info.created, info.updated) == (0.0, 0.0)
    store.close()
