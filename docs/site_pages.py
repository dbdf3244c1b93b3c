"""What ``make docs`` adds to mkdocs: the README is the first page, and links stay within the site.

The pages are written to be read in the repository as well, where ``../README.md`` and
``../CHANGELOG.md`` are right.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
#: Pages that stand beside the folder of the others.
ABOVE = {"README.md": "index.md", "CHANGELOG.md": "changelog.md"}
#: A link to a file or a folder of the repository that is no page: its words stay.
_ELSEWHERE = re.compile(r"\[([^\]]*)\]\(\.\./(?!README\.md|CHANGELOG\.md)[^)]*\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from above."""
    for name, page in ABOVE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/", "](", text)
        for other, place in ABOVE.items():
            text = re.sub(rf"\]\({other}(?=[)#])", f"]({place}", text)
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let links lead to the pages from above, and to nothing outside the site."""
    for name, page in ABOVE.items():
        markdown = re.sub(rf"\]\(\.\./{name}(?=[)#])", f"]({page}", markdown)
    return _ELSEWHERE.sub(r"\1", markdown)
