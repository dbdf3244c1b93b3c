"""The messages of a request, from the conversation as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ...protocol.guard.neutralise import neutraliser
from ...protocol.guard.neutralise_messages import NeutralBefore, neutral_messages
from ...protocol.messages import Attachment, Message, ToolResult
from ...protocol.native import NativeTools
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.taking_turns import taking_turns
from ...protocol.tools.spec import ToolOffer
from .rendered import RenderedBefore, rendering_of
from .setup import TurnSetup
from .values import with_values

__all__ = ["request_messages", "system_notes", "system_text", "without_system"]

_LEFT_OUT = "its result is not shown to you"


def request_messages(
    setup: TurnSetup,
    messages: Sequence[Message],
    this_turn: int,
    examples: Sequence[Message] = (),
    before: NeutralBefore | None = None,
    offer: ToolOffer | None = None,
    rendered: RenderedBefore | None = None,
) -> list[Message]:
    """*messages* in which user and assistant take turns: plain text, unless tools are native.

    Those before *this_turn* lose their calls where the setup keeps only results. *examples* stand
    before everything. System messages are left out: see :func:`system_notes`. Where the guard says
    so, nothing that the user or a tool brought opens a call. *offer* is what the request offers.
    A call whose result a hook left out is answered all the same: a model would wait for it, or
    write it again. *before* and *rendered* remember what was done for earlier requests of the
    conversation.
    """
    paradigm = setup.paradigm
    made = neutraliser(paradigm, setup.tools) if setup.guard.neutralise else None

    def render(some: Sequence[Message]) -> list[Message]:
        seen = [
            _sendable(_seen(each, setup.sees), setup.refusal)
            for each in _answered(some, paradigm)
            if each.role != "system"
        ]
        if made is not None:
            seen = neutral_messages(seen, made, before=before)
        if isinstance(paradigm, NativeTools):
            return with_values(seen, paradigm.fallback)
        if setup.output:  # a turn that is to bring an answer in some form does not end with words
            return paradigm.encode_history(seen)
        return paradigm.encode_conversation(seen, offer)

    how = rendering_of(paradigm.fallback if isinstance(paradigm, NativeTools) else paradigm)
    if rendered is not None and setup.keep_calls and how is not None:
        terms = (
            type(paradigm),
            how,
            made,
            setup.sees,
            setup.refusal,
            setup.output,
            offer,
            list(examples),
        )
        shown = rendered.shown_with(messages, examples, terms, render)
    else:
        if not setup.keep_calls:
            earlier = [replace(each, calls=()) for each in messages[:this_turn]]
            messages = [*earlier, *messages[this_turn:]]
        shown = taking_turns([*examples, *render(messages)])
    return setup.masking.mask(shown) if setup.masking else shown


def system_text(messages: Sequence[Message]) -> str:
    """Return what the system message at the head of *messages* says, empty without one."""
    return messages[0].content if messages and messages[0].role == "system" else ""


def without_system(messages: Sequence[Message]) -> Sequence[Message]:
    """Return *messages* without the system message at their head."""
    return messages[1:] if messages and messages[0].role == "system" else messages


def _seen(message: Message, sees: Callable[[Attachment], bool] | None) -> Message:
    """*message* whose results show only what the model sees; what it does not is told in words."""
    if sees is None or not any(result.attachments for result in message.results):
        return message
    return replace(message, results=tuple(_shown(each, sees) for each in message.results))


def _answered(messages: Sequence[Message], paradigm: ToolContextDef) -> Iterator[Message]:
    """Give *messages*, with a word on each call that has no result."""
    answered = {result.call.id for each in messages for result in each.results}
    for message in messages:
        yield message
        yield from paradigm.format_results(
            [
                ToolResult(call, _LEFT_OUT, is_error=True, trusted=True)
                for call in message.calls
                if call.id not in answered
            ]
        )


def _sendable(message: Message, refusal: Callable[[Attachment], str] | None) -> Message:
    """*message* without attachments that this model cannot be sent: another model saw them."""
    if refusal is None or not message.attachments:
        return message
    refused = [each for each in message.attachments if refusal(each)]
    shown = tuple(each for each in message.attachments if each not in refused)
    notes = [f"[{each}: not shown to you]" for each in refused]
    return replace(message, content="\n".join([message.content, *notes]), attachments=shown)


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
