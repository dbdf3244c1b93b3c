"""Every example in the README and the guides runs, in the order of its page."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAID = re.compile(r"^print\(.*\)(?:\s*#|\n#) (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run_and_print_what_they_say(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page.read_text(encoding="utf-8")
    code = "\n".join(_BLOCK.findall(text))
    assert code, "a page without an example belongs elsewhere"
    script = tmp_path / "page.py"
    script.write_text(code, encoding="utf-8")
    runpy.run_path(str(script))
    printed = capsys.readouterr().out
    assert [said for said in _SAID.findall(code) if said not in printed] == []


def test_every_link_of_the_readme_leads_somewhere() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    links = re.findall(r"\]\(((?!http)[^)#]+)\)", text)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
