"""A call in well-formed XML, read by lxml: its name goes out as soon as it is known.

``<name>`` says which tool; ``<arguments>`` holds an ``<arg name=… type=…>`` for each argument, or
all of them as JSON. Toolify's ``<tool>`` and ``<args_json>`` (or ``<args>``) say the same.
Entities are characters here, unlike in the other forms with tags. What models forget is to escape:
a raw ``&`` or a raw ``<`` amid text is mended, and nothing else.

The parser is lxml's strict one. Its recovering mode is not used: it drops what it does not
understand, which in code is every ``<`` and ``&``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...messages import Grade, ProblemKind, Repair
from ..calls.pulled import MISSING_CLOSER, NoCall, PulledCalls, cut_short
from ..calls.record import CallRecord
from ..patterns import Pattern
from ..reply.hot_string import StreamedString
from ..source import Pull, Source
from ..values.strict import Refused, malformed
from .tag_values import Elements, ValueType, tell_argument, value_type

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["XmlCalls"]

_NAME = Pattern(r"\s{0,80}<(?:name|tool)>\s{0,20}([\w.:/-]{1,128})\s{0,20}</(?:name|tool)>")
#: What the element around the arguments is called: ours first, then what Toolify teaches.
_AROUND = ("arguments", "args", "args_json")
_CDATA = Pattern(r"<!\[CDATA\[")
_CDATA_END = Pattern(r"\]\]>")
_LESS = re.compile("<")
_SPECIAL = re.compile("<")
_BRACKET = re.compile(r"\]")
_RAW_AMPERSAND = re.compile(r"&(?!(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{1,8});)")
_RAW_LESS = re.compile(r"<(?![/!A-Za-z])")
_RAW_MARKUP = Repair("raw_markup", Grade.GUESSED)
_STRAY = Repair("stray_text", Grade.GUESSED)
_FLAT = Repair("flattened_arguments", Grade.GUESSED)
_MOST_ARGUMENTS = 1000


class XmlCalls(PulledCalls):
    """Reads the inside of one call's element, up to one of the markers *ends*."""

    is_call = True

    def grammar(self, source: Source) -> Pull[None]:
        """The name, and all that stands before the marker: lxml reads that as a whole."""
        name = yield from source.match(_NAME)
        if name is None and self._is_cut(source):
            source.at = len(source.text)
            raise cut_short()
        if name is None:
            raise NoCall
        call = self.open(name.group(1))
        closed = yield from self._to_end(source, call)
        self.write()
        root, repairs = _parsed(call.raw, closed=closed)
        call.mended(*repairs)
        _tell(call, root, self._setting.limits.depth)
        self.complete()

    def _is_cut(self, source: Source) -> bool:
        """Did the reply end in the middle of the name?"""
        cut = self._setting.outbox.cut and not self._setting.gated
        return cut and _NAME.may_change(source.text, source.at)

    def _to_end(self, source: Source, call: CallRecord) -> Pull[bool]:
        """Read on to the marker that ends the call; does it come?"""
        while True:
            # Nothing is told of a call before all of it has come.
            self.hot = lambda: StreamedString(
                _text_stop, call.write, lambda piece: None, call.room, _SPECIAL
            )
            yield from source.before(_LESS)
            if not (yield from source.peek()):
                return False
            if (yield from source.at_end()):
                return True
            if (yield from source.take(_CDATA)):
                self.hot = None
                while not (yield from source.take(_CDATA_END)):
                    if not (yield from source.peek()):
                        return False
                    source.at += 1
                    yield from source.before(_BRACKET)
            else:
                source.at += 1


def _text_stop(text: str) -> int:
    """How much of *text* is only text: all of it, or it has to be read."""
    return len(text) if "<" not in text else -1


def _parsed(text: str, *, closed: bool) -> tuple[_Element, tuple[Repair, ...]]:
    """The call in *text*, the inside of its element, and what had to be mended in it."""
    from lxml import etree  # it takes longer to load than all of us

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise malformed("it must not declare entities")
    missing = () if closed else (MISSING_CLOSER,)
    mended = _RAW_LESS.sub("&lt;", _RAW_AMPERSAND.sub("&amp;", text))
    for body, repairs in ((text, ()), (mended, (Repair("raw_markup"),))):
        # No entities, no network, no DTD; libxml2's own limits on depth and size stay on.
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(f"<call>{body}</call>".encode("utf-8", "replace"), parser)
        except etree.XMLSyntaxError as error:
            fault = f"it is not well-formed XML (line {error.position[0]})"
        else:
            return root, (*missing, *repairs)
    if not closed:
        raise cut_short()
    raise malformed(fault)


def _tell(call: CallRecord, root: _Element, depth: int) -> None:
    """Tell of the arguments of *call* in *root*."""
    around = next((found for tag in _AROUND if (found := root.find(tag)) is not None), None)
    others = [child for child in root if child.tag not in ("name", "tool") and child is not around]
    elements = others if around is None else list(around)
    if len(elements) > _MOST_ARGUMENTS:
        raise Refused(ProblemKind.TOO_LARGE, f"more than {_MOST_ARGUMENTS} arguments")
    if others:
        call.mended(_STRAY if around is not None else _FLAT)
    if around is not None and not elements and (around.text or "").strip():
        _tell_json(call, around.text or "")
        return
    beside = [root.text, *(child.tail for child in root)]
    if around is not None:
        beside += [around.text, *(child.tail for child in around)]
    if any(text and text.strip() for text in beside):
        call.mended(_STRAY)
    for element in elements:
        _tell_element(call, element, depth)


def _tell_json(call: CallRecord, text: str) -> None:
    value, repairs = ValueType(False, {"type": "object"}).read(text)
    if not isinstance(value, dict):
        raise malformed("its <arguments> are neither elements nor JSON")
    call.mended(*repairs)
    for key, each in value.items():
        call.key(key)
        call.value(each)


def _tell_element(call: CallRecord, element: _Element, depth: int) -> None:
    from lxml import etree

    key, told = element.get("name") or str(element.tag), element.get("type") or ""
    type = value_type(call.tool, key, told)
    if not len(element):
        tell_argument(call, key, element.text or "", told)
    elif type.container:
        call.key(key)
        value, repairs = _nested(element, Elements(type, depth)).read()
        call.mended(*repairs)
        call.value(value)
    else:  # markup that should have been escaped
        call.mended(_RAW_MARKUP)
        inside = (etree.tostring(child, encoding="unicode") for child in element)
        tell_argument(call, key, f"{element.text or ''}{''.join(inside)}", told)


def _nested(element: _Element, elements: Elements) -> Elements:
    from lxml import etree

    for event, each in etree.iterwalk(element, events=("start", "end")):
        word = str(each.tag)
        if each is not element and event == "start":
            elements.tag(word, f"<{word}>")
        elif each is not element:
            elements.tag(word, f"</{word}>", closes=True)
        # The text in the element comes behind its first tag, its tail behind the last one.
        if event == "start" or each is not element:
            elements.text((each.text if event == "start" else each.tail) or "")
    return elements
