"""Every behaviour that the loop takes from elsewhere has a test, and ``docs/seeds.md`` names it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.amount import together

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| \[`(\w+)`\]\(\.\./([\w/.]+)\) \|$", PAGE, re.M)


@cache
def named_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    found = [each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    return frozenset(name for name in found if name.startswith("test_"))


@together(row=ROWS)
def test_the_test_that_a_row_names_is_there(row):
    _, name, path = row
    assert name in named_in(path)


def test_every_row_is_read_and_none_is_said_twice():
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and "shown by" not in line]
    assert len(lines) == len(ROWS) >= 117
    assert len({said for said, _, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize("page", ["branches", "terms", "afterwards", "honest", "behaviours"])
def test_what_was_made_for_these_rows_is_in_the_list(page):
    """A file of tests that no row names any more has lost its reason, or the list a row."""
    assert any(path.endswith(f"test_{page}.py") for _, _, path in ROWS)
