"""What a worker is asked to do for a session, until it is done."""

from __future__ import annotations

import pytest

from toolproto import Allow, ChatSession, Defer, Message, UsageError, tool
from toolproto.conversation.session.errands import resuming, run, sending
from toolproto.conversation.stores import MemoryStore
from toolproto.protocol.errors import StoreError

CALL = '<tool_code>{"name": "note", "arguments": {"text": "this"}}</tool_code>'


class Failing(MemoryStore):
    """A store whose n-th append fails, and those that come next."""

    def __init__(self, n: int, times: int) -> None:
        super().__init__()
        self.failing = range(n, n + times)
        self.appends = 0

    def append(self, id, records, at, *, durable):
        self.appends += 1
        if self.appends in self.failing:
            raise StoreError("the database is gone")
        super().append(id, records, at, durable=durable)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("n", range(1, 5))
def test_an_errand_is_over_when_its_end_is_in_the_journal(n, times):
    ran, store = [], Failing(n, times)

    @tool(risk="read")
    def note(text: str) -> str:
        """Write it down."""
        ran.append(text)
        return "noted"

    def opened(id):
        def says(request):
            return CALL if "Note it." in request.messages[-1].content else "It is noted."

        return ChatSession(says, "xml_tag", [note], store=store, id=id)

    id, text = sending("Note it.", None)
    failures = 0
    while True:
        try:
            status = run(opened, "a", text)
            break
        except StoreError:
            failures += 1
    assert (status, failures > 0, len(ran) <= 1) == ("completed", True, True)
    assert run(opened, "a", text) == "completed"
    (turn,) = opened("a").turns
    assert (turn.message_id, turn.status) == (id, "completed")


def test_decisions_are_an_errand(tmp_path):
    store = MemoryStore()

    @tool(risk="write")
    def note(text: str) -> str:
        """Write it down."""
        return "noted"

    def opened(id):
        replies = iter([CALL] if not session_of(id).turns else ["It is noted."])
        return ChatSession(
            lambda request: next(replies), "xml_tag", [note],
            approver=lambda request: Defer(), store=store, id=id,
        )  # fmt: skip

    def session_of(id):
        return ChatSession(lambda request: "", store=store, id=id)

    assert run(opened, "a", sending(Message("user", "Note it."), "m1").text) == "pending"
    (request,) = session_of("a").pending
    errand = resuming({request.call.id: Allow()}, "d1")
    assert [run(opened, "a", errand.text) for _ in range(2)] == ["completed"] * 2
    with pytest.raises(UsageError, match="no call is pending"):
        run(opened, "a", resuming({request.call.id: Allow()}, "d2").text)


def test_an_errand_is_text_that_any_database_holds():
    id, text = sending("NUL \0, half a pair \ud83d, é", "é")
    assert id == "é" and text.isascii() and "\0" not in text
    heard = []
    run(
        lambda id: ChatSession(
            lambda request: heard.append(request.messages[-1].content) or "Hello.",
            store=MemoryStore(),
            id=id,
        ),
        "a",
        text,
    )
    assert len(heard) == 1 and heard[0].startswith("NUL \0")
