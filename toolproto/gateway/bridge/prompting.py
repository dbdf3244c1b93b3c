"""The request that a backend gets: plain text, one system message, roles that take turns."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace

from ...endpoints.apis.asked import AnswerShape, Asked
from ...protocol.grammar import Grammar
from ...protocol.grammar.constraint import Constraint
from ...protocol.guard.neutralise import Neutraliser, neutraliser
from ...protocol.guard.neutralise_messages import neutral_messages, neutral_offer
from ...protocol.messages import ChatRequest, Message
from ...protocol.native import NativeTools
from ...protocol.native.history import put_right
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.taking_turns import taking_turns
from ...protocol.tools.spec import ToolOffer
from .system_prompts import system_prompt

__all__ = ["first_request", "told_again"]

_LOG = logging.getLogger("toolproto")

#: Stands for the user who has said nothing, in a conversation of system messages or empty ones:
#: services refuse a request without a message, and many templates one without a user's.
_SILENT = Message("user", "(There is no message.)")
#: How much of a reply the model is shown again when it is told what was wrong with it.
_SHOWN_AGAIN = 8_000


def first_request(
    asked: Asked,
    paradigm: ToolContextDef,
    examples: bool = False,
    constrain: str = "off",
    neutral: bool = True,
) -> ChatRequest:
    """*asked*, with its tools as instructions and its tool history as text.

    With :class:`NativeTools` both stay values, for the API of the service to write. System
    messages from anywhere in the conversation become one that leads it. *constrain* is whether the
    model is to be held to a grammar. Unless *neutral* is off, nothing that the client sends opens a
    call, where there are tools to call; its system prompt is its own.
    """
    offer = ToolOffer() if asked.offer.choice == "none" else asked.offer
    system = "\n\n".join(each.content for each in asked.messages if each.role == "system")
    if asked.shape is not None:
        system = f"{system}\n\n{_rule(asked.shape, bool(offer.tools))}".strip()
    spoken = [each for each in asked.messages if each.role != "system"]
    is_native = isinstance(paradigm, NativeTools)
    made = neutraliser(paradigm, offer.names) if neutral and offer.tools else None
    if made:
        # Where no form of calls is taught, what user and model say opens none; a stranger might.
        spoken = neutral_messages(spoken, made, roles=() if is_native else ("user", "assistant"))
    if is_native:
        spoken, done = put_right(spoken, offer)
        if done:
            _LOG.warning("the conversation was put right for the service: %s", ", ".join(done))
    system = system_prompt(paradigm, system, offer, made)
    shown = paradigm.examples(offer) if examples else []
    is_free = offer.tools and offer.choice == "auto" and asked.shape is None
    encode = paradigm.encode_conversation if is_free else paradigm.encode_history
    turns = taking_turns([*shown, *encode(spoken)]) or [_SILENT]
    head = [Message("system", system)] if system else []
    # Whoever does not speak of tools may well speak of results.
    stop = (*asked.stop, *(paradigm.stop(offer) if asked.needs_tools else ()))
    made_grammar = None if constrain == "off" else _grammar(paradigm, offer, asked.shape)
    demanded = constrain == "calls" and bool(offer.tools)
    constraint = Constraint(made_grammar, demanded) if made_grammar else None
    own = _own_offer(asked.offer, made) if is_native else None
    return ChatRequest((*head, *turns), stop, asked.params, constraint=constraint, offer=own)


def _own_offer(offer: ToolOffer, made: Neutraliser | None) -> ToolOffer:
    """*offer* for a service with tools, which is told as well if none may be called now."""
    return offer if made is None else neutral_offer(offer, made)


def _grammar(
    paradigm: ToolContextDef, offer: ToolOffer, shape: AnswerShape | None
) -> Callable[[], Grammar | None] | None:
    """What makes the grammar of the replies that are wanted; None if they may be anything."""
    if offer.tools:
        # Either a call or an answer in a shape is more than one grammar can say.
        is_one = shape is None or offer.choice != "auto"
        return (lambda: paradigm.grammar(offer)) if is_one else None
    schema = shape.schema if shape else None
    return None if schema is None else lambda: paradigm.answer_grammar(schema)


def told_again(request: ChatRequest, said: str, advice: str) -> ChatRequest:
    """*request* with the reply *said* to it, and what was wrong with that."""
    # Services refuse a message without content.
    shown = [Message("assistant", said[:_SHOWN_AGAIN])] if said.strip() else []
    more = taking_turns([*request.messages, *shown, Message("user", advice)])
    return replace(request, messages=tuple(more))


def _rule(shape: AnswerShape, with_tools: bool) -> str:
    when = "When you answer without calling a tool, write" if with_tools else "Answer with"
    if shape.schema is None:
        return f"{when} one JSON object and nothing else."
    schema = json.dumps(shape.schema, ensure_ascii=False)
    return f"{when} one JSON object and nothing else. It must fit this JSON Schema:\n{schema}"
