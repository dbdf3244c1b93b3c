"""Markdown as a terminal shows it: plain headings, code without a box, links with their address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.syntax import Syntax

from ...protocol.foreign_text import visible
from .markdown_blocks import parser

__all__ = ["answer"]

_PARSER = parser()
#: Colours of the terminal's own palette, so that they suit its ground.
_THEME = "ansi_dark"


def answer(text: str) -> Markdown:
    """*text* drawn as Markdown; nothing in it reaches the terminal but what is seen."""
    return _Answer(text)


class _Heading(Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        self.text.stylize("bold" if self.tag != "h1" else "bold underline")
        yield self.text


class _Code(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip("\n")
        drawn = Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True)
        yield Padding(drawn, (0, 0, 0, 2))


class _Answer(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
    }

    def __init__(self, text: str) -> None:
        # Links are written out: what a link says and where it leads are two things.
        super().__init__("", code_theme=_THEME, hyperlinks=False)
        self.markup = text
        self.parsed = _PARSER.parse(text)
        _disarm(self.parsed)


def _disarm(tokens: Iterable[Token]) -> None:
    """Make visible what came out of ``&#x202e;`` and its like, which the parser resolves."""
    for token in tokens:
        token.content = visible(token.content)
        token.attrs = {name: _shown(value) for name, value in token.attrs.items()}
        _disarm(token.children or ())


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) else value
