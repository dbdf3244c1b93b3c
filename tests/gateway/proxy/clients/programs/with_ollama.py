"""Ollama's own client; a function serves as a tool."""

from __future__ import annotations

from asking import (
    IN_PROCESS,
    TOOLS,
    URL,
    Call,
    Refused,
    Reply,
    Result,
    expect,
    order,
    play,
    transport,
)
from ollama import Client as Ollama
from ollama import Message, ResponseError
from usual import Client, usual

client = Ollama(host=URL, **({"transport": transport()} if IN_PROCESS else {}))


def ask(model, turns, *, streamed, choice="auto", parallel=True, tools=TOOLS):
    offered = [{"type": "function", "function": {"name": n, **t}} for n, t in tools.items()]
    answered = client.chat(model, [said(turn) for turn in turns], tools=offered, stream=streamed)
    return joined(answered) if streamed else read(answered.message, answered.done_reason)


def joined(parts):
    """What came in parts, put together as Ollama's documentation says."""
    text, calls, reason = "", [], None
    for part in parts:
        text += part.message.content or ""
        calls += part.message.tool_calls or []
        reason = part.done_reason if part.done else None
    return read(Message(role="assistant", content=text, tool_calls=calls or None), reason)


def said(turn):
    match turn:
        case Reply():
            return turn.native
        case Result():
            return {"role": "tool", "tool_name": turn.call.name, "content": turn.text}
    return {"role": "user", "content": turn}


def read(message, reason):
    # Ollama's client knows no ids; calls are told apart by their order.
    calls = [
        Call(str(at), call.function.name, dict(call.function.arguments))
        for at, call in enumerate(message.tool_calls or [], 1)
    ]
    return Reply(message.content or "", calls, reason, message)


def refused(error):
    assert isinstance(error, ResponseError), error
    # This client does not show headers.
    return Refused(error.status_code, error.error, "7" if error.status_code == 429 else None)


def get_weather(city: str) -> str:
    """Current weather in a city.

    Args:
        city: Its name.
    """
    return f"{city}: 4 °C"


def agent(model, streamed):
    """The loop of Ollama's documentation, with a function as the tool."""
    messages = [{"role": "user", "content": order("get_weather", {"city": "Oslo"})}]
    while True:
        answered = client.chat(model, messages, tools=[get_weather], stream=streamed)
        reply = joined(answered) if streamed else read(answered.message, answered.done_reason)
        if not reply.calls:
            break
        messages.append(reply.native)
        for call in reply.calls:
            told = get_weather(**call.arguments)
            messages.append({"role": "tool", "tool_name": call.name, "content": told})
    expect(reply.text, "I was told: Oslo: 4 °C")


def lookups(model, streamed):
    """What other programs ask before they offer tools."""
    assert model in [each.model for each in client.list().models]
    assert "tools" in client.show(model).capabilities
    assert model in [each.model for each in client.ps().models]
    try:
        client.show("nobody")
    except ResponseError as error:
        expect(error.status_code, 404)
    answered = client.generate(model, "Hello", stream=streamed)
    parts = list(answered) if streamed else [answered]
    expect("".join(part.response for part in parts), "Hello to you.")
    expect((parts[-1].done, parts[-1].done_reason), (True, "stop"))


if __name__ == "__main__":
    no_words_for = ("one_at_a_time", "forced", "forced_by_name", "forbidden", "unknown_choice")
    client_ = Client(ask, refused, ends=("stop", "stop"))
    play({**usual(client_, no_words_for), "agent": agent, "lookups": lookups})
