"""There are enough recorded replies, and each says where it comes from.

That they read as the snapshots beside them say is tested by our own pytest plugin: see
``toolproto_fixtures`` in pyproject.toml.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .amount import recorded

FOLDER = Path(__file__).parent.parent / "fixtures"
FIXTURES = recorded()


def test_no_reply_was_lost() -> None:
    assert len(FIXTURES) >= 1_282


def test_every_reply_says_where_it_comes_from_and_what_it_shows() -> None:
    assert [f"{f.paradigm}/{f.case}" for f in FIXTURES if not (f.origin and f.note)] == []


def test_every_reply_has_its_snapshot() -> None:
    replies, snapshots = ({*FOLDER.glob(f"*/*.{kind}")} for kind in ("txt", "snap"))
    assert {path.with_suffix("") for path in replies} == {
        path.with_suffix("") for path in snapshots
    }


@pytest.mark.parametrize("paradigm", ["json_strict", "xml_tag"])
def test_each_seed_paradigm_has_its_fixtures(paradigm: str) -> None:
    cases = [fixture for fixture in FIXTURES if fixture.paradigm == paradigm]
    assert len(cases) >= 120
    assert len({fixture.reply for fixture in cases}) == len(cases)
