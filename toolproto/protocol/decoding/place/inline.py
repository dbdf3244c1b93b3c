"""What is open at the end of a paragraph: a code span, a comment, a quotation?

Inline rules of CommonMark as far as they hide quotation marks: code spans, tags, comments,
autolinks, link targets and titles, backslashes.
"""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from typing import NamedTuple

from .words import HTML_TAG, QUOTATION_MARKS


class Opened(IntEnum):
    """On which line of its paragraph something that is open was opened."""

    NOT = 0
    EARLIER = 1
    HERE = 2


class Inline(NamedTuple):
    """What is open at the end of a paragraph, and its last line without tags and comments."""

    code: Opened
    quotation: Opened
    comment: Opened
    said: str


_TOKEN = re.compile(rf"\\[!-/:-@\[-`{{-~]|`++|<(?=[^\s<>])|\]\(|[{QUOTATION_MARKS}]")
_TICKS = re.compile("`++")
_TAG = re.compile(HTML_TAG, re.A)
# ``<http://x>``, ``<a@b.c>``
_AUTOLINK = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*+"
    r"|[\w.!#$%&'*+/=?^`{|}~-]++@[A-Za-z0-9][A-Za-z0-9.-]*+)>",
    re.A,
)
# What else hides text in a paragraph: `<!-- x -->`, `<? x ?>`, `<![CDATA[x]]>`, `<!DOCTYPE x>`
_HIDDEN = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
# ``](u)``, ``](<a b> "title")``, ``](f(x) 'title')``
_LINK = re.compile(
    r"\]\(\s*+(?:<(?:[^<>\\\n]|\\.)*+>|(?!<)(?:[^\s()\\]|\\\S?|\((?:[^\s()\\]|\\\S?)*+\))*+)"
    r"(?:\s++(?:\"(?:[^\"\\]|\\[\s\S])*+\"|'(?:[^'\\]|\\[\s\S])*+'|\((?:[^()\\]|\\[\s\S])*+\)))?+"
    r"\s*+\)"
)


def read_inline(text: str) -> Inline:
    """Read a paragraph up to a call, which stands at its end."""
    scan = _Scan(text)
    scan.run()
    last = text.rfind("\n") + 1
    if scan.code is not None and scan.code < last:
        # The run may be no code span after all: this line is also read for itself.
        alone = read_inline(text[last:])
        return alone._replace(code=alone.code or Opened.EARLIER)

    def opened(at: int | None) -> Opened:
        return Opened.NOT if at is None else Opened.HERE if at >= last else Opened.EARLIER

    quotation = opened(scan.quotes[-1] if scan.quotes else None)
    return Inline(opened(scan.code), quotation, opened(scan.comment), scan.said(last))


class _Scan:
    """One way through a paragraph; afterwards, where what is open was opened."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.code: int | None = None
        self.comment: int | None = None
        self.quotes: list[int] = []
        self._hidden: list[tuple[int, int]] = []
        self._never: set[str] = set()  # closers that do not follow, so that each is sought once

    def run(self) -> None:
        """Go through the text."""
        text, at, stop = self.text, 0, -1
        while found := _TOKEN.search(text, at):
            start, at = found.span()
            char = text[start]
            if char == "`":
                at = self._code_span(start, at)
            elif char == "<":
                at = self._tag(start)
            elif char == "]":
                at = link.end() if (link := _LINK.match(text, start)) else at
            elif char != "\\":
                self._mark(start)
            stop = at
            if at < 0:
                return
        # These count only directly before the call: elsewhere they are apostrophes.
        if text.endswith(("'", "’")) and stop < len(text) + (text[-1] == "’"):
            self.quotes.append(len(text))

    def _code_span(self, start: int, end: int) -> int:
        for ticks in _TICKS.finditer(self.text, end):
            if ticks.end() - ticks.start() == end - start:
                return ticks.end()
        self.code = start
        return -1

    def _tag(self, start: int) -> int:
        text = self.text
        if tag := _TAG.match(text, start):
            self._hidden.append(tag.span())
            return tag.end()
        if link := _AUTOLINK.match(text, start):
            return link.end()
        for opener, closer in _HIDDEN:
            if text.startswith(opener, start):
                return self._hide(start, opener, closer)
        return start + 1

    def _hide(self, start: int, opener: str, closer: str) -> int:
        text = self.text
        behind = start + len(opener)
        if opener == "<!" and not text[behind : behind + 1].isalpha():
            return behind
        if opener == "<!--":
            # CommonMark 0.31: `<!-->` and `<!--->` are comments.
            behind = start + 2
        end = -1 if closer in self._never else text.find(closer, behind)
        if end < 0:
            self._never.add(closer)
            if opener == "<!--":
                self.comment = start
                return -1
            return start + 1
        self._hidden.append((start, end + len(closer)))
        return end + len(closer)

    def _mark(self, at: int) -> None:
        text, char = self.text, self.text[at]
        left, right = _flanks(text[at - 1] if at else "", text[at + 1 : at + 2] or "x")
        if char == "’":
            if right and not left and self.quotes and text[self.quotes[-1]] == "‘":
                self.quotes.pop()
            return
        if left and right:
            kind = unicodedata.category(char)
            left, right = kind in ("Pi", "Ps"), kind in ("Pf", "Pe")
        if left:
            self.quotes.append(at)
        elif right and self.quotes:
            self.quotes.pop()

    def said(self, last: int) -> str:
        """Return the text from *last* on without tags and comments."""
        pieces, at = [], last
        for start, end in self._hidden:
            if end > last:
                pieces.append(self.text[at : max(at, start)])
                at = end
        return "".join((*pieces, self.text[at:]))


def _flanks(before: str, behind: str) -> tuple[bool, bool]:
    """Return whether a mark between two characters is left-flanking, and right-flanking."""
    space_before, space_behind = not before or before.isspace(), behind.isspace()
    mark_before, mark_behind = _is_punctuation(before), _is_punctuation(behind)
    left = not space_behind and (not mark_behind or space_before or mark_before)
    right = not space_before and (not mark_before or space_behind or mark_behind)
    return left, right


def _is_punctuation(char: str) -> bool:
    return char != "" and unicodedata.category(char)[0] in "PS"
