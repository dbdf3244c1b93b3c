"""One reply, read as it arrives: text, thinking, calls, and what only looks like a call.

:class:`ReplyReader` goes through the prose from one telling character to the next, as ordinary
sequential code that waits where more text could change what it finds (`source.py`). Whatever begins
there is read by its own: a thought (`thinking.py`), a fence (`fences.py`), what may be a call
(`attempts.py`). All decisions depend on positions in the text, never on how it was cut into chunks.
"""

from __future__ import annotations

import re
from copy import deepcopy

from ...tools.spec import ToolOffer
from ..calls.names import leading_key
from ..contract import Limits
from ..markers import MORE, NO
from ..patterns import Pattern
from ..place import PLAIN, Place, PlaceTracker
from ..reply_form import CallMarkers, ReplyForm
from ..source import Pull
from .attempts import FABRICATED, FENCED, Attempts
from .events_out import EventsOut
from .fences import FENCE, read_fence, read_span
from .landmarks import SPACE, Found, Landmark
from .thinking import read_thought
from .thinking_tokens import Reasoning

_RUN = Pattern(r"`{1,100}+|~{1,100}+")
_BARE_MEMBER = re.compile(r"\{\s{0,80}+([A-Za-z_]{1,30}+)[^A-Za-z_]")
# At the beginning, or below an empty line, with nothing before it on its own.
_BELOW_BLANK = re.compile(r"(?:\A\s*|\n[ \t]*+\n[ \t]*+)\Z")
_LONGEST_GAP = 200
_INDENT = re.compile(f"{SPACE}++")
_GAP = Pattern(r"\s{0,64}")
# Whose turn it is; those in the group are not the model.
_SPEAKER = Pattern(r"(user|system|tool|ipython)|assistant|model")
_Stop = tuple[int, Found | int | None]
# Asking the class for one of them takes as long as ten comparisons.
_CALL, _END_OF_CALL, _DROPPED = Landmark.CALL, Landmark.END_OF_CALL, Landmark.DROPPED
_THOUGHT, _END_OF_THOUGHT = Landmark.THOUGHT, Landmark.END_OF_THOUGHT
_RESULT, _TURN, _END_OF_REPLY = Landmark.RESULT, Landmark.TURN, Landmark.END_OF_REPLY


def _inline_run(text: str, start: int, at: int, final: bool) -> int:
    """Return how long the run at *at* is if text from *start* on stands before it on its line.

    Such a run opens no fence. 0 if there is none, or not all of it has come.
    """
    before = at
    while before > start and text[before - 1] == " ":
        before -= 1
    if before == start or text[before - 1] in "\r\n" or (not final and _RUN.may_change(text, at)):
        return 0
    run = _RUN.match(text, at)
    return len(run.group()) if run else 0


class ReplyReader(Attempts):
    """Reads one reply into *out*."""

    __slots__ = (
        "_alone", "_reading", "_rests", "_tells", "ahead", "calm", "holds",
        "quiet",
    )  # fmt: skip

    def __init__(
        self,
        form: ReplyForm,
        offer: ToolOffer,
        out: EventsOut,
        reasoning: Reasoning,
        limits: Limits,
    ) -> None:
        super().__init__(form, offer, out, reasoning, limits)
        self._tells = self.landmarks.telling.search
        self._rests = False  # in prose, all of which was read
        self.quiet = False  # the same, with nothing undecided
        self.calm = False  # the same, in the middle of a line
        self.holds = False  # the same as quiet, but for what may begin something
        self.ahead: _Stop | None = None  # what was found already behind that
        self._alone = True  # may the reply be one code span?
        self._reading = self._read(starts_inside=reasoning.starts_inside)

    @property
    def standing(self) -> Place:
        """Where a call would stand that began behind all that was read."""
        return Place(self.inside, shown=True) if self.inside else self._place_ahead().before()

    @property
    def stands_fenced(self) -> bool:
        """Would such a call stand in a fence that holds nothing but calls?"""
        place = self._place_ahead()
        place.before()
        return place.fenced

    def _place_ahead(self) -> PlaceTracker:
        place = deepcopy(self.place)  # what is not certain yet counts only here
        if self._body is not None and self.out.withholding:
            place.feed(self.out.withheld_text[self._body_at - self.out.withheld_span.start :])
        place.feed(self.source.text)
        return place

    def read(self, text: str) -> None:
        """Read on, as far as what more text could change."""
        source = self.source
        source.text += text
        next(self._reading)
        keeps_something = self.out.keep()
        source.forget()
        is_open = keeps_something or self._behind_call or self._wrapped or self.place.waits
        self.quiet = self._rests and not is_open
        self.calm = self.quiet and not self.line_begins
        self.holds = self.holds and not is_open

    def finish(self, reason: str | None) -> None:
        """The reply is over, perhaps because it was cut for that *reason*."""
        self.out.cut = reason is not None
        self.source.final = True
        next(self._reading, None)
        self.calm = self.quiet = self.holds = False  # nothing more is prose

    def _read(self, *, starts_inside: bool) -> Pull[None]:
        yield from self._at_start(starts_inside=starts_inside)
        yield from self._in_prose()
        self.doubt(self.place.finish())

    # -- prose ----------------------------------------------------------------------------

    def _at_start(self, *, starts_inside: bool) -> Pull[None]:
        """At the first character of the reply, where its template may have begun a thought.

        One that began in the prompt is begun once more by many a model.
        """
        if not (yield from self.source.peek()):
            return
        # In a thought nothing stands that only the beginning of a reply may have.
        look = self.landmark_at if starts_inside else self.landmarks.starts.at
        found = yield from self.source.ask(look)
        opened = found if isinstance(found, Found) else None
        if starts_inside:
            again = opened if opened and opened.kind is _THOUGHT else None
            if again:
                self.source.at = again.end
            yield from read_thought(self, again=again is not None)
        elif opened and opened.kind is _CALL:
            yield from self._at_landmark(opened)
        elif opened:
            self._pass_head(opened.end)
            if opened.kind is not _DROPPED:
                yield from read_thought(self, opened)

    def _in_prose(self) -> Pull[None]:
        source, may_begin_line = self.source, self.landmarks.line_begins
        dull = 0  # characters here that were stopped at, and mean nothing
        while True:
            if source.at >= len(source.text):
                if source.final:
                    return
                self._rests = True
                yield
                self._rests = False
                continue
            if self._markers_left <= 0:
                yield from self._in_rest()
                return
            is_line = self.line_begins and not (dull or self.ahead)
            if is_line and may_begin_line(source.text, source.at) and (yield from self._at_line()):
                continue
            stop, found = self.ahead or self.next_telling(source.at + dull)
            self.ahead = None
            self.say(stop)
            dull = 0
            if found == MORE:
                self.holds = True
                yield
                self.holds = False
            elif isinstance(found, Found):
                dull = not (yield from self._at_landmark(found))
            elif found is not None:
                is_run = source.text[stop] in "`~"
                dull = not (yield from (self._at_run() if is_run else self._at_bracket()))

    def next_telling(self, at: int) -> _Stop:
        """Where the next thing stands that may mean something, and the landmark there.

        Most brackets turn out to mean nothing. None where nothing but a line begins.
        """
        text, final, start = self.source.text, self.source.final, self.source.at
        while telling := self._tells(text, at):
            at = telling.start()
            char = text[at]
            if char == "\n":
                return at + 1, None  # something may begin in the line below
            if at + 1 == len(text) and not final:
                return at, MORE
            if char != "{" or at == start or not self._is_code(text, at):
                found = self.landmark_at(text, at, final)
                if found != NO or char in "{[":
                    return at, found
                if char in "`~":
                    if not (run := _inline_run(text, start, at, final)):
                        return at, found
                    at += run - 1
            at += 1
        return len(text), None

    def _is_code(self, text: str, at: int) -> bool:
        """Does the brace at *at* begin no call because a word touches it, as in ``else{return``?"""
        member = _BARE_MEMBER.match(text, at) if text[at - 1].isalnum() else None
        return member is not None and not self.bare.may_touch_words(member.group(1))

    def _at_line(self) -> Pull[bool]:
        """At the beginning of a line: did something special begin it, which was read?"""
        source = self.source
        if space := _INDENT.match(source.text, source.at):
            self.say(space.end())
            return True
        if self._alone and source.text[source.at] == "`" and (yield from self._at_span()):
            return True
        found = yield from source.ask(self.landmarks.lines.at)
        if isinstance(found, Found) and found.kind is not _END_OF_REPLY:
            return (yield from self._at_landmark(found))
        if isinstance(found, Found) and _BELOW_BLANK.search(self.place.tail(_LONGEST_GAP)):
            yield from self.cut_off(None)
            return True
        if not self.bare.by_name:
            return False
        opening = yield from self.bare.at_name(source, first=self.place.is_blank)
        if opening is None or self.place_here() != PLAIN:
            return False
        if (yield from self.try_unmarked(opening)):
            yield from self.behind_call()
        return True

    def _at_run(self) -> Pull[bool]:
        """Backticks or tildes: a fence, or inline code."""
        source, fence = self.source, None
        length = yield from source.length(_RUN)
        if length > 2:  # mostly too short for a fence, wherever it stands
            fence = yield from source.match(FENCE)
        if fence is None or not self.place.opens_fence(fence.group()):
            self.say(source.at + length)
            return True
        self._markers_left -= 1
        yield from read_fence(self, fence)
        return True

    def _at_span(self) -> Pull[bool]:
        """A line begins with a backtick: is the reply nothing but calls in one code span?"""
        self._alone = False
        if not self.place.is_blank:
            return False
        length = yield from self.source.length(_RUN)
        return (yield from read_span(self, length))

    def _in_rest(self) -> Pull[None]:
        source = self.source
        while (yield from source.peek()):
            self.out.text(source.text[source.at :], source.offset)
            source.at = len(source.text)
            self.takes = None if self.out.keep() else bool
        self.takes = None

    def _at_bracket(self) -> Pull[bool]:
        """A bracket: perhaps the beginning of a call that stands without a marker."""
        source, tells = self.source, self.landmarks.telling.match
        while (key := leading_key(source.text, source.at, source.final)) == MORE:
            if not tells(source.text, source.at):
                return False  # as where all of it comes at once
            yield
        if key and key == self.form.result_key and self.place_here() == PLAIN:
            yield from self.cut_off(FABRICATED)
            return True
        opening = yield from self.bare.at_bracket(source, str(key))
        if opening is None:
            return False
        if (yield from self.try_unmarked(opening, wrapped=self._is_member())):
            yield from self.behind_call()
        return True

    def _is_member(self) -> bool:
        """Is what begins here the member of an object in which the form has its calls?"""
        wrapper = self.form.shape.wrapper
        if not wrapper or self.source.text[self.source.at] != "[":
            return False
        return self.place.tail(len(wrapper) + 20).rstrip(" \t\r\n:").endswith(f'"{wrapper}"')

    # -- landmarks ------------------------------------------------------------------------

    def _at_landmark(self, found: Found) -> Pull[bool]:
        """Read on from there; False if the marker means nothing where it stands."""
        kind = found.kind
        if not self._counts(kind):
            self._markers_left -= 1
            return False
        if kind is _CALL:
            assert found.call is not None, "the markers of a call"
            yield from self._at_call(found.call, found.end - self.source.at)
        elif kind is _RESULT:
            yield from self.cut_off(FABRICATED)
        elif kind is _END_OF_REPLY:
            yield from self.cut_off(None)
        elif kind is _DROPPED:
            yield from self._at_dropped(found.end, found.tag in self.landmarks.around)
        else:
            self.source.at = found.end
            yield from self._behind(found)
        return True

    def _counts(self, kind: Landmark) -> bool:
        """Does a marker of that *kind* mean what it says where it stands?"""
        if kind is _CALL or kind is _DROPPED:
            return True
        if kind is _RESULT:
            return self.place_here() == PLAIN
        if kind is _END_OF_CALL and not self._is_token():
            return self._behind_call  # of one that was ended before, or had no opening marker
        return not self.place.in_code  # a code span names it

    def _is_token(self) -> bool:
        """Is the marker that stands here written like a special token?"""
        return self.source.text[self.source.at + 1 : self.source.at + 2] in ("|", "｜")

    def _behind(self, found: Found) -> Pull[None]:
        """Behind a marker that nobody should read."""
        if found.kind is _THOUGHT:
            yield from read_thought(self, found)
        elif found.kind is _END_OF_THOUGHT:
            self._markers_left -= 1
            self._aside = False
            if found.tag in self.landmarks.closers:
                self.doubt(self.place.thought_ended_unopened())
                self.line_begins = True
        elif found.kind is _TURN:
            speaker = yield from self.source.take(_SPEAKER)
            if speaker and speaker[1]:
                yield from self.cut_off(None)

    def _at_dropped(self, end: int, foreign: bool) -> Pull[None]:
        """A marker around calls: nobody should read it, unless a text shows or names it.

        One of a *foreign* form is text, as a doubted one is, where no call stands beside it.
        """
        source, length = self.source, end - self.source.at
        place = self.place_here(special=self._is_token())
        meant, ahead = place == PLAIN and not (self._aside or foreign), False
        if not meant or self._shows_wrapper:
            ahead = (yield from self._call_ahead(length)) is not None
        if self._shows_wrapper or (place.shown and ahead):
            # The call behind it stands where it stands; its partner is as much a part of the call.
            self.out.text(source.text[source.at : source.at + length], source.offset)
            source.at += length
            self._wrapped = self._shows_wrapper = ahead
            return
        # Where it is doubted: the partner of one before, or right before a call.
        if meant or (not (place.shown or self._aside) and (self._wraps or ahead)):
            self._pass_head(source.at + length)
        else:
            self._markers_left -= 1
            self.say(source.at + length)

    def _pass_head(self, end: int) -> None:
        """A message begins, or a marker around calls stands here, up to *end*."""
        head = self.source.text[self.source.at : end]
        self._wrapped = self._wraps = True
        self._aside = any(words in head for words in self.form.asides)
        self.source.at = end

    def _at_call(self, markers: CallMarkers, length: int) -> Pull[None]:
        """A marker of that *length* opens a call, or is another form's around one of this form."""
        if markers.is_any_fence:
            if (yield from self._is_only_fence()):
                yield from self._at_run()
                return
            self.out.repairs = (FENCED,)  # nobody asked for a call in a fence: it is like any other
        elif (
            markers.form.only_offered
            and not self.form.only_offered
            and (yield from self._is_around(length))
        ):
            self.say(self.source.at + length)
            return
        if (yield from self.try_marked(markers, self.source.at + length)):
            yield from self.behind_call()

    def _is_only_fence(self) -> Pull[bool]:
        """Is the fence here around a call that is read without it?"""
        fence = yield from self.source.match(FENCE)
        ahead = (yield from self._content_ahead(len(fence.group()))) if fence else 0
        if not ahead:
            return False
        found = yield from self.source.ask(self.landmark_at, ahead)
        if isinstance(found, Found):
            return found.call is not None or found.kind is _DROPPED
        if self.form.only_offered:
            return False
        return (yield from self.bare.in_fence(self.source, ahead)) is not None

    def _is_around(self, length: int) -> Pull[bool]:
        """Does a marker of this form open a call *length* ahead?"""
        call = yield from self._call_ahead(length)
        return call is not None and not call.form.only_offered

    def _call_ahead(self, length: int) -> Pull[CallMarkers | None]:
        """The markers of the call that is opened *length* ahead, if one is."""
        ahead = yield from self._content_ahead(length)
        found = (yield from self.source.ask(self.landmark_at, ahead)) if ahead else NO
        return found.call if isinstance(found, Found) else None

    def _content_ahead(self, length: int) -> Pull[int]:
        """How far ahead something stands, behind *length* characters and space; 0 if nothing."""
        length += yield from self.source.length(_GAP, length)
        return length if len((yield from self.source.peek(length + 1))) > length else 0
