"""Whether a call may run, now that it is known what its tool can do."""

from __future__ import annotations

from collections.abc import Mapping

from ..messages import CallProblem, Grade, ProblemKind, ToolCall
from ..schemas.work import Work
from .check import call_problem, check_call
from .define import Tool
from .spec import ToolOffer

__all__ = ["check_run"]


def check_run(
    call: ToolCall, offer: ToolOffer, tools: Mapping[str, Tool], work: Work | None = None
) -> ToolCall | CallProblem:
    """The checked *call*, if it may run under *offer*, or what is wrong with it.

    Where *tools* has the tool, its risk counts: what had to be guessed at may look something up,
    and not change something. *work* is how much checking may cost, if several calls share that
    limit.
    """
    if call.grade is Grade.TRUNCATED:
        return call_problem(call, ProblemKind.TRUNCATED, "it was cut off before its end")
    checked = check_call(call, offer, near_names=True, work=work)
    if isinstance(checked, CallProblem) or checked.name not in tools:
        return checked
    risk = tools[checked.name].risk
    if risk == "exec" and checked.is_unmarked:
        message = "code is run only for a call written exactly in the form you were shown"
        return call_problem(call, ProblemKind.NOT_ALLOWED, message)
    misspelt = any(repair.name == "name_near" for repair in checked.repairs)
    return check_call(call, offer, work=work) if misspelt and risk != "read" else checked
