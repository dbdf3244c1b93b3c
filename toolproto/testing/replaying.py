"""What changed between two versions of a paradigm, case by case.

An outcome is what reading one fixture gave: calls with their repairs, problems, text and thinking.
Outcomes of one version are kept in a file, or made by reading with both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..protocol.decoding.reply.thinking_tokens import Reasoning
from ..protocol.errors import UsageError
from ..protocol.events import merge
from ..protocol.messages import Repair, ToolCall, counted_ids
from ..protocol.paradigms.base import ToolContextDef
from ..protocol.paradigms.parsed import ParsedResponse
from .fixtures import Fixture, load_fixture, load_fixtures, load_tools

__all__ = [
    "FIELDS",
    "CaseChange",
    "CaseOutcome",
    "Comparison",
    "compare",
    "fixtures_in",
    "outcomes",
]

#: An outcome as JSON has it: ``calls``, ``problems``, ``text`` and ``reasoning``.
CaseOutcome = Mapping[str, Any]
ParadigmOf = Callable[[Fixture], type[ToolContextDef]]
FIELDS = ("calls", "problems", "text", "reasoning")


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case that reads otherwise: what it gave *before* and *after*, where the two differ."""

    case: str
    before: CaseOutcome
    after: CaseOutcome


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions compared: *gone* and *new* are the cases that only one of them has."""

    same: int
    changed: tuple[CaseChange, ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Does every case read as before?"""
        return not (self.changed or self.gone or self.new)


def fixtures_in(folder: Path) -> list[Fixture]:
    """The fixtures of ``fixtures/bracket``, or of all paradigms in ``fixtures``."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; expected a folder of fixtures")
    here = sorted(folder.glob("*.txt"))
    tools = load_tools(folder.parent)
    found = [load_fixture(path, tools) for path in here] if here else list(load_fixtures(folder))
    if not found:
        raise UsageError(f"{folder} has no fixtures: no .txt files, and none in its folders")
    return found


def outcomes(fixtures: Iterable[Fixture], paradigm: ParadigmOf) -> dict[str, CaseOutcome]:
    """What the class that *paradigm* gives for each fixture reads out of it, by case."""
    return {
        f"{fixture.paradigm}/{fixture.case}": _outcome(fixture, paradigm(fixture))
        for fixture in fixtures
    }


def compare(before: Mapping[str, CaseOutcome], after: Mapping[str, CaseOutcome]) -> Comparison:
    """What changed from *before* to *after*."""
    both = sorted(before.keys() & after.keys())
    changes = [_change(case, before[case], after[case]) for case in both]
    changed = tuple(each for each in changes if each is not None)
    return Comparison(
        len(both) - len(changed),
        changed,
        tuple(sorted(before.keys() - after.keys())),
        tuple(sorted(after.keys() - before.keys())),
    )


def _change(case: str, before: CaseOutcome, after: CaseOutcome) -> CaseChange | None:
    fields = [each for each in FIELDS if before.get(each) != after.get(each)]
    if not fields:
        return None
    sides = ({each: side.get(each) for each in fields} for side in (before, after))
    return CaseChange(case, *sides)


# -- reading ------------------------------------------------------------------------------


def _outcome(fixture: Fixture, kind: type[ToolContextDef]) -> CaseOutcome:
    parsed = _read(fixture, kind)
    told = {
        "calls": [_call(call) for call in parsed.calls],
        "problems": [
            {"kind": each.kind.value, "name": each.name, "message": each.message}
            for each in parsed.problems
        ],
        "text": parsed.text,
        "reasoning": parsed.reasoning,
    }
    # As it comes back out of a file: half a surrogate pair, a tuple and a key that is no text.
    read: dict[str, Any] = json.loads(json.dumps(told))
    return read


def _read(fixture: Fixture, kind: type[ToolContextDef]) -> ParsedResponse:
    policy = fixture.policy
    tags = Reasoning().tags if policy.thinking is None else policy.thinking
    paradigm = kind(
        ids=counted_ids(),
        reasoning=Reasoning(tags, policy.starts_in_thinking),
        limits=policy.limits,
        salvage=policy.salvage,
    )
    decoder = paradigm.decoder(fixture.offer)
    events = [*decoder.feed(fixture.reply), *decoder.finish(fixture.finish_reason)]
    return ParsedResponse(fixture.reply, tuple(merge(events)))


def _call(call: ToolCall) -> dict[str, Any]:
    repairs = [_repair(each) for each in call.repairs]
    told = {"name": call.name, "arguments": dict(call.arguments), "repairs": repairs}
    return {**told, "place": call.place} if call.place else told


def _repair(repair: Repair) -> str:
    return " ".join(filter(None, (repair.grade.value, repair.name, repair.detail)))
