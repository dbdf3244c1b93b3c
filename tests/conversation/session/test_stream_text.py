"""The text of a turn, piece by piece."""

from __future__ import annotations

import asyncio

import pytest

from toolproto import AsyncChatSession, ChatSession, EndpointError, ToolCall, get_paradigm, tool
from toolproto.endpoints import ScriptedEndpoint, ScriptedReply

CALL = get_paradigm("xml_tag").encode_call(ToolCall("look", {"at": "Oslo"}))


@tool
def look(at: str) -> str:
    """Look at something."""
    return f"fog over {at}"


def texts(*replies: str | Exception) -> list[str]:
    session = ChatSession(ScriptedEndpoint(*replies), "xml_tag", [look])
    return list(session.stream_text("How is it?"))


def atexts(*replies: str | Exception) -> list[str]:
    async def read() -> list[str]:
        async with AsyncChatSession(ScriptedEndpoint(*replies), "xml_tag", [look]) as session:
            return [piece async for piece in session.stream_text("How is it?")]

    return asyncio.run(read())


both = pytest.mark.parametrize("read", [texts, atexts])


@both
def test_the_pieces_are_what_the_model_says(read):
    assert "".join(read("It is foggy there.")) == "It is foggy there."
    assert len(read(ScriptedReply(["It is", " foggy", " there."]))) > 1


@both
def test_what_is_said_around_calls_is_set_apart(read):
    assert "".join(read(f"I look.\n{CALL}", "Fog.")).split("\n\n") == ["I look.", "Fog."]
    assert "".join(read(CALL, "Fog.")) == "Fog."


@both
def test_what_goes_wrong_is_raised(read):
    with pytest.raises(EndpointError, match="gone"):
        read(EndpointError("gone"))


def test_closing_the_generator_cancels_the_turn():
    session = ChatSession(ScriptedEndpoint(ScriptedReply(["one ", "two ", "three"])))
    pieces = session.stream_text("Count.")
    next(pieces)
    pieces.close()
    assert session.result is not None and session.result.status == "aborted"
