"""What was recorded is said again, without the secrets."""

from __future__ import annotations

import asyncio
import json
from datetime import date

import pytest

from tests.endpoints.fault_server import TEXT, FaultServer, Raw
from toolproto import AsyncChatSession, ChatSession, ToolCall, get_paradigm, image, tool
from toolproto.endpoints import (
    HttpEndpoint,
    RecordingEndpoint,
    ReplayEndpoint,
    Retries,
    ScriptedEndpoint,
    ScriptedReply,
)
from toolproto.protocol.errors import EndpointError, EndpointTimeout, ToolsRefused, UsageError
from toolproto.protocol.messages import ChatRequest, Chunk, Message, NativePiece, Usage

KEY = "sk-very-secret-key-0123456789"


def ask(endpoint, text="hello", **options):
    with endpoint.stream(ChatRequest((Message("user", text),), **options)) as chunks:
        return list(chunks)


def ask_async(endpoint, text="hello", **options):
    async def run():
        request = ChatRequest((Message("user", text),), **options)
        async with endpoint.astream(request) as chunks:
            return [chunk async for chunk in chunks]

    return asyncio.run(run())


both = pytest.mark.parametrize("ask", [ask, ask_async])


@both
def test_a_recorded_reply_is_said_again_chunk_by_chunk(ask, tmp_path):
    path = tmp_path / "tape.jsonl"
    reply = ScriptedReply(["Grüße", Chunk(reasoning="hm")], usage=Usage(1, 2))
    recording = RecordingEndpoint(ScriptedEndpoint(reply, "bye"), path)
    first, second = ask(recording), ask(recording, "and now?", stop=("x",), params={"n": 1})
    replay = ReplayEndpoint(path)
    assert ask(replay, "and now?", stop=("x",), params={"n": 1}) == second
    assert ask(replay) == first == ask(replay)
    assert first[-1].usage == Usage(1, 2)


@both
def test_the_same_request_is_answered_in_the_recorded_order(ask, tmp_path):
    path = tmp_path / "tape.jsonl"
    recording = RecordingEndpoint(ScriptedEndpoint("one", "two"), path)
    ask(recording), ask(recording)
    replay = ReplayEndpoint(path)
    assert [ask(replay)[0].text for _ in range(3)] == ["one", "two", "two"]


@tool
def look(place: str) -> str:
    """Look somewhere."""
    return f"nothing at {place}"


def two_turns(kind, endpoint):
    """What the model says in two turns of a session as it is by default, and the ids of calls."""
    session = {"sync": ChatSession, "async": AsyncChatSession}[kind](endpoint, tools=[look])
    with asyncio.Runner() as runner:
        for text in ("Look.", "And there?"):
            sent = session.send(text)
            runner.run(sent) if kind == "async" else None
    said = [each.content for each in session.messages if each.role == "assistant"]
    return said, {call.id for each in session.messages for call in each.calls}


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_session_is_replayed_at_once_and_a_year_later(kind, tmp_path):
    path = tmp_path / "tape.jsonl"
    here, there = (get_paradigm().encode_call(ToolCall("look", {"place": each})) for each in "ab")
    script = ScriptedEndpoint(f"I look.\n\n{here}\n{there}", "Nothing.", there, "Still nothing.")
    recorded, ids = two_turns(kind, RecordingEndpoint(script, path))
    assert recorded == ["I look.", "Nothing.", "", "Still nothing."] and len(ids) == 3
    for day in (date.today().isoformat(), "2031-02-03"):
        text = path.read_text("utf-8")
        assert date.today().isoformat() in text and all(id in text for id in ids)
        later = tmp_path / f"{day}.jsonl"
        later.write_text(text.replace(date.today().isoformat(), day), "utf-8")
        replayed, drawn = two_turns(kind, ReplayEndpoint(later))
        assert replayed == recorded and not drawn & ids


def test_what_a_person_says_of_a_day_makes_a_difference(tmp_path):
    path = tmp_path / "tape.jsonl"
    ask(RecordingEndpoint(ScriptedEndpoint("one"), path), "Today is 2026-01-02.")
    with pytest.raises(EndpointError, match="no reply to this"):
        ask(ReplayEndpoint(path), "Today is 2027-01-02.")


def test_a_recording_has_what_the_endpoint_has(tmp_path):
    real = HttpEndpoint("http://127.0.0.1:9", model="m", vision=False)
    recording = RecordingEndpoint(real, tmp_path / "tape.jsonl")
    assert recording.model == "m" and recording.sees == real.sees
    with pytest.raises(UsageError, match="sees no pictures"):
        ChatSession(recording).send(["Look.", image(b"GIF89a")])
    assert not hasattr(recording, "nothing") and not (tmp_path / "tape.jsonl").exists()


@both
def test_an_error_is_raised_again(ask, tmp_path):
    path = tmp_path / "tape.jsonl"
    late = EndpointTimeout("late", status=504, body="b", retry_after=2.0)
    with pytest.raises(EndpointTimeout):
        ask(RecordingEndpoint(ScriptedEndpoint(["a", late]), path))
    with pytest.raises(EndpointTimeout, match="late") as caught:
        ask(ReplayEndpoint(path))
    assert (caught.value.status, caught.value.body, caught.value.retry_after) == (504, "b", 2.0)


def test_a_reply_that_was_left_early_ends_there(tmp_path):
    path = tmp_path / "tape.jsonl"
    recording = RecordingEndpoint(ScriptedEndpoint(["a", "b"]), path)
    with recording.stream(ChatRequest((Message("user", "hello"),))) as chunks:
        next(chunks)
        chunks.abort()
    with ReplayEndpoint(path).stream(ChatRequest((Message("user", "hello"),))) as chunks:
        assert next(chunks) == Chunk("a")
        with pytest.raises(EndpointError, match="ends in the middle"):
            next(chunks)


@both
def test_a_request_nobody_recorded_is_said_so(ask, tmp_path):
    path = tmp_path / "tape.jsonl"
    ask(RecordingEndpoint(ScriptedEndpoint("a"), path))
    with pytest.raises(EndpointError, match="record it again"):
        ask(ReplayEndpoint(path), "something else")


def test_a_stream_that_nobody_read_is_not_recorded(tmp_path):
    recording = RecordingEndpoint(ScriptedEndpoint("a"), tmp_path / "tape.jsonl")
    with recording.stream(ChatRequest(())):
        pass
    assert not (tmp_path / "tape.jsonl").exists()


@both
def test_no_secret_is_on_the_tape(ask, tmp_path):
    path = tmp_path / "tape.jsonl"
    said = f"your key is {KEY} and the number 1234-5678, password hunter2-pass."
    scripted = ScriptedEndpoint(
        ScriptedReply(list(said)), EndpointError(f"bad {KEY}", body=f"Bearer {KEY}")
    )
    options = {"secrets": ["hunter2-pass"], "patterns": [r"\d{4}-\d{4}"]}
    recording = RecordingEndpoint(scripted, path, **options)
    params = {"api_key": "plain", "headers": {"Authorization": "plain"}, "max_tokens": 5}
    ask(recording, f"use {KEY}", params=params)
    with pytest.raises(EndpointError):
        ask(recording)
    tape = path.read_text()
    joined = "".join(chunk.get("text", "") for chunk in json.loads(tape.splitlines()[0])["chunks"])
    assert joined == "your key is [redacted] and the number [redacted], password [redacted]."
    assert not any(word in tape for word in (KEY, "plain", "hunter2", "1234-5678", "0123456789"))
    replay = ReplayEndpoint(path, **options)
    assert "".join(each.text for each in ask(replay, f"use {KEY}", params=params)) == joined


@both
def test_the_key_of_an_http_endpoint_is_never_recorded(ask, tmp_path):
    path = tmp_path / "tape.jsonl"
    key = "an-odd-looking-key"
    refused = f"HTTP/1.1 401 No\r\nconnection: close\r\n\r\nbad {key}".encode()
    with FaultServer(Raw((refused,))) as server:
        options = {"model": "m", "api_key": key, "retries": Retries(attempts=1)}
        with HttpEndpoint(server.url, **options) as http, pytest.raises(EndpointError):
            ask(RecordingEndpoint(http, path), f"is my key {key} right?")
    assert key not in path.read_text()


def test_a_recording_over_http_replays(tmp_path):
    path = tmp_path / "tape.jsonl"
    with FaultServer() as server, HttpEndpoint(server.url, model="m") as http:
        recorded = ask(RecordingEndpoint(http, path))
    assert ask(ReplayEndpoint(path)) == recorded
    assert "".join(chunk.text for chunk in recorded) == TEXT


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "{}",
        '{"request": 1, "chunks": []}',
        '{"request": {}, "chunks": [5]}',
        '{"request": {}, "chunks": [{"usage": [1, 2, 3]}]}',
        "[" * 100_000,
    ],
)
def test_a_broken_cassette_is_refused_and_the_line_named(tmp_path, line):
    path = tmp_path / "tape.jsonl"
    path.write_text('{"request": {}, "chunks": []}\n' + line + "\n")
    with pytest.raises(UsageError, match="line 2"):
        ReplayEndpoint(path)


def test_a_cassette_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"tape\.jsonl"):
        ReplayEndpoint(tmp_path / "tape.jsonl")


def native_pieces(text):
    """A call of ``add`` as a service with tools sends it, its arguments in pieces."""
    begins = Chunk(calls=(NativePiece(0, "a1", "add"),))
    cut = (
        Chunk(calls=(NativePiece(0, arguments=text[at : at + 4]),)) for at in range(0, len(text), 4)
    )
    return [begins, *cut]


@tool
def add(a: int, b: int) -> int:
    return a + b


def test_a_session_with_native_tools_is_recorded_and_replayed(tmp_path):
    path = tmp_path / "tape.jsonl"
    script = native_pieces('{"a": 2, "b": 3}'), "5", ToolsRefused("no tools", status=400), "6"
    recording = RecordingEndpoint(ScriptedEndpoint(*script, native="auto"), path)
    told = []
    for made in (lambda: recording, lambda: ReplayEndpoint(path)):
        session = ChatSession(made(), "xml_tag", [add])
        results = [session.send("2+3?"), session.send("And now?")]
        told.append(
            [
                (result.text, [record.call for record in result.calls], result.steps)
                for result in results
            ]
        )
    assert told[0] == told[1]
    assert [[step.native for step in steps] for _, _, steps in told[1]] == [[True, True], [False]]


def test_a_service_that_was_known_to_have_no_tools_is_replayed_to_its_last_turn(tmp_path):
    path = tmp_path / "refused.jsonl"
    service = ScriptedEndpoint(ToolsRefused("no tools", status=400), "6", "7", native="auto")

    def told(endpoint):
        session = ChatSession(endpoint, tools=[add])
        yield session.send("2 and 4?").text
        service.offers_tools = False  # as an endpoint has it that remembers the refusal
        yield session.send("And 5?").text

    assert list(told(RecordingEndpoint(service, path))) == ["6", "7"]
    assert list(told(ReplayEndpoint(path))) == ["6", "7"]


def test_a_secret_in_pieces_of_a_native_call_is_removed(tmp_path):
    path = tmp_path / "tape.jsonl"
    script = native_pieces(json.dumps({"key": KEY}))
    ask(RecordingEndpoint(ScriptedEndpoint(script), path, secrets=[KEY]))
    (exchange,) = map(json.loads, path.read_text().splitlines())
    pieces = [piece for chunk in exchange["chunks"] for piece in chunk.get("calls", ())]
    assert "".join(piece[3] for piece in pieces) == '{"key": "[redacted]"}'
