"""What a call that cannot be used was probably meant to be, so that a model can be shown it.

Told that a tool or an argument is unknown, a small model writes the same call again; shown the call
as it should be, it copies that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..describe.openings import alike
from ..messages import CallProblem, ProblemKind, ToolCall
from ..tools.spec import ToolOffer, ToolSpec

__all__ = ["corrected"]

_CORRECTABLE = (ProblemKind.UNKNOWN_TOOL, ProblemKind.INVALID_ARGUMENTS)
# ``setBudgetLimit`` and ``set_budget_limit`` have the same words; their beginnings are compared, so
# that "directory" is near to "directories".
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_BEGINNING = 5
_PLACEHOLDER = re.compile(r"<[^<>]*>")
# A word in a name says more than one in a description, and that more than an argument's name.
_IN_NAME, _IN_DESCRIPTION, _IN_PART = 3, 2, 2
_NEAR_ENOUGH = 2
# Tools come from strangers: so much of each is looked at, and so many of them.
_CHARACTERS, _TOOLS = 400, 500
#: Characters of a value that is shown again; a longer one the model still has.
_LONGEST = 200


def corrected(call: ToolCall, problem: CallProblem, offer: ToolOffer) -> ToolCall | None:
    """*call* as it should be written, with ``<…>`` where a value is missing.

    It is of the tool that it names, or else of the nearest one on *offer*. None if nothing else can
    be said than *problem* says.
    """
    if problem.kind not in _CORRECTABLE:
        return None
    tool = offer.get(call.name) or _nearest(call, offer)
    if tool is None:
        return None
    given = call.arguments
    arguments = {
        name: _shown(name, given)
        for name in tool.properties
        if name in given or name in tool.required
    }
    meant = ToolCall(tool.name, arguments, call.id)
    return None if (meant.name, arguments) == (call.name, dict(given)) else meant


def _shown(name: str, given: Mapping[str, Any]) -> Any:
    missing = f"<{name}>"
    value = given.get(name, missing)
    if isinstance(value, str) and _PLACEHOLDER.fullmatch(value):
        return missing
    return value if len(json.dumps(value, default=str)) <= _LONGEST else missing


def _nearest(call: ToolCall, offer: ToolOffer) -> ToolSpec | None:
    """The tool that has most in common with *call*, if that is enough."""
    # What all tools of a program are told to be does not tell them apart.
    told = [tool for _, run in alike(offer.tools[:_TOOLS]) for tool in run]
    best = max(told, key=lambda tool: _likeness(call, tool), default=None)
    if best is None or _likeness(call, best) < _NEAR_ENOUGH:
        return None
    return offer.get(best.name)


def _likeness(call: ToolCall, tool: ToolSpec) -> int:
    words = _words(call.name)
    is_part = tool.name in call.name or call.name in tool.name
    return (
        _IN_NAME * len(words & _words(tool.name))
        + _IN_DESCRIPTION * len(words & _words(tool.description))
        + len(tool.properties.keys() & call.arguments.keys())
        + _IN_PART * is_part
    )


def _words(text: str) -> set[str]:
    found = _WORD.findall(text[:_CHARACTERS])
    return {word[:_BEGINNING].lower() for word in found if len(word) > 2}
