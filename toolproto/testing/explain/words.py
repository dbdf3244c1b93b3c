"""What a person is told about each call, and about each reason for which one is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...protocol.messages import PLACES
from ...protocol.repair_words import GRADES
from .values import Finding, Verdict

__all__ = ["REASONS", "why"]

#: One for each place (``messages.PLACES``), and for what is no matter of place.
REASONS: Mapping[str, str] = {
    **{name: f"it is {where}" for name, where in PLACES.items()},
    "open_thinking": "it is in thinking that is never closed",
    "to_user": "it is in a message that is addressed to the user",
    "echo": "it only repeats the call before it",
    "after_end": "it comes after the end of the model's turn, where everything is cut off",
    "foreign_form": "it has the form of {form}",
    "unknown_tool": "no tool of that name is on offer",
    "not_read": "it could be read alone, but not in this place",
}
_SALVAGE = ", which get_paradigm(…, salvage=True) would read"
_NEXT_ECHO = "a person is asked before it runs; where nobody decides, the model is asked once"
_NEXT = "whoever decides is asked, or the model where nobody does, unless the tool only reads"


def why(finding: Finding) -> str:
    """Why the call was taken as it was, in one sentence, and what is a stranger's in it."""
    return "; ".join([_why(finding), *(each.line for each in finding.concerns)])


def _why(finding: Finding) -> str:
    match finding.verdict:
        case Verdict.ACCEPTED:
            return "it is written as asked"
        case Verdict.REPAIRED:
            assert finding.call is not None and finding.call.grade is not None
            return GRADES[finding.call.grade]
        case Verdict.DOUBTED:
            assert finding.call is not None
            following = _NEXT_ECHO if finding.call.is_echoed else _NEXT
            return f"doubted: it appears {finding.call.doubt}; {following}"
        case Verdict.REJECTED:
            assert finding.problem is not None
            return f"{finding.problem.kind.value.replace('_', ' ')}: {finding.problem.message}"
        case Verdict.IGNORED:
            return ", and ".join(_reasons(finding))


def _reasons(finding: Finding) -> Iterator[str]:
    for reason in finding.reasons:
        words = REASONS[reason]
        if reason == "foreign_form":
            words = words.format(form=finding.form or "another paradigm")
            # Where something else is in the way, too, that would not help.
            words += _SALVAGE if len(finding.reasons) == 1 else ""
        yield words
