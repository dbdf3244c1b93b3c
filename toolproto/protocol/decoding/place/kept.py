"""What is kept of a long text: all since its last block of the top level, or that block's lines.

Where text is cut depends on the text alone, not on how it came.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .blocks import parse
from .words import introduces, line_holds_words, without_calls

#: So much text is kept.
LONGEST = 16 * 1024
# So much of a line that says how a block began.
_LINE = 256
_may_reach_on = re.compile(r"\n[ \t]*+[<{\[]").search
# Where a line of words begins behind an empty one: `\n\nSo`
_paragraph = re.compile(r"\n\n(?=[^\W\d_])")


class Kept(NamedTuple):
    """The kept text, how many lines of it are left of a block that was cut, and what was above."""

    text: str
    cut_lines: int
    above_introduces: bool


def cut(text: str, cut_lines: int, above: bool) -> Kept:
    """Return what is kept of *text*, which is longer than `LONGEST`."""
    at = _last_paragraph(text) if not cut_lines else 0
    if not at:
        head = text[: text.rfind("\n") + 1] or text
        lines = head.split("\n")
        tokens = parse(head)
        tops = [token.map[0] for token in tokens if token.level == 0 and token.map]
        line = max((top for top in tops if top >= cut_lines), default=0)
        if not line:
            return _skeleton(text, head, above)
        at = sum(len(each) + 1 for each in lines[:line])
    return Kept(text[at:], 0, ends_introducing(text[:at], above))


def _last_paragraph(text: str) -> int:
    """Return where the last paragraph begins, if that is plain to see; else 0."""
    if "```" in text or "~~~" in text or text.startswith(("<", "{", "[")) or _may_reach_on(text):
        return 0
    at = len(text)
    while (at := text.rfind("\n\n", 0, at)) >= 0:
        if _paragraph.match(text, at):
            return at + 2
        at += 1
    return 0


def _skeleton(text: str, head: str, above: bool) -> Kept:
    """Keep the lines in which the containers around the last line begin, and its block."""
    lines = head.split("\n")
    last = len(lines) - 1 - head.endswith("\n")
    begin = {0, last}
    for token in parse(head):
        if token.map and token.map[0] <= last < token.map[1]:
            begin.add(token.map[0])
            if token.type == "table_open":
                begin.add(token.map[0] + 1)
    kept = [lines[each][:_LINE] for each in sorted(begin)]
    rest = text[len(head) :]
    return Kept(
        "\n".join((*kept, rest[:_LINE])) if rest or head.endswith("\n") else "\n".join(kept),
        len(kept),
        above,
    )


def ends_introducing(text: str, before: bool) -> bool:
    """Do the last words of *text*, or else what stood *before* it, introduce what follows?"""
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        line = without_calls(text[start:end])
        if line_holds_words(line):
            return introduces(line)
        end = start - 1
    return before
