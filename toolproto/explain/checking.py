"""Would a call that was read also run?

The chat loop checks every call against the tools on offer before it runs (`turn/settling.py`).
These are the same questions, asked without a turn.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..messages import CallProblem, Grade, ProblemKind, ToolCall
from ..tools.check import call_problem, check_call
from ..tools.define import Tool
from ..tools.spec import ToolOffer

__all__ = ["checked"]


def checked(call: ToolCall, offer: ToolOffer, tools: Mapping[str, Tool]) -> ToolCall | CallProblem:
    """*call* as it would run, or what is wrong with it; *tools* are those whose risk is known.

    Without any tool on offer, only what the text itself says counts.
    """
    if call.grade is Grade.TRUNCATED:
        return call_problem(call, ProblemKind.TRUNCATED, "it was cut off before its end")
    if not offer.tools:
        return call
    found = check_call(call, offer, near_names=True)
    tool = tools.get(found.name) if isinstance(found, ToolCall) else None
    if not isinstance(found, ToolCall) or tool is None:
        return found
    if tool.risk == "exec" and found.is_unmarked:
        message = "code is run only for a call written exactly in the form you were shown"
        return call_problem(call, ProblemKind.NOT_ALLOWED, message)
    # A misspelt name is good enough to look something up, not to change something.
    near = any(repair.name == "name_near" for repair in found.repairs)
    return check_call(call, offer) if near and tool.risk != "read" else found
