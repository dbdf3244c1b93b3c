"""The map of the package leads somewhere: every file that it names is there, and so is the name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| `(.+?)` \| `(.+?)` \|$", PAGE, re.MULTILINE)


def test_the_map_answers_thirty_questions():
    assert len(ROWS) == len({question for question, _, _ in ROWS}) == 30
    assert all(question.endswith("?") for question, _, _ in ROWS)


@pytest.mark.parametrize("question, file, name", ROWS, ids=[name for _, _, name in ROWS])
def test_a_row_of_the_map_leads_to_a_definition(question, file, name):
    tree = ast.parse((ROOT / "toolproto" / file).read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    assert name in {node.name for node in tree.body if isinstance(node, kinds)}
