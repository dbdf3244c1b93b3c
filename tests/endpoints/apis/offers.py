"""A request with tools, earlier calls and their results, for every API that has tools."""

from __future__ import annotations

from dataclasses import replace

from toolproto.protocol.messages import Attachment, ChatRequest, Message, ToolCall, ToolResult
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = ToolSpec("get_weather", "The weather in a city.", CITY)
CLOCK = ToolSpec("clock", "", {"type": "object"})
OFFER = ToolOffer((WEATHER, CLOCK))
PICTURE = Attachment("image/png", "aGk=")
SOUND = Attachment("audio/wav", "aGk=", name="rain.wav")

ASKED = (Message("system", "Be brief."), Message("user", "Oslo and Rome?"))
#: As the model wrote it: not as Python would.
OSLO = ToolCall("get_weather", {"city": "Oslo"}, "call_1", raw='{"city":"Oslo"}')
ROME = ToolCall("get_weather", {"city": "Rome"}, "call_2")
TIME = ToolCall("clock", {}, "call_3")
ANSWERED = (
    Message("assistant", "I will look.", calls=(OSLO, ROME), reasoning="Two cities."),
    Message(
        "user",
        "",
        results=(ToolResult(OSLO, "rain", attachments=(PICTURE, SOUND)), ToolResult(ROME, "sun")),
    ),
    Message("assistant", "", calls=(TIME,)),
    Message("user", "Go on.", results=(ToolResult(TIME, "it is broken", is_error=True),)),
)
REQUEST = ChatRequest(ASKED + ANSWERED, params={"temperature": 0}, offer=OFFER)


def choosing(choice: str, parallel: bool = True) -> ChatRequest:
    """The first request, with that choice."""
    return ChatRequest(ASKED, offer=replace(OFFER, choice=choice, parallel=parallel))


#: Everything that a request may hold, for those who check its form.
ALL = (
    REQUEST,
    ChatRequest(ASKED + ANSWERED[:2], offer=OFFER),
    *(choosing(choice) for choice in ("auto", "required", "none", "get_weather")),
    choosing("auto", parallel=False),
    choosing("required", parallel=False),
    ChatRequest(ASKED + ANSWERED, offer=ToolOffer()),
)
