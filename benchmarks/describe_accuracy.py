"""What does the way tools are shown do to a real model's calls?

    python benchmarks/describe_accuracy.py http://127.0.0.1:8080/v1 [--model NAME] [--json FILE]

Asks an OpenAI-compatible endpoint, at temperature 0, for the weather (one tool offered) and for
the weather or the time (two), with the paradigm's instructions as the system prompt and its
``examples`` as chat turns. Nothing differs between rows but the style. A reply is right in its
tool if it holds one call, of the tool that was asked for; right in its arguments if that call is
accepted as it stands and names the city. Intervals are Wilson's, at 95 %.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from toolproto import (
    ChatRequest,
    Message,
    ToolCall,
    ToolContextDef,
    ToolOffer,
    ToolSpec,
    check_call,
    get_paradigm,
)
from toolproto.endpoints import HttpEndpoint

CITY = {"type": "string", "description": "Name of the city."}
WEATHER = ToolSpec(
    "get_weather",
    "Get the current weather for a city.",
    {
        "type": "object",
        "properties": {
            "city": CITY,
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
        },
        "required": ["city"],
    },
)
TIME = ToolSpec(
    "get_time",
    "Get the current local time for a city.",
    {
        "type": "object",
        "properties": {
            "city": CITY,
            "seconds": {"type": "boolean", "description": "Include the seconds.", "default": False},
        },
        "required": ["city"],
    },
)
CITIES = """
    Rome Cairo Lima Tokyo Bergen Toronto Nairobi Sydney Madrid
    Vienna Boston Delhi Havana Dublin Seoul Prague Chicago Lisbon
""".split()  # noqa: SIM905
ASKED = {
    "get_weather": (
        "What is the weather in {}?",
        "How warm is it in {} right now?",
        "Tell me the current weather for {}.",
        "Is it raining in {} today?",
    ),
    "get_time": (
        "What time is it in {}?",
        "Tell me the current local time for {}.",
        "What is the time in {} right now?",
        "How late is it in {}?",
    ),
}
OFFERS = {"one tool": (WEATHER,), "two tools": (WEATHER, TIME)}
STYLES = ("forms", "typescript", "json_schema")


@dataclass(frozen=True)
class Question:
    """What is asked, and the tool and city a good call names."""

    text: str
    tool: str
    city: str


@dataclass(frozen=True)
class Score:
    """How many of the questions were answered by the right tool, and with the right arguments."""

    paradigm: str
    tools: str
    style: str
    asked: int
    right_tool: int
    right_arguments: int


def questions(names: list[str]) -> Iterator[Question]:
    """Seventy-two questions, shared out evenly among the tools of these names."""
    for number, city in enumerate(CITIES):
        for index in range(4):
            tool = names[(number + index) % len(names)]
            yield Question(ASKED[tool][index].format(city), tool, city)


def answered(
    endpoint: HttpEndpoint, paradigm: ToolContextDef, offer: ToolOffer, question: Question
) -> list[ToolCall]:
    """The calls in the model's reply."""
    system = Message("system", paradigm.splice_system_prompt("", offer))
    messages = (system, *paradigm.examples(offer), Message("user", question.text))
    request = ChatRequest(messages, stop=paradigm.stop(offer))
    with endpoint.stream(request) as chunks:
        reply = "".join(chunk.text for chunk in chunks)
    return paradigm.parse_response(reply, offer).calls


def score(endpoint: HttpEndpoint, paradigm: str, tools: str, style: str) -> Score:
    """One row of the table."""
    made = get_paradigm(paradigm, describe=style)
    offer = ToolOffer(OFFERS[tools])
    asked = list(questions([tool.name for tool in offer.tools]))
    right_tool = right_arguments = 0
    for question in asked:
        match answered(endpoint, made, offer, question):
            case [call] if call.name == question.tool:
                right_tool += 1
                fits = check_call(call, offer) == call
                right_arguments += fits and call.arguments.get("city") == question.city
    return Score(paradigm, tools, style, len(asked), right_tool, right_arguments)


def interval(right: int, asked: int) -> str:
    """The share, and between what it likely lies."""
    z, share = 1.96, right / asked
    middle = (share + z * z / (2 * asked)) / (1 + z * z / asked)
    spread = z * math.sqrt(share * (1 - share) / asked + z * z / (4 * asked**2))
    spread /= 1 + z * z / asked
    return f"{right}/{asked} ({middle - spread:.0%}–{middle + spread:.0%})"


def main() -> None:
    """Ask everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="base address of an OpenAI-compatible service")
    parser.add_argument("--model", default="default")
    parser.add_argument("--paradigm", action="append", help="json_strict and xml_tag if left out")
    parser.add_argument("--style", action="append", help=f"{', '.join(STYLES)} if left out")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print("| paradigm | tools | style | right tool | right arguments |\n|---|---|---|---|---|")
    scores = []
    params = {"temperature": 0, "max_tokens": 80}
    with HttpEndpoint(options.url, model=options.model, params=params) as endpoint:
        for paradigm in options.paradigm or ("json_strict", "xml_tag"):
            for tools in OFFERS:
                for style in options.style or STYLES:
                    row = score(endpoint, paradigm, tools, style)
                    scores.append(row)
                    shares = [interval(n, row.asked) for n in (row.right_tool, row.right_arguments)]
                    print(f"| {paradigm} | {tools} | {style} | {' | '.join(shares)} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in scores], indent=1))


if __name__ == "__main__":
    main()
