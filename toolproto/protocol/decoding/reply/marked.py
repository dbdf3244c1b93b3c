"""Reads what may be calls to their end: without a marker, or behind an opening one.

Behind a marker, how a call begins says who reads it (`which_reader.py`). There may be several in a
row, or JSON in a code fence, or no call at all; and the closing marker may be missing, misspelt, or
the opening one again.
"""

from __future__ import annotations

import re
from io import StringIO

from ...messages import ProblemKind, Repair
from ..calls.completion import UntilClosed
from ..calls.names import TOKEN, TOKENS
from ..calls.pulled import MISSING_CLOSER
from ..calls.record import CallSetting
from ..families.elements import Tag, tag_at
from ..families.json_calls import JsonCalls
from ..families.tags import TaggedCalls, pass_closing
from ..hot_string import StreamedString
from ..markers import MORE, NO
from ..markup import SLASH
from ..patterns import Pattern
from ..reply_form import CallMarkers, Family
from ..source import Pull, Source, stops
from ..values.repairs import STRAY_TEXT
from .events_out import EventsOut
from .which_reader import CallsBehindMarker, CallsReader, Opening

_SPACE = re.compile(r"[\s,;>\u200b-\u200f\u2060\ufeff]++")
_LEAD = Pattern(r"```[\w-]{0,20}+(?=\s)|`(?=[{\[])|json(?=\s)", re.IGNORECASE)
# What a call has in it, in whatever form; words without any are only words.
_CALL_LIKE = re.compile(r"[{(\[=:\"]")
_FENCED = Repair("fence_in_marker")
# On all calls but the first, which goes out before the others come.
_SEVERAL = Repair("several_calls_in_marker")
_TRAIL = frozenset("]})`\"'")
_CLOSING_FENCE = Pattern(r"\s{0,8}```")
_ANY_CLOSING_TAG = Pattern(rf"<{SLASH}[\w:.-]{{1,40}}+>")
#: What the model is told of such words, where a call was meant.
NO_CALL = "there is no call in it"
# A marker in the open that no call follows is only being talked about; this much text decides.
_LONGEST_TALK = 4096


class CallBody:
    """Reads the calls of an *opening*, which no marker stands around.

    ``committed`` once it is certain that this is a call, ``refused`` if it is none. The text of
    what is none is the caller's, who has withheld it.
    """

    def __init__(
        self, out: EventsOut, setting: CallSetting, opening: Opening | None = None
    ) -> None:
        self._out = out
        self._setting = setting
        self._opening = opening
        self._calls: CallsReader | None = None  # that are being read
        self._is_over = False  # did the reply end in them?
        self.committed = self.refused = False
        self.lists_others = False  # is what was read a list of more than calls?
        #: Does it cost too much to find out that this is no call, if there are hundreds?
        self.is_dear = (
            opening is None or bool(opening.lead) or not isinstance(opening.calls, JsonCalls)
        )

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        return self._calls.streaming if self._calls is not None else None

    def read(self, source: Source) -> Pull[None]:
        """Read from its first character to behind its last."""
        assert self._opening is not None, "what reads the call"
        source.at += len(self._opening.lead)
        yield from self._in_calls(source, self._opening.calls)
        calls = self._opening.calls
        self.refused = calls.refused
        self.lists_others = isinstance(calls, JsonCalls) and calls.lists_others

    def _in_calls(self, source: Source, calls: CallsReader) -> Pull[None]:
        """Let *calls* read to their end, behind which is read again."""
        self._calls = calls
        while not calls.done:
            at = source.at
            if at < len(source.text) or source.final:
                self._is_over = at == len(source.text)
                source.at = calls.feed(source.text, at, source.base, source.final)
            if calls.committed:
                self._commit()
            if source.at == at and not calls.done:
                yield
        self._calls = None
        if calls.pushback:
            self._read_again(source, calls.pushback)

    def _commit(self) -> None:
        """This is a call."""
        if not self.committed:
            self.committed = True
            self._out.certain()

    def _read_again(self, source: Source, text: str) -> None:
        """Go back to where a broken call turned out to end, unless that was done too often."""
        out = self._out
        if source.returns < self._setting.limits.recoveries:
            out.keep()
            source.again(text)
            self._is_over = False
        elif not out.withholding:
            out.text(text, source.offset - len(text))


class MarkedBody(CallBody):
    """Reads from behind an opening marker to behind the closing one.

    It is no call if it was only talk, which a marker in a *doubtful* place may well be.
    """

    def __init__(
        self,
        out: EventsOut,
        setting: CallSetting,
        markers: CallMarkers,
        end: int,
        *,
        doubtful: bool = False,
    ) -> None:
        self._form = form = markers.form
        if form.shape is not setting.shape or form.only_offered is not setting.only_offered:
            setting = setting._replace(shape=form.shape, only_offered=form.only_offered)
        # Where a marker closes it, the last call waits for that.
        self._last = UntilClosed(out)
        if markers.closer is not None:
            setting = setting._replace(out=self._last)
        super().__init__(out, setting)
        self._means_call = self._form.means_call and not self._form.only_offered
        self._openings = CallsBehindMarker(self._setting, markers, doubtful=doubtful)
        self._opener, self._closer = markers.opener, markers.closer
        self._unclosed = () if markers.closer is None else (MISSING_CLOSER,)
        self._firsts, self._marks, _ = stops(markers.ends)
        self._end_of_opener = end
        self._start = 0  # where in the reply begins what is no call
        self._doubtful = doubtful
        self._begun_at = 0  # where in the reply the last call begins
        self._fenced = False  # in a fence that stood behind the name
        self._in_tags = self._in_tokens = False
        self._talk = StringIO()

    def read(self, source: Source) -> Pull[None]:
        if self._form.tool and "=" in source.text[source.at : self._end_of_opener]:
            self._out.repairs += (STRAY_TEXT,)  # an attribute, which is not read
        source.at = self._end_of_opener
        self._start = source.offset
        opening = yield from self._before(source)
        while opening is not None:
            refused = yield from self._in_opening(source, opening)
            if not refused:
                opening = yield from self._between(source)
                continue
            if self._means_call or self.committed:
                yield from self._in_talk(source)
            else:
                self.refused = True
            break
        self._last.close()

    def _markers(self, source: Source) -> Pull[tuple[int, int]]:
        """Where the closing marker ends that stands here, and where the opening one; or NO."""
        while True:
            text, at, final = source.text, source.at, source.final
            end = self._closer.at(text, at, final) if self._closer else NO
            again = self._opener.at(text, at, final)
            if MORE not in (end, again):
                return end, again
            yield

    # -- before the first call ------------------------------------------------------------

    def _before(self, source: Source) -> Pull[Opening | None]:
        """The first call, if there is one; all is read if there is none."""
        # Does what is written decide who reads it? Some families are like no other.
        by_content = self._form.inside is None
        # No call begins with the opener again, unless a tool's name is in that.
        at_a_glance = self._opener.is_whole and by_content and not self._form.tool
        indent = 0
        while char := source.text[source.at : source.at + 1] or (yield from source.peek()):
            if space := _SPACE.match(source.text, source.at):
                source.at = space.end()
                if not by_content:
                    _, newline, gap = space.group().rpartition("\n")
                    indent = len(gap) + (0 if newline else indent)
                continue
            if at_a_glance and char == self._opener.first:
                again = yield from source.ask(self._opener.at)
                if again != NO:
                    source.at = again
                    continue
            # The call of another family may begin like that.
            if by_content and char in "`jJ" and (yield from source.take(_LEAD)):
                if _FENCED not in self._out.repairs:
                    self._out.repairs += (_FENCED,)
                continue
            if opening := (yield from self._openings.at(source, indent)):
                return opening
            end, again = yield from self._markers(source)
            if again != NO:
                source.at = again
                continue
            if end == NO:
                self._start = source.offset
                yield from self._in_talk(source)
            elif self._means_call:
                self._reject("it is empty", "", source.offset)
                source.at = end
            else:
                self.refused = True
            return None
        self._last.close(*self._unclosed)
        self.refused = self._doubtful or not self._means_call
        return None

    # -- calls ----------------------------------------------------------------------------

    def _in_opening(self, source: Source, opening: Opening) -> Pull[bool]:
        """Read the calls that were found; was there none?"""
        calls = opening.calls
        if calls.committed or (opening.means_call and self._means_call):
            self._commit()
        self._begun_at = source.offset
        self._fenced = "```" in opening.lead
        self._in_tokens = TOKENS.search(opening.lead) is not None
        self._in_tags = isinstance(calls, TaggedCalls)
        source.at += len(opening.lead)
        yield from self._in_calls(source, calls)
        if isinstance(calls, TaggedCalls) and calls.json is not None:
            element, calls = calls.element, calls.json
            yield from self._in_calls(source, calls)
            yield from pass_closing(source, element)
        if not self._is_over:
            self._start = source.offset
        return calls.refused

    def _between(self, source: Source) -> Pull[Opening | None]:
        """Behind a call: the next one, if there is one; all is read if there is none."""
        closes = self._closer is not None
        gap = ""  # blanks that were read, which are none of the call's if that is over
        while char := source.text[source.at : source.at + 1] or (yield from source.peek()):
            if char in self._firsts:
                end, again = yield from self._markers(source)
                if end != NO or again != NO or (source.final and self._is_begun(source)):
                    self._unread(source, gap if end == NO and again == NO else "")
                    yield from self._end(source, end)
                    return None
            fenced, self._fenced = self._fenced, False
            if fenced and (yield from source.take(_CLOSING_FENCE)):
                continue
            if _SPACE.match(char):
                if char == ">" and "\n" in gap and not closes:  # a block quote begins
                    self._unread(source, gap)
                    yield from self._end(source, NO)
                    return None
                gap += char
                source.at += 1
                continue
            if char == "<" and closes and (yield from self._passes_tag(source)):
                continue
            opening = yield from self._next(source, char)
            # A call that took nothing in would be found here again, for ever.
            if opening and source.offset > self._begun_at:
                if closes and not self._form.many and _SEVERAL not in self._out.repairs:
                    self._out.repairs += (_SEVERAL,)
                return opening
            if not closes or char not in _TRAIL:
                self._unread(source, gap)
                yield from self._end(source, NO)
                return None
            gap = ""
            self._last.amend(Repair("extra_closer"))
            source.at += 1
        self._unread(source, gap)
        self._last.close(*self._unclosed)
        return None

    def _passes_tag(self, source: Source) -> Pull[bool]:
        """Does a tag or a token stand here that only belongs to what was read? Then pass it."""
        if self._in_tags:
            tag = yield from source.ask(tag_at)
            if not isinstance(tag, Tag) or not tag.closes_list:
                return False
            source.at += tag.length
            return True
        return self._in_tokens and (yield from source.take(TOKEN)) is not None

    def _next(self, source: Source, char: str) -> Pull[Opening | None]:
        """Another call, where one may follow the first."""
        closes = self._closer is not None
        named = char.isalpha() and (closes or self._in_tokens)
        opens = named or char in "{[" or (closes and char in "<]")
        opening = (yield from self._openings.at(source)) if opens else None
        # Without a marker that closes calls, a name alone may be the first word of a sentence.
        means_call = not named or closes or (opening and TOKENS.search(opening.lead))
        return opening if means_call else None

    def _end(self, source: Source, end: int) -> Pull[None]:
        """No call comes any more; *end* is where the closing marker ends, if one is there."""
        if end != NO or self._closer is None:
            self._last.close()
            source.at = max(source.at, end)
        elif source.final and self._is_begun(source):
            self._last.close(MISSING_CLOSER)
            source.at = len(source.text)
        elif other := (yield from source.take(_ANY_CLOSING_TAG)):
            self._last.close(Repair("other_closer", detail=other.group()))
        else:  # a reply that ends here may have been cut: that the call is whole is a guess then
            self._last.close(MISSING_CLOSER if source.final else Repair("missing_closer"))

    def _unread(self, source: Source, gap: str) -> None:
        """Go back to before *gap*: it is none of the call's."""
        if gap:
            self._out.keep()
            source.unread(gap)

    def _is_begun(self, source: Source) -> bool:
        """May all text that is left be the beginning of the closing marker?"""
        return self._closer is not None and self._closer.begun(source.text, source.at)

    # -- no call --------------------------------------------------------------------------

    def _in_talk(self, source: Source) -> Pull[None]:
        """No call: a broken one if the closing marker comes, otherwise talk about one."""
        while (yield from source.peek()):
            end, again = yield from self._markers(source)
            talk = self._talk.getvalue() if end != NO else ""
            like_call = not self._doubtful or _CALL_LIKE.search(talk)
            if end != NO and (self.committed or (self._means_call and like_call)):
                self._reject(NO_CALL, talk, self._start)
                source.at = end
                return
            room = _LONGEST_TALK - self._talk.tell()
            if end != NO or again != NO or room <= 0 or self._closer is None:
                self._give_up()
                return
            piece = source.past(self._marks)
            if len(piece) > room:
                source.at -= len(piece) - room
            self._talk.write(piece[:room])
        self._give_up()
        self._last.close(*self._unclosed)

    def _give_up(self) -> None:
        """It was only talk, unless it was said before that this is a call."""
        if self.committed:
            self._reject(NO_CALL, self._talk.getvalue(), self._start)
        else:
            self.refused = True

    def _reject(self, fault: str, raw: str, start: int) -> None:
        self._commit()
        in_json = self._form.family is Family.JSON
        wants = self._form.shape.wants() if in_json else "a call exactly in the form you were shown"
        message = f"{fault}; expected {wants}"
        self._last.rejected_text(ProblemKind.MALFORMED, message, raw, start)
