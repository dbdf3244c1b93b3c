"""Who decides whether a call runs: no one has to, a person, the model, or it is refused.

:func:`decide` is all of it, as one pure function. The turn asks it before it runs a call, when an
answer comes and once more after that; the proxy asks it before a call leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from ..guard.concerns import Concern
from ..guard.taint import barred_left, denial
from ..messages import ECHOED, PLACES, Grade, ToolCall
from ..tools.define import Risk, Tool
from .pins import Grant, Pin, pin_of
from .policy import Policy

__all__ = [
    "AskedKind",
    "Facts",
    "Question",
    "Refusal",
    "Ruling",
    "Run",
    "Topic",
    "Yes",
    "decide",
    "doubts",
    "reason_for",
]

#: What somebody can be asked: ``approval`` (may a tool that does this run?), ``loop`` (may the
#: model go on in circles?), ``doubt`` (was the call meant, and meant like this?), ``concern`` (are
#: these a stranger's words?), ``elicitation`` (what a tool asks while it runs).
AskedKind = Literal["approval", "loop", "doubt", "concern", "elicitation"]

_DOES: dict[Risk, str] = {
    "read": "is to be approved before it runs",
    "write": "changes something",
    "egress": "sends something out",
    "exec": "runs code",
}
#: How a topic goes on behind the words about the tool.
_JOINED: dict[AskedKind, str] = {"approval": ", and ", "doubt": " and its call ", "concern": "; "}
_APPROVAL = "approval"
_CHANGED = "it is not as it was when it was decided about"


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing that a question is about; two are the same if *kind* and *mark* are.

    *reason* says it to a person.
    """

    kind: AskedKind
    mark: str = ""
    reason: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Yes:
    """A yes to a question about one call: what it listed, and the tool that it was about.

    *vouched* names arguments whose values somebody vouched for. *grants* says for which later calls
    of the tool that was said as well, once the call runs.
    """

    topics: tuple[Topic, ...]
    pin: Pin
    vouched: tuple[str, ...] = ()
    grants: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a decision about *call*, which is valid, goes by.

    *granted* is an earlier "always" for a tool of that name, *answered* an earlier yes about this
    very call. *attended*: somebody can be asked. *told*: there is no use in asking the model; it
    was asked about this call in an earlier reply.
    """

    call: ToolCall
    tool: Tool
    policy: Policy
    concerns: tuple[Concern, ...] = ()
    granted: Grant | None = None
    answered: Yes | None = None
    attended: bool = True
    told: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """The call may run."""


@dataclass(frozen=True, slots=True)
class Question:
    """Somebody must be asked first: a person about all *topics* at once, or the model.

    *before* is the tool as it was when somebody decided about it, if it has changed since.
    """

    whom: Literal["person", "model"]
    topics: tuple[Topic, ...]
    before: Pin | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The call does not run: why, for a person (*reason*) and for the model (*advice*).

    *topics* are what somebody would be asked about, if anybody were there.
    """

    reason: str
    advice: str
    topics: tuple[Topic, ...] = ()


Ruling = Run | Question | Refusal


def decide(case: Facts) -> Ruling:
    """Return whether the call of *case* runs, who has to be asked about what, or why it is refused.

    A yes covers what its question listed, for the tool as it was then; if more is open by now, all
    of it is asked again.
    """
    if refusal := _refused(case):
        return refusal
    topics = tuple(_open(case))
    if case.answered is not None and _covers(case.answered, case.tool, topics):
        barred = barred_left(case.concerns, case.call, case.tool.spec, case.answered.vouched)
        return _barred(barred) if barred else Run()
    if not topics:
        return Run()
    if case.attended:
        return Question("person", topics, _changed_from(case))
    return _decided_by_nobody(case, topics)


def doubts(call: ToolCall, tool: Tool, policy: Policy) -> list[Topic]:
    """Return why *call* may not be meant, or not like this; nothing for a tool that only reads.

    That a tool reads must be the program's word: a server may call anything so.
    """
    if tool.only_reads:
        return []
    found: list[Topic] = []
    guessed = [each.name for each in call.repairs if each.grade is Grade.GUESSED]
    names = ", ".join(name for name in guessed if name != ECHOED)
    if names and policy.guessed != "allow":
        found.append(Topic("doubt", names, f"had to be guessed at ({names})"))
    if call.place:
        where = PLACES.get(call.place, "in a doubtful place")
        found.append(Topic("doubt", call.place, f"appears {where}"))
    return found


def reason_for(tool: Tool, topics: Iterable[Topic]) -> str:
    """Return in one sentence why somebody is asked about a call of *tool*."""
    told = f"{tool.name} {_DOES[tool.risk]}"
    concerned = False
    for topic in topics:
        if topic.mark == _APPROVAL or (topic.kind == "concern" and concerned):
            continue  # the first words say it; the concerns stand beside the question, all of them
        concerned = concerned or topic.kind == "concern"
        told += _JOINED[topic.kind] + topic.reason
    return told


def _refused(case: Facts) -> Refusal | None:
    name = case.tool.name
    if case.policy.denies(case.tool):
        return Refusal(f"the policy does not allow {name}", f"{name} is not allowed here")
    if case.policy.guessed == "deny" and (found := doubts(case.call, case.tool, case.policy)):
        why = " and ".join(each.reason for each in found)
        return Refusal(
            f"the call {why}, and the policy does not allow that",
            f"the call {why}; if you mean it, write it alone, exactly in the form you were shown",
        )
    return None


def _open(case: Facts) -> Iterator[Topic]:
    """Yield what nobody has decided yet about the call."""
    tool, policy = case.tool, case.policy
    doubted = doubts(case.call, tool, policy)
    granted = _is_granted(case.granted, tool, bool(doubted))
    if policy.rule(tool) == "ask" and not granted:
        yield Topic("approval", _APPROVAL, reason_for(tool, ()))
    if tool.caution:
        yield Topic("approval", f"caution {tool.pin}", tool.caution)
    if _changed_from(case) is not None and not granted:
        yield Topic("approval", "changed", _CHANGED)
    named = (granted or policy.lets_by_name(tool)) and not case.concerns
    if not named or policy.guessed == "ask":
        yield from doubted
    for concern in case.concerns:
        mark = (concern.kind, concern.source, concern.argument, concern.value, concern.barred)
        yield Topic("concern", repr(mark), concern.brief)


def _is_granted(grant: Grant | None, tool: Tool, doubted: bool) -> bool:
    if grant is None or grant.pin != pin_of(tool):
        return False
    return not (doubted and grant.plain_only)


def _changed_from(case: Facts) -> Pin | None:
    """Return the tool as it was when it was decided about, if it has changed since."""
    # What the policy lets run by name or risk needs no "always", and so no new one.
    asks = case.policy.rule(case.tool) == "ask"
    before = (case.answered, case.granted if asks else None)
    pins = [each.pin for each in before if each is not None]
    if not pins:  # nearly always: a pin is the tool's whole schema as text
        return None
    now = pin_of(case.tool)
    return next((pin for pin in pins if pin != now), None)


def _covers(answered: Yes, tool: Tool, topics: tuple[Topic, ...]) -> bool:
    return answered.pin == pin_of(tool) and set(topics) <= set(answered.topics)


def _decided_by_nobody(case: Facts, topics: tuple[Topic, ...]) -> Ruling:
    """Return what becomes of a call about which nobody can be asked.

    If it would run were it written plain, the model is asked once whether it means it.
    """
    plain = replace(case, call=_plain(case.call), attended=True)
    plain = replace(plain, concerns=tuple(each for each in case.concerns if each.kind != "echo"))
    if isinstance(decide(plain), Run) and not case.told:
        return Question("model", topics)
    if barred := [each for each in case.concerns if each.barred]:
        return _barred(barred)
    told = f"{reason_for(case.tool, topics)}, and nobody is there to approve it"
    return Refusal(told, told, topics)


def _plain(call: ToolCall) -> ToolCall:
    certain = tuple(each for each in call.repairs if each.grade is not Grade.GUESSED)
    return replace(call, repairs=certain, place="")


def _barred(barred: Iterable[Concern]) -> Refusal:
    told = list(barred)
    names = ", ".join(dict.fromkeys(each.argument for each in told))
    return Refusal(f"nobody vouched for the values of {names}", denial(told))
