"""What the client gets of a reply with a fault, and the JSON of an answer in a shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...endpoints.apis.asked import AnswerShape, Asked
from ...endpoints.apis.pieces import Failed
from ...protocol.decoding.values.json_alone import json_alone
from ...protocol.judge import Fault
from ...protocol.messages import CallProblem, Grade, ProblemKind, ToolCall
from ...protocol.schemas.work import Work
from ...protocol.tools.check import call_problem, check_call
from ...protocol.tools.spec import ToolOffer, ToolSpec

__all__ = ["MISTAKE", "failed", "in_shape", "instead_of_call", "misshapen"]

#: The status of what a model did wrong and did not mend. Trying again costs as much and brings the
#: same, and 400 is the only one that no client tries again: codex does so with all others, and made
#: thirty requests of one 502 (docs/proxy.md has the table).
MISTAKE = 400
_FENCES = ("```json", "```JSON", "```")


def failed(fault: Fault) -> Failed | None:
    """Return what the client is told if the model does not mend *fault*; None if it may stand."""
    return None if fault.is_passable else Failed(f"the model {fault.reason}", fault.kind, MISTAKE)


def instead_of_call(fault: Fault, asked: Asked) -> str:
    """Return a few words for a client that wants words and gets a call that it may not have."""
    # An agent sends such a request when its turns are used up, to have told what was done. An
    # error would take the whole of that from its user.
    if fault.kind != "unusable_tool_call" or asked.offer.choice != "none" or asked.shape:
        return ""
    named = dict.fromkeys(each.name for each in fault.problems if each.name in asked.offer.names)
    which = ", ".join(filter(None, named)) or "a tool"
    return f"(No answer: the model only tried to call {which}, and no tool may be called here.)"


def misshapen(text: str, asked: Asked, work: Work) -> str:
    """Return what is wrong with *text* as an answer in the shape that is asked for."""
    if asked.shape is None:
        return ""
    found = in_shape(text, asked.shape, work)
    if isinstance(found, str):
        return ""
    return "it is not a JSON object" if found is None else found.message


def in_shape(text: str, shape: AnswerShape, work: Work) -> str | CallProblem | None:
    """The JSON object in *text*, what is wrong with it, or None if there is none.

    It may stand in a fence, or behind words, and is mended as a call is.
    """
    found: CallProblem | None = None
    for reading in json_alone(text):
        if not isinstance(reading.value, dict):
            continue
        checked = _fitting(ToolCall("answer", reading.value, repairs=reading.repairs), shape, work)
        if not isinstance(checked, CallProblem):
            return _as_it_stands(text, checked)
        found = found or checked
    return found


def _fitting(call: ToolCall, shape: AnswerShape, work: Work) -> Mapping[str, Any] | CallProblem:
    """The arguments of *call*, if it gives an answer of that *shape*."""
    if call.grade is Grade.TRUNCATED:
        return call_problem(call, ProblemKind.TRUNCATED, "it was cut off before its end")
    if shape.schema is None:
        return call.arguments
    # The schema of an answer is checked as that of a tool's arguments is.
    spec = ToolSpec("answer", "", shape.schema)
    checked = check_call(call, ToolOffer((spec,)), work=work)
    return checked if isinstance(checked, CallProblem) else checked.arguments


def _as_it_stands(text: str, value: Mapping[str, Any]) -> str:
    """*value* in the model's own writing, where that is strict JSON and nothing else."""
    bare = _unfenced(text.strip())
    try:
        return bare if json.loads(bare) == value else json.dumps(value)
    except (ValueError, RecursionError):
        return json.dumps(value)


def _unfenced(text: str) -> str:
    for fence in _FENCES:
        if text.startswith(fence) and text.endswith("```"):
            return text.removeprefix(fence).removesuffix("```").strip()
    return text
