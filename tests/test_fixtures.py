"""Every recorded reply reads as its snapshot says, in one piece and character by character."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from toolproto.decoding.reasoning import Reasoning
from toolproto.events import merge
from toolproto.messages import Repair, counted_ids
from toolproto.paradigms import ParsedResponse, get_paradigm
from toolproto.testing.fixtures import Fixture, load_fixtures

FOLDER = Path(__file__).parent.parent / "fixtures"
FIXTURES = list(load_fixtures(FOLDER))


def read(fixture: Fixture, size: int) -> ParsedResponse:
    reasoning = Reasoning(starts_inside=fixture.starts_in_thinking)
    paradigm = get_paradigm(fixture.paradigm, ids=counted_ids(), reasoning=reasoning)
    decoder = paradigm.decoder(fixture.offer)
    pieces = [fixture.reply[at : at + size] for at in range(0, len(fixture.reply), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return ParsedResponse(
        fixture.reply, tuple(merge([*events, *decoder.finish(fixture.finish_reason)]))
    )


def told(repairs: tuple[Repair, ...]) -> list[str]:
    return [" ".join(filter(None, (r.grade.value, r.name, r.detail))) for r in repairs]


def summary(parsed: ParsedResponse) -> dict[str, Any]:
    return {
        "calls": [
            {"name": c.name, "arguments": c.arguments, "id": c.id, "repairs": told(c.repairs)}
            for c in parsed.calls
        ],
        "problems": [f"{p.kind.value} {p.name}: {p.message}" for p in parsed.problems],
        "reasoning": parsed.reasoning,
        "segments": [f"{s.kind.value} {s.text!r}" for s in parsed.segments],
        "text": parsed.text,
    }


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda f: f"{f.paradigm}/{f.case}")
def test_a_recorded_reply_reads_as_its_snapshot(
    fixture: Fixture, snapshot: SnapshotAssertion
) -> None:
    whole = read(fixture, len(fixture.reply) or 1)
    assert summary(whole) == snapshot(name=f"{fixture.paradigm}/{fixture.case}")
    assert read(fixture, 1).events == whole.events


@pytest.mark.parametrize("paradigm", ["json_strict", "xml_tag"])
def test_each_seed_paradigm_has_its_fixtures(paradigm: str) -> None:
    cases = [fixture for fixture in FIXTURES if fixture.paradigm == paradigm]
    assert len(cases) >= 120
    assert len({fixture.reply for fixture in cases}) == len(cases)
