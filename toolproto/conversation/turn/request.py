"""The messages of a request, from the conversation as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ...protocol.guard.neutralise import neutraliser
from ...protocol.guard.neutralise_messages import NeutralBefore, neutral_messages
from ...protocol.messages import Attachment, Message, ToolResult
from ...protocol.taking_turns import taking_turns
from ...protocol.tools.spec import ToolOffer
from .rendered import RenderedBefore, rendering_of
from .setup import TurnSetup

__all__ = ["request_messages", "system_notes"]


def request_messages(
    setup: TurnSetup,
    messages: Sequence[Message],
    this_turn: int,
    examples: Sequence[Message] = (),
    before: NeutralBefore | None = None,
    offer: ToolOffer | None = None,
    rendered: RenderedBefore | None = None,
) -> list[Message]:
    """*messages* as plain text in which user and assistant take turns.

    Those before *this_turn* lose their calls where the setup keeps only results. *examples* stand
    before everything. System messages are left out: see :func:`system_notes`. Where the guard says
    so, nothing that the user or a tool brought opens a call. *offer* is what the request offers.
    *before* and *rendered* remember what was done for earlier requests of the conversation.
    """
    paradigm = setup.paradigm
    made = neutraliser(paradigm, setup.tools) if setup.guard.neutralise else None

    def render(some: Sequence[Message]) -> list[Message]:
        seen = [_seen(each, setup.sees) for each in some if each.role != "system"]
        if made is not None:
            seen = neutral_messages(seen, made, before=before)
        if setup.output:  # a turn that is to bring an answer in some form does not end with words
            return paradigm.encode_history(seen)
        return paradigm.encode_conversation(seen, offer)

    how = rendering_of(paradigm)
    if rendered is not None and setup.keep_calls and how is not None:
        terms = (type(paradigm), how, made, setup.sees, setup.output, offer, list(examples))
        shown = rendered.shown_with(messages, examples, terms, render)
    else:
        if not setup.keep_calls:
            earlier = [replace(each, calls=()) for each in messages[:this_turn]]
            messages = [*earlier, *messages[this_turn:]]
        shown = taking_turns([*examples, *render(messages)])
    return setup.masking.mask(shown) if setup.masking else shown


def _seen(message: Message, sees: Callable[[Attachment], bool] | None) -> Message:
    """*message* whose results show only what the model sees; what it does not is told in words."""
    if sees is None or not any(result.attachments for result in message.results):
        return message
    return replace(message, results=tuple(_shown(each, sees) for each in message.results))


def _shown(result: ToolResult, sees: Callable[[Attachment], bool]) -> ToolResult:
    pictures = [each for each in result.attachments if isinstance(each, Attachment)]
    shown = tuple(each for each in pictures if sees(each))
    notes = [f"[{each}: not shown to you]" for each in pictures if each not in shown]
    return replace(result, content="\n".join([result.content, *notes]), attachments=shown)


def system_notes(messages: Iterable[Message]) -> str:
    """What system messages among *messages* say: it belongs behind the system prompt.

    Many chat templates and services refuse a system message in the middle of a conversation.
    """
    notes = (each.content.strip() for each in messages if each.role == "system")
    return "\n\n".join(note for note in notes if note)
