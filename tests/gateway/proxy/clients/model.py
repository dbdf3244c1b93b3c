"""The model behind the proxy: it does what it is told, in the form of its paradigm, to the letter.

It looks at the last message only. ``Call NAME with {…}``, as often as it stands there, is what it
calls; results it quotes; ``Fail with STATUS`` is an error of the backend. A greeting is answered in
words. Everything else can only be the proxy's advice, which it follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from tests.gateway.proxy.backend import Messages, Refusal
from toolproto.protocol.guard.neutralise import BREAK
from toolproto.protocol.messages import ToolCall
from toolproto.protocol.paradigms import get_paradigm

__all__ = ["model_of"]

_ORDER = re.compile(r"Call (\w+) with (?=\{)")
_FAILURE = re.compile(r"Fail with (\d+)")
_DEMAND = re.compile(r"the tool '(\w+)'")
_RESULT = re.compile(r"<tool_(?:result|response)\b[^>]*>\n(.*?)\n</tool_(?:result|response)>", re.S)


def model_of(paradigm: str) -> Callable[[Messages], str | Refusal]:
    """A model that was taught *paradigm*."""
    encode = get_paradigm(paradigm).encode_calls

    def speak(messages: Messages) -> str | Refusal:
        said = messages[-1]["content"]
        results = list(_results(said))
        orders = list(_orders("\n".join(results) or said))
        if failure := _FAILURE.search(said):
            return Refusal(int(failure[1]), "not now, please", {"retry-after": "7"})
        if orders:
            return f"Let me see. {encode(orders)}"
        if results:
            return f"I was told: {' | '.join(results)}"
        if said.startswith("Hello"):
            return "Hello to you."
        return encode([_demanded(said)])

    return speak


def _orders(text: str) -> Iterator[ToolCall]:
    # A model does not see the break that the guard puts behind a brace; one in a text it repeats.
    text = text.replace("{" + BREAK, "{")
    for order in _ORDER.finditer(text):
        arguments, _ = json.JSONDecoder().raw_decode(text, order.end())
        yield ToolCall(order[1], arguments)


def _results(text: str) -> Iterator[str]:
    """The results in a message: in tags, or as JSON line by line."""
    yield from _RESULT.findall(text)
    for line in text.split("\n"):
        if line.startswith('{"tool_call_result"'):
            yield json.loads(line)["tool_call_result"]["result"]


def _demanded(advice: str) -> ToolCall:
    demand = _DEMAND.search(advice)
    return ToolCall(demand[1], {}) if demand else ToolCall("get_weather", {"city": "Oslo"})
