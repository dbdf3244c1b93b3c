"""A tag of chat templates that Jinja does not know. Imports Jinja."""

from __future__ import annotations

from typing import Any

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser

__all__ = ["GenerationTag"]


class GenerationTag(Extension):
    """``{% generation %}`` marks what the assistant said, for training; here it is only text."""

    tags = {"generation"}  # noqa: RUF012 (as Jinja declares it)

    def parse(self, parser: Parser) -> Any:
        """What stands between the tags, as it is."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)
