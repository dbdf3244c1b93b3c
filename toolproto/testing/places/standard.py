"""Asking markdown-it-py, which passes CommonMark's own tests, where in a text a word stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, html_block
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.token import Token

__all__ = ["CALL", "WORD", "WordSpot", "find_word"]

#: The words that stand for the call asked about, which ends the text, and for each call before it.
WORD, CALL = "QXWORDXQ", "QXCALLXQ"


@dataclass(frozen=True, slots=True)
class WordSpot:
    """Where :data:`WORD` stands: the types of the blocks around it, and the block that holds it.

    *leaf* is None if the word is no content: it is in a link definition or behind the signs *fence*
    that open a fence.
    """

    around: tuple[str, ...] = ()
    leaf: Token | None = None
    fence: str = ""

    @property
    def kind(self) -> str:
        """What holds the word: ``inline``, ``fence``, ``code_block``, ``html_block`` or ``""``."""
        return self.leaf.type if self.leaf else ""

    @property
    def inline(self) -> list[Token]:
        """What the paragraph, heading or cell of the word consists of."""
        return (self.leaf.children or []) if self.leaf else []

    def is_in(self, *blocks: str) -> bool:
        """Whether a block of one of these types is open around the word."""
        return any(f"{each}_open" in self.around for each in blocks)

    @property
    def containers(self) -> list[str]:
        """The block quotes and list items around the word, from the outermost."""
        return [each for each in self.around if each in ("blockquote_open", "list_item_open")]

    def holder(self, kind: str) -> Token | None:
        """The inline token of type *kind* that holds the word."""
        return next((t for t in self.inline if t.type == kind and WORD in t.content), None)


def find_word(text: str, *, seventh: bool = False) -> WordSpot:
    """Where the word in *text* stands; tags of condition 7 make a block only if *seventh*."""
    return _look(text, seventh, True) or _without_leaf(_look(text, seventh, False))


def _look(text: str, seventh: bool, definitions: bool) -> WordSpot | None:
    around: list[str] = []
    for token in _markdown(seventh, definitions).parse(text):
        if token.nesting == 1:
            around.append(token.type)
        elif token.nesting == -1:
            around.pop()
        if WORD in token.content:
            return WordSpot(tuple(around), token)
        if WORD in token.info:
            return WordSpot(tuple(around), fence=token.markup)
    return None


def _without_leaf(spot: WordSpot | None) -> WordSpot:
    """Where a word stands that is content only as long as there are no link definitions."""
    return WordSpot(spot.around) if spot else WordSpot()


@lru_cache
def _markdown(seventh: bool, definitions: bool) -> MarkdownIt:
    """A reader of CommonMark with tables that leaves escapes as they are written."""
    markdown = MarkdownIt("commonmark").enable("table").disable("text_join")
    if not seventh:
        ends = RuleOptionsType(alt=["paragraph", "reference", "blockquote"])  # as there
        markdown.block.ruler.at("html_block", _html_block, ends)
    return markdown if definitions else markdown.disable("reference")


def _html_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Read an HTML block of start conditions 1 to 6 only (deviation 4)."""
    line = state.src[state.bMarks[first] + state.tShift[first] : state.eMarks[first]]
    is_one = any(begins.search(line) for begins, _, _ in HTML_SEQUENCES[:6])
    return is_one and html_block(state, first, last, silent)
