"""What the programs in this folder share: tools, words for what a client gets, and ``play``.

The model behind the proxy does as it is told: ``model.py``, one folder up, says how. With
``TOOLPROTO_FRAMEWORKS`` set there is no proxy: each client asks in its own process.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

#: The address of the proxy, and the names of models that have each learnt another paradigm.
URL, *MODELS = sys.argv[1:]
#: Whether clients get a transport, and the address is that of the backend.
IN_PROCESS = "TOOLPROTO_FRAMEWORKS" in os.environ

TOOLS: dict[str, dict[str, Any]] = {
    "get_weather": {
        "description": "Current weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
    "now": {"description": "The time.", "parameters": {"type": "object", "properties": {}}},
    "book": {
        "description": "Book a trip.",
        "parameters": {
            "type": "object",
            "properties": {
                "stops": {"type": "array", "items": {"type": "string"}},
                "nights": {"type": "integer"},
                "budget": {"type": "number"},
                "flexible": {"type": "boolean"},
                "guest": {"type": "object", "properties": {"name": {"type": "string"}}},
            },
            "required": ["stops"],
        },
    },
}

#: A family, a flag, words from the right, ends of lines that are none, quotes, and markup.
WORDS = (
    "👩‍👩‍👧 🇳🇴 Zürich 東京 שלום مرحبا \u202eback\u202c a\u2028b\u2029c\u0085d e\u0301 "
    "\"q\" 'p' \\n \\ <b> &amp; line\nline\ttab"
)


@dataclass
class Call:
    """A call that a client got."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass
class Reply:
    """What a client got; *native* is what it wants back as part of the conversation."""

    text: str
    calls: list[Call]
    finish: str | None
    native: Any = None


@dataclass
class Result:
    """What a tool said."""

    call: Call
    text: str


@dataclass
class Refused:
    """An error as a client tells it."""

    status: int | None
    message: str
    retry_after: str | None = None


class Ask(Protocol):
    """One request; *choice* is auto, required, none or a tool's name."""

    def __call__(
        self,
        model: str,
        turns: Sequence[str | Reply | Result],
        *,
        streamed: bool,
        choice: str = "auto",
        parallel: bool = True,
        tools: Mapping[str, dict[str, Any]] = TOOLS,
    ) -> Reply: ...


#: Plays once, with a model, whole or streamed; an exception says what went wrong.
Scenario = Callable[[str, bool], None]


def transport(is_async: bool = False) -> Any:
    """What answers a client's requests in this process."""
    from toolproto.gateway.bridge.terms import ModelTerms
    from toolproto.gateway.transport import AsyncToolTransport, ToolTransport

    terms = {f"*{model}": ModelTerms(model.partition("/")[0]) for model in MODELS}
    return (AsyncToolTransport if is_async else ToolTransport)(f"{URL}/v1", models=terms)


def http_client(sdk: Any, is_async: bool = False) -> dict[str, Any]:
    """What a client of *sdk* is told besides: by which HTTP client it asks, if not its own."""
    if not IN_PROCESS:
        return {}
    client = sdk.DefaultAsyncHttpxClient if is_async else sdk.DefaultHttpxClient
    return {"http_client": client(transport=transport(is_async))}


def expect(got: object, wanted: object) -> None:
    """Raise AssertionError if *got* is not what was *wanted*, with both."""
    assert got == wanted, f"got {got!r}\nwanted {wanted!r}"


def expect_in(part: str, text: str) -> None:
    """Raise AssertionError if *part* does not stand in *text*, with both."""
    assert part in text, f"no {part!r} in {text!r}"


def order(name: str, arguments: Mapping[str, Any]) -> str:
    """What a user says so that the model makes a call."""
    return f"Call {name} with {json.dumps(arguments)}"


def play(scenarios: Mapping[str, Scenario]) -> None:
    """Play each with each model, whole and streamed; print a line of JSON for each."""
    for model in MODELS:
        for name, scenario in scenarios.items():
            for streamed in (False, True):
                played = {"model": model, "scenario": name, "streamed": streamed}
                print(json.dumps({**played, "problem": _problem(scenario, model, streamed)}))
                sys.stdout.flush()


def _problem(scenario: Scenario, model: str, streamed: bool) -> str | None:
    try:
        scenario(model, streamed)
    except Exception:
        return traceback.format_exc()
    return None
