"""Whether a reply ends with a call in another paradigm's form that could not be read.

The reader takes such a call only if it can be run. Any other is text to it, and would leave as the
answer: an agent takes the scraps of a call for its end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from ...protocol.decoding.reply_form import MarkedForm
from ...protocol.messages import CallProblem, ProblemKind, ToolCall
from ...protocol.tools.check import call_problem, check_call
from ...protocol.tools.spec import ToolOffer

__all__ = ["unread_call"]

_FENCE = "```"


def unread_call(text: str, forms: Iterable[MarkedForm], offer: ToolOffer) -> CallProblem | None:
    """Return what is wrong with the call in one of *forms* that *text* ends with, if it does.

    Only what stands between two markers counts, from the beginning of a line to the end of the
    reply, and in no code: whoever explains a form goes on behind it.
    """
    ended = text.rstrip()
    for form in forms:
        opener, closer = form.opener.strip(), form.closer.strip()
        if not opener.startswith("<") or not closer or not ended.endswith(closer):
            continue
        before, found, body = ended.removesuffix(closer).rpartition(opener)
        line = before.rpartition("\n")[2]
        if found and not line.strip() and before.count(_FENCE) % 2 == 0:
            return _problem(body, offer)
    return None


def _problem(body: str, offer: ToolOffer) -> CallProblem:
    """What the model is told of a call that says *body*."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    call = ToolCall(given["name"] if _names(given) else "", {})
    if _names(given) and isinstance(problem := check_call(call, offer), CallProblem):
        return problem
    told = "your call is not in the form you were shown, and could not be read"
    return call_problem(call, ProblemKind.MALFORMED, told)


def _names(given: object) -> bool:
    return isinstance(given, dict) and isinstance(given.get("name"), str)
