"""Draws sentences at random out of the docs, the help texts and the messages, to be reread.

    python docs/draw_sentences.py [SEED [COUNT]]

Whoever reads them marks those that must be read twice; then the whole class is mended, and another
seed drawn.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent
_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"“])")
_RAISED = {"UsageError", "EndpointError", "WireError", "StoreError", "McpError", "ToolFailed",
           "note", "say", "echo", "LimitReached"}  # fmt: skip


def sentences() -> Iterator[tuple[str, str]]:
    """Where each sentence stands, and the sentence."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        if page.name not in ("seeds.md", "api.md", "paradigms.md"):
            yield from ((page.name, each) for each in _of_page(page.read_text("utf-8")))
    for path in sorted((ROOT / "toolproto").rglob("*.py")):
        yield from ((str(path.relative_to(ROOT)), each) for each in _of_code(path))


def _of_page(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", _FENCED.sub("", text)):
        lines = paragraph.strip().splitlines()
        if not lines or lines[0].startswith(("#", "|", "!")):
            continue
        said = " ".join(line.strip().removeprefix("- ") for line in lines)
        yield from (each for each in _SENTENCE.split(said) if len(each.split()) > 5)


def _of_code(path: Path) -> Iterator[str]:
    """Help texts of commands, and what is raised or told."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            told = node.args[:1] if name in _RAISED else []
            told += [word.value for word in node.keywords if word.arg == "help"]
            yield from filter(None, map(_text, told))
        elif isinstance(node, ast.FunctionDef) and node.name == "command":
            yield from _of_page(ast.get_docstring(node) or "")


def _text(node: ast.expr) -> str:
    """What a string says, with ``{…}`` for what is filled in; nothing for short ones."""
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    if isinstance(node, ast.JoinedStr):
        parts = [each.value if isinstance(each, ast.Constant) else "{…}" for each in node.values]
        said = "".join(map(str, parts))
    else:
        said = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return said if len(said.split()) > 4 else ""


if __name__ == "__main__":
    seed, count = (*map(int, sys.argv[1:3]), *(1, 100)[len(sys.argv) - 1 :])
    found = sorted(set(sentences()))
    print(f"{len(found)} sentences; {count} drawn with seed {seed}\n")
    for number, (place, sentence) in enumerate(Random(seed).sample(found, count), 1):
        print(f"{number:3} {place}: {sentence}")
