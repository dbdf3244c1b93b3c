"""Who decides whether a call runs, and what was decided.

A :class:`Policy` settles most calls by the tool's name and risk. What it leaves open is put to an
approver: any callable, sync or async, that takes an :class:`ApprovalRequest` and answers with
:class:`Allow`, :class:`Deny` or :class:`Defer`. What was approved is what runs: a request carries
the digest of its call, and a call that no longer has it is not run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from ...protocol.errors import UsageError
from ...protocol.guard.concerns import Concern
from ...protocol.messages import Grade, ToolCall, ToolResult
from ...protocol.tools.define import Risk, Tool
from ...protocol.tools.spec import ToolSpec

__all__ = [
    "Allow",
    "ApprovalRequest",
    "Approver",
    "Decision",
    "Defer",
    "Deny",
    "Policy",
    "Review",
    "Reviewer",
    "Rule",
    "approval_request",
    "call_digest",
    "decided",
    "deny_all",
    "let_pass",
    "reviewed",
]

Rule = Literal["allow", "ask", "deny"]
_RULES: tuple[Rule, ...] = get_args(Rule)  # from the loosest to the strictest
_DEFAULT: dict[Risk, Rule] = {"read": "allow", "write": "ask", "egress": "ask", "exec": "ask"}
_DOES: dict[Risk, str] = {
    "read": "is to be approved before it runs",
    "write": "changes something",
    "egress": "sends something out",
    "exec": "runs code",
}


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that waits for a decision; *reason* says why somebody is asked.

    *concerns* are reasons to look closely: words of the call that a stranger wrote. With *is_form*
    a tool asks for values while it runs: *tool* is the form, the arguments of *call* are the values
    it gets, and ``Allow(instead=…)`` gives it others.
    """

    call: ToolCall
    tool: ToolSpec
    risk: Risk
    reason: str
    digest: str
    concerns: tuple[Concern, ...] = ()
    is_form: bool = False


@dataclass(frozen=True, slots=True)
class Allow:
    """Run the call, or another one *instead*.

    *always*: do not ask about this tool again, unless there is a concern. *vouched* names
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
    call: ToolCall, tool: Tool, reason: str, concerns: Iterable[Concern] = ()
) -> ApprovalRequest:
    """The question whether *call* may run; about a copy, which is its reader's to keep."""
    call, concerns = call.detached(), tuple(concerns)
    return ApprovalRequest(call, tool.spec, tool.risk, reason, call_digest(call), concerns)


@dataclass(frozen=True, slots=True)
class Policy:
    """Which calls run, which need approval and which are denied.

    *tools* maps names or patterns (``"fs_*"``) to rules, and the first match wins; then comes what
    the tool itself says (``needs_approval``), then *risks*. *guessed* is the rule for a call that
    had to be guessed and could do more than read; it can only make the decision stricter. For a
    tool that needs caution (``Tool.caution``), somebody is asked even if it would run otherwise.
    With *stop_on_deny* every Deny of the approver ends the turn. The model is not even shown
    tools whose calls are always denied.
    """

    tools: Mapping[str, Rule] = field(default_factory=dict)
    risks: Mapping[Risk, Rule] = field(default_factory=dict)
    guessed: Rule = "ask"
    stop_on_deny: bool = False

    def __post_init__(self) -> None:
        for rule in (*self.tools.values(), *self.risks.values(), self.guessed):
            if rule not in _RULES:
                raise UsageError(f"{rule!r} is not a rule; use one of {_RULES}")
        for risk in self.risks:
            if risk not in _DEFAULT:
                raise UsageError(f"{risk!r} is not a risk; use one of {tuple(_DEFAULT)}")

    def rule(self, call: ToolCall, tool: Tool) -> tuple[Rule, str]:
        """The rule for *call*, and the reason in words for a person."""
        rule, reason = self._usual(tool), f"{tool.name} {_DOES[tool.risk]}"
        if call.grade is Grade.GUESSED and tool.risk != "read" and self._stricter(rule):
            if call.doubt:
                return self.guessed, f"{reason} and its call appears {call.doubt}"
            mended = ", ".join(each.name for each in call.repairs if each.grade is Grade.GUESSED)
            return self.guessed, f"{reason} and its call had to be guessed at ({mended})"
        if tool.caution and rule != "deny":
            return "ask", f"{reason}, and {tool.caution}"
        return rule, reason

    def denies(self, tool: Tool) -> bool:
        """Whether no call of *tool* may run."""
        return self._usual(tool) == "deny"

    def _usual(self, tool: Tool) -> Rule:
        for pattern, rule in self.tools.items():
            if fnmatchcase(tool.name, pattern):
                return rule
        if tool.needs_approval is not None:
            return "ask" if tool.needs_approval else "allow"
        return {**_DEFAULT, **self.risks}[tool.risk]

    def _stricter(self, rule: Rule) -> bool:
        return _RULES.index(self.guessed) >= _RULES.index(rule)


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
