"""Outcomes and changes in words, a line each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .replaying import FIELDS, CaseChange, CaseOutcome, Comparison

__all__ = ["change_lines", "comparison_lines", "outcome_lines"]


def outcome_lines(outcome: CaseOutcome) -> Iterator[str]:
    """What reading one case gave."""
    found = [*_written("calls", outcome["calls"]), *_written("problems", outcome["problems"])]
    yield from found or ["no calls"]


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Every case that changed, and how."""
    for change in comparison.changed:
        yield change.case
        yield from (f"  {line}" for line in change_lines(change))
    yield from (f"{case}\n  - this case is gone" for case in comparison.gone)
    yield from (f"{case}\n  + this case is new" for case in comparison.new)


def change_lines(change: CaseChange) -> Iterator[str]:
    """What is no more as it was, behind ``-``, and what it is now, behind ``+``."""
    for field in FIELDS:
        before = _written(field, change.before.get(field))
        after = _written(field, change.after.get(field))
        yield from (f"- {line}" for line in before if line not in after)
        yield from (f"+ {line}" for line in after if line not in before)
        if sorted(before) == sorted(after) and before != after:
            yield f"~ the {field} come in another order"


def _written(field: str, value: Any) -> list[str]:
    if value is None:
        return []
    if field == "calls":
        return [_call(each) for each in value]
    if field == "problems":
        return [f"problem {each['kind']}: {each['message']}" for each in value]
    return [f"{field} {json.dumps(value, ensure_ascii=False)}"] if value else []


def _call(call: Mapping[str, Any]) -> str:
    arguments = json.dumps(call["arguments"], ensure_ascii=False)
    repairs = f" ({', '.join(call['repairs'])})" if call["repairs"] else ""
    place = f" doubted {call['place']}" if "place" in call else ""
    return f"call {call['name']} {arguments}{place}{repairs}"
