"""What is kept of a long text: all since its last block of the top level, or that block's lines.

Where text is cut depends on the text alone, not on how it came.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .blocks import cost, is_paragraph, parse

#: So much text is kept.
LONGEST = 16 * 1024
# So much of a line that says how a block began.
_LINE = 256
# What an empty line does not end: conditions 1 to 5 of HTML blocks, `<pre>`, `<!-- `
_html_goes_on = re.compile(r"\n {0,3}<(?:script|pre|style|textarea|[!?])", re.I).search
# A line that looks like a fence opens none in a block of HTML.
_html = re.compile(r"\n {0,3}<").search
# A fence that may belong to a list or a quote, or not: `  ```py`, `- ```, `> ~~~`
_fence_inside = re.compile(r"\n[ \t>*+\-0-9.)]++(?:```|~~~)").search
# Fences that surely do not: "```py", "~~~ x"
_fences = re.compile(r"^(?:(`{3,}+)([^`\n]*+)|(~{3,}+)(.*+))$", re.M).finditer


class Kept(NamedTuple):
    """What is kept of a text."""

    text: str
    gone: int  # so many characters before it are not
    cut_lines: int  # so many lines are what is left of a block that is too long
    work: int  # what finding it cost


def last_paragraph(text: str, word: str = "") -> int:
    """Return where the last paragraph begins that nothing above reaches into, if that is plain.

    A line of words behind an empty one ends all lists, quotes and tables, but no fence. *word*
    stands behind the text.
    """
    if "<" in text and _html_goes_on("\n" + text):
        return 0
    if not _holds_fence_signs(text):
        return _last_paragraph(text, 0, len(text), word)
    text += word
    if _fence_inside("\n" + text) or ("<" in text and _html("\n" + text)):
        return 0
    at, gaps, opener = 0, [], ""
    for found in _fences(text):
        run, rest = found[1] or found[3], found[2] or found[4] or ""
        if not opener:
            opener = run
            gaps.append((at, found.start()))
        elif run.startswith(opener) and not rest.strip(" \t"):
            opener = ""
            at = found.end()
    if not opener:
        gaps.append((at, len(text)))
    return next((each for gap in reversed(gaps) if (each := _last_paragraph(text, *gap))), 0)


def _holds_fence_signs(text: str) -> bool:
    """Return True if the signs of a fence stand anywhere in *text*."""
    # A single character is found many times as fast as three of them.
    return ("`" in text and "```" in text) or ("~" in text and "~~~" in text)


def may_hold_fence(text: str) -> bool:
    """May *text* end in a fence, or in HTML, in which a line in column one opens none?"""
    return _holds_fence_signs(text) or ("<" in text and bool(_html("\n" + text)))


def cut(text: str, cut_lines: int, *, may_parse: bool) -> Kept:
    """Return what is kept of *text*, which is longer than `LONGEST`."""
    if not may_parse:
        return _beginnings(text, {0}, 0)
    if not cut_lines and (at := last_paragraph(text)):
        return Kept(text[at:], at, 0, 0)
    if not _holds_fence_signs(text) and not _html_goes_on("\n" + text):
        at = _last_paragraph(text, 0, len(text))
        return Kept(text[at:], at, 0, 0) if at else _beginnings(text, {0}, 0)
    head = text[: text.rfind("\n") + 1] or text
    if is_paragraph(head):
        return _beginnings(text, {0}, 0)
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


def _last_paragraph(text: str, start: int, end: int, word: str = "") -> int:
    while (at := text.rfind("\n\n", start, end)) >= 0:
        if (text[at + 2 : at + 3] or word[:1]).isalpha():
            return at + 2
        # Empty lines before it are passed over together.
        low = max(start, at - _LINE)
        end = low + len(text[low : at + 1].rstrip("\n"))
    return 0


def _beginnings(text: str, begin: set[int], work: int) -> Kept:
    """Keep the lines in which the containers around the last line begin, and the last lines."""
    lines = text.split("\n")
    # The last line that is whole closes a fence, or does not.
    begin |= {len(lines) - 2, len(lines) - 1}
    kept = "\n".join(lines[each][:_LINE] for each in sorted(begin) if each >= 0)
    # The last line goes on, and what stood in its middle may have opened something.
    cut_lines = kept.count("\n") + (len(lines[-1]) > _LINE)
    return Kept(kept, len(text) - len(kept), cut_lines, work)
