"""The requests of a probe, and what is right: read from ``cases.toml`` and ``tools.json``.

What is written there is checked as it is read: a due call that its own tool would refuse would
count against every model.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any

from ...protocol.errors import UsageError
from ...protocol.messages import ToolCall
from ...protocol.tools.check import check_call
from ...protocol.tools.spec import ToolOffer, ToolSpec, spec_from_openai
from .matching import check_pattern, sample_of

__all__ = ["Case", "CaseKind", "DueCall", "load_cases", "read_cases"]

_KEYS = {"id", "kind", "offer", "ask", "calls", "result", "error", "answer"}


class CaseKind(Enum):
    """What a request tries."""

    ONE_TOOL = "one_tool"
    SEVERAL_TOOLS = "several_tools"
    NO_TOOL = "no_tool"
    TWO_CALLS = "two_calls"
    NESTED = "nested"
    CODE = "code"
    UNICODE = "unicode"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class DueCall:
    """A call that the request asks for; *arguments* as :mod:`~toolproto.testing.probe.matching`
    says."""

    name: str
    arguments: Mapping[str, Any]

    def sample(self) -> ToolCall:
        """A call that is right."""
        return ToolCall(self.name, {key: sample_of(each) for key, each in self.arguments.items()})


@dataclass(frozen=True, slots=True)
class Case:
    """One request: the tools *offered* with it, what is said, and what is right.

    *calls* are due in any order. Where there is a *result*, the tool gives it back (an error, if
    *failed*), and the answer must contain one phrase of every group of *answer*.
    """

    id: str
    kind: CaseKind
    offered: str
    offer: ToolOffer
    ask: str
    calls: tuple[DueCall, ...] = ()
    result: str | None = None
    failed: bool = False
    answer: tuple[tuple[str, ...], ...] = ()


@cache
def load_cases() -> tuple[Case, ...]:
    """The requests that come with us."""
    here = files(__package__)
    tools = json.loads(here.joinpath("tools.json").read_text(encoding="utf-8"))
    return read_cases(tomllib.loads(here.joinpath("cases.toml").read_text(encoding="utf-8")), tools)


def read_cases(told: Mapping[str, Any], tools: Iterable[Mapping[str, Any]]) -> tuple[Case, ...]:
    """The cases of *told*, as ``cases.toml`` has them; UsageError names the one that is wrong."""
    specs = {spec.name: spec for spec in map(spec_from_openai, tools)}
    offers = {name: _offer(name, names, specs) for name, names in _table(told, "offers").items()}
    entries = told.get("case")
    if not isinstance(entries, list) or not entries:
        raise UsageError("there is no [[case]] in the set")
    cases = tuple(_case(entry, offers) for entry in entries)
    ids = [case.id for case in cases]
    if twice := sorted({id for id in ids if ids.count(id) > 1}):
        raise UsageError(f"two cases have the id {twice[0]!r}")
    return cases


def _table(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = told.get(name)
    if not isinstance(found, Mapping):
        raise UsageError(f"the set has no table [{name}]")
    return found


def _offer(name: str, names: Any, specs: Mapping[str, ToolSpec]) -> ToolOffer:
    if not isinstance(names, list) or not names or not all(each in specs for each in names):
        raise UsageError(f"offer {name!r} must list tools of tools.json, got {names!r}")
    return ToolOffer(tuple(specs[each] for each in names))


def _case(entry: Any, offers: Mapping[str, ToolOffer]) -> Case:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
        raise UsageError(f"every case has an id, got {str(entry)[:200]!r}")
    where = f"case {entry['id']!r}"
    if unknown := sorted(entry.keys() - _KEYS):
        raise UsageError(f"{where} has {unknown[0]!r}; a case has {', '.join(sorted(_KEYS))}")
    if entry.get("offer") not in offers:
        raise UsageError(f"{where} offers {entry.get('offer')!r}; there are {', '.join(offers)}")
    case = Case(
        entry["id"],
        _kind(entry.get("kind"), where),
        entry["offer"],
        offers[entry["offer"]],
        _text(entry.get("ask"), f"{where}: 'ask'"),
        tuple(_due(call, offers[entry["offer"]], where) for call in entry.get("calls", [])),
        _text(entry["result"], f"{where}: 'result'") if "result" in entry else None,
        entry.get("error", False) is True,
        _answer(entry.get("answer", []), where),
    )
    _check_kind(case, where)
    return case


def _kind(kind: Any, where: str) -> CaseKind:
    try:
        return CaseKind(kind)
    except ValueError:
        kinds = ", ".join(each.value for each in CaseKind)
        raise UsageError(f"{where} is of kind {kind!r}; there are {kinds}") from None


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{what} must be text, got {value!r}")
    return value.strip("\n")


def _due(call: Any, offer: ToolOffer, where: str) -> DueCall:
    if not isinstance(call, Mapping) or not isinstance(call.get("arguments"), Mapping):
        raise UsageError(f"{where}: a call has a name and arguments, got {call!r}")
    for name, pattern in call["arguments"].items():
        check_pattern(pattern, f"{where}, argument {name!r}")
    due = DueCall(str(call.get("name")), call["arguments"])
    checked = check_call(due.sample(), offer)
    if not isinstance(checked, ToolCall):
        raise UsageError(f"{where}: its own call would be refused: {checked.message}")
    if checked.repairs:
        mended = ", ".join(repair.name for repair in checked.repairs)
        raise UsageError(f"{where}: its own call would have to be mended ({mended})")
    return due


def _answer(groups: Any, where: str) -> tuple[tuple[str, ...], ...]:
    whole = isinstance(groups, list) and all(
        isinstance(group, list) and group and all(isinstance(each, str) and each for each in group)
        for group in groups
    )
    if not whole:
        raise UsageError(f"{where}: 'answer' is a list of lists of phrases, got {groups!r}")
    return tuple(tuple(group) for group in groups)


#: How many tools a kind offers, and how many calls it is due, at least and at most.
_COUNTS: Mapping[CaseKind, tuple[range, range]] = {
    CaseKind.ONE_TOOL: (range(1, 2), range(1, 2)),
    CaseKind.SEVERAL_TOOLS: (range(2, 50), range(1, 2)),
    CaseKind.NO_TOOL: (range(1, 50), range(0, 1)),
    CaseKind.TWO_CALLS: (range(1, 50), range(2, 3)),
    CaseKind.NESTED: (range(1, 50), range(1, 2)),
    CaseKind.CODE: (range(1, 50), range(1, 2)),
    CaseKind.UNICODE: (range(1, 50), range(1, 2)),
    CaseKind.RESULT: (range(1, 50), range(1, 2)),
}


def _check_kind(case: Case, where: str) -> None:
    tools, calls = _COUNTS[case.kind]
    if len(case.offer.tools) not in tools or len(case.calls) not in calls:
        raise UsageError(
            f"{where} offers {len(case.offer.tools)} tools and expects {len(case.calls)} calls, "
            f"which does not fit the kind {case.kind.value!r}"
        )
    given = {case.result is not None, bool(case.answer)}
    if given != {case.kind is CaseKind.RESULT}:
        raise UsageError(f"{where}: 'result' and 'answer' belong to cases of kind 'result'")
