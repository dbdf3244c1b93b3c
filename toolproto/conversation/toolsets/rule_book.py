"""Rules for a model that are too long for every prompt: an index, and the whole on demand.

The index stands in the description of a tool, so the model sees it while the tool is offered. What
it needs it reads with that tool.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ...protocol.errors import UsageError
from ...protocol.tools.define import Tool

__all__ = ["rules_tool"]

#: Characters of a rule's first line that stand in the index.
_LONGEST_LINE = 200


def rules_tool(rules: Mapping[str, str] | str | os.PathLike[str], name: str = "read_rule") -> Tool:
    """Return a tool that gives the model one of *rules*, whose first lines it sees as an index.

    *rules* are texts by name, or a folder of Markdown files, each named for its rule.
    """
    texts = dict(rules) if isinstance(rules, Mapping) else _in_folder(Path(rules))
    if not texts or not all(text.strip() for text in texts.values()):
        raise UsageError("every rule needs a text, and an index needs a rule")
    index = "\n".join(f"- {each}: {_first_line(text)}" for each, text in texts.items())
    return Tool.from_schema(
        name,
        f"Read a rule, whole, before you do what it is about:\n{index}",
        {
            "type": "object",
            "properties": {"name": {"enum": list(texts)}},
            "required": ["name"],
        },
        lambda name: texts[name],
    )


def _in_folder(folder: Path) -> dict[str, str]:
    try:
        return {each.stem: each.read_text("utf-8") for each in sorted(folder.glob("*.md"))}
    except (OSError, ValueError) as error:
        raise UsageError(f"the rules in {str(folder)!r} cannot be read: {error}") from error


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0].lstrip("# ")[:_LONGEST_LINE]
