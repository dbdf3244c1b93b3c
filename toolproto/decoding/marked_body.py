"""The inside of a marked call: whatever a model writes between an opening and a closing marker.

What it is decides itself by how it begins: JSON, a name with JSON behind it, tags, or Python calls.
If that is not what was asked for, the calls say so. There may be several in a row, or JSON in
a code fence, or no call at all; and the closing marker may be missing, misspelt, or the opening one
again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from io import StringIO
from typing import Protocol

from ..messages import CallProblem, ProblemKind, Repair, Span
from .attempts import Body
from .brace_calls import BraceCalls
from .call_draft import CallSetting
from .candidates import MORE_KEY
from .forms import Family
from .heads import Head, read_head
from .json_calls import JsonCalls
from .landmarks import CallMarkers
from .offered import NOTHING
from .pythonic import PythonCalls, leading_call
from .pythonic.names import CallLead, call_lead
from .raw_calls import RawCalls
from .scanner import MORE, NO, Marker
from .string_feed import StreamedString
from .tagged_calls import TaggedCalls, closes_list, opens_call
from .tags import Tag, tag_at
from .text_argument import TextArgument
from .xml_calls import XmlCalls
from .yaml_calls import YamlCalls

__all__ = ["CallsReader", "MarkedBody"]

_SPACE = re.compile(r"[\s,;>\u200b-\u200f\u2060\ufeff]++")
_LEAD = re.compile(r"```[\w-]{0,20}+(?=\s)|`(?=[{\[])|json(?=\s)", re.IGNORECASE)
_LEAD_BEGUN = re.compile(r"(?:`{1,3}[\w-]{0,20}+|j(?:s(?:o(?:n)?)?)?)\Z", re.IGNORECASE)
# What a call has in it, in whatever form; words without any are only words.
_CALL_LIKE = re.compile(r"[{(\[=:\"]")
_FENCED = Repair("fence_in_marker")
_TRAIL = frozenset("]})`\"'")
_CLOSING_FENCE = re.compile(r"\s{0,8}```")
_TOKEN = re.compile(r"<[|｜][^<>]{1,60}[|｜]>")
_TOKEN_BEGUN = re.compile(r"<(?:[|｜][^<>]{0,61})?\Z")
_ANY_CLOSING_TAG = re.compile(r"<[/\\][\w:.-]{1,40}+>")
_CLOSING_TAG_BEGUN = re.compile(r"<(?:[/\\][\w:.-]{0,40}+)?\Z")
# A list of calls, unlike ``[/TOOL_CALLS]`` and ``[1]``.
_LIST = re.compile(r"\[\s{0,80}[{\[\"']")
_LIST_BEGUN = re.compile(r"\[\s{0,80}\Z")
# A marker in the open that no call follows is only being talked about; this much text decides.
_LONGEST_TALK = 4096


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


class MarkedBody:
    """Reads from behind an opening marker to behind the closing one.

    ``committed`` once it is certain that this is a call; ``refused`` if it was only talk, which a
    marker *in_sentence* may well be. The text of talk is the caller's, who has withheld it.
    """

    def __init__(
        self, setting: CallSetting, markers: CallMarkers, start: int, *, in_sentence: bool = False
    ) -> None:
        self._form = markers.form
        self._setting = replace(setting, shape=self._form.shape, gated=self._form.gated)
        self._sure = self._form.sure and not self._form.gated
        self._opener, self._closer = markers.opener, markers.closer
        self._ends = markers.ends
        self._start = start
        self._in_sentence = in_sentence
        self._step: Callable[[str, int, int, bool], int] = self._before
        self._calls: CallsReader | None = None
        self._fenced = False  # in a fence that stood behind the name
        self._in_tags = False
        self._in_tokens = False
        self._talk = StringIO()
        firsts = "".join(marker.first for marker in self._ends)
        self._marks = re.compile(f"[{re.escape(firsts)}]")
        self.committed = False
        self.refused = False
        self.done = False
        self._pushback = ""

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        return self._calls.streaming if self._calls is not None else None

    def take_pushback(self) -> str:
        """Text that was read but turned out to lie behind the end of a broken call."""
        pushback, self._pushback = self._pushback, ""
        return pushback

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        while at < len(text) and not self.done and not self._pushback:
            step = self._step
            stop = step(text, at, base, final)
            if stop == at and self._step == step:
                break
            at = stop
        return at

    def finish(self, reason: str | None) -> None:
        """The reply is over, without a closing marker."""
        if self._calls is not None:
            self._calls.finish(reason)
            self._take_calls(self._start)
            if self._step == self._in_talk:
                self._give_up()
        elif self.committed and self._step == self._in_talk:
            self._give_up()
        elif not self.committed:
            self.refused = self._in_sentence or self._step != self._before or not self._sure
        if not self._pushback:
            self._close(*self._unclosed)

    # -- before the first call, or the next -----------------------------------------------

    def _before(self, text: str, at: int, base: int, final: bool) -> int:
        space = _SPACE.match(text, at)
        if space:
            return space.end()
        if self._form.family not in _READERS:  # such a reader's own call may begin like that
            lead = _LEAD.match(text, at)
            if lead:
                self._mark(_FENCED)
                return lead.end()
            if not final and _LEAD_BEGUN.match(text, at):
                return at
        opened = self._open(text, at, base, final)
        if opened != NO:
            return at if opened == MORE else opened
        end = self._closer.at(text, at, final) if self._closer else NO
        again = self._opener.at(text, at, final)
        if MORE in (end, again):
            return at
        if again != NO:
            return again
        if end != NO and not self._sure:
            self.refused = self.done = True
            return at
        if end != NO:
            self._reject("it is empty", "", base + at)
            self.done = True
            return end
        self._step = self._in_talk
        self._start = base + at
        return at

    def _mark(self, repair: Repair) -> None:
        """Every call from here on departs in this."""
        if repair not in self._setting.outbox.repairs:
            self._setting.outbox.repairs += (repair,)

    def _open(self, text: str, at: int, base: int, final: bool) -> int:
        """Begin to read the call at *at*: where reading goes on, or NO, or MORE."""
        if self._form.tool:
            return self._open_tool(text, at, base, final)
        if self._form.family in _READERS and text[at] != "{":
            return self._open_own(_READERS[self._form.family], at, base)
        char = text[at]
        if char == "{":
            return self._open_json(at)
        if char in "<]":
            opened = self._open_tags(text, at, base, final)
            return opened if opened != NO else self._open_named(text, at, base, final)
        if char == "[":
            return self._open_list(text, at, final)
        return self._open_named(text, at, base, final)

    def _open_own(self, reader: FamilyReader, at: int, base: int) -> int:
        """A family that no other is like: what does not begin as it does is no call."""
        drift = self._form.drift
        calls = reader(self._setting, start=base + at, drift=drift, ends=self._ends)
        self._begin(calls, sure=False)
        return at

    def _open_tool(self, text: str, at: int, base: int, final: bool) -> int:
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

    def _open_named(self, text: str, at: int, base: int, final: bool) -> int:
        call = self._python_name(text, at, final)
        head = read_head(text, at, final) if not call else NO
        if call and call != MORE_KEY:
            return self._open_python(at)
        if call == MORE_KEY or head == MORE:
            return MORE
        if not isinstance(head, Head) or not self._admits(head.name):
            return NO
        return self._open_behind_head(head, text, at, base, final)

    def _open_behind_head(self, head: Head, text: str, at: int, base: int, final: bool) -> int:
        lead, char = text[at : head.end], text[head.end : head.end + 1]
        if char == "{":
            drift = self._drift(Family.NAMED_JSON)
            self._fenced = "```" in lead
            self._in_tokens = _TOKEN.search(lead) is not None
            self._begin(
                JsonCalls(
                    self._setting, marked=True, drift=drift, ends=self._ends, head=head, lead=lead
                )
            )
            return head.end
        if self._form.loose and char and char != "<" and self._is_input(lead, char):
            start, drift = base + at, self._form.drift
            self._begin(TextArgument(self._setting, start=start, lead=lead, head=head, drift=drift))
            return head.end
        tag = tag_at(text, head.end, final)
        if tag == MORE:
            return MORE
        closed = self._closer is not None and self._closer.at(text, head.end, final) >= 0
        if not isinstance(tag, Tag) or (tag.closes and not closed):
            return NO
        if tag.closes and self._form.family is Family.JSON:
            return NO
        if self._form.tool and not tag.closes and not self._is_argument(tag):
            return NO
        drift = self._drift(Family.TAGS if not tag.closes else self._form.family)
        start = base + at
        self._begin(
            TaggedCalls(
                self._setting, start=start, lead=lead, head=head, drift=drift, ends=self._ends
            )
        )
        return head.end

    @staticmethod
    def _is_input(lead: str, char: str) -> bool:
        """Does the text behind a head begin with *char* as its only argument?"""
        return char == "[" or "input" in lead.lower()

    def _is_argument(self, tag: Tag) -> bool:
        keys = self._setting.offered.keys(self._form.tool)
        return keys is None or tag.word in keys

    def _open_tags(self, text: str, at: int, base: int, final: bool) -> int:
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
        self._begin(
            TaggedCalls(
                self._setting,
                start=base + at,
                drift=drift,
                ends=self._ends,
                gated=self._form.gated,
            )
        )
        return at

    def _open_list(self, text: str, at: int, final: bool) -> int:
        name = self._python_name(text, at, final)
        if name == MORE_KEY or (not final and _LIST_BEGUN.match(text, at)):
            return MORE
        if name:
            return self._open_python(at)
        return self._open_json(at) if _LIST.match(text, at) else NO

    def _open_json(self, at: int) -> int:
        drift = self._drift(Family.JSON)
        self._begin(JsonCalls(self._setting, marked=self._sure, drift=drift, ends=self._ends))
        return at

    def _open_python(self, at: int) -> int:
        drift = self._drift(Family.PYTHON)
        marked = not self._form.gated
        self._begin(PythonCalls(self._setting, marked=marked, drift=drift, ends=self._ends))
        return at

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

    def _begin(self, calls: CallsReader, *, sure: bool = True) -> None:
        sure = sure and self._sure and not isinstance(calls, TaggedCalls)
        self.committed = self.committed or calls.committed or sure
        self._setting.outbox.linger = self._closer is not None  # until it shows how it is closed
        self._step = self._in_calls
        self._calls = calls
        self._in_tags = isinstance(calls, TaggedCalls)

    # -- calls ----------------------------------------------------------------------------

    def _in_calls(self, text: str, at: int, base: int, final: bool) -> int:
        assert self._calls is not None, "opened before"
        stop = self._calls.feed(text, at, base, final)
        if self._calls.interrupted:
            self._calls.finish(None)
        self._take_calls(base + stop)
        return stop

    def _take_calls(self, at: int) -> None:
        """Take over from the reader where it stopped, at *at* in the reply, if it is done."""
        calls = self._calls
        assert calls is not None, "opened before"
        self.committed = self.committed or calls.committed
        self._pushback = calls.take_pushback()
        if calls.done:
            if calls.refused and not self._sure and not self.committed:
                self.refused = self.done = True
            self._calls = None
            if calls.refused:
                self._setting.outbox.linger = False
            self._step = self._in_talk if calls.refused else self._between
            self._start = at

    def _between(self, text: str, at: int, base: int, final: bool) -> int:
        end = self._closer.at(text, at, final) if self._closer else NO
        again = self._opener.at(text, at, final)
        if end == NO and again == NO:
            return self._between_calls(text, at, base, final)
        return self._end(text, at, MORE if again == MORE else end, final)

    def _between_calls(self, text: str, at: int, base: int, final: bool) -> int:
        outbox = self._setting.outbox
        if self._fenced:
            fence = _CLOSING_FENCE.match(text, at)
            if fence is None and not final and not text[at:].strip(" \n`"):
                return at
            self._fenced = False
            return fence.end() if fence else at
        if _SPACE.match(text, at):
            return at + 1
        if text[at] == "<" and self._closer is not None:
            stop = self._behind_tag(text, at, final)
            if stop != NO:
                return stop
        opened = self._open_next(text, at, base, final)
        if opened != NO:
            if opened != MORE and not self._form.many:
                outbox.settle(Repair("several_calls_in_marker"))
            return at if opened == MORE else opened
        if self._closer is not None and text[at] in _TRAIL:
            outbox.amend(Repair("extra_closer"))
            return at + 1
        return self._end(text, at, NO, final)

    def _behind_tag(self, text: str, at: int, final: bool) -> int:
        """Where the tag or token at *at* ends that only belongs to what was read; NO if none does.

        Where reading stands, if more text has to come.
        """
        if self._in_tags:
            tag = tag_at(text, at, final)
            closes = isinstance(tag, Tag) and closes_list(tag)
            return tag.end if closes and isinstance(tag, Tag) else at if tag == MORE else NO
        if not self._in_tokens:
            return NO
        token = _TOKEN.match(text, at)
        if token:
            return token.end()
        return at if not final and _TOKEN_BEGUN.match(text, at) else NO

    def _open_next(self, text: str, at: int, base: int, final: bool) -> int:
        """Begin to read another call, where one may follow the first."""
        if text[at] in "{[" or (text[at] in "<]" and self._closer is not None):
            return self._open(text, at, base, final)
        if self._closer is not None and text[at].isalpha():
            return self._open(text, at, base, final)
        return NO

    def _end(self, text: str, at: int, end: int, final: bool) -> int:
        """No call comes any more; *end* is where the closing marker ends, if one is there."""
        if end == NO and self._closer is None:
            self._close()
            return at
        if end == MORE or (end == NO and not final and _CLOSING_TAG_BEGUN.match(text, at)):
            return at
        if end != NO:
            self._close()
            return end
        other = _ANY_CLOSING_TAG.match(text, at)
        if other:
            self._close(Repair("other_closer", detail=other.group()))
            return other.end()
        self._close(Repair("missing_closer"))
        begun = self._closer is not None and self._closer.begun(text, at)
        return len(text) if final and begun else at

    @property
    def _unclosed(self) -> tuple[Repair, ...]:
        return () if self._closer is None else (Repair("missing_closer"),)

    def _close(self, *repairs: Repair) -> None:
        self.done = True
        self._setting.outbox.settle(*repairs)
        self._setting.outbox.linger = False

    # -- no call --------------------------------------------------------------------------

    def _in_talk(self, text: str, at: int, base: int, final: bool) -> int:
        """No call: a broken one if the closing marker comes, otherwise talk about one."""
        end = self._closer.at(text, at, final) if self._closer else NO
        again = self._opener.at(text, at, final)
        if MORE in (end, again):
            return at
        talk = self._talk.getvalue()
        if end != NO and self._is_meant(talk):
            self._reject("there is no call in it", talk, self._start)
            self.done = True
            return end
        room = _LONGEST_TALK - self._talk.tell()
        if end != NO or again != NO or room <= 0 or self._closer is None:
            self._give_up()
            return at
        mark = self._marks.search(text, at + 1)
        stop = min(mark.start() if mark else len(text), at + room)
        self._talk.write(text[at:stop])
        return stop

    def _is_meant(self, talk: str) -> bool:
        """Was *talk*, between two markers, to be a call?"""
        if self.committed:
            return True
        return self._sure and (not self._in_sentence or _CALL_LIKE.search(talk) is not None)

    def _give_up(self) -> None:
        """It was only talk, unless it was said before that this is a call."""
        self.done = True
        if self.committed:
            self._reject("there is no call in it", self._talk.getvalue(), self._start)
        else:
            self.refused = True

    def _reject(self, fault: str, raw: str, start: int) -> None:
        self.committed = True
        message = f"{fault}; expected {self._wants()}"
        span = Span(start, start + len(raw))
        self._setting.outbox.rejected(None, CallProblem(ProblemKind.MALFORMED, message, raw, span))

    def _wants(self) -> str:
        if self._form.family is Family.JSON:
            return self._setting.shape.wants()
        return "a call exactly in the form you were shown"
