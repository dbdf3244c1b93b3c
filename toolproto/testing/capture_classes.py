"""Which replies show the same malformation?

Two replies are of one class if reading them finds the same kinds of problem, needs the same repairs
and passes over calls for the same reasons: how often, with which tools and in which words does not
matter.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ..protocol.messages import Grade
from .explain import Explanation, Verdict

__all__ = ["Malformation", "malformation"]

_LONGEST_NAME = 80
#: Reasons for which a call is none although it was most likely meant: one written as asked is read
#: in a doubtful place, so what is passed over there is malformed.
_LOST = frozenset(
    {"open_thinking", "foreign_form", "unknown_tool", "not_read", "container", "sentence"}
)


@dataclass(frozen=True, slots=True)
class Malformation:
    """A class of replies: *kinds* of problem, names of *repairs* and doubtful *places*, *reasons*
    for ignoring a call.

    *failed* says that a call was lost, refused, or could only be guessed at.
    """

    kinds: tuple[str, ...]
    repairs: tuple[str, ...]
    places: tuple[str, ...]
    reasons: tuple[str, ...]
    failed: bool
    calls: bool

    @property
    def classes(self) -> tuple[str, ...]:
        """All of it, in one list."""
        return (*self.kinds, *self.repairs, *self.places, *self.reasons)

    @property
    def name(self) -> str:
        """What a fixture of this class is called: the same every time."""
        words = "-".join(self.classes) or ("clean" if self.calls else "no_call")
        if len(words) <= _LONGEST_NAME:
            return words
        digest = hashlib.sha256(words.encode()).hexdigest()[:8]
        return f"{words[: _LONGEST_NAME - 9].rstrip('-')}-{digest}"


def malformation(explanation: Explanation) -> Malformation:
    """The class of the reply that was explained."""
    findings = explanation.findings
    told = [each for each in findings if each.verdict is not Verdict.IGNORED]
    repairs = [repair for each in told for repair in each.repairs]
    reasons = {reason for each in explanation.ignored for reason in each.reasons}
    kinds = {each.problem.kind.value for each in told if each.problem is not None}
    places = {each.call.place for each in told if each.call is not None and each.call.place}
    unsure = bool(places) or any(repair.grade is not Grade.LOSSLESS for repair in repairs)
    lost = any(each.reasons[0] in _LOST for each in explanation.ignored)
    return Malformation(
        tuple(sorted(kinds)),
        tuple(sorted({repair.name for repair in repairs})),
        tuple(sorted(f"doubted_{place}" for place in places)),
        tuple(sorted(f"ignored_{reason}" for reason in reasons)),
        failed=bool(kinds) or unsure or lost,
        calls=bool(told),
    )
