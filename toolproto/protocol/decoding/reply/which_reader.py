"""What is the call that begins here, behind a marker or without one, and who reads it?

Behind a marker it decides itself by how it begins: JSON, a name with JSON or tags behind it, tags,
or Python calls. If that is not what was asked for, the calls say so. Without one it may begin with
a bracket (a JSON object or list, a list of Python calls) or, at the start of a line, with the
tool's name. A paradigm may ask for that; from any other it is a departure.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import NamedTuple

from ...messages import Grade, Repair
from ..calls.names import (
    COMMENT,
    INPUT,
    NAME_LINE,
    NAME_TOUCHED,
    TOKEN,
    Head,
    leading_key,
    read_head,
)
from ..calls.pulled import NoArguments, PulledCalls
from ..calls.record import Beginning, CallSetting
from ..families.elements import Tag, tag_at
from ..families.json_calls import JsonCalls
from ..families.python_calls import PythonCalls, leading_call
from ..families.tags import TaggedCalls, as_call, opens_call
from ..markers import MORE, NO, end_of
from ..patterns import Pattern
from ..reply_form import CallMarkers, Family, ReplyForm
from ..source import Pull, Source
from ..values.repairs import STRAY_TEXT

# A list of calls, unlike ``[/TOOL_CALLS]`` and ``[1]``.
_LIST = Pattern(r"\[\s{0,80}[{\[\"']")
# A number between tokens, where the tool's name and the number of the call should be.
_COUNTER = Pattern(
    rf"\s{{0,8}}+(?:functions\.)?:?(\d{{1,9}}+)\s{{0,8}}+{TOKEN.source}\s{{0,8}}+(?=\{{)"
)
_NAMES_TOOL = Pattern(
    r"(?:\[\s{0,8}+)?\{\s{0,8}+\"(?:name|tool_name)\"\s{0,8}+:\s{0,8}+\"([\w.:/-]{1,128}+)\""
)
# A name alone, before the tags that hold its arguments, or with a remark behind it.
# ``get_weather()<param name=``, ``get_weather (to see the rain)␊Action Input:``.
_NO_PYTHON = Pattern(
    r"[\w.-]{1,128}+(?:\(\)\s{0,80}+<(?:[A-Za-z]{1,12}+[:|_])?(?:arg_key|param(?:eter)?+)[\s=>]"
    rf"|[ \t]{{1,3}}+{COMMENT})",
    re.IGNORECASE,
)
_NO_NAME = Repair("missing_name", Grade.GUESSED)


#: Reads calls of one family, from their first character to behind their last.
CallsReader = JsonCalls | PulledCalls


@lru_cache(maxsize=8)
def _python_behind(word: str) -> Pattern:
    return Pattern(rf"{re.escape(word)}(?=[\w.-]{{1,128}}+\()")


class Opening(NamedTuple):
    """What reads a call, and the text before that belongs to the call.

    Behind a marker, *means_call* is whether its beginning alone makes it a call; without one,
    *is_guess* whether it is another call than was asked for.
    """

    calls: CallsReader
    lead: str = ""
    means_call: bool = True
    is_guess: bool = False


class CallsBehindMarker:
    """Finds the calls behind *markers*. In a *doubtful* place they have to look more like calls."""

    def __init__(self, setting: CallSetting, markers: CallMarkers, *, doubtful: bool) -> None:
        self._setting = setting
        self._form = markers.form
        self._means_call = self._form.means_call and not self._form.only_offered
        self._closer = markers.closer
        self._ends = markers.ends
        self._doubtful = doubtful

    def at(self, source: Source, indent: int = 0) -> Pull[Opening | None]:
        """What reads the call that begins here, in a line indented by *indent*, if one does."""
        char = source.text[source.at]
        if self._form.tool:  # its arguments come, or nothing but the end
            head = Head(self._form.tool, "", 0)
            return (yield from self._behind_head(source, head)) if char in "{<" else None
        inside = self._form.inside
        word = inside.word if inside is not None else ""
        if word and (lead := (yield from source.match(_python_behind(word)))):
            return self._python()._replace(lead=lead.group())
        if inside is not None and char != "{":
            # What does not begin as this family does is no call.
            begun = self._begun(source, self._form.repairs)._replace(indent=indent)
            return Opening(inside.reader(begun), means_call=False)
        if char == "{":
            return self._json()
        if char == "[" and not (yield from source.ask(self._python_name)):
            if (yield from source.match(_LIST)):
                return self._json()
            if self._form.loose is None:
                return None
        if char in "<]" and (opened := (yield from self._tags(source))):
            return opened
        return (yield from self._named(source))

    def _begun(self, source: Source, repairs: tuple[Repair, ...]) -> Beginning:
        return Beginning(self._setting, source.offset, True, repairs, self._ends)

    def _python_name(self, text: str, at: int, final: bool) -> str | int:
        """The name of the Python call at *at*; any will do, unless a sentence is around it."""
        asked = self._means_call and not self._doubtful
        return leading_call(text, at, final, self._setting.offered, asked=asked)

    def _named(self, source: Source) -> Pull[Opening | None]:
        if (yield from source.ask(self._python_name)) and not (yield from source.match(_NO_PYTHON)):
            return self._python()
        if self._form.family is Family.NAMED_JSON and (
            counter := (yield from source.match(_COUNTER))
        ):
            return (yield from self._counted(source, counter))
        head = yield from read_head(source)
        if head is None or (self._form.only_offered and not self._setting.offered.knows(head.name)):
            return None
        if (yield from self._is_noise(source, head)):
            lead = source.text[source.at : source.at + head.length]
            return self._json(STRAY_TEXT)._replace(lead=lead)
        return (yield from self._behind_head(source, head))

    def _is_noise(self, source: Source, head: Head) -> Pull[bool]:
        """Is *head* only a word that no tool is called by, before a call that names its own?"""
        offered = self._setting.offered
        if not self._means_call or self._form.family is not Family.JSON or self._doubtful:
            return False
        if not offered.any or offered.knows(head.name):
            return False
        named = yield from source.match(_NAMES_TOOL, head.length)
        return named is not None and offered.knows(named.group(1))

    def _counted(self, source: Source, counter: re.Match[str]) -> Pull[Opening | None]:
        """A number where the name should stand: the tool is the only one it can be, if one is."""
        key = yield from source.ask(leading_key, len(counter.group()))
        name = self._setting.offered.only_with(key) if isinstance(key, str) else ""
        if not name:
            return None
        head = Head(name, counter.group(1), 0)
        repairs = (*self._repairs(Family.NAMED_JSON), _NO_NAME)
        begun = self._begun(source, repairs)._replace(head=head, lead=counter.group())
        return Opening(JsonCalls(begun), counter.group())

    def _behind_head(self, source: Source, head: Head) -> Pull[Opening | None]:
        ahead, end = head.length, source.at + head.length
        lead, char = source.text[source.at : end], source.text[end : end + 1]
        named = self._closer if self._form.family in (Family.NAMED_JSON, Family.TAGS) else None
        empty = named.find(lead) if named else NO
        keys = self._setting.offered.keys(head.name) if "=" in lead else None
        out = self._setting.out
        if keys and STRAY_TEXT not in out.repairs and any(f" {key}=" in lead for key in keys):
            out.repairs += (STRAY_TEXT,)  # an argument among its attributes
        if empty > 0:  # the token that closes it was taken for one before the arguments
            lead = lead[:empty]
        begun = self._begun(source, self._form.repairs)._replace(head=head, lead=lead)
        if empty > 0 and self._form.family is Family.TAGS:
            return Opening(TaggedCalls(begun), lead)
        if empty > 0 or (named and char != "{" and lead.rstrip().endswith("/>")):
            return Opening(NoArguments(begun), lead)
        if char == "{":
            return Opening(
                JsonCalls(begun._replace(repairs=self._repairs(Family.NAMED_JSON))), lead
            )
        if self._form.loose is not None and (begins := self._text_begins(head, lead, char)):
            return Opening(self._form.loose(begun._replace(lead=lead[:begins])), lead[:begins])
        tag = yield from source.ask(tag_at, ahead)
        if not isinstance(tag, Tag) or not (yield from self._goes_on(source, head, tag)):
            return None
        closed = tag.closes and self._form.family is not Family.JSON
        repairs = self._repairs(self._form.family if closed else Family.TAGS)
        return Opening(TaggedCalls(begun._replace(repairs=repairs)), lead, means_call=False)

    def _text_begins(self, head: Head, lead: str, char: str) -> int:
        """Where in *lead*, with *char* behind it, plain text begins that may be the only argument.

        It is 0 if it does not; a name alone will do for a tool that needs no more.
        """
        if label := INPUT.search(lead):
            return 0 if char == "<" else label.end()
        tool = self._setting.offered.get(head.name)
        alone = not char and tool is not None and not tool.required
        return len(lead) if char == "[" or alone else 0

    def _goes_on(self, source: Source, head: Head, tag: Tag) -> Pull[bool]:
        """Does the call that *head* begins go on, or end, with *tag*, which stands behind it?"""
        if not tag.closes:
            keys = self._setting.offered.keys(self._form.tool)
            return keys is None or tag.word in keys
        # A tool without arguments may be called by its name alone, where JSON was asked for.
        is_tool = self._setting.offered.has(head.name)
        may_end = self._form.family is not Family.JSON or (is_tool and not self._doubtful)
        if self._closer is None or not may_end:
            return False
        return (yield from source.ask(self._closer.at, head.length)) != NO

    def _tags(self, source: Source) -> Pull[Opening | None]:
        if (yield from source.ask(partial(end_of, self._ends))) != NO:
            return None
        tag = yield from source.ask(tag_at)
        if not isinstance(tag, Tag) or tag.closes:
            return None
        offered = self._setting.offered
        if not opens_call(as_call(tag, offered)) and not offered.knows(tag.word):
            return None
        return Opening(
            TaggedCalls(self._begun(source, self._repairs(Family.TAGS))), means_call=False
        )

    def _json(self, *more: Repair) -> Opening:
        repairs = (*self._repairs(Family.JSON), *more)
        return Opening(
            JsonCalls(Beginning(self._setting, 0, self._means_call, repairs, self._ends))
        )

    def _python(self) -> Opening:
        marked, repairs = not self._form.only_offered, self._repairs(Family.PYTHON)
        return Opening(PythonCalls(Beginning(self._setting, 0, marked, repairs, self._ends)))

    def _repairs(self, family: Family) -> tuple[Repair, ...]:
        """How calls of *family* depart from what was asked."""
        repairs, asked = self._form.repairs, self._form.family
        # Arguments that tags cannot hold are written as JSON in their place.
        if family is asked or (family is Family.NAMED_JSON and asked is Family.TAGS):
            return repairs
        return (*repairs, Repair("other_family", detail=family.value))


_NAME_BEGUN = re.compile(r"[^\W\d](?:[\w.:/-]|\\{1,2}_){0,127}+")


class BareCalls:
    """Finds the bare calls that *form* allows."""

    def __init__(self, form: ReplyForm, setting: CallSetting) -> None:
        self._form = form
        self._setting = setting
        self._keys = form.shape.leading_keys if form.bare_json else frozenset()
        self.by_name = form.bare_by_name

    def may_name(self, begun: str) -> bool:
        """May *begun*, at the beginning of a line, be that of the name of a call?"""
        printed = self._form.bare_asked is Family.PYTHON and "print".startswith(begun)
        return self.by_name and (printed or self._setting.offered.may_know(begun))

    def may_touch_words(self, key: str) -> bool:
        """May a call begin with a brace and *key* right behind a word?"""
        return self._form.bare_asked is Family.JSON or key == self._form.shape.wrapper

    def at_name(
        self, source: Source, ahead: int = 0, *, first: bool = False
    ) -> Pull[Opening | None]:
        """The call that begins *ahead* of here with its name, if one does.

        Where it is the *first* thing in a reply, JSON may touch the name.
        """
        offered = self._setting.offered
        name: str | int = MORE
        while name == MORE:
            begun = _NAME_BEGUN.match(source.text, source.at + ahead)
            if begun is None or not self.may_name(begun.group()):
                return None  # most lines begin with another word
            name = leading_call(source.text, source.at + ahead, source.final, offered)
            if name == MORE:
                yield
        if name and self._form.bare_python:
            return self._python(asked=False)
        return (yield from self._named_json(source, ahead, first=first))

    def at_bracket(self, source: Source, key: str, ahead: int = 0) -> Pull[Opening | None]:
        """The call that begins with the bracket *ahead* of here, if one does.

        *key* is the first member there.
        """
        asked = self._form.bare_asked
        while call := self._python_list(source.text, source.at + ahead, source.final):
            if call != MORE:
                return self._python(asked=asked is Family.PYTHON)
            yield
        if key and (key == self._form.shape.wrapper or key in self._keys):
            return self._json(key)
        return None

    def in_fence(self, source: Source, ahead: int = 0) -> Pull[Opening | None]:
        """The call *ahead* of here in a fence that held nothing else before it, if one is there."""
        if source.text[source.at + ahead] in "{[":
            key = yield from source.ask(leading_key, ahead)
            return (yield from self.at_bracket(source, str(key), ahead))
        return (yield from self.at_name(source, ahead)) if self.by_name else None

    def _python_list(self, text: str, at: int, final: bool) -> str | int:
        """The name of the first call in a list that begins at *at*."""
        if text[at] != "[" or not self._form.bare_python:
            return ""
        asked = self._form.bare_asked is Family.PYTHON
        return leading_call(text, at, final, self._setting.offered, asked=asked)

    def _python(self, *, asked: bool) -> Opening:
        begun = Beginning(self._setting, marked=asked, repairs=self._repairs(Family.PYTHON))
        return Opening(PythonCalls(begun), is_guess=bool(begun.repairs))

    def _json(self, key: str) -> Opening:
        begun = Beginning(self._setting, marked=False, repairs=self._repairs(Family.JSON))
        is_guess = bool(begun.repairs) and key != self._form.shape.wrapper
        return Opening(JsonCalls(begun), is_guess=is_guess)

    def _named_json(self, source: Source, ahead: int, *, first: bool) -> Pull[Opening | None]:
        """A name with its arguments behind it, not a word of what should stand around the two."""
        if Family.NAMED_JSON not in self._form.bare:
            return None
        pattern = NAME_TOUCHED if first else NAME_LINE
        offered, named = self._setting.offered, (yield from source.match(pattern, ahead))
        if named is None or not offered.has(named.group(1)):
            return None
        name, index, id = named.groups()
        given = id or (f"functions.{name}{index}" if index else "")
        head, repairs = Head(name, given, len(named.group())), self._repairs(Family.NAMED_JSON)
        begun = Beginning(self._setting, repairs=repairs, head=head, lead=named.group())
        return Opening(JsonCalls(begun), begun.lead)

    def _repairs(self, family: Family) -> tuple[Repair, ...]:
        """How a bare call of *family* departs from the asked form."""
        return () if family is self._form.bare_asked else self._form.repairs
