"""What is kept of a long text: all since its last block of the top level, or that block's lines.

Where text is cut depends on the text alone, not on how it came.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .blocks import cost, parse

#: So much text is kept.
LONGEST = 16 * 1024
# So much of a line that says how a block began.
_LINE = 256
# What an unindented line of words behind an empty one does not end: conditions 1 to 5 of HTML
# blocks, and fences.
_html_goes_on = re.compile(r"^ {0,3}<(?:script|pre|style|textarea|[!?])", re.I | re.M).search
# Where a line of words begins behind an empty one: `\n\nSo`
_begins_paragraph = re.compile(r"\n\n(?=[^\W\d_])").match


class Kept(NamedTuple):
    """What is kept of a text."""

    text: str
    gone: int  # so many characters before it are not
    cut_lines: int  # so many lines are what is left of a block that is too long
    work: int  # what finding it cost


def cut(text: str, cut_lines: int) -> Kept:
    """Return what is kept of *text*, which is longer than `LONGEST`."""
    goes_on = "```" in text or "~~~" in text or bool(_html_goes_on(text))
    if not goes_on and (at := _last_paragraph(text)):
        return Kept(text[at:], at, 0, 0)
    if not goes_on:
        return _beginnings(text, {0}, 0)
    head = text[: text.rfind("\n") + 1] or text
    tokens = [token for token in parse(head) if token.map]
    last = head.count("\n") - head.endswith("\n")
    begin, top = {0}, 0
    for token in tokens:
        first, end = token.map or (0, 0)
        if token.level == 0 and first >= cut_lines:
            top = first
        if first <= last < end:
            begin.add(first)
    work = cost(head, tokens)
    if top:
        at = sum(len(line) + 1 for line in head.split("\n")[:top])
        return Kept(text[at:], at, 0, work)
    return _beginnings(text, begin, work)


def _last_paragraph(text: str) -> int:
    """Return where the last line of words behind an empty line begins; 0 if there is none."""
    at = len(text)
    while (at := text.rfind("\n\n", 0, at)) >= 0:
        if _begins_paragraph(text, at):
            return at + 2
        at += 1
    return 0


def _beginnings(text: str, begin: set[int], work: int) -> Kept:
    """Keep the lines in which the containers around the last line begin, and the last lines."""
    lines = text.split("\n")
    # The last line that is whole closes a fence, or does not.
    begin |= {len(lines) - 2, len(lines) - 1}
    kept = "\n".join(lines[each][:_LINE] for each in sorted(begin) if each >= 0)
    return Kept(kept, len(text) - len(kept), kept.count("\n"), work)
