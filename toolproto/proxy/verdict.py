"""Whether a reply is what the client asked for, and what to tell the model if it is not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..messages import CallProblem, ToolCall
from ..tools.check import check_call
from ..tools.spec import ToolOffer, ToolSpec
from ..tools.work import Work
from .asked import AnswerShape, Asked
from .calls import CHECK_VISITS
from .pieces import Failed

__all__ = ["Shortcoming", "in_shape", "shortcoming"]

_NOTHING = "You wrote nothing that could be read. Answer the last message in plain words."
_FENCES = ("```json", "```JSON", "```")


@dataclass(frozen=True, slots=True)
class Shortcoming:
    """What is wrong with a reply: *problems* of its calls, or *advice* in words for the model.

    *failure* is what the client is told if the model does not mend it; without one, the
    client gets the reply as it is.
    """

    advice: str = ""
    problems: tuple[CallProblem, ...] = ()
    failure: Failed | None = None


def shortcoming(
    asked: Asked, text: str, calls: int, problems: Sequence[CallProblem]
) -> Shortcoming | None:
    """What the reply lacks that says *text* and makes so many *calls*; None if nothing."""
    if calls:
        return None
    demanded = asked.offer.choice not in ("auto", "none")
    if problems and (demanded or not text.strip()):
        told = f"the model wrote no tool call that can be used: {problems[0].message}"
        return Shortcoming(problems=tuple(problems), failure=Failed(told, "unusable_tool_call"))
    if demanded:
        return _uncalled(asked.offer)
    if problems and asked.offer.tools and asked.offer.choice == "auto":
        return Shortcoming(problems=tuple(problems))
    if asked.shape is not None:
        return _misshapen(text, asked.shape)
    # Small models write a result again, and are stopped before the first word of it.
    return Shortcoming(_NOTHING) if asked.needs_tools and not text.strip() else None


def _uncalled(offer: ToolOffer) -> Shortcoming:
    which = "one of your tools" if offer.choice == "required" else f"the tool {offer.choice}"
    told = f"the model did not call {which}, as tool_choice demands"
    return Shortcoming(
        f"You must call {which} now. Write the call, in exactly the form you were shown.",
        failure=Failed(told, "tool_choice_unmet"),
    )


def _misshapen(text: str, shape: AnswerShape) -> Shortcoming | None:
    found = in_shape(text, shape)
    if isinstance(found, str):
        return None
    wrong = "it is not a JSON object" if found is None else found.message
    told = f"the model did not keep to the format of its answer: {wrong}"
    return Shortcoming(
        f"Your answer could not be used: {wrong}. Write one JSON object and nothing else.",
        failure=Failed(told, "response_format_unmet"),
    )


def in_shape(text: str, shape: AnswerShape) -> str | CallProblem | None:
    """The JSON in *text* as it stands there, what is wrong with it, or None if it is none."""
    bare = _unfenced(text.strip())
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    if shape.schema is None:
        return bare
    # The schema of an answer is checked as that of a tool's arguments is.
    spec = ToolSpec("answer", "", shape.schema)
    checked = check_call(ToolCall("answer", value), ToolOffer((spec,)), work=Work(CHECK_VISITS))
    if isinstance(checked, CallProblem):
        return checked
    return bare if checked.arguments == value else json.dumps(checked.arguments)


def _unfenced(text: str) -> str:
    for fence in _FENCES:
        if text.startswith(fence) and text.endswith("```"):
            return text.removeprefix(fence).removesuffix("```").strip()
    return text
