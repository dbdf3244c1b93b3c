"""Where one block of Markdown ends and the next begins, in text that is still coming.

The parser that draws the answer says it, so both agree on lists, tables and fences. A block is
finished when another one has begun behind it; one that grows too long is cut where it shows least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["Block", "Blocks", "parser"]

#: A block that is longer is cut: it is parsed and drawn again whenever it grows.
LONGEST = 4_000
_LISTS = ("bullet_list_open", "ordered_list_open")


def parser() -> MarkdownIt:
    """Reads Markdown such that nothing the model wrote disappears.

    HTML and definitions of links are text, and an image is a link: what is not shown could hide
    something.
    """
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return made.disable(["reference", "image"])


def _outline() -> MarkdownIt:
    made = parser()
    made.core.ruler.disable("inline")
    return made


_OUTLINE = _outline()


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of Markdown that is drawn by itself.

    *is_rest*: it goes on with the block before, which was cut.
    """

    text: str
    is_rest: bool = False


class Blocks:
    """Takes Markdown in pieces; *open* is the block that may still change."""

    def __init__(self) -> None:
        self.open = Block("")

    def feed(self, text: str) -> Iterator[Block]:
        """Take *text* in; the blocks that are finished with it."""
        # In slices, so that the work stays in proportion even if all comes at once.
        for at in range(0, len(text), LONGEST):
            self.open = Block(self.open.text + text[at : at + LONGEST], self.open.is_rest)
            yield from self._finished()
            while len(self.open.text) > LONGEST:
                yield self.cut()

    def finish(self) -> Iterator[Block]:
        """The block that was open."""
        last, self.open = self.open, Block("")
        if last.text.strip():
            yield last

    def cut(self) -> Block:
        """End the open block early, at the end of a line, an item, a row or a word."""
        text, tokens = self.open.text, _OUTLINE.parse(self.open.text)
        if len(blocks := _top(tokens)) > 1:  # what comes last is another block, though half a line
            at = _offset(text, blocks[-1])
            done, rest = text[:at], Block(text[at:])
        else:
            done, rest = _cut(text, tokens)
        block, self.open = Block(done, self.open.is_rest), rest
        return block

    def end_here(self) -> None:
        """Take the open block as shown; only what comes now is still to be."""
        self.open = Block(_reopened(self.open.text), True)

    def _finished(self) -> Iterator[Block]:
        text, is_rest = self.open.text, self.open.is_rest
        whole = text[: text.rfind("\n") + 1]  # half a line may still become anything
        starts = [token.map[0] for token in _top(_OUTLINE.parse(whole)) if token.map]
        if len(starts) < 2:
            return
        lines = text.split("\n")
        for start, end in pairwise(starts):
            yield Block("\n".join(lines[start:end]), is_rest and start == starts[0])
        self.open = Block("\n".join(lines[starts[-1] :]))


def _top(tokens: list[Token]) -> list[Token]:
    return [token for token in tokens if token.level == 0 and token.nesting >= 0]


def _cut(text: str, tokens: list[Token]) -> tuple[str, Block]:
    """A block in two, of which nothing is lost; the second begins so that it is read alike."""
    kind = tokens[0].type if tokens else ""
    if kind in _LISTS and (at := _last_item(tokens, text)):
        return text[:at], Block(text[at:], True)
    head = _head(kind, text)
    at = text.rfind("\n", len(head), len(text) - 1) + 1 or text.rfind(" ", len(head)) + 1
    if at <= len(head):
        at = len(text)
    return text[:at], Block(head + text[at:], True)


def _head(kind: str, text: str) -> str:
    """What the rest of a block of this *kind* must begin with: a fence's or a table's first lines.

    A fence that is closed has no rest, and what is very long is not said again.
    """
    lines = text.split("\n")
    head = ""
    if kind == "fence" and len(_top(_OUTLINE.parse(f"{text}\n\nx"))) == 1:
        head = f"{lines[0]}\n"
    elif kind == "table_open":
        head = "".join(f"{line}\n" for line in lines[:2])
    return head if len(head) < LONGEST // 4 else ""


def _last_item(tokens: list[Token], text: str) -> int:
    """Where the last item of a list begins; 0 if it is the only one."""
    items = [token for token in tokens if token.type == "list_item_open" and token.level == 1]
    return _offset(text, items[-1])


def _offset(text: str, token: Token) -> int:
    """Where the first line of *token* begins."""
    line = token.map[0] if token.map else 0
    return sum(len(each) + 1 for each in text.split("\n")[:line])


def _reopened(text: str) -> str:
    tokens = _OUTLINE.parse(text)
    return _head(tokens[0].type, text) if tokens and tokens[0].type == "fence" else ""
