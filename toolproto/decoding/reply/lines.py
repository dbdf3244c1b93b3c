"""What is a line of prose, by how it begins: quoted, a row of a table, an item, a block's first?

Of a line that is not over yet, the same is asked of what has come of it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = ["BULLET", "HEAD", "Line", "line_of"]

#: As much of a line as tells what it is.
HEAD = 160
#: What an item of a list begins with.
BULLET = r"(?:[-*+•‣◦⁃∙·▪▫●○–—]|\(?(?:\d{1,9}|[^\W\d_]|[ivxlcIVXLC]{1,6}|[①-⑳])[.)、）．:]|[①-⑳])"
# What a line is, by how it begins. A delimiter is a line of signs that opens a block in AsciiDoc,
# wikis, Docusaurus and programs; the same closes most.
_KIND = re.compile(
    r"(?P<quote>[ \t]{0,12}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,3}(?:>|&gt;|＞|\|>))"
    r"|(?P<row>[ \t]{0,12}\||[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*\Z)"
    r"|[ \t]{0,12}(?:(?P<delimiter>(?:\$\$|:::+[ \t]*\w{0,40}|!!![ ].{0,80}"
    r"|(?P<sign>[.=_+/*-])(?P=sign){3,}(?:.{0,80}(?P=sign){4})?"
    r"|\"{3}.*|'{3}.*|.{0,100}(?:\"{3}|'{3}))[ \t]*\Z)"
    rf"|(?P<list>{BULLET}(?=[ \t\u3000]))"
    r"|(?P<definition>\[[^\]\n]{1,80}\]:|:[ \t]|\.\. |(?:bc|bq|pre|notextile)\.{1,2} ))"
)
# Elements that models put around calls they mean, and around all they say.
_MEANT = (
    r"(?i:(?![\w:.-]{0,40}(?:result|output|response|example))[\w:.-]{0,40}"
    r"(?:tool|func|call|action|invoke)|(?:final_?)?(?:answer|response|reply|message)\b|assistant\b)"
)
# Lines that open a block which has a closing line of its own, and what that holds: any element, an
# environment, a shell's document, a comment of some programming language.
_BLOCKS = (
    (rf"<(?!{_MEANT})([A-Za-z][\w:.-]{{0,40}})(?:\s[^<>]{{0,110}})?>[ \t]*\Z", "</{}"),
    (r"\\begin\{(\w{1,40}\*?)\}", "\\end{{{}"),
    (r"(?:.{0,100}[^<])?<<[-~]?[ ]?['\"]?([A-Z_]{2,20})['\"]?(?:[ ].{0,60})?\Z", "{}"),
    (r"(/)\*", "*/"),
    (r"(\()\*", "*)"),
    (r"(\{)-", "-}}"),
    (r"(-)-\[=*\[", "]]"),
    (r"(=)begin\b", "=end"),
    ("(<)%--", "--%>"),
    (r"(\#)\|", "|#"),
    (r"(<)\#", "#>"),
    (r"(%)\{", "%}}"),
    (r"(\{)\{\{", "}}}}}}"),
)
_BLOCK = re.compile("|".join(rf"[ \t]{{0,12}}{opening}" for opening, _ in _BLOCKS))
_INDENT = re.compile(r"[ \t]*")


class Line(NamedTuple):
    """A line: its kind, by how much it is indented, what closes the block it opens."""

    kind: str
    indent: int
    closer: str


@lru_cache(maxsize=1024)
def line_of(head: str) -> Line:
    """What the line is that begins with *head*. Most lines of a hostile text are alike."""
    kind, space, block = _KIND.match(head), _INDENT.match(head), _BLOCK.match(head)
    assert space is not None, "matches the empty string"
    closer = ""
    if block is not None:
        number = block.lastindex or 1
        closer = _BLOCKS[number - 1][1].format(block[number])
        closer = "" if closer in head[block.end(number) :] else closer
    indent = len(space.group().expandtabs(4))
    return Line((kind and kind.lastgroup) or "", indent, closer)
