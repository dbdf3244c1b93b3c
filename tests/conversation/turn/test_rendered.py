"""What a request holds is rendered once for each message, and is the same as if all of it was."""

from __future__ import annotations

from itertools import pairwise

import pytest

from toolproto import (
    Attachment,
    ChatSession,
    Chunk,
    Message,
    NativePiece,
    Policy,
    ToolFailed,
    counted_ids,
    get_paradigm,
    tool,
)
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.turn.rendered import RenderedBefore, rendering_of
from toolproto.endpoints import ScriptedEndpoint

XmlTag = type(get_paradigm("xml_tag"))


@tool
def look(at: str) -> str:
    """Look at something."""
    if at == "nothing":
        raise ToolFailed("there is nothing")
    return f"there is {at}"


class Counting(XmlTag):
    """Counts how often results are written."""

    count = 0

    def encode_results(self, results):
        Counting.count += 1
        return super().encode_results(results)


def call(at: str) -> str:
    return f'<tool_code>{{"name": "look", "arguments": {{"at": "{at}"}}}}</tool_code>'


def session(paradigm, *replies: str, **options) -> ChatSession:
    policy = Policy({"look": "allow"})
    return ChatSession(ScriptedEndpoint(*replies), paradigm, [look], policy=policy, **options)


def test_each_message_of_a_long_conversation_is_rendered_a_few_times_at_most():
    turns, Counting.count = 60, 0
    led = session(Counting(), *[call("a tree"), "done"] * turns)
    for at in range(turns):
        led.send(f"message {at}")
    # Once for the request that follows a result, and once more when its turn is over; anew for
    # each request it would be 3,600 times.
    assert Counting.count <= 4 * turns


SAID = ["look", "again", "and there", "go on", "the end"]
REPLIES = [
    call("a tree"), "a tree", call("nothing"), call("nothing"), "nothing", "<tool_code>{broken",
    "never mind", call("a") + "\n" + call("b"), "both", "bye",
]  # fmt: skip


@pytest.mark.parametrize("name", ["xml_tag", "hermes", "react", "kimi_k2", "json_strict"])
@pytest.mark.parametrize("teaching", ["guided", "stepwise"])
def test_a_conversation_that_goes_on_is_rendered_as_one_that_was_just_opened(name, teaching):
    def made():
        return get_paradigm(name, teaching=teaching, ids=counted_ids())

    paradigm = made()
    write = get_paradigm("xml_tag")
    replies = [
        "\n".join(paradigm.encode_call(each) for each in found) if found else reply
        for reply in REPLIES
        for found in [write.parse_response(reply, session(write).tools.offer()).calls]
    ]
    told = []
    for is_reopened in (False, True):
        paradigm = made()
        store, endpoint = MemoryStore(), ScriptedEndpoint(*replies * 2)
        options = {"policy": Policy({"look": "allow"}), "store": store, "id": "one"}
        led = ChatSession(endpoint, paradigm, [look], **options)
        for said in SAID:
            led.send(said)
            if is_reopened:
                led = ChatSession(endpoint, paradigm, [look], **options)
        told.append([[(m.role, m.content) for m in r.messages] for r in endpoint.requests])
    assert told[0] == told[1] and len(told[0]) > 8


def test_a_native_conversation_that_goes_on_is_rendered_as_one_that_was_just_opened():
    def called(*places):
        pieces = (NativePiece(n, "", "look", {"at": at}) for n, at in enumerate(places))
        return Chunk(calls=tuple(pieces))

    replies = [
        [called("a tree")], "a tree", [called("nothing")], [called("nothing")], "nothing",
        ["So. ", called("a", "b")], "both", "never mind", "bye",
    ]  # fmt: skip
    told = []
    for is_reopened in (False, True):
        store, endpoint = MemoryStore(), ScriptedEndpoint(*replies, native="auto")
        paradigm = get_paradigm("xml_tag", ids=counted_ids())
        options = {"policy": Policy({"look": "allow"}), "store": store, "id": "one"}
        led = ChatSession(endpoint, paradigm, [look], **options)
        for said in SAID:
            led.send(said)
            if is_reopened:
                led = ChatSession(endpoint, paradigm, [look], **options)
        told.append([request.messages for request in endpoint.requests])
    assert told[0] == told[1] and len(told[0]) == len(replies)
    for before, after in pairwise(told[0]):
        assert after[: len(before)] == before


def test_each_message_of_a_native_conversation_is_rendered_a_few_times_at_most():
    class Looking(ScriptedEndpoint):
        """Counts how often it is asked about what a message shows."""

        asked = 0

        def refusal(self, attachment):
            self.asked += 1
            return ""

    turns, picture = 60, Attachment("image/png", url="https://example.org/tree.png")
    called = [Chunk(calls=(NativePiece(0, "", "look", {"at": "a tree"}),))]
    endpoint = Looking(*[called, "done"] * turns, native="auto")
    led = ChatSession(endpoint, "xml_tag", [look], policy=Policy({"look": "allow"}))
    for at in range(turns):
        led.send([f"message {at}", picture])
    assert turns <= endpoint.asked <= 4 * turns


def test_what_was_changed_in_the_conversation_is_rendered_anew():
    paradigm, before = get_paradigm("xml_tag"), RenderedBefore()
    roles = ["user", "assistant"] * 3 + ["user"]
    messages = [Message(role, str(at)) for at, role in enumerate(roles)]
    how = rendering_of(paradigm)
    for _ in range(2):
        shown = before.shown_with(messages, [], how, paradigm.encode_conversation)
        assert shown == messages and len(before.messages) == 6
        messages[0] = Message("user", "changed")
    shown = before.shown_with(messages[:3], [], how, paradigm.encode_conversation)
    assert shown == messages[:3] and len(before.messages) == 2


def test_a_paradigm_that_renders_in_a_way_of_its_own_is_asked_for_all_of_it():
    class Own(XmlTag):
        def encode_history(self, messages):
            return [Message(m.role, f"{len(messages)}: {m.content}") for m in messages]

    assert rendering_of(Own()) is None
    led = session(Own(), *["yes"] * 3)
    for said in ("one", "two", "three"):
        led.send(said)
    assert led.endpoint.requests[-1].messages[1].content == "5: one"
