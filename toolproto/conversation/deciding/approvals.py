"""Who decides whether a call runs, and what was decided.

A :class:`~toolproto.protocol.deciding.policy.Policy` settles most calls by the tool's name and
risk. What it leaves open is put to an approver: any callable, sync or async, that takes an
:class:`ApprovalRequest` and answers with :class:`Allow`, :class:`Deny` or :class:`Defer`. What was
approved is what runs: a request carries the digest of its call and the pin of its tool, and a call
that no longer has them is not run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...protocol.deciding.decisions import AskedKind, Topic
from ...protocol.deciding.pins import Pin, pin_of
from ...protocol.errors import UsageError
from ...protocol.guard.concerns import Concern
from ...protocol.messages import ToolCall, ToolResult
from ...protocol.tools.define import Risk, Tool
from ...protocol.tools.spec import ToolSpec

__all__ = [
    "Allow",
    "ApprovalRequest",
    "Approver",
    "Decision",
    "Defer",
    "Deny",
    "EarlierAnswer",
    "Review",
    "Reviewer",
    "approval_request",
    "call_digest",
    "decided",
    "deny_all",
    "let_pass",
    "reviewed",
]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that waits for a decision; *reason* says why somebody is asked.

    *asked* lists all that the answer is about. One kind stands alone: with the :attr:`kind`
    ``"loop"`` the model goes in circles, and the answer says whether it may go on, for all calls of
    the reply, and nothing about any of them. *concerns* are reasons to look closely: words of the
    call that a stranger wrote. *pin* is the tool as it is asked about, and *before* as it was when
    it was decided about, if it has changed since. With *is_form* a tool asks for values while it
    runs: *tool* is the form, the arguments of *call* are the values it gets, and
    ``Allow(instead=…)`` gives it others.
    """

    call: ToolCall
    tool: ToolSpec
    risk: Risk
    reason: str
    digest: str
    concerns: tuple[Concern, ...] = ()
    is_form: bool = False
    asked: tuple[Topic, ...] = ()
    pin: Pin | None = None
    before: Pin | None = None

    @property
    def kind(self) -> AskedKind:
        """What is asked: the first of all that the question lists."""
        return self.asked[0].kind if self.asked else "approval"


@dataclass(frozen=True, slots=True)
class Allow:
    """Run the call, or another one *instead*.

    *always*: do not ask about this tool again as long as it stays as it is, unless there is a
    concern; given to a doubted call, only plain calls are not asked about. *vouched* names
    arguments, as the concerns name them, whose exact values somebody has checked and vouches for; a
    ``strict`` guard needs this.
    """

    instead: ToolCall | None = None
    always: bool = False
    vouched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deny:
    """Do not run the call; the model is told *reason*.

    With *stop* no other call of the reply runs, and the turn ends: the model is told with the
    user's next message.
    """

    reason: str = "the user denied it"
    stop: bool = False


@dataclass(frozen=True, slots=True)
class Defer:
    """Nobody can answer now: the turn ends pending and is resumed with a decision later."""


Decision = Allow | Deny | Defer


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """What was decided in a turn that broke off, and about what: which call, topics and tool.

    The tool may be another one by now, and so the question.
    """

    decision: Decision
    digest: str
    asked: tuple[Topic, ...]
    pin: Pin | None


Approver = Callable[[ApprovalRequest], Decision | Awaitable[Decision]]
Review = ToolResult | Deny | Defer | None
#: Sees each result before the model does: None lets it pass, a result replaces it, Deny withholds
#: it, and with Defer it waits for somebody who decides later.
Reviewer = Callable[[ToolResult], Review | Awaitable[Review]]


def deny_all(request: ApprovalRequest) -> Decision:
    """The approver of a session that has none."""
    return Deny(f"{request.reason}, and nobody is there to approve it")


def let_pass(result: ToolResult) -> None:
    """The reviewer of a session that has none."""


def call_digest(call: ToolCall) -> str:
    """What a decision is about: the same for the same tool and arguments, in any order."""
    told = json.dumps([call.name, call.arguments], sort_keys=True, default=_plain)
    return hashlib.sha256(told.encode()).hexdigest()


def approval_request(
    call: ToolCall,
    tool: Tool,
    reason: str,
    concerns: Iterable[Concern] = (),
    asked: Iterable[Topic] = (),
    before: Pin | None = None,
) -> ApprovalRequest:
    """The question whether *call* may run; about a copy, which is its reader's to keep."""
    call = call.detached()
    return ApprovalRequest(
        call,
        tool.spec,
        tool.risk,
        reason,
        call_digest(call),
        tuple(concerns),
        asked=tuple(asked),
        pin=pin_of(tool),
        before=before,
    )


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else repr(value)


def decided(answer: Any) -> Decision:
    """*answer*, if it is a decision; an approver that answers otherwise is a UsageError."""
    if isinstance(answer, Allow) and not isinstance(answer.instead, ToolCall | None):
        raise UsageError(f"Allow(instead={answer.instead!r}): expected a ToolCall")
    if isinstance(answer, Decision):
        return answer
    raise UsageError(f"an approver answered {answer!r}; expected Allow, Deny or Defer")


def reviewed(answer: Any) -> Review:
    """*answer*, if it is a review; a reviewer that answers otherwise is a UsageError."""
    if answer is None or isinstance(answer, ToolResult | Deny | Defer):
        return answer
    raise UsageError(f"a reviewer answered {answer!r}; expected None, a ToolResult, Deny or Defer")
