"""The inside of a marked call: whatever a model writes between an opening and a closing marker.

What each call is follows from how it begins (`which_reader.py`). There may be several in a row, or
JSON in a code fence, or no call at all; and the closing marker may be missing, misspelt, or the
opening one again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO

from ...messages import ProblemKind, Repair
from ..families.tags import Tag, TaggedCalls, closes_list, tag_at
from ..patterns import Pattern
from ..reply.forms import Family
from ..reply.hot_string import StreamedString
from ..reply.landmarks import CallMarkers
from ..reply.markers import MORE, NO
from .names import TOKEN
from .pulled import MISSING_CLOSER
from .record import CallSetting
from .which_reader import CallsReader, Opening, Openings

__all__ = ["MarkedBody"]

_SPACE = re.compile(r"[\s,;>\u200b-\u200f\u2060\ufeff]++")
_LEAD = Pattern(r"```[\w-]{0,20}+(?=\s)|`(?=[{\[])|json(?=\s)", re.IGNORECASE)
# What a call has in it, in whatever form; words without any are only words.
_CALL_LIKE = re.compile(r"[{(\[=:\"]")
_FENCED = Repair("fence_in_marker")
_TRAIL = frozenset("]})`\"'")
_CLOSING_FENCE = Pattern(r"\s{0,8}```")
_ANY_CLOSING_TAG = Pattern(r"<[/\\][\w:.-]{1,40}+>")
# A marker in the open that no call follows is only being talked about; this much text decides.
_LONGEST_TALK = 4096


class MarkedBody:
    """Reads from behind an opening marker to behind the closing one.

    ``committed`` once it is certain that this is a call; ``refused`` if it was only talk, which a
    marker *in_sentence* may well be. The text of talk is the caller's, who has withheld it.
    """

    def __init__(
        self, setting: CallSetting, markers: CallMarkers, start: int, *, in_sentence: bool = False
    ) -> None:
        self._form = markers.form
        self._setting = CallSetting(
            self._form.shape, setting.offered, setting.outbox, setting.limits, self._form.gated
        )
        self._sure = self._form.sure and not self._form.gated
        self._openings = Openings(self._setting, markers, in_sentence=in_sentence)
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
        if self._opener.is_tag and self._openings.by_content and not self._form.tool:
            again = self._opener.at(text, at, final)
            if again >= 0:  # as nothing else can, this tells at a glance
                return again
        if self._openings.by_content:  # the call of another family may begin like that
            lead = _LEAD.match(text, at)
            if lead:
                self._mark(_FENCED)
                return lead.end()
            if not final and _LEAD.may_change(text, at):
                return at
        opening = self._openings.at(text, at, base, final)
        if isinstance(opening, Opening):
            return self._begin(opening)
        if opening == MORE:
            return at
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

    def _begin(self, opening: Opening) -> int:
        """Read on with what was found; where that goes on."""
        calls = opening.calls
        sure = opening.sure and self._sure
        self.committed = self.committed or calls.committed or sure
        self._setting.outbox.linger = self._closer is not None  # until it shows how it is closed
        self._step = self._in_calls
        self._calls = calls
        self._fenced = "```" in opening.lead
        self._in_tokens = TOKEN.search(opening.lead) is not None
        self._in_tags = isinstance(calls, TaggedCalls)
        return opening.stop

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
        cut_off = final and self._closer is not None and self._closer.begun(text, at)
        if end == NO and again == NO and not cut_off:
            return self._between_calls(text, at, base, final)
        return self._end(text, at, MORE if again == MORE else end, final)

    def _between_calls(self, text: str, at: int, base: int, final: bool) -> int:
        outbox = self._setting.outbox
        if self._fenced:
            if not final and _CLOSING_FENCE.may_change(text, at):
                return at
            fence = _CLOSING_FENCE.match(text, at)
            self._fenced = False
            if fence:
                return fence.end()
        if _SPACE.match(text, at):
            if text[at] == "\n" and self._closer is None:
                outbox.release()  # its line is over, and nothing more can be said of the call
            return at + 1
        if text[at] == "<" and self._closer is not None:
            stop = self._behind_tag(text, at, final)
            if stop != NO:
                return stop
        opening = self._next(text, at, base, final)
        if isinstance(opening, Opening):
            if not self._form.many:
                outbox.settle(Repair("several_calls_in_marker"))
            return self._begin(opening)
        if opening == MORE:
            return at
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
            if isinstance(tag, Tag):
                return tag.end if closes_list(tag) else NO
            return at if tag == MORE else NO
        if not self._in_tokens:
            return NO
        token = TOKEN.match(text, at)
        if token:
            return token.end()
        return at if not final and TOKEN.may_change(text, at) else NO

    def _next(self, text: str, at: int, base: int, final: bool) -> Opening | int:
        """Another call, where one may follow the first."""
        closes = self._closer is not None
        if text[at] in "{[" or (closes and (text[at] in "<]" or text[at].isalpha())):
            return self._openings.at(text, at, base, final)
        return NO

    def _end(self, text: str, at: int, end: int, final: bool) -> int:
        """No call comes any more; *end* is where the closing marker ends, if one is there."""
        if end == NO and self._closer is None:
            self._close()
            return at
        if end == MORE or (end == NO and not final and _ANY_CLOSING_TAG.may_change(text, at)):
            return at
        if end != NO:
            self._close()
            return end
        other = _ANY_CLOSING_TAG.match(text, at)
        if other:
            self._close(Repair("other_closer", detail=other.group()))
            return other.end()
        self._close(MISSING_CLOSER if final else Repair("missing_closer"))
        begun = self._closer is not None and self._closer.begun(text, at)
        return len(text) if final and begun else at

    @property
    def _unclosed(self) -> tuple[Repair, ...]:
        return () if self._closer is None else (MISSING_CLOSER,)

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
        if end != NO and self._is_meant(self._talk.getvalue()):
            self._reject("there is no call in it", self._talk.getvalue(), self._start)
            self.done = True
            return end
        room = _LONGEST_TALK - self._talk.tell()
        if end != NO or again != NO or room <= 0 or self._closer is None:
            self._give_up()
            return at
        mark = re.compile(f"[{re.escape(self._firsts)}]").search(text, at + 1)
        stop = min(mark.start() if mark else len(text), at + room)
        self._talk.write(text[at:stop])
        return stop

    @property
    def _firsts(self) -> str:
        return "".join(marker.first for marker in self._ends)

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
        self._setting.outbox.rejected_text(ProblemKind.MALFORMED, message, raw, start)

    def _wants(self) -> str:
        if self._form.family is Family.JSON:
            return self._setting.shape.wants()
        return "a call exactly in the form you were shown"
