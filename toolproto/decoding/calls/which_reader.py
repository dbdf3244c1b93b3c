"""What is the call that begins here, behind a marker, and who reads it?

It decides itself by how it begins: JSON, a name with JSON or tags behind it, tags, or Python calls.
If that is not what was asked for, the calls say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from ...messages import Repair
from ..families.braces import BraceCalls
from ..families.json_calls import JsonCalls
from ..families.python_calls import PythonCalls
from ..families.python_names import CallLead, call_lead, leading_call
from ..families.raw import RawCalls
from ..families.tags import Tag, TaggedCalls, opens_call, tag_at
from ..families.text import TextArgument
from ..families.xml import XmlCalls
from ..families.yaml import YamlCalls
from ..patterns import Pattern
from ..reply.attempts import Body
from ..reply.forms import Family
from ..reply.landmarks import CallMarkers
from ..reply.markers import MORE, NO, Marker
from .names import MORE_KEY, Head, read_head
from .offered import NOTHING
from .record import CallSetting

__all__ = ["CallsReader", "Opening", "Openings"]

# A list of calls, unlike ``[/TOOL_CALLS]`` and ``[1]``.
_LIST = Pattern(r"\[\s{0,80}[{\[\"']")


class CallsReader(Body, Protocol):
    """Reads calls of one family, from their first character to behind their last."""

    @property
    def interrupted(self) -> bool: ...


class FamilyReader(Protocol):
    """Makes the reader of calls whose text begins at *start* in the reply."""

    def __call__(
        self,
        setting: CallSetting,
        *,
        start: int,
        drift: tuple[Repair, ...],
        ends: tuple[Marker, ...],
    ) -> CallsReader: ...


_READERS: Mapping[Family, FamilyReader] = {
    Family.XML: XmlCalls,
    Family.YAML: YamlCalls,
    Family.RAW: RawCalls,
    Family.BRACES: BraceCalls,
}


class Opening(NamedTuple):
    """What reads a call, where it goes on reading, and the text before that belongs to the call.

    *sure* is whether its beginning alone makes it a call, if a marker says that one is meant.
    """

    calls: CallsReader
    stop: int
    lead: str = ""
    sure: bool = True


class Openings:
    """Finds the calls behind *markers*. One *in_sentence* has to look the more like a call."""

    def __init__(self, setting: CallSetting, markers: CallMarkers, *, in_sentence: bool) -> None:
        self._setting = setting
        self._form = markers.form
        self._sure = self._form.sure and not self._form.gated
        self._closer = markers.closer
        self._ends = markers.ends
        self._in_sentence = in_sentence
        # The reader of a family that no other is like.
        inside = self._form.inside
        self._own = inside.reader if inside is not None else _READERS.get(self._form.family)

    @property
    def by_content(self) -> bool:
        """Does what is written decide who reads it? Some families are like no other."""
        return self._own is None

    def at(self, text: str, at: int, base: int, final: bool) -> Opening | int:
        """What reads the call that begins at *at*, or NO, or MORE."""
        if self._form.tool:
            return self._open_tool(text, at, base, final)
        if (own := self._own) is not None and text[at] != "{":
            return self._open_own(own, at, base)
        char = text[at]
        if char == "{":
            return self._open_json(at)
        if char in "<]":
            opened = self._open_tags(text, at, base, final)
            return opened if opened != NO else self._open_named(text, at, base, final)
        if char == "[":
            return self._open_list(text, at, final)
        return self._open_named(text, at, base, final)

    def _open_own(self, reader: FamilyReader, at: int, base: int) -> Opening | int:
        """A family that no other is like: what does not begin as it does is no call."""
        drift = self._form.drift
        calls = reader(self._setting, start=base + at, drift=drift, ends=self._ends)
        return Opening(calls, at, sure=False)

    def _open_tool(self, text: str, at: int, base: int, final: bool) -> Opening | int:
        """The marker named the tool: its arguments come, or nothing but the end."""
        head = Head(self._form.tool, "", at)
        if text[at] in "{<":
            return self._open_behind_head(head, text, at, base, final)
        return NO

    def _python_name(self, text: str, at: int, final: bool) -> str:
        """The name of the Python call at *at*; any will do, unless a sentence is around it."""
        name = leading_call(text, at, final, self._setting.offered)
        if name or self._in_sentence or not self._sure:
            return name
        if text[at] == "[":
            return leading_call(text, at, final, NOTHING)
        lead = call_lead(text, at, final)
        if isinstance(lead, CallLead):
            return lead.name if text[lead.end - 2] != " " else ""
        return lead or ""

    def _open_named(self, text: str, at: int, base: int, final: bool) -> Opening | int:
        call = self._python_name(text, at, final)
        head = read_head(text, at, final) if not call else NO
        if call and call != MORE_KEY:
            return self._open_python(at)
        if call == MORE_KEY or head == MORE:
            return MORE
        if not isinstance(head, Head) or not self._admits(head.name):
            return NO
        return self._open_behind_head(head, text, at, base, final)

    def _open_behind_head(
        self, head: Head, text: str, at: int, base: int, final: bool
    ) -> Opening | int:
        lead, char = text[at : head.end], text[head.end : head.end + 1]
        start, setting, ends = base + at, self._setting, self._ends
        if char == "{":
            drift = self._drift(Family.NAMED_JSON)
            named = JsonCalls(setting, marked=True, drift=drift, ends=ends, head=head, lead=lead)
            return Opening(named, head.end, lead)
        if self._form.loose and char and char != "<" and self._is_input(lead, char):
            drift = self._form.drift
            text_argument = TextArgument(setting, start=start, lead=lead, head=head, drift=drift)
            return Opening(text_argument, head.end, lead)
        tag = tag_at(text, head.end, final)
        if not isinstance(tag, Tag):
            return tag
        goes_on = self._goes_on(tag, text, head.end, final)
        if goes_on in (NO, MORE):
            return goes_on
        drift = self._drift(Family.TAGS if not tag.closes else self._form.family)
        tagged = TaggedCalls(setting, start=start, lead=lead, head=head, drift=drift, ends=ends)
        return Opening(tagged, head.end, lead, sure=False)

    def _goes_on(self, tag: Tag, text: str, at: int, final: bool) -> int:
        """Does a call whose name was read go on, or end, with *tag* at *at*? If not, NO or MORE."""
        if not tag.closes:
            return at if not self._form.tool or self._is_argument(tag) else NO
        if self._closer is None or self._form.family is Family.JSON:
            return NO
        return self._closer.at(text, at, final)

    @staticmethod
    def _is_input(lead: str, char: str) -> bool:
        """Does the text behind a head begin with *char* as its only argument?"""
        return char == "[" or "input" in lead.lower()

    def _is_argument(self, tag: Tag) -> bool:
        keys = self._setting.offered.keys(self._form.tool)
        return keys is None or tag.word in keys

    def _open_tags(self, text: str, at: int, base: int, final: bool) -> Opening | int:
        tag = tag_at(text, at, final)
        ends = [marker.at(text, at, final) for marker in self._ends]
        if any(end >= 0 for end in ends):
            return NO
        if tag == MORE or MORE in ends:
            return MORE
        if not isinstance(tag, Tag) or tag.closes:
            return NO
        if not opens_call(tag) and not self._setting.offered.knows(tag.word):
            return NO
        drift = self._drift(Family.TAGS)
        tagged = TaggedCalls(self._setting, start=base + at, drift=drift, ends=self._ends)
        return Opening(tagged, at, sure=False)

    def _open_list(self, text: str, at: int, final: bool) -> Opening | int:
        name = self._python_name(text, at, final)
        if name == MORE_KEY or (not final and _LIST.may_change(text, at)):
            return MORE
        if name:
            return self._open_python(at)
        return self._open_json(at) if _LIST.match(text, at) else NO

    def _open_json(self, at: int) -> Opening | int:
        drift = self._drift(Family.JSON)
        calls = JsonCalls(self._setting, marked=self._sure, drift=drift, ends=self._ends)
        return Opening(calls, at)

    def _open_python(self, at: int) -> Opening | int:
        drift = self._drift(Family.PYTHON)
        marked = not self._form.gated
        calls = PythonCalls(self._setting, marked=marked, drift=drift, ends=self._ends)
        return Opening(calls, at)

    def _admits(self, name: str) -> bool:
        """May this be the name of a tool that is called here?"""
        return not self._form.gated or self._setting.offered.knows(name)

    def _drift(self, family: Family) -> tuple[Repair, ...]:
        """How calls of *family* depart from what was asked."""
        drift, asked = self._form.drift, self._form.family
        # Arguments that tags cannot hold are written as JSON in their place.
        if family is asked or (family is Family.NAMED_JSON and asked is Family.TAGS):
            return drift
        return (*drift, Repair("other_family", detail=family.value))
