"""Draws sentences at random from the docs, the help texts, the messages and the web page.

    python docs/draw_sentences.py [SEED [COUNT]]

Somebody who did not write the sentences reads them and marks those that must be read twice. These
are rewritten, with all others of their kind, and then another seed is drawn.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "toolproto"
#: What models read is measured on models, and tests have texts of their own.
NOT_FOR_PEOPLE = (
    *(f"protocol/{name}" for name in ("describe", "paradigms", "decoding", "schemas", "tools")),
    *(
        "protocol/guard/taint.py",
        "protocol/messages.py",
        "conversation/turn",
        "conversation/masking",
    ),
    *(f"endpoints/apis/{wire}/known_tools.py" for wire in ("anthropic", "openai_responses")),
    "gateway/bridge/prompting.py",
    *("conversation/journal/read_conversation.py", "conversation/journal/titles.py"),
    *(
        "testing/places",
        "testing/growing.py",
        "testing/traps.py",
        "testing/offers.py",
    ),
    "testing/probe/baseline.py",
)
_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"“\[])")
_WORDS = re.compile(r"[a-z]{2,} [a-z]+ [a-z]+")
_ON_THE_PAGE = re.compile(r'"((?:[^"\\]|\\.)*)"|`([^`]*)`')


def sentences() -> Iterator[tuple[str, str]]:
    """Where each sentence stands, and the sentence."""
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    for page in [*pages, *sorted((ROOT / "docs").rglob("*.md"))]:
        yield from ((page.name, each) for each in _of_page(page.read_text("utf-8")))
    for path in sorted(PACKAGE.rglob("*.py")):
        if not path.relative_to(PACKAGE).as_posix().startswith(NOT_FOR_PEOPLE):
            yield from ((path.relative_to(ROOT).as_posix(), each) for each in _of_code(path))
    words = PACKAGE / "web" / "page" / "words.js"
    for found in _ON_THE_PAGE.finditer(words.read_text("utf-8")):
        if _is_sentence(said := found[1] or found[2] or ""):
            yield words.name, said


def _is_sentence(text: str) -> bool:
    """Whether there is something to read in it: five words, and no program."""
    return len(text.split()) > 4 and text.count("\n") < 3 and _WORDS.search(text) is not None


def _of_page(text: str) -> Iterator[str]:
    """The sentences of paragraphs and lists, and the rows of tables."""
    for paragraph in re.split(r"\n\s*\n|\n(?= *(?:[-*]|\d+\.) )", _FENCED.sub("\n\n", text)):
        lines = paragraph.strip().splitlines()
        if not lines or lines[0].startswith(("#", "!")):
            continue
        if lines[0].startswith("|"):
            yield from filter(_is_sentence, lines)
            continue
        said = " ".join(line.strip().removeprefix("- ") for line in lines)
        yield from filter(_is_sentence, _SENTENCE.split(said))


def _of_code(path: Path) -> Iterator[str]:
    """Help texts of commands, and every text that is not a docstring."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for each in value if isinstance(value, list) else [value]:
                # A text by itself is a docstring; a part of another text is told with it.
                alone = isinstance(node, ast.Expr | ast.JoinedStr | ast.BinOp | ast.FormattedValue)
                if isinstance(each, ast.expr) and not alone and field != "annotation":
                    yield from filter(_is_sentence, [_text(each)])
        if isinstance(node, ast.FunctionDef) and any(map(_is_command, node.decorator_list)):
            yield from _of_page(ast.get_docstring(node) or "")


def _is_command(decorator: ast.expr) -> bool:
    return "command(" in (told := ast.unparse(decorator)) or "group(" in told


def _text(node: ast.expr) -> str:
    """What a string says, with ``{…}`` for what is filled in."""
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    if isinstance(node, ast.JoinedStr):
        parts = [each.value if isinstance(each, ast.Constant) else "{…}" for each in node.values]
        return "".join(map(str, parts))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


if __name__ == "__main__":
    seed, count = (*map(int, sys.argv[1:3]), *(1, 100)[len(sys.argv) - 1 :])
    found = sorted(set(sentences()))
    print(f"{len(found)} sentences; {count} drawn with seed {seed}\n")
    for number, (place, sentence) in enumerate(Random(seed).sample(found, count), 1):
        print(f"{number:3} {place}: {sentence}")
