"""The examples of ``docs/scaling.md`` that need PostgreSQL."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "scaling.md"
BLOCK = re.compile(r"^```python postgres\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_what_the_page_shows_runs_and_prints_what_it_says(postgres_url, capsys):
    (code,) = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "page"}
    exec(code.replace("postgresql://user:password@host/database", postgres_url), names)
    names["queue"].close(), names["store"].close()
    said = re.findall(r"  # (.+)$", code, re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == said
