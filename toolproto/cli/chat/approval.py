"""Asking a person whether a call may run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from rich.text import Text

from ...conversation.deciding.approvals import Allow, ApprovalRequest, Decision, Deny
from ...protocol.errors import TurnCancelled
from ...protocol.foreign_text import visible
from ...protocol.guard.concerns import Concern
from ...protocol.guard.taint import barred_left
from ...protocol.messages import ToolCall
from .cards import Card
from .editing import CallDraft, form_draft, form_lines
from .folding import one_line
from .inputs import Inputs
from .screen import Screen

__all__ = ["ApprovalAnswer", "ApprovalReply", "Asking", "read_answer"]


class ApprovalAnswer(Enum):
    """What a person may say about a call."""

    ONCE = "yes"
    ALWAYS = "always"
    EDIT = "edit"
    DENY = "no"
    WHOLE = "whole"


_BLANK = Text("")
_LONGEST_VALUE = 200
#: Every answer by each way of saying it. Nothing means yes but a yes: an empty line is no answer.
_SAID = {
    **dict.fromkeys(("y", "yes", "once"), ApprovalAnswer.ONCE),
    **dict.fromkeys(("a", "always"), ApprovalAnswer.ALWAYS),
    **dict.fromkeys(("e", "edit"), ApprovalAnswer.EDIT),
    **dict.fromkeys(("n", "no", "deny"), ApprovalAnswer.DENY),
    **dict.fromkeys(("w", "whole"), ApprovalAnswer.WHOLE),
}
_WORDS = {
    ApprovalAnswer.ONCE: "[y]es",
    ApprovalAnswer.ALWAYS: "[a]lways",
    ApprovalAnswer.EDIT: "[e]dit",
    ApprovalAnswer.DENY: "[n]o",
    ApprovalAnswer.WHOLE: "[w]hole",
}
_HELP = (
    "y runs it once · a runs it, and from now on runs this tool without asking · e changes its "
    "arguments · n denies, and may be followed by the reason · w shows folded arguments whole · "
    "Ctrl-C cancels the turn"
)


@dataclass(frozen=True, slots=True)
class ApprovalReply:
    """An answer, and what was said behind it."""

    answer: ApprovalAnswer
    rest: str = ""


def read_answer(text: str, possible: tuple[ApprovalAnswer, ...]) -> ApprovalReply | None:
    """What *text* says, None if it says none of what is *possible*.

    Only a denial may go on behind its first word: ``n the file is needed``.
    """
    word, _, rest = text.strip().partition(" ")
    answer = _SAID.get(word.lower().rstrip(",:;."))
    if answer not in possible or (rest.strip() and answer is not ApprovalAnswer.DENY):
        return None
    return ApprovalReply(answer, rest.strip())


@dataclass(slots=True)
class Asking:
    """An approver that asks whoever sits at *inputs*.

    *is_announced* says whether the turn asks; otherwise it is a tool that has a question while it
    runs, and all there is to say is yes or no. *interrupted* is called for Ctrl-C, and stops the
    turn.
    """

    screen: Screen
    inputs: Inputs
    draft: Callable[[ToolCall], CallDraft]
    is_announced: Callable[[ApprovalRequest], bool]
    interrupted: Callable[[], None]

    def __call__(self, request: ApprovalRequest) -> Decision:
        try:
            with self.screen.lock:
                if request.is_form:
                    return self._filled_in(request)
                if self.is_announced(request):
                    return self.decision(request)
                return self._told(request)
        except (KeyboardInterrupt, EOFError):
            self.interrupted()
            raise TurnCancelled("the person who was asked stopped the turn") from None

    def decision(self, request: ApprovalRequest) -> Decision:
        """What is to happen to the call of *request*."""
        draft, whole = self.draft(request.call), False
        while True:
            card = Card.of(request, draft.call, whole)
            self.screen.show(_BLANK, card)
            question = "let the model go on?" if request.kind == "loop" else "run it?"
            reply = self._asked(question, self._possible(card, request))
            whole = reply.answer is ApprovalAnswer.WHOLE
            if reply.answer is ApprovalAnswer.EDIT:
                self._edit(draft)
            elif not whole:
                return self._decided(request, reply, draft.changed)

    def _filled_in(self, request: ApprovalRequest) -> Decision:
        """What is sent to a tool that asks for values: those shown, once a person says so."""
        draft = form_draft(request)
        while True:
            card = Card(draft.call, request.risk, request.reason)
            self.screen.show(_BLANK, card, *map(Text, form_lines(request)))
            reply = self._asked(
                "send it?", (ApprovalAnswer.ONCE, ApprovalAnswer.EDIT, ApprovalAnswer.DENY)
            )
            if reply.answer is ApprovalAnswer.DENY:
                return Deny(reply.rest or Deny().reason)
            if reply.answer is ApprovalAnswer.EDIT:
                self._edit(draft)
            elif problem := draft.take(draft.text):
                self.screen.say(f"it cannot be sent like this: {problem}", "red")
            else:
                return Allow(instead=draft.changed)

    def _told(self, request: ApprovalRequest) -> Decision:
        """The answer to a question that a tool asks while it runs."""
        self.screen.show(_BLANK, Card(request.call, request.risk, request.reason))
        reply = self._asked("what do you tell it?", (ApprovalAnswer.ONCE, ApprovalAnswer.DENY))
        return Allow() if reply.answer is ApprovalAnswer.ONCE else Deny(reply.rest or Deny().reason)

    def _possible(self, card: Card, request: ApprovalRequest) -> tuple[ApprovalAnswer, ...]:
        without = set() if card.is_folded(self.screen.width) else {ApprovalAnswer.WHOLE}
        if request.kind == "loop":  # it is not about this call alone
            without.add(ApprovalAnswer.EDIT)
        return tuple(each for each in ApprovalAnswer if each not in without)

    def _asked(self, question: str, possible: tuple[ApprovalAnswer, ...]) -> ApprovalReply:
        words = " · ".join(_WORDS[each] for each in possible)
        while True:
            said = self.inputs.answer(f"{question} {words} > ")
            if reply := read_answer(said, possible):
                return reply
            self.screen.say(_HELP)

    def _decided(
        self, request: ApprovalRequest, reply: ApprovalReply, changed: ToolCall | None
    ) -> Decision:
        if reply.answer is not ApprovalAnswer.DENY and request.kind == "loop":
            return Allow(always=reply.answer is ApprovalAnswer.ALWAYS)
        if reply.answer is not ApprovalAnswer.DENY:
            concerns, call = request.concerns, request.call
            barred = barred_left(concerns, call, request.tool, changed=changed)
            if doubtful := next((each for each in barred if not self._vouches(each)), None):
                return Deny(f"the user does not vouch for the value of {doubtful.argument}")
            vouched = tuple(each.argument for each in barred)
            return Allow(changed, reply.answer is ApprovalAnswer.ALWAYS, vouched)
        reason = reply.rest or self.inputs.answer("why? (the model is told; Enter for none) > ")
        return Deny(reason.strip() or Deny().reason)

    def _vouches(self, concern: Concern) -> bool:
        """Whether the person stands for one value that neither they nor a trusted tool named."""
        value = one_line(concern.value, _LONGEST_VALUE)
        question = f"{visible(concern.argument)} = {value}: do you want this very value?"
        return (
            self._asked(question, (ApprovalAnswer.ONCE, ApprovalAnswer.DENY)).answer
            is ApprovalAnswer.ONCE
        )

    def _edit(self, draft: CallDraft) -> None:
        text = self.inputs.edited(draft.text)
        if text is None:
            self.screen.say("nothing was changed")
        elif problem := draft.take(text):
            self.screen.say(f"it cannot run like this: {problem}", "red")
            self.screen.say("e edits your text again; y runs the call as shown")
