"""What one turn goes by: the session's ways, and what its own terms change of them."""

from __future__ import annotations

import copy
from dataclasses import replace

from ...protocol.guard.nonce import with_nonce
from ...protocol.messages import Message
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.registry import get_paradigm
from ...protocol.paradigms.system_prompt import ToolContextBuilder
from ...protocol.tools.answer import AnswerForm
from ...protocol.tools.define import Tool
from ...protocol.tools.registry import ToolRegistry
from ...protocol.tools.spec import ToolOffer
from .setup import Conversation, Terms, TurnSetup

__all__ = ["naming_new_tools", "offered", "on_terms"]


def on_terms(setup: TurnSetup, terms: Terms) -> TurnSetup:
    """*setup* for a turn on *terms*."""
    return replace(
        setup,
        paradigm=_paradigm(setup, terms.paradigm),
        prompt=_layered(setup, terms.system),
        model=terms.model or setup.model,
        output=terms.output.named(setup.tools) if terms.output else None,
    )


def offered(
    setup: TurnSetup, terms: Terms, choice: str = "auto", *, denied: bool = False
) -> ToolOffer:
    """The tools of a turn on *terms*; UsageError if *choice* is none of them.

    Those that the policy denies are not taught. With *denied* they are among them: a call of one is
    told that it is not allowed, not that there is no such tool.
    """

    def keeps(tool: Tool) -> bool:
        is_named = setup.tools.is_named
        if terms.tools is not None and not is_named(tool.name, terms.tools):
            return False
        if is_named(tool.name, terms.without):
            return False
        return denied or not setup.policy.denies(tool)

    offer = setup.tools.offer(choice, terms.parallel, keeps)
    return offer if setup.output is None else _with_answer(offer, setup.output)


def naming_new_tools(
    message: Message, offer: ToolOffer, tools: ToolRegistry, conversation: Conversation
) -> Message:
    """*message*, with the names of those tools on *offer* that *conversation* did not have before.

    Only of tools whose results are trusted: a stranger's server could otherwise bring a tool
    between two turns to have it stand behind the user's words.
    """
    before = conversation.offered
    conversation.offered = offer.names | (before or frozenset())
    if before is None or offer.choice == "none":
        return message
    known = ((spec.name, tools.get(spec.name)) for spec in offer.tools if spec.name not in before)
    new = tuple(name for name, tool in known if tool and tool.is_trusted)
    return replace(message, new_tools=new) if new else message


def _with_answer(offer: ToolOffer, form: AnswerForm) -> ToolOffer:
    """*offer* and the tool that takes the answer: a turn that is to have one ends with its call."""
    if not offer.tools or offer.choice == "none":
        return ToolOffer((form.spec,), form.spec.name, parallel=False)
    choice = "required" if offer.choice == "auto" else offer.choice
    return replace(offer, tools=(*offer.tools, form.spec), choice=choice)


def _paradigm(setup: TurnSetup, chosen: str | ToolContextDef) -> ToolContextDef:
    if not chosen:
        return setup.paradigm
    paradigm = copy.copy(get_paradigm(chosen) if isinstance(chosen, str) else chosen)
    paradigm.ids = setup.paradigm.ids
    return with_nonce(paradigm, setup.nonce) if setup.nonce else paradigm


def _layered(setup: TurnSetup, turn: str | ToolContextBuilder | None) -> ToolContextBuilder:
    """Return what makes the prompt: of the workspace, the session, the masking and the *turn*.

    What is for one turn stands behind everything that stays, where it costs a cache the least; a
    builder of its own takes the place of the session's.
    """
    prompt, rule = setup.prompt, setup.masking.rule if setup.masking else ""
    if isinstance(turn, ToolContextBuilder):
        prompt, turn = turn, None
    return replace(
        prompt,
        system=_paragraphs(setup.agent, prompt.system, rule),
        tail=_paragraphs(prompt.tail, turn),
    )


def _paragraphs(*parts: str | None) -> str:
    return "\n\n".join(part for each in parts if (part := (each or "").strip()))
