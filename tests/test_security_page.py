"""Every promise of ``docs/security.md`` names a test, and every test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
_PROMISES = "## Promises, and the tests that show them"
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows() -> list[str]:
    page = (ROOT / "docs" / "security.md").read_text("utf-8").partition(_PROMISES)[2]
    lines = [line for line in page.splitlines() if line.startswith("|")]
    return [line for line in lines if line not in ("| promise | test |", "|---|---|")]


def test_every_promise_names_a_test() -> None:
    assert rows()
    assert [row for row in rows() if not _TEST.search(row)] == []


def test_every_named_test_is_there() -> None:
    named = [found for row in rows() for found in _TEST.findall(row)]
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).is_file() or f"def {name}(" not in (ROOT / file).read_text("utf-8")
    ]
    assert missing == []
