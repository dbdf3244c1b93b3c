"""What an answer to a question does, whoever gives it, wherever and however late.

The same function is asked for an answer that comes at once and for one that was put off, so that
they cannot come to mean two things. An answer counts for what was asked: the answer to the question
whether the model may go on in circles says nothing about a call, and none about a call says
anything about another kind of question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...protocol.messages import ToolResult
from .approvals import Allow, ApprovalRequest, Decision, Defer, Deny

__all__ = ["Effect", "Verdict", "effect_of"]

#: What may be said about a pending call: a decision, or its result from elsewhere.
Verdict = Decision | ToolResult | str


@dataclass(frozen=True, slots=True)
class Effect:
    """What an answer does.

    *fate* is what becomes of what was asked about: a call, all calls of a reply (``loop``), or a
    form (``elicitation``). What ``goes on`` is decided anew, with this answer. *grants* says which
    later calls of the tool need no approval: plain ones or ``all``; with ``loop`` the same calls
    may be repeated. *ends* says why the turn ends, if it does.
    """

    fate: Literal["goes on", "is changed", "is denied", "is answered", "waits"]
    grants: Literal["", "plain calls", "all calls", "the loop"] = ""
    ends: Literal["", "stopped", "repetition"] = ""


def effect_of(request: ApprovalRequest, verdict: Verdict, *, stop_on_deny: bool = False) -> Effect:
    """Return what *verdict*, the answer to *request*, does."""
    match verdict:
        case Allow(instead, always):
            fate: Literal["goes on", "is changed"] = "is changed" if instead else "goes on"
            return Effect(fate, _granted(request) if always else "")
        case Deny(stop=stop):
            if request.kind == "loop":
                return Effect("is denied", ends="repetition")
            ends = (stop or stop_on_deny) and request.kind != "elicitation"
            return Effect("is denied", ends="stopped" if ends else "")
        case Defer():
            return Effect("waits")
    return Effect("is answered")


def _granted(request: ApprovalRequest) -> Literal["", "plain calls", "all calls", "the loop"]:
    """Return what an "always" means: less if more than the approval was asked for."""
    match request.kind:
        case "loop":
            return "the loop"
        case "elicitation":
            return ""
    return "all calls" if {each.kind for each in request.asked} == {"approval"} else "plain calls"
