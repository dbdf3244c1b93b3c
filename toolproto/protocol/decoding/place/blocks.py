"""In which block of a document does its last word stand? The one module that asks markdown-it-py.

Block rules of CommonMark and tables. Condition 7 of HTML blocks is left out: models wrap what they
mean in tags of their own (`<answer>`), which are words of a paragraph here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.rules_block import StateBlock, html_block
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.token import Token

from .words import HERE

#: Containers deeper than this are not told apart.
DEEPEST = 16
_CONDITIONS = tuple(begins for begins, _, _ in HTML_SEQUENCES[:6])
# ``> - > - > - > - > - > - > - > - > - ``, but no thematic break
_too_many_markers = re.compile(
    r"^(?!(?:-[ \t]*+)++$|(?:\*[ \t]*+)++$)"
    rf"((?:[ \t]*+(?:>|(?:[-+*]|[0-9]{{1,9}}[.)])[ \t])){{{DEEPEST + 2}}})",
    re.M,
)
# A line at which a paragraph may end: an empty one, ``# ``, ``> ``, ``- ``, ``1. ``, ``***``,
# ``===``, ``| a``, ``~~~``, ``<div>``, ``<!--``, ``[x]:``
_may_end_paragraph = re.compile(
    r"^[ \t]*+(?:[>*+\-_=|:\[]|$|#{1,6}(?!\S)|[0-9]{1,9}[.)]|```|~~~"
    rf"|<(?:[!?]|/?(?:script|pre|style|textarea|{'|'.join(block_names)})(?![A-Za-z0-9])))",
    re.M | re.I,
).search
_CONTAINERS = ("blockquote_open", "list_item_open")


class _Blocks(MarkdownIt):
    # What a link definition points to is not looked at.
    def validateLink(self, url: str) -> bool:
        return True

    def normalizeLink(self, url: str) -> str:
        return url


def _html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    if line[:1] != "<" or not any(begins.search(line) for begins in _CONDITIONS):
        return False
    return html_block(state, start, end, silent)


# A list and its item are two levels; one container more than counts is still told apart.
_blocks = _Blocks("commonmark", {"maxNesting": 2 * DEEPEST + 4}).enable("table")
_blocks.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})


class Spot(NamedTuple):
    """Where the last word of a document stands."""

    leaf: str  # "inline", "info", "fence", "code_block", "html_block"; "" is nowhere
    before: str  # what its leaf holds before it
    quoted: bool
    in_item: bool
    in_table: bool
    in_heading: bool
    depth: int  # containers around it
    fence_line: int  # where its fence begins
    sign: str  # the signs of its fence
    block: int  # the line where its block of the top level begins
    fresh: int  # text before this line tells nothing about this word or later ones
    tokens: tuple[Token, ...]

    def depth_of(self, line: int) -> int:
        """Return how many containers are around *line*."""
        return sum(
            token.type in _CONTAINERS and token.map is not None and _covers(token, line)
            for token in self.tokens
        )


def parse(document: str) -> list[Token]:
    """Return the blocks of *document*; no line end but a line feed."""
    tokens: list[Token] = []
    # Markers deeper than any that are told apart are text: each costs a look along its line.
    document = _too_many_markers.sub(r"\1x", document)
    _blocks.block.parse(document, _blocks, {}, tokens)
    return tokens


def is_paragraph(document: str) -> bool:
    """Return True if *document* is surely one paragraph: no line of it may begin another block."""
    return document[:1] not in " \t" and not _may_end_paragraph(document.removesuffix("\n"))


def cost(document: str, tokens: Sequence[Token]) -> int:
    """Return about how many characters of prose cost the library as much as *document*."""
    return len(document) + 32 * document.count("\n") + 16 * len(tokens)


def where(document: str) -> Spot:
    """Return where the word `HERE` stands, with which *document* ends."""
    tokens, last = parse(document), document.count("\n")
    around = [token for token in tokens if token.nesting == 1 and _covers(token, last)]
    leaf = next((token for token in reversed(tokens) if HERE in token.content), None)
    info = None
    if leaf is None:
        info = next((token for token in reversed(tokens) if HERE in token.info), None)
    names = [token.type for token in around]
    top = around[0] if around and around[0].level == 0 else leaf or info
    block = top.map[0] if top is not None and top.map else last
    kind, before = "", ""
    if leaf is not None:
        kind, before = leaf.type, leaf.content[: leaf.content.index(HERE)]
    elif info is not None:
        kind = "info"
    fence = leaf if kind == "fence" else info
    return Spot(
        kind,
        before,
        "blockquote_open" in names,
        "list_item_open" in names,
        "table_open" in names,
        "heading_open" in names,
        sum(name in _CONTAINERS for name in names),
        fence.map[0] if fence is not None and fence.map else last,
        fence.markup if fence is not None else "",
        block,
        _fresh(document, tokens, last),
        tuple(tokens),
    )


def _covers(token: Token, line: int) -> bool:
    return token.map is not None and token.map[0] <= line < token.map[1]


def _fresh(document: str, tokens: list[Token], last: int) -> int:
    """Return where the last block of the top level, or item of a list there, began above *last*.

    What begins on the last line itself may yet turn out to be something else.
    """
    lines = document.split("\n")
    begin = 0
    for token in tokens:
        if token.map is None or not begin < token.map[0] < last:
            continue
        line = token.map[0]
        if token.level == 0:
            # Lines right above a paragraph may be a link definition whose title goes on.
            fresh = token.type != "paragraph_open" or not lines[line - 1].strip()
        else:
            fresh = token.level == 1 and token.type == "list_item_open"
        if fresh:
            begin = line
    return begin
