"""What the model saw: the prompt, each request, each reply as it was read, in any paradigm."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import date
from typing import Any

from ..conversation.journal.log import LoggedTurn
from ..conversation.journal.packing import in_pairs
from ..conversation.journal.reply_record import whole_pieces
from ..conversation.turn.pricing import cost_of, price_table
from ..protocol.errors import UsageError
from ..protocol.messages import Message, ToolCall, ToolResult
from ..protocol.paradigms.base import ToolContextDef
from ..protocol.paradigms.registry import get_paradigm
from ..protocol.tools.registry import ToolRegistry
from ..protocol.tools.spec import ToolOffer
from ..testing.explain import as_json, explain_reply
from .asking import PageRequest
from .opening import OpenedSession
from .seen import SeenExchange
from .talk import Talk
from .talks import Talks

__all__ = ["Insight"]

#: Characters of a reply up to which it is explained, and of a message that is shown.
_MOST_EXPLAINED = 200_000
_MOST_SHOWN = 100_000
_MOST_KEPT = 40


class Insight:
    """What can be asked about what the model was told and wrote."""

    def __init__(self, talks: Talks) -> None:
        self._talks = talks
        self._prices = price_table(talks.config.prices)

    async def list(self, ask: PageRequest) -> dict[str, Any]:
        """The requests since the server started; before that, the replies of the journal."""
        talk, opened = await self._found(ask)
        if talk.seen.exchanges:
            return {"exchanges": [self._brief(each, opened) for each in talk.seen.exchanges]}
        kept = list(_kept_replies(opened.session.way))[-_MOST_KEPT:]
        return {"exchanges": [{"number": -at, "kept": True, "characters": len(text)}
                              for at, text in enumerate(reversed(kept), 1)][::-1]}  # fmt: skip

    async def show(self, ask: PageRequest) -> dict[str, Any]:
        """One request, and its reply as its paradigm, or another, reads it."""
        talk, opened = await self._found(ask)
        number = _number(ask.request.path_params["number"])
        paradigm = self._paradigm(ask, opened)
        exchange = talk.seen.find(number)
        if exchange is not None:
            request = exchange.request
            told: dict[str, Any] = {
                **self._brief(exchange, opened),
                "messages": [_message(each) for each in request.messages],
                "offer": _offer(request.offer),
                "calls": _pretty(whole_pieces(exchange.calls)) if exchange.calls else "",
                "params": dict(request.params),
                "stop": list(request.stop),
                "constrained": request.constraint is not None,
            }
            reply, reason = exchange.reply, exchange.finish_reason
        else:
            kept = list(_kept_replies(opened.session.way))
            if not -len(kept) <= number < 0:
                raise UsageError(f"request {number} is not remembered any more")
            told, reply, reason = {"number": number, "kept": True}, kept[number], None
        return {
            **told,
            "reply": reply[:_MOST_EXPLAINED],
            "explained": await explained(reply, paradigm, opened.tools, reason),
        }

    async def prompt(self, ask: PageRequest) -> dict[str, Any]:
        """How the tools are shown in a paradigm, and a call and a result in it."""
        _, opened = await self._found(ask)
        paradigm = self._paradigm(ask, opened)
        return await asyncio.to_thread(_preview, paradigm, opened)

    def _brief(self, exchange: SeenExchange, opened: OpenedSession) -> dict[str, Any]:
        return {
            "number": exchange.number,
            "characters": len(exchange.reply),
            "input_tokens": exchange.usage.input_tokens,
            "output_tokens": exchange.usage.output_tokens,
            "cost": cost_of(self._prices, opened.model, exchange.usage),
            "finish_reason": exchange.finish_reason,
            "over": exchange.is_over,
        }

    def _paradigm(self, ask: PageRequest, opened: OpenedSession) -> ToolContextDef:
        name = ask.query("paradigm")
        return get_paradigm(name) if name else opened.session.paradigm

    async def _found(self, ask: PageRequest) -> tuple[Talk, OpenedSession]:
        talk = await self._talks.find(ask.id, ask.person, to_watch=True)
        return talk, await talk.opened()


async def explained(
    reply: str, paradigm: ToolContextDef, tools: ToolRegistry, reason: str | None
) -> dict[str, Any]:
    """How *paradigm* reads *reply*, to the last character."""
    shown = [tool for name, tool in tools.items() if tools.is_enabled(name)]
    text = reply[:_MOST_EXPLAINED]
    cut = reason if reason in ("length", "max_tokens") else None
    return as_json(
        await asyncio.to_thread(lambda: explain_reply(text, paradigm, shown, finish_reason=cut))
    )


def _preview(paradigm: ToolContextDef, opened: OpenedSession) -> dict[str, Any]:
    offer = opened.tools.offer()
    prompt = opened.builder.build(paradigm, offer, date.today()).text
    spec = offer.tools[0] if offer.tools else None
    call = ToolCall(spec.name if spec else "get_weather", _example(spec), "call_1")
    result = ToolResult(call, "…")
    return {
        "paradigm": paradigm.name,
        "prompt": prompt,
        "characters": len(prompt),
        "tokens": len(prompt.encode()) // 4,  # about; every model counts otherwise
        "call": paradigm.encode_call(call),
        "result": paradigm.encode_results([result]),
    }


def _example(spec: Any) -> dict[str, Any]:
    if spec is None:
        return {"city": "Oslo"}
    kinds = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    found = {}
    for name in spec.required or list(spec.properties)[:1]:
        schema = spec.properties.get(name)
        kind = schema.get("type") if isinstance(schema, dict) else None
        found[name] = kinds.get(kind if isinstance(kind, str) else "", "…")
    return found


def _message(message: Message) -> dict[str, Any]:
    """*message* as text: calls and results that go to the service as such are JSON there."""
    acts: dict[str, Any] = {}
    if message.calls:
        acts["calls"] = [_call(each.id, each.name, dict(each.arguments)) for each in message.calls]
    if message.results:
        acts["results"] = [
            {"id": each.call.id, "content": each.content} for each in message.results
        ]
    parts = (message.content, _pretty(acts) if acts else "")
    return {"role": message.role, "content": "\n".join(filter(None, parts))[:_MOST_SHOWN]}


def _offer(offer: ToolOffer | None) -> str:
    """The tools that a request offered as such, as JSON; empty if it offered none."""
    if offer is None:
        return ""
    tools = [
        {"name": each.name, "description": each.description, "parameters": dict(each.parameters)}
        for each in offer.tools
    ]
    return _pretty({"tools": tools, "choice": offer.choice, "parallel": offer.parallel})


def _call(id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": id, "name": name, "arguments": arguments}


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def _kept_replies(way: tuple[LoggedTurn, ...]) -> Iterator[str]:
    for turn in way:
        for record in turn.told():
            if record.kind == "reply":
                yield "".join(t for kind, t in in_pairs(record.data["parts"]) if kind == "text")


def _number(written: str) -> int:
    digits = written.removeprefix("-")
    if not digits.isdecimal() or len(digits) > 9:
        raise UsageError("a request is named by its number")
    return int(written)
