"""What is wrong with a reply, and what the model is told about it.

The loop of a session and the proxy ask the same judge: a rule, or a sentence for the model, is
changed here and nowhere else. What comes of a fault is theirs: a session appends messages, the
proxy asks again behind what it has sent or holds back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from .messages import CallProblem, ProblemKind
from .tools.spec import ToolOffer

__all__ = ["REASKS", "Fault", "FaultKind", "Heard", "judged", "worth_telling"]

#: How often mistakes are put to a model, unless somebody says otherwise.
REASKS = 3

#: What a reply lacks: a call that can be used, the call that was demanded, words, or the form that
#: its answer should have.
FaultKind = Literal[
    "unusable_tool_call", "tool_choice_unmet", "empty_reply", "response_format_unmet"
]


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply, as far as judging it goes.

    *calls* is how many can be used, *problems* is what is wrong with the others. *misshapen* is
    what is wrong with its *text* as an answer that must have a form. A reply *may_be_empty* where
    nobody offered tools or asked for a form: it is handed on as it is. *ends_in_call*: its last
    words are a call in the middle of a sentence. *announced*: by the word of a service with tools
    of its own it ends in calls.
    """

    text: str
    calls: int = 0
    problems: Sequence[CallProblem] = ()
    offer: ToolOffer = field(default_factory=ToolOffer)
    misshapen: str = ""
    may_be_empty: bool = False
    ends_in_call: bool = False
    announced: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a reply cannot be used: *reason* says of the model what it did, for a person.

    The model is told of the *problems*, in the words of its paradigm; where there are none, it is
    given the *advice*. A reply with a fault that *is_passable* may stand if the model insists.
    """

    kind: FaultKind
    reason: str
    advice: str = ""
    problems: tuple[CallProblem, ...] = ()
    is_passable: bool = False


_SILENT = Fault(
    "empty_reply",
    "wrote nothing that can be read",
    "You wrote nothing that could be read. Answer the last message in plain words.",
)
# As the end of a reply such a call was meant, and a program would take it for the answer.
_ENDS_IN_CALL = Fault(
    "unusable_tool_call",
    "wrote a tool call in the middle of a sentence, and nothing behind it",
    "You ended with a tool call in the middle of a sentence. If you mean it, write it alone, in"
    " exactly the form you were shown; if not, answer without it.",
)
#: A service whose own parser drops a call still says that there is one.
_LOST = CallProblem(ProblemKind.MALFORMED, "it did not arrive")
# Models write them, or show calls, and mean nothing by it that has to be mended.
_PASSABLE = (ProblemKind.DOUBTED, ProblemKind.FABRICATED_RESULT)


def judged(heard: Heard) -> Fault | None:
    """Return what is wrong with a reply; None if it can be used.

    One with a call can: what is wrong beside it is :func:`worth_telling` with its result.
    """
    if heard.calls:
        return None
    offer, has_words = heard.offer, bool(heard.text.strip())
    problems = tuple(worth_telling(heard.problems))
    if heard.announced and not problems:
        problems = (_LOST,)
    if problems and ((offer.tools and offer.choice != "none") or not has_words):
        return _unusable(problems, heard.ends_in_call)
    if offer.choice not in ("auto", "none"):
        return _uncalled(offer, has_words)
    if heard.misshapen:
        return Fault(
            "response_format_unmet",
            f"did not keep to the format of its answer: {heard.misshapen}",
            f"Your answer could not be used: {heard.misshapen}. "
            "Write one JSON object and nothing else.",
        )
    if not has_words and not heard.may_be_empty:
        return _SILENT
    return _ENDS_IN_CALL if heard.ends_in_call else None


def worth_telling(problems: Sequence[CallProblem], calls: int = 0) -> list[CallProblem]:
    """Return those of *problems* that the model should hear of, beside so many *calls*.

    That it made up a result matters only where it called nothing: otherwise the real results come,
    and what it made up was cut off.
    """
    made_up = ProblemKind.FABRICATED_RESULT
    return [each for each in problems if not calls or each.kind is not made_up]


def _unusable(problems: tuple[CallProblem, ...], ends_in_call: bool) -> Fault:
    wrong = [problem for problem in problems if problem.kind not in _PASSABLE]
    if ends_in_call and not wrong:
        return replace(_ENDS_IN_CALL, advice="", problems=problems)
    told = f"wrote no tool call that can be used: {(wrong or problems)[0].message}"
    return Fault("unusable_tool_call", told, problems=problems, is_passable=not wrong)


def _uncalled(offer: ToolOffer, has_words: bool) -> Fault:
    is_any = offer.choice == "required"
    wanted = "a call" if is_any else f"a call of {offer.choice!r}"
    which = "a tool" if is_any else f"the tool {offer.choice!r}"
    return Fault(
        "tool_choice_unmet",
        f"was asked for {wanted}, and wrote {'prose' if has_words else 'nothing'}",
        f"You must call {which} now. Write the call in exactly the form you were shown.",
    )
