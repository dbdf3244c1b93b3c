"""A very small language model, in this process, uses a tool.

    python examples/small_model.py

It has 135 million parameters, a thousandth of a large one, and was never taught to call tools.
Told how to write a call it does not; shown two exchanges that use one it does.
"""

from __future__ import annotations

from screen import Screen

from toolproto import (
    ChatRequest,
    ChatSession,
    Hooks,
    Message,
    ToolCall,
    ToolContextBuilder,
    ToolOffer,
    ToolResult,
    TurnLimits,
    TurnResult,
    counted_ids,
    get_paradigm,
    tool,
)
from toolproto.conversation import StreamData
from toolproto.endpoints import LocalEndpoint
from toolproto.protocol import Constraint

STATIONS = {
    "Oslo": "14 degrees, light rain",
    "Madrid": "22 degrees, fog",
    "Rome": "27 degrees, sunny",
    "Tokyo": "9 degrees, snow",
}
QUESTIONS = ["What is the weather in Rome?", "Is it raining in Tokyo?"]


@tool
def get_weather(city: str) -> str:
    """Current weather for a city.

    Args:
        city: Name of the city.
    """
    return STATIONS.get(city, f"there is no station in {city}")


def shown(city: str, answer: str) -> list[Message]:
    """An exchange for the model to go by: a question, the call, its result, the answer."""
    call = ToolCall("get_weather", {"city": city}, "call_0")
    return [
        Message("user", f"What is the weather in {city}?"),
        Message("assistant", "", calls=(call,)),
        Message("user", "", results=(ToolResult(call, STATIONS[city]),)),
        Message("assistant", answer),
    ]


EXCHANGES = [
    *shown("Oslo", "It is 14 degrees in Oslo, with light rain."),
    *shown("Madrid", "It is 22 degrees in Madrid, with fog."),
]


class Aloud(Hooks):
    """Prints every word of the model's as it comes, and what the tool gives."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def on_stream_data(self, data: StreamData) -> None:
        print(data.chunk.text, end="", flush=True)

    def after_tool(self, result: ToolResult) -> None:
        given = self._screen.paint(f"{result.call.name} gives {result.content!r}", "33")
        print(f"\n  tool: {given}\n model: ", end="", flush=True)


def ask(endpoint: LocalEndpoint, question: str, screen: Screen) -> TurnResult:
    """One turn in a conversation of its own, told as it happens."""
    session = ChatSession(
        endpoint,
        # Random ids and the date would make the model's words differ from day to day.
        get_paradigm("xml_tag", ids=counted_ids()),
        [get_weather],
        system=ToolContextBuilder("You are a helpful assistant.", dated=False),
        history=EXCHANGES,
        hooks=[Aloud(screen)],
        params={"temperature": 0, "seed": 1, "max_tokens": 80},
        limits=TurnLimits(requests=3),
    )
    print(f"\n   you: {question}\n model: ", end="", flush=True)
    # One call is enough here, and a shorter prompt is read sooner.
    result = session.send(question, parallel=False).raise_for_status()
    print()
    return result


def used_the_tool(result: TurnResult) -> bool:
    """Whether the model called, and the number that it was given stands in its answer."""
    numbers = [record.result.content.split()[0] for record in result.calls]
    return bool(numbers) and numbers[-1] in result.text.split()


def hold(endpoint: LocalEndpoint) -> None:
    """Show one reply that is held to the form: no example was shown, and a call is demanded."""
    paradigm = get_paradigm("xml_tag", ids=counted_ids())
    offer = ToolOffer((get_weather.spec,), "required", parallel=False)
    told = Message("system", paradigm.splice_system_prompt("You are a helpful assistant.", offer))
    asked = Message("user", QUESTIONS[0])
    request = ChatRequest(
        (told, asked),
        params={"temperature": 0, "seed": 1, "max_tokens": 80},
        constraint=Constraint(lambda: paradigm.grammar(offer)),
    )
    print("\n  held: ", end="", flush=True)
    with endpoint.stream(request) as chunks:
        for chunk in chunks:
            print(chunk.text, end="", flush=True)
    print()


def main(screen: Screen) -> bool:
    """Ask the questions; whether the model used the tool for each of them."""
    endpoint = LocalEndpoint()
    screen.heading("SmolLM2, 135 million parameters, running in this process")
    results = [ask(endpoint, question, screen) for question in QUESTIONS]
    screen.heading("The same without an example, held to the form by a grammar")
    hold(endpoint)
    return all(map(used_the_tool, results))


if __name__ == "__main__":
    main(Screen())
