"""Replies out of cassettes, logs, stores and exported sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolproto import ChatSession, ToolOffer, ToolSpec, UsageError, get_paradigm
from toolproto.conversation.session import export_jsonl
from toolproto.conversation.stores import open_store
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.endpoints import RecordingEndpoint, ScriptedEndpoint
from toolproto.endpoints.apis.asked import Asked
from toolproto.endpoints.apis.openai_chat.server import OpenAIChatApi
from toolproto.gateway.bridge.exchange import Exchange
from toolproto.gateway.proxy.metrics import Metrics
from toolproto.gateway.proxy.record import Recorder
from toolproto.protocol.messages import ChatRequest, Chunk, Message
from toolproto.testing.capture_sources import Recorded, recorded

TOOL = {
    "type": "function",
    "function": {"name": "now", "description": "The time.", "parameters": {"type": "object"}},
}


def written(path: Path, *lines: Any) -> str:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return str(path)


def test_a_cassette_gives_its_replies(tmp_path: Path) -> None:
    cassette = tmp_path / "tape.jsonl"
    script = ScriptedEndpoint([Chunk("Hel"), Chunk("lo.")], "Second.")
    endpoint = RecordingEndpoint(script, cassette)
    for text in ("one", "two"):
        with endpoint.stream(ChatRequest((Message("user", text),))) as chunks:
            list(chunks)
    assert list(recorded(str(cassette))) == [
        Recorded("Hello.", "tape.jsonl, line 1", finish_reason="stop"),
        Recorded("Second.", "tape.jsonl, line 2", finish_reason="stop"),
    ]


def test_a_reply_that_was_broken_off_is_none(tmp_path: Path) -> None:
    source = written(
        tmp_path / "tape.jsonl",
        {"request": {}, "chunks": [{"text": "left"}]},
        {"request": {}, "chunks": [{"text": "x", "finish_reason": "stop"}], "error": {"kind": "E"}},
        {"request": {}, "chunks": [{"reasoning": "hm", "finish_reason": "stop"}]},
        "",
        {"request": {}, "chunks": [{"text": "cut", "finish_reason": "length"}]},
        {"reply": " \n"},
    )
    assert [(each.reply, each.finish_reason) for each in recorded(source)] == [("cut", "length")]


def test_a_log_tells_the_paradigm_and_the_tools(tmp_path: Path) -> None:
    line = {"paradigm": "hermes", "messages": [], "tools": [TOOL], "reply": "Hello"}
    (found,) = recorded(written(tmp_path / "log.jsonl", line))
    assert (found.paradigm, found.finish_reason) == ("hermes", "stop")
    assert found.offer is not None and found.offer.names == {"now"}


def test_a_log_of_the_proxy_may_hold_other_lines(tmp_path: Path) -> None:
    spec = {"name": "now", "description": "The time.", "parameters": {"type": "object"}}
    source = written(
        tmp_path / "proxy.log",
        "listening on 127.0.0.1",
        {"request": "1", "paradigm": "hermes", "outcome": "refused", "calls": []},
        {"request": "2", "paradigm": "hermes", "tools": [spec], "replies": ["One.", "", "Two."]},
        "Traceback (most recent call last):",
    )
    found = list(recorded(source))
    assert [each.reply for each in found] == ["One.", "Two."]
    assert {each.origin for each in found} == {"proxy.log, line 3"}
    assert found[0].offer is not None and found[0].offer.names == {"now"}


def test_what_the_proxy_logs_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    now = ToolSpec("now", "The time.", {"type": "object"})
    asked = Asked("m", (Message("user", "Well?"),), ToolOffer((now,)))
    exchange = Exchange(asked, get_paradigm("xml_tag"))
    exchange.feed(Chunk('<tool_code>{"name": "now", '))
    exchange.feed(Chunk('"arguments": {}}</tool_code>', finish_reason="stop"))
    exchange.finish()
    record = Recorder(Metrics(), log_content=True).begin("m", OpenAIChatApi())
    record.taught(asked, "xml_tag")
    with caplog.at_level("INFO", logger="toolproto.proxy"):
        record.end("answered", [exchange])
    (found,) = recorded(written(tmp_path / "proxy.log", *caplog.messages))
    assert found.reply == '<tool_code>{"name": "now", "arguments": {}}</tool_code>'
    assert (found.paradigm, found.offer) == ("xml_tag", asked.offer)


@pytest.mark.parametrize("line", ["", "hello", '{"request": "1", "outcome": "answered"}', "[1]"])
def test_a_file_without_replies_says_what_is_missing(tmp_path: Path, line: str) -> None:
    with pytest.raises(UsageError, match=r"log\.jsonl has no replies.*--log-content"):
        list(recorded(written(tmp_path / "log.jsonl", line)))


def test_a_store_gives_every_reply_of_every_session(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'chats.db'}"
    for id, replies in (("b", ["One.", "Two."]), ("a", ["Three."])):
        session = ChatSession(ScriptedEndpoint(*replies), "xml_tag", store=address, id=id)
        for _ in replies:
            session.send("Hello")
        session.close()
    found = [(each.reply, each.origin) for each in recorded(address)]
    assert found == [
        ("One.", "session b, turn 1"),
        ("Two.", "session b, turn 2"),
        ("Three.", "session a, turn 1"),
    ]
    assert [each.reply for each in recorded(str(tmp_path / "chats.db"))] == [r for r, _ in found]


def test_a_reply_that_was_continued_is_one(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'chats.db'}"
    cut = [Chunk("Half a "), Chunk(finish_reason="length")]
    limits = TurnLimits(continuations=1)
    script = ScriptedEndpoint(cut, "sentence.", "Next.")
    session = ChatSession(script, "xml_tag", store=address, id="a", limits=limits)
    session.send("Hello")
    session.send("And?")
    session.close()
    assert [each.reply for each in recorded(address)] == ["Half a sentence.", "Next."]


def test_an_exported_session_gives_its_replies(tmp_path: Path) -> None:
    store = open_store("memory:")
    ChatSession(ScriptedEndpoint("One."), "xml_tag", store=store, id="a").send("Hello")
    path = tmp_path / "session.jsonl"
    path.write_text("".join(export_jsonl(store, "a")), encoding="utf-8")
    assert list(recorded(str(path))) == [
        Recorded("One.", "session.jsonl, turn 1", finish_reason="stop")
    ]


def test_asking_a_store_that_is_not_there_makes_none(tmp_path: Path) -> None:
    for address in (f"sqlite:///{tmp_path / 'no.db'}", str(tmp_path / "no.db")):
        with pytest.raises(UsageError, match="there is no store in"):
            list(recorded(address))
    assert list(tmp_path.iterdir()) == []


WRONG = {
    "no JSON": "{hello",
    "a reply that is no text": '{"reply": ["x"]}',
    "replies that are no texts": '{"replies": [1]}',
    "a text for replies": '{"replies": "x"}',
    "chunks that are none": '{"chunks": {"text": "x"}}',
    "chunks that are texts": '{"chunks": ["x"]}',
    "chunks that say numbers": '{"chunks": [{"text": 1}]}',
    "a reason that is no text": '{"reply": "x", "finish_reason": 1}',
    "a paradigm that is no text": '{"reply": "x", "paradigm": []}',
    "tools that are none": '{"reply": "x", "tools": {"a": 1}}',
    "a tool without a name": '{"reply": "x", "tools": [{"type": "function", "function": {}}]}',
    "too deep": '{"a": ' + "[" * 100_000,
}


@pytest.mark.parametrize("case", WRONG)
def test_a_line_that_is_no_exchange_is_named(tmp_path: Path, case: str) -> None:
    source = written(tmp_path / "log.jsonl", {"reply": "fine"}, WRONG[case])
    with pytest.raises(UsageError, match=r"^log.jsonl, line 2: "):
        list(recorded(source))


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "picture.jsonl").write_bytes(b"\xff\xfe\x00")
    for name in ("nowhere.jsonl", "picture.jsonl"):
        with pytest.raises(UsageError, match=name):
            list(recorded(str(tmp_path / name)))
