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
from ..calls.record import Beginning
from ..calls.which_reader import Opening
from ..contract import Limits, ReplyForm
from ..families.json_calls import JsonCalls
from ..families.json_whole import data_end
from ..patterns import Pattern
from ..source import Pull
from .attempts import FABRICATED, SPACES, Attempts
from .events_out import EventsOut
from .fences import FENCE, read_fence
from .landmarks import SPACE, CallMarkers, Found, Landmark
from .markers import MORE, NO
from .place import OF_TALK, PLAIN, REASONS, Standing, Verdict
from .thinking import Reasoning, read_thought

_RUN = Pattern(r"`{1,64}+|~{1,64}+")
_QUOTED_MEMBER = re.compile(r"\{\s{0,80}+[\"'“]")
_BARE_MEMBER = re.compile(r"\{\s{0,80}+([A-Za-z_]{1,30}+)[^A-Za-z_]")
_INDENT = re.compile(f"{SPACE}++")
_GAP = Pattern(r"\s{0,64}")
# Whose turn it is; those in the group are not the model.
_SPEAKER = Pattern(r"(user|system|tool|ipython)|assistant|model")
# In an object that is no call: the inside of a string; what is neither that nor structure.
_STRING_BODY = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_NO_STRUCTURE = re.compile(r'[^\S\n]++|[^\s{}\[\],:"<]++')
# One that holds no other, nor a list: most of them.
_FLAT_OBJECT = re.compile(
    r'\{(?:[^\s{}\[\]"<]++|[^\S\n]++|\n(?![^\S\n]*+\n)|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+\}', re.DOTALL
)
_LONGEST_KEY = 100  # of which it is known what is in it
_Stop = tuple[int, Found | int | None]
# Asking the class for one of them takes as long as ten comparisons.
_CALL, _END_OF_CALL, _DROPPED = Landmark.CALL, Landmark.END_OF_CALL, Landmark.DROPPED
_THOUGHT, _END_OF_THOUGHT = Landmark.THOUGHT, Landmark.END_OF_THOUGHT
_RESULT, _TURN, _END_OF_REPLY = Landmark.RESULT, Landmark.TURN, Landmark.END_OF_REPLY


class ReplyReader(Attempts):
    """Reads one reply into *out*."""

    __slots__ = (
        "_reading", "_rests", "_tells", "_thinks", "ahead", "calls_thought", "calm", "holds",
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
        self._thinks = reasoning.starts_inside  # has a thought begun?
        self.calls_thought = 0  # how many calls stand before the end of one that has not
        self._reading = self._read(starts_inside=reasoning.starts_inside)

    @property
    def standing(self) -> Standing:
        """How a call would stand that began behind all that was read."""
        if self.inside:
            return REASONS[self.inside]
        place = deepcopy(self.place)  # what is not certain yet counts only here
        place.saw(self.source.text)
        return place.standing()

    def read(self, text: str) -> None:
        """Read on, as far as what more text could change."""
        source = self.source
        source.text += text
        next(self._reading)
        keeps_something = self.out.keep()
        source.forget()
        is_open = keeps_something or self._behind_call
        self.quiet = self._rests and not is_open
        self.calm = self.quiet and not self.line_begins
        self.holds = self.holds and not is_open

    def finish(self, reason: str | None) -> None:
        """The reply is over: decide whatever is undecided.

        If it was broken off, for *reason*, its end says nothing: a call that would be taken for
        meant because nothing follows it is only shown.
        """
        self.out.cut = reason is not None
        self.source.final = True
        next(self._reading, None)
        self.calm = self.quiet = self.holds = False  # nothing more is prose

    def _read(self, *, starts_inside: bool) -> Pull[None]:
        yield from self._at_start(starts_inside=starts_inside)
        yield from self._in_prose()
        self._release()

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
                if found != NO or char in "{[`~":
                    return at, found
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
        found = yield from source.ask(self.landmarks.lines.at)
        if isinstance(found, Found) and found.kind is not _END_OF_REPLY:
            return (yield from self._at_landmark(found))
        if isinstance(found, Found) and self.place.after_blank_line:
            yield from self.cut_off(None)
            return True
        if not self.bare.by_name:
            return False
        opening = yield from self.bare.at_name(source)
        if opening is None or not self.place.standing().begins_something:
            return False
        yield from self.try_unmarked(opening)
        return True

    def _at_run(self) -> Pull[bool]:
        """Backticks or tildes: a fence, or inline code."""
        source, place, fence = self.source, self.place, None
        length = yield from source.length(_RUN)  # mostly too short for a fence, wherever it stands
        if length > 2 and place.allows_fence and (self.line_begins or not place.in_code):
            fence = yield from source.match(FENCE)
        # Behind fences within another one a bare run closes that, or opens one more: it is text.
        if fence is None or (not fence[2].strip() and place.may_close_fence(fence[1])):
            self.say(source.at + length)
            return True
        self._markers_left -= 1
        yield from read_fence(self, fence)
        return True

    def _in_rest(self) -> Pull[None]:
        source = self.source
        while (yield from source.peek()):
            self.out.text(source.text[source.at :], source.offset)
            source.at = len(source.text)
            self.takes = None if self.out.keep() else bool
        self.takes = None

    def _at_bracket(self) -> Pull[bool]:
        """A bracket: perhaps the beginning of a call that stands without a marker."""
        source = self.source
        key = yield from source.ask(leading_key)
        standing = self.place.standing  # most brackets mean nothing, wherever they stand
        if key and key == self.form.result_key and standing().begins_something:
            yield from self.cut_off(FABRICATED)
            return True
        is_object = source.text[source.at] == "{"
        if is_object and key and self._say_data():
            return True
        opening = yield from self.bare.at_bracket(source, str(key), standing)
        if opening is not None:
            # Only here of a list, too: where none of calls would be read, what ends it is prose,
            # in which it may begin a marker.
            if is_object or not self._say_data():
                yield from self.try_unmarked(opening)
            return True
        if not key or not _QUOTED_MEMBER.match(source.text, source.at):
            return False
        yield from self._in_other_json()
        return True

    def _say_data(self) -> bool:
        """Say all that the bracket here opens if that is data; was it?"""
        end = data_end(self.source.text, self.source.at, self._setting)
        self.say(end)
        return end > 0

    def _in_other_json(self) -> Pull[None]:
        """In an object that is no call: what looks like one inside it is data."""
        if flat := _FLAT_OBJECT.match(self.source.text, self.source.at):
            self.say(flat.end())
            return
        # Calls can only come behind a member that holds them.
        standing = self.place.standing() if self.form.shape.wrapper else PLAIN
        self.inside = "other_json"
        at_calls = yield from _say_other_json(self)
        self.inside = ""
        if at_calls:
            calls = Opening(JsonCalls(Beginning(self._setting)))
            yield from self.try_body(self.unmarked(calls), standing)

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
            yield from self._at_dropped(found.end)
        else:
            self.source.at = found.end
            yield from self._behind(found)
        return True

    def _counts(self, kind: Landmark) -> bool:
        """Does a marker of that *kind* mean what it says where it stands?"""
        if kind is _CALL or kind is _DROPPED:
            return True
        if kind is _RESULT:
            return self.place.standing().begins_something
        text, at = self.source.text, self.source.at
        if kind is _END_OF_CALL and (self.line_begins or not text.startswith(("|", "｜"), at + 1)):
            return self.line_begins  # of one that was ended before, or had no opening marker
        return not self.place.in_code  # a code span names it

    def _behind(self, found: Found) -> Pull[None]:
        """Behind a marker that nobody should read."""
        if found.kind is _THOUGHT:
            self._thinks = True
            yield from read_thought(self, found)
        elif found.kind is _END_OF_THOUGHT:
            self._markers_left -= 1
            if not self._thinks and found.tag in self.landmarks.closers:  # begun in the prompt
                self.calls_thought = self.out.calls_begun
            self.place.in_thought = False  # one around another, or opened in the prompt, or never
            self.place.begin_message(marked=False)
        elif found.kind is _TURN:
            speaker = yield from self.source.take(_SPEAKER)
            if speaker and speaker[1]:
                yield from self.cut_off(None)

    def _at_dropped(self, end: int) -> Pull[None]:
        """A marker around calls: nobody should read it, unless a sentence names it.

        What stands before it goes on to count for the call behind it.
        """
        source, length = self.source, end - self.source.at
        standing = self.place.standing()
        is_plain = self._behind_call or standing.verdict is Verdict.PLAIN
        if not is_plain and standing.reason in OF_TALK:
            # A sentence that names a token, or a marker and a call, sets it apart.
            apart = not self.place.touches_word
            is_token = source.text.startswith(("|", "｜"), source.at + 1) and not apart
            # Or it is the partner of one before, with noise between the two.
            is_token = is_token or self._wrapped
            call = None if is_token else (yield from self._call_ahead(length))
            is_plain = is_token or (call is not None and (call.opener.is_special or not apart))
        end = source.at + length
        if is_plain:
            self._wrapped = True
            self._pass_head(end)
            return
        self._markers_left -= 1
        self.out.text(source.text[source.at : end], source.offset)
        source.at = end
        # A line end between the marker and the first of the calls changes nothing.
        while (yield from source.peek()) and (space := SPACES.match(source.text, source.at)):
            self.out.text(space.group(), source.offset)
            source.at = space.end()

    def _pass_head(self, end: int) -> None:
        """A message begins, or a marker around calls stands here, up to *end*."""
        head = self.source.text[self.source.at : end]
        self.place.begin_message(aside=any(words in head for words in self.form.asides))
        self.source.at = end

    def _at_call(self, markers: CallMarkers, length: int) -> Pull[None]:
        """A marker of that *length* opens a call, or is another form's around one of this form."""
        if markers.is_any_fence and (yield from self._is_only_fence()):
            yield from self._at_run()
        elif (
            markers.form.only_offered
            and not self.form.only_offered
            and (yield from self._is_around(length))
        ):
            self.say(self.source.at + length)
        else:
            yield from self.try_marked(markers, self.source.at + length)

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


# -- JSON that is no call ---------------------------------------------------------------------


def _say_other_json(reader: Attempts) -> Pull[bool]:
    """Say an object that is no call to its end. Only double quotes quote in it.

    It is over, too, where it shows that it was no JSON: at a blank line, or before the marker of a
    call outside a string. True where the member of the object itself that holds calls opens a list:
    of calls after all, behind members nobody asked for.
    """
    source, wrapper, of_calls = reader.source, reader.form.shape.wrapper, reader.landmarks.of_calls
    depth = newlines = 0
    key, calls_next = "", False
    at = source.at  # so far it was read: it is said in as few pieces as may be
    while True:
        char = source.text[at : at + 1]
        if not char or char == "<":
            reader.say(at)
            char = yield from source.peek()
            is_marker = char == "<" and (yield from source.ask(of_calls.end_at)) != NO
            if is_marker or not char:
                return False
            at = source.at
        if nothing := _NO_STRUCTURE.match(source.text, at):
            newlines = newlines if char.isspace() else 0
            at = nothing.end()
            continue
        at += 1
        newlines = newlines + 1 if char == "\n" else 0
        is_calls = char == "[" and calls_next
        if newlines == 0:
            calls_next = char == ":" and depth == 1 and key == wrapper
        depth += (char in "{[") - (char in "}]")
        if newlines == 2 or is_calls or depth <= 0:
            reader.say(at)
            return is_calls
        if char == '"':
            end = _STRING_BODY.match(source.text, at).end()  # type: ignore[union-attr]
            if source.text.startswith('"', end):
                key, at = source.text[at:end], end + 1
                continue
            reader.say(at)
            key = yield from _say_string(reader)
            at = source.at


def _say_string(reader: Attempts) -> Pull[str]:
    """Say a string to behind its closing quote; what it says, as far as that may be a key."""
    source, body = reader.source, ""
    while (yield from source.peek()):
        at = source.at
        end = _STRING_BODY.match(source.text, at).end()  # type: ignore[union-attr]  # may be empty
        if len(body) < _LONGEST_KEY:
            body += source.text[at:end]
        closed = source.text.startswith('"', end)
        reader.say(end + closed)
        if closed:
            break
        if source.text[end:] and len((yield from source.peek(2))) < 2:
            reader.say(source.at + 1)  # half an escape, with which the reply ends
    return body
