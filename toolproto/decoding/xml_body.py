"""A call as well-formed XML, read by lxml.

``<name>`` says which tool; ``<arguments>`` holds an ``<arg name=… type=…>`` for each argument, or
all of them as JSON. Entities are characters here, unlike in the other forms with tags. What
models forget is to escape: a raw ``&`` or a raw ``<`` amid text is mended, and nothing else.

The parser is lxml's strict one. Its recovering mode is not used: it drops what it does not
understand, which in code is every ``<`` and ``&``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from ..messages import Repair

__all__ = ["XmlArgument", "XmlCall", "read_xml_call"]

_RAW_AMPERSAND = re.compile(r"&(?!(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{1,8});)")
_RAW_LESS = re.compile(r"<(?![/!A-Za-z])")
_MOST_ARGUMENTS = 1000


@dataclass(frozen=True, slots=True)
class XmlArgument:
    """One argument: its name, the type its element gives it, and its text."""

    key: str
    type: str
    text: str


@dataclass(frozen=True, slots=True)
class XmlCall:
    """A call; *json* is the text of its arguments if they were no elements."""

    name: str
    arguments: tuple[XmlArgument, ...]
    json: str
    repairs: tuple[Repair, ...]


def read_xml_call(text: str) -> XmlCall | str:
    """The call in *text*, the inside of its element; or what is wrong with it."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return "it must not declare entities"
    try:
        return _call(_parsed(text), ())
    except etree.XMLSyntaxError:
        pass
    mended = _RAW_LESS.sub("&lt;", _RAW_AMPERSAND.sub("&amp;", text))
    try:
        return _call(_parsed(mended), (Repair("raw_markup"),))
    except etree.XMLSyntaxError as error:
        return f"it is not well-formed XML (line {error.position[0]})"


def _parsed(text: str) -> etree._Element:
    # No entities, no network, no DTD; libxml2's own limits on depth and size stay on.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(f"<call>{text}</call>".encode("utf-8", "replace"), parser)


def _call(root: etree._Element, repairs: tuple[Repair, ...]) -> XmlCall | str:
    name = root.find("name")
    if name is None or not (name.text or "").strip():
        return "it has no <name>"
    around = root.find("arguments")
    elements = [] if around is None else list(around)[:_MOST_ARGUMENTS]
    arguments = tuple(_argument(element) for element in elements)
    json = "" if around is None or elements else (around.text or "").strip()
    return XmlCall((name.text or "").strip(), arguments, json, repairs)


def _argument(element: etree._Element) -> XmlArgument:
    key = element.get("name") or str(element.tag)
    return XmlArgument(key, element.get("type") or "", "".join(map(str, element.itertext())))
