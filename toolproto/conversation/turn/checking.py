"""Whether the calls of one reply can run at all: known tools, sound arguments, within the limits.

What is wrong is a problem that is put to the model. Whether a sound call may run is another
question: :mod:`toolproto.protocol.deciding.decisions` answers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...protocol.messages import CallProblem, ProblemKind, ToolCall
from ...protocol.schemas.work import Work
from ...protocol.tools.check import call_problem, doubted_again, without_unknown
from ...protocol.tools.check_run import check_run
from ...protocol.tools.define import Tool
from ...protocol.tools.spec import ToolOffer
from ..deciding.approvals import call_digest
from .setup import TurnSetup

__all__ = ["Checks"]


@dataclass(slots=True)
class Checks:
    """Checks the calls of one reply against *offer* and *tools*.

    *questioned* are the calls of the turn, by digest, of which the model was asked whether it
    meant them; *done* those that ran beside one that failed. *is_alone*: the reply has one call.
    """

    setup: TurnSetup
    offer: ToolOffer
    tools: Mapping[str, Tool]
    is_alone: bool = True
    questioned: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    # What was questioned in earlier replies: a call that stands twice in this one is no answer.
    _told_before: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._told_before = frozenset(self.questioned)

    @property
    def taught(self) -> ToolOffer:
        """The tools that the model was told of: those that the policy denies are not."""
        denies, known = self.setup.policy.denies, self.tools
        told = tuple(
            each
            for each in self.offer.tools
            if each.name not in known or not denies(known[each.name])
        )
        return replace(self.offer, tools=told)

    def check(self, call: ToolCall, at: int, work: Work) -> ToolCall | CallProblem:
        """Return *call*, number *at* of the reply, mended if need be, or what is wrong with it."""
        limits = self.setup.limits
        if at and not self.offer.parallel:
            message = "only one call may be made at a time; make this one later if it still matters"
            return call_problem(call, ProblemKind.NOT_ALLOWED, message)
        if at >= limits.calls:
            message = f"{limits.calls} calls may be made at a time; make this one later"
            return call_problem(call, ProblemKind.NOT_ALLOWED, message)
        if len(call.raw) > limits.argument_characters:
            message = f"it has {len(call.raw):,} characters, which is too long; send less at once"
            return call_problem(call, ProblemKind.TOO_LARGE, message)
        checked = check_run(call, self.offer, self.tools, work)
        if isinstance(checked, CallProblem) and self._insists(call, checked):
            spec = self.tools[call.name].spec
            checked = check_run(without_unknown(call, spec), self.offer, self.tools, work)
        if isinstance(checked, CallProblem) and checked.kind is ProblemKind.UNKNOWN_TOOL:
            # The tools that there are do not include those that it was not told of.
            checked = check_run(call, self.taught, self.tools, work)
        if isinstance(checked, ToolCall) and checked.name not in self.tools:
            message = "this tool is not there any more"
            return call_problem(call, ProblemKind.UNKNOWN_TOOL, message)
        if isinstance(checked, ToolCall) and self._is_written_along(checked):
            return doubted_again(checked)
        return checked

    def was_told(self, call: ToolCall) -> bool:
        """Return True if there is no use in asking the model whether it meant *call*.

        It was asked in an earlier reply, or it may not be asked at all.
        """
        return self.setup.limits.reasks == 0 or call_digest(call) in self._told_before

    def _is_written_along(self, call: ToolCall) -> bool:
        """Return True if *call* seems to be there only because one beside it failed before.

        It runs again if the model was told so and then writes it alone. What only reads, or does
        the same when it is done twice, runs anyway.
        """
        digest, tool = call_digest(call), self.tools[call.name]
        if digest not in self.done or tool.risk == "read" or tool.idempotent:
            return False
        if digest in self.questioned and self.is_alone:
            return False
        self.questioned.add(digest)
        return self.setup.limits.reasks > 0

    def _insists(self, call: ToolCall, problem: CallProblem) -> bool:
        """Return True if the model was told of *problem* before, and writes the same call again.

        A small model seldom leaves an argument out that it was told is unknown. What only reads
        then runs without; in what changes something the argument may be the one that matters.
        """
        tool = self.tools.get(call.name)
        if problem.kind is not ProblemKind.INVALID_ARGUMENTS or not tool or tool.risk != "read":
            return False
        digest = call_digest(call)
        self.questioned.add(digest)
        return digest in self._told_before
