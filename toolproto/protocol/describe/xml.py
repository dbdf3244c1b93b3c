"""Tools as XML: a ``<tools>`` block with an element for each tool and each argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..tools.spec import ToolSpec
from .base import WriteCall
from .reading import arguments
from .text import harmless, one_line
from .types import Member, members_of
from .words import outer_words

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Xml"]


class Xml:
    """Elements for tools and arguments, one to a line."""

    name = "xml"
    shows_calls = False

    def show(self, tools: Sequence[ToolSpec], write: WriteCall) -> str:
        """A well-formed element; *write* is not needed."""
        # Most programs never show tools as XML, and lxml is not small.
        from lxml import etree

        root = etree.Element("tools")
        for tool in tools:
            _add_tool(root, tool)
        etree.indent(root, space="")
        return etree.tostring(root, encoding="unicode")


def _add_tool(parent: _Element, tool: ToolSpec) -> None:
    from lxml import etree

    element = etree.SubElement(parent, "tool", name=one_line(tool.name))
    if words := harmless(tool.description):
        # Only elements begin at the margin.
        etree.SubElement(element, "description").text = words.replace("\n", "\n  ")
    for member in arguments(tool):
        _add_member(element, member)


def _add_member(parent: _Element, member: Member) -> None:
    from lxml import etree

    element = etree.SubElement(parent, "parameter", name=one_line(member.name))
    # Single quotes around alternatives: the others would each become six characters.
    element.set("type", outer_words(member.type).replace('"', "'"))
    if member.required:
        element.set("required", "true")
    notes = ", ".join(member.notes)
    inner = members_of(member.type)
    words = " ".join(filter(None, [member.description, f"({notes})" if notes else ""]))
    if words and inner:
        etree.SubElement(element, "description").text = words
    elif words:
        element.text = words
    for each in inner:
        _add_member(element, each)
