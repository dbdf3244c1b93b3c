"""How many patterns does the reader of replies compile, and which are longer than a line?

    python -m tests.count_patterns

Counted is each place in `toolproto/protocol/decoding` that makes one, however often it does so.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DECODING = Path(__file__).parent.parent / "toolproto" / "protocol" / "decoding"
#: What makes a pattern, beside ``re.compile``.
MAKERS = {"Pattern", "LazyPattern", "lazy", "text_before"}


class Place(NamedTuple):
    """A place that makes a pattern, the name that it gets there, and whether it fills lines."""

    module: str
    line: int
    name: str
    is_long: bool


def places() -> Iterator[Place]:
    """Yield every place that makes a pattern, by module and line."""
    for path in sorted(DECODING.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {each: node for node in tree.body for each in ast.walk(node)}
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and _makes(call.func):
                first = call.args[0] if call.args else call
                node = names[call]
                named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
                name = node.targets[0].id if named else ""  # type: ignore[attr-defined]
                is_long = (first.end_lineno or 0) > first.lineno
                module = path.relative_to(DECODING).as_posix()
                yield Place(module, node.lineno if named else call.lineno, name, is_long)


def _makes(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        of_re = isinstance(function.value, ast.Name) and function.value.id == "re"
        return of_re and function.attr == "compile"
    return isinstance(function, ast.Name) and function.id in MAKERS


def main() -> None:
    found = list(places())
    for module, count in sorted(Counter(place.module for place in found).items()):
        print(f"{count:4}  {module}")
    print(f"{len(found):4}  patterns, {sum(each.is_long for each in found)} longer than a line")


if __name__ == "__main__":
    main()
