"""Mistakes that a type checker is to find: one on each line that says so."""

from __future__ import annotations

from dataclasses import dataclass

from toolproto import (
    Allow,
    AsyncChatSession,
    ChatSession,
    HttpEndpoint,
    JsonCall,
    Message,
    ToolCall,
    ToolRegistry,
    TurnLimits,
    WireFormat,
    tool,
)


@tool
def get_weather(city: str, days: int = 1) -> str:
    """The weather."""
    return f"sunny in {city} for {days}"


@tool(risk="write")
async def save(text: str) -> bool:
    """Keep a note."""
    return bool(text)


@dataclass
class Place:
    """Somewhere."""

    name: str


@tool(risk="dangerous")  # mistake: no such risk
def delete(path: str) -> str:
    """Delete."""
    return path


get_weather(city=3)  # mistake: a number
get_weather("Oslo", day=1)  # mistake: no such parameter
number: int = get_weather("Oslo")  # mistake: gives text
session = ChatSession(str, tools=[get_weather], limit=TurnLimits())  # mistake: it is limits
session = ChatSession(str, guard=True)  # mistake: a level or a Guard
session.send("hi", choise="none")  # mistake: it is choice
session.send([b"hi"])  # mistake: text, an attachment or a Message
HttpEndpoint("http://localhost")  # mistake: which model?
Message("robot", "hi")  # mistake: no such role
ToolCall("x", arguments="{}")  # mistake: a mapping
WireFormat(call="[[")  # mistake: two markers
WireFormat(payload=JsonCall)  # mistake: parentheses
ToolRegistry([get_weather]).offer(parallel="no")  # mistake: a bool
number = session.send("where?", output=Place).output  # mistake: a Place
print(session.send("where?", output=Place).output.nme)  # mistake: it is name
approve: Allow = Allow(always=1.5)  # mistake: a bool


async def later() -> None:
    kept: str = save("x")  # mistake: not awaited
    async for piece in AsyncChatSession(str).stream_text("hi"):
        piece.append(kept)  # mistake: a string
