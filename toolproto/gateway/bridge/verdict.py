"""Whether a reply is what the client asked for, and what to tell the model if it is not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...endpoints.apis.asked import AnswerShape, Asked
from ...endpoints.apis.pieces import Failed
from ...protocol.decoding.values.json_alone import json_alone
from ...protocol.messages import CallProblem, Grade, ProblemKind, ToolCall
from ...protocol.schemas.work import Work
from ...protocol.tools.check import call_problem, check_call
from ...protocol.tools.spec import ToolOffer, ToolSpec

__all__ = ["EMPTY", "MISTAKE", "SHOWN_LAST", "Shortcoming", "in_shape", "shortcoming"]

#: The status of what a model did wrong and did not mend. Trying again costs as much and brings the
#: same, and 400 is the only one that no client tries again: codex does so with all others, and made
#: thirty requests of one 502 (docs/proxy.md has the table).
MISTAKE = 400
#: The code of an answer without a word.
EMPTY = "empty_reply"
_FENCES = ("```json", "```JSON", "```")


@dataclass(frozen=True, slots=True)
class Shortcoming:
    """What is wrong with a reply: *problems* of its calls, or *advice* in words for the model.

    *failure* is what the client is told if the model does not mend it; without one, the
    client gets the reply as it is, or *instead* of it a sentence of ours.
    """

    advice: str = ""
    problems: tuple[CallProblem, ...] = ()
    failure: Failed | None = None
    instead: str = ""


_SILENCE = Shortcoming(
    "You wrote nothing that could be read. Answer the last message in plain words.",
    failure=Failed("the model wrote nothing that could be read", EMPTY, MISTAKE),
)
#: A reply that ends with a call in the middle of a sentence, and perhaps not in its form.
SHOWN_LAST = Shortcoming(
    "You ended with a tool call in the middle of a sentence. If you mean it, write it alone, in"
    " exactly the form you were shown; if not, answer without it.",
    failure=Failed(
        "the model wrote a tool call in the middle of a sentence, and again when it was asked",
        "unusable_tool_call",
        MISTAKE,
    ),
)


def shortcoming(
    asked: Asked, text: str, calls: int, problems: Sequence[CallProblem], work: Work
) -> Shortcoming | None:
    """What the reply lacks that says *text* and makes so many *calls*; None if nothing.

    *work* is what may still be spent on checking, as for :func:`in_shape`.
    """
    if calls:
        return None
    has_words = bool(text.strip())
    if asked.offer.choice == "none":
        # No call was wanted: the words beside it are the answer.
        problems = () if has_words else problems
    elif problems and asked.offer.tools:
        return _unusable(problems)
    elif asked.offer.choice != "auto":
        return _uncalled(asked.offer)
    if problems and not has_words:
        unusable = _unusable(problems)
        is_forbidden = asked.offer.choice == "none" and asked.shape is None
        return _forbidden(asked.offer, unusable) if is_forbidden else unusable
    if asked.shape is not None:
        return _misshapen(text, asked.shape, work)
    # Small models write a result again, of which not a word is theirs.
    return _SILENCE if asked.needs_tools and not has_words else None


def _unusable(problems: Sequence[CallProblem]) -> Shortcoming:
    # A call that was only shown is words, if the model says so often enough.
    wrong = [problem for problem in problems if problem.kind is not ProblemKind.DOUBTED]
    if not wrong:
        return Shortcoming(problems=tuple(problems))
    told = f"the model wrote no tool call that can be used: {wrong[0].message}"
    failure = Failed(told, "unusable_tool_call", MISTAKE)
    return Shortcoming(problems=tuple(problems), failure=failure)


def _forbidden(offer: ToolOffer, unusable: Shortcoming) -> Shortcoming:
    """The same of calls where none may be made: a client that wants words can do with a few."""
    # An agent sends such a request when its turns are used up, to have told what was done. An
    # error would take the whole of that from its user.
    if unusable.failure is None:
        return unusable
    named = dict.fromkeys(each.name for each in unusable.problems if each.name in offer.names)
    which = ", ".join(filter(None, named)) or "a tool"
    told = f"(No answer: the model only tried to call {which}, and no tool may be called here.)"
    return replace(unusable, failure=None, instead=told)


def _uncalled(offer: ToolOffer) -> Shortcoming:
    which = "one of your tools" if offer.choice == "required" else f"the tool {offer.choice}"
    told = f"the model did not call {which}, as tool_choice demands"
    return Shortcoming(
        f"You must call {which} now. Write the call, in exactly the form you were shown.",
        failure=Failed(told, "tool_choice_unmet", MISTAKE),
    )


def _misshapen(text: str, shape: AnswerShape, work: Work) -> Shortcoming | None:
    found = in_shape(text, shape, work)
    if isinstance(found, str):
        return None
    wrong = "it is not a JSON object" if found is None else found.message
    told = f"the model did not keep to the format of its answer: {wrong}"
    return Shortcoming(
        f"Your answer could not be used: {wrong}. Write one JSON object and nothing else.",
        failure=Failed(told, "response_format_unmet", MISTAKE),
    )


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
