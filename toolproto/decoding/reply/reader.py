"""One reply, read as it arrives: text, thinking, calls, and what only looks like a call.

:class:`ReplyReader` goes through the prose from one telling character to the next. A marker, or
the beginning of a JSON object that could be a call, opens an *attempt*: what follows is read by
a reader of calls while text and events are withheld (`events_out.py`) until it is certain which of
the two should go out. Where an attempt stands decides what becomes of it (`place.py`). All
decisions depend on positions in the text, never on how it was cut into chunks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from io import StringIO
from types import MethodType
from typing import Any, NamedTuple

from ...events import Event, NewText, TextDelta, text_delta
from ...messages import ProblemKind, Span
from ...tools.spec import ToolOffer
from ..calls.marked import MarkedBody
from ..calls.names import leading_key, offered
from ..calls.record import Beginning, CallSetting
from ..calls.which_reader import BareCalls, Opening
from ..contract import Limits
from ..families.json_calls import JsonCalls
from ..families.json_tokens import OtherJson
from ..families.python_calls import PythonCalls
from ..patterns import Pattern
from .events_out import Attempt, Body, Course, Outbox
from .fences import FENCE, FENCED, CodeFence, Fences
from .forms import ReplyForm
from .hot_string import StreamedString
from .landmarks import CallMarkers, Found, Landmark, landmarks
from .markers import MORE, NO
from .place import MOST_UNSEEN, OF_TALK, PLAIN, REASONS, Place, Standing, Verdict, goes_on
from .template_tokens import ENDS_REPLY, FABRICATED, OPENS_TURN, TOO_MANY, CutTail, invented_turn
from .thinking import Reasoning, Thought

__all__ = ["PassedOver", "ReplyReader"]

_LONGEST_RUN = 64
_RUN = re.compile(r"`{1,64}+|~{1,64}+")
_WORD = re.compile(r"[^\W\d]\w{0,127}+")
_QUOTED_MEMBER = re.compile(r"\{\s{0,80}+[\"'“]")
_BARE_MEMBER = re.compile(r"\{\s{0,80}+([A-Za-z_]{1,30}+)[^A-Za-z_]")
_SEPARATOR = Pattern(r"\s{0,20}[,;]\s{0,20}(?=[{\[<])")
_INDENT = re.compile(r"[ \t\r]{1,200}")
_SPACES = re.compile(r"\s{1,64}")
_BLANK = Pattern(r"[ \t]{0,64}(?=\S|\n)")
#: Text that may follow a call in a thought before it is decided whether the thought is closed.
_LONGEST_WAIT = 65_536

_tuple = tuple.__new__  # a NamedTuple's own way to be made takes twice as long
_Mode = Callable[[str, int, bool], int]


class PassedOver(NamedTuple):
    """Something that was read like a call and is none, and why.

    *reason* is a name of ``place.REASONS``, or ``broken_off`` if it was not decided yet.
    """

    span: Span
    reason: str


class ReplyReader:
    """Reads one reply into *outbox*. Each ``_in_…`` and ``_behind_…`` method is a mode of it."""

    # Every reply has one, and its attributes are asked for at every character that may tell.
    __slots__ = (
        "_after_call", "_ahead", "_attempt", "_broken_off", "_code", "_cut", "_form",
        "_line_begins", "_markers_left", "_other", "_other_standing", "_quiet", "_recoveries",
        "_setting", "_space", "_tells", "_thought", "_wrapped", "bare", "base", "calm", "fences",
        "in_prose", "landmarks", "mode", "outbox", "passed_over", "place", "text",
    )  # fmt: skip

    def __init__(
        self,
        form: ReplyForm,
        offer: ToolOffer,
        outbox: Outbox,
        reasoning: Reasoning,
        limits: Limits,
    ) -> None:
        self._form = form
        self.outbox = outbox
        self._setting = CallSetting(form.shape, offered(offer), outbox, limits, form.gated)
        self.bare = BareCalls(form, self._setting)
        self.landmarks = landmarks(form, reasoning)
        self.place = Place()
        self.passed_over: list[PassedOver] = []
        self._recoveries = limits.recoveries
        self._markers_left = limits.markers  # without a call behind them
        self.text = ""  # not read yet
        self.base = 0  # where in the reply that begins
        self.in_prose: _Mode = self._read_prose  # one object, which is told by identity
        self.mode: _Mode = self._at_start
        self._quiet = False  # in prose, with nothing undecided
        self.calm = False  # the same, in the middle of a line
        self._tells = self.landmarks.telling.search
        self._line_begins = True  # nothing but space since the line began, or since a call
        self._ahead: tuple[str, int, Found | int] = ("", 0, NO)  # a landmark seen from afar
        self._space = ("", 0)  # between a call that waits and the marker around calls, and where
        self._wrapped = False  # has a marker around calls come, or what is dropped like one?
        self._attempt: Attempt | None = None
        self.fences = Fences(self, form)
        self._code: CodeFence | None = None  # the fence, where reading stands in code that is text
        self._other: OtherJson | None = None
        self._other_standing = PLAIN  # of the object that is no call
        self._cut: CutTail | None = None
        self._broken_off = False
        if reasoning.starts_inside:
            self._begin_thought(in_prompt=True)

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if all of it may go out at once."""
        if self._attempt is None or self.outbox.withholding:
            return None
        return self._attempt.body.streaming

    @property
    def is_over(self) -> bool:
        """Whether nothing that follows is the model's to say."""
        return self._cut is not None

    @property
    def standing(self) -> Standing:
        """How a call would stand that began behind all that was read."""
        if self.fences.open is not None:
            return REASONS["code_block"]
        if self.mode == self._in_thought:
            return REASONS["thinking"]
        if self.mode == self._in_other_json:
            return REASONS["other_json"]
        place = deepcopy(self.place)  # what is not certain yet counts only here
        place.saw(self.text)
        return place.standing()

    def prose_feed(self, otherwise: Callable[[str], list[Event]]) -> Callable[[str], list[Event]]:
        """What takes in a chunk: prose behind prose in which nothing could begin anything at once.

        Any other chunk is for *otherwise*. Most chunks of most replies are such prose, so this is
        the path that counts: a tenth of :meth:`read`, with everything in one function, since each
        further call would be a tenth of it.
        """
        landmarks, place = self.landmarks, self.place
        plain, tells, unseen = landmarks.plain, landmarks.telling.search, place.unseen

        def feed(self: ReplyReader, text: str) -> list[Event]:
            if not self.calm and not self._begins_line(text):
                return self._more_code(text) or otherwise(text)
            if text not in plain:  # few words of a text are new
                if not text or ((found := tells(text)) and self._is_telling(found)):
                    return otherwise(text)
                landmarks.found_plain(text)
                if "\n" in text:
                    self._line_begins = not text[text.rfind("\n") :].strip()
                    self.calm = not self._line_begins
            start = self.base
            self.base = end = start + len(text)
            unseen.append(text)
            if len(unseen) > MOST_UNSEEN:
                place.look()
            delta: Any = NewText()
            delta.text = text
            delta.span = _tuple(Span, (start, end))
            delta.__class__ = TextDelta
            return [delta]

        return MethodType(feed, self)  # a method, as whoever keeps it in a class of theirs expects

    def _more_code(self, text: str) -> list[Event]:
        """*text*, if it can only go on with the code of a fence; nothing if that is open."""
        if self._code is None or not text or not self._code.takes(text):
            return []
        self.base += len(text)
        return [text_delta(text, self.base - len(text))]

    def read(self, text: str, *, final: bool = False) -> None:
        """Read on, as far as what more text could change; to the end if *final*."""
        self.text += text
        at = 0
        while at < len(self.text):
            text, mode = self.text, self.mode
            stop = mode(text, at, final)
            if self.text is not text:
                at = 0  # some of it is to be read again
            elif stop == at and self.mode == mode:
                break
            else:
                at = stop
        self.base += at
        self.text = self.text[at:]
        in_prose = not self.text and self.mode is self.in_prose
        self._quiet = in_prose and not self.outbox.keeps_something
        in_code = not self.text and self.mode == self.fences.in_code
        self._code = self.fences.open if in_code else None
        self.calm = self._quiet and not self._line_begins

    def finish(self, reason: str | None) -> None:
        """The reply is over: decide whatever is undecided.

        If it was broken off, for *reason*, its end says nothing: a call that would be taken for
        meant because nothing follows it is only shown.
        """
        self._broken_off = reason is not None
        self.outbox.cut = reason == "length"
        self.read("", final=True)
        while self._attempt is not None:
            self._attempt.body.finish(reason)
            if not self._read_again(len(self.text)) and self._attempt.body.done:
                self._end_attempt()
            self.read("", final=True)
        if self.mode == self._behind_call_in_thought:
            self._count_in_thought()
        held = self.outbox
        undecided = self._broken_off and held.withholds_whole_call
        if undecided:
            self._pass_over(held.withheld_span, "broken_off")
        if undecided or (held.withholding and not held.withholds_call):
            held.let_go_as_text()
        held.let_go()
        self._release(doubted=False)
        if self._cut and self._cut.why:
            held.rejected_text(*self._cut.why, self._cut.raw.getvalue(), self._cut.start)
        held.settle()
        self.calm = self._quiet = False  # nothing more is prose,
        self._code = None  # or code

    # -- prose ----------------------------------------------------------------------------

    def _at_start(self, text: str, at: int, final: bool) -> int:
        """At the first character of the reply, where its template may have begun a thought."""
        number, end = self.landmarks.starts.at(text, at, final)
        if number == MORE:
            return at
        self.mode = self.in_prose
        if 0 <= number < self.landmarks.thoughts:
            self._begin_thought()
        return max(at, end)

    def _read_prose(self, text: str, at: int, final: bool) -> int:
        if self._markers_left <= 0:
            self.give_up()
            return at
        if self._line_begins and not (text[at] == "<" and self.landmarks.no_tag_lines):
            stop = self._at_line(text, at, final)
            if stop != NO:
                return stop
        stop = self._next_telling(text, at, final)
        if text[stop : stop + 1] == "\n":
            stop += 1  # something may begin in the line below
        if stop > at:
            return self._say(text, at, stop)
        return self._at_telling(text, at, final)

    def _next_telling(self, text: str, at: int, final: bool) -> int:
        """Where the next thing stands that may mean something: most brackets turn out not to."""
        start = at
        while telling := self._tells(text, at):
            at = telling.start()
            if text[at] == "<":
                found = self.landmark_at(text, at, final)
                if found != NO:
                    self._ahead = (text, at, found)
                    return at
            elif text[at] != "{" or at == start or not self._is_code(text, at):
                return at
            at += 1
        return len(text)

    def _is_code(self, text: str, at: int) -> bool:
        """Does the brace at *at* begin no call because a word touches it, as in ``else{return``?"""
        member = _BARE_MEMBER.match(text, at) if text[at - 1].isalnum() else None
        return member is not None and not self.bare.may_touch_words(member.group(1))

    def _is_telling(self, found: re.Match[str] | None) -> bool:
        """Is anything in a text telling, of which *found* is the first thing that may be?

        Most lines begin with a word, which might be a tool's name or a label, and is neither.
        """
        while found and found.group() == "\n":
            text, line = found.string, found.end()
            if not self._is_word(text, line):
                return True
            found = self._tells(text, line)
        return found is not None

    def _begins_line(self, text: str) -> bool:
        """Does *text* begin a line of prose, with nothing telling? Most lines begin like that."""
        if not self._quiet or not self._is_word(text, 0) or self._is_telling(self._tells(text)):
            return False
        self._line_begins, self.calm = False, True
        return True

    def _is_word(self, text: str, line: int) -> bool:
        """Does a line begin at *line* with a word that is neither a tool's name nor a label?"""
        word = _WORD.match(text, line)
        return (
            word is not None
            and not self.bare.may_name(word.group())
            and self.landmarks.lines.end_at(text, line, False) == NO
        )

    def _at_telling(self, text: str, at: int, final: bool) -> int:
        looked, place, found = self._ahead
        if looked is not text or place != at or found == MORE:
            found = self.landmark_at(text, at, final)
        if found == MORE:
            return at
        if isinstance(found, Found):
            stop = self._at_landmark(found, text, at)
            return stop if stop != NO else self._say(text, at, at + 1)
        if text[at] in "`~":
            return self._at_run(text, at, final)
        if text[at] in "{[":
            return self._at_bracket(text, at, final)
        return self._say(text, at, at + 1)

    def landmark_at(self, text: str, at: int, final: bool) -> Found | int:
        """The landmark at *at*, or NO, or MORE."""
        return self.landmarks.at(text, at, final, self._setting.offered)

    def _at_line(self, text: str, at: int, final: bool) -> int:
        """At the beginning of a line: where reading goes on; NO if nothing special begins it."""
        space = _INDENT.match(text, at)
        if space:
            return self._say(text, at, space.end())
        number, end = self.landmarks.lines.at(text, at, final)
        if number == MORE:
            return at
        if number >= self.landmarks.labels:
            return self._at_dropped(text, at, end)
        if number >= 0 and self.place.after_blank_line:
            return self._begin_cut(at, None)
        if not self.bare.by_name:
            return NO
        found = self.bare.at_name(text, at, final)
        if isinstance(found, Opening) and self.place.standing().verdict is not Verdict.PLAIN:
            return NO
        return self.at_bare(found, at)

    def at_bare(self, found: Opening | int, at: int) -> int:
        """Read the bare call that was found at *at*: where reading goes on; NO if there is none."""
        if isinstance(found, int):
            return at if found == MORE else NO
        standing = self.place.standing()
        # Unknown markup before a call without its marker is that marker gone wrong.
        odd_marker = found.is_guess and standing is REASONS["behind_markup"]
        self._try(found.calls, at, PLAIN if odd_marker else standing)
        self.outbox.keep(found.lead)
        return at + len(found.lead)

    def _say(self, text: str, at: int, stop: int) -> int:
        piece = text[at:stop]
        self.outbox.text(piece, self.base + at)
        self._saw(piece)
        return stop

    def _saw(self, piece: str) -> None:
        self.place.saw(piece)
        newline = piece.rfind("\n")
        if newline >= 0 or self._line_begins:
            self._line_begins = not piece[newline + 1 :].strip()

    def _at_run(self, text: str, at: int, final: bool) -> int:
        """Backticks or tildes: a fence, or inline code."""
        run = _RUN.match(text, at)
        assert run is not None, "a run has at least one character"
        fence = FENCE.match(text, at)
        waits = fence is None and not final and FENCE.may_change(text, at)
        place = self.place
        if (fence or waits) and place.allows_fence and (self._line_begins or not place.in_code):
            if fence is None:
                return at
            self._markers_left -= 1
            return self.fences.begin(fence, at)
        if run.end() == len(text) and not final and len(run.group()) < _LONGEST_RUN:
            return at
        return self._say(text, at, run.end())

    def give_up(self) -> None:
        """So much has come that only costs time: all the rest is text."""
        self.mode = self._in_rest

    def _in_rest(self, text: str, at: int, final: bool) -> int:
        self.outbox.text(text[at:], self.base + at)
        return len(text)

    def _at_bracket(self, text: str, at: int, final: bool) -> int:
        """A bracket: perhaps the beginning of a call that stands without a marker."""
        key = leading_key(text, at, final)
        if isinstance(key, int):
            return at
        standing = self.place.standing  # most brackets mean nothing, wherever they stand
        if key and key == self._form.result_key and standing().begins_something:
            return self._begin_cut(at)
        stop = self.at_bare(self.bare.at_bracket(key, text, at, final, standing), at)
        if stop != NO:
            return stop
        if key and _QUOTED_MEMBER.match(text, at):
            end_at = self.landmarks.call_markers.end_at
            self._other = OtherJson(self._form.shape.wrapper, end_at)
            self._other_standing = standing()
            self.mode = self._in_other_json
            return at
        return self._say(text, at, at + 1)

    def _in_other_json(self, text: str, at: int, final: bool) -> int:
        """In an object that is no call: what looks like one inside it is data."""
        other = self._other
        assert other is not None, "begun before"
        stop = other.feed(text, at, final)
        if stop > at:
            self._say(text, at, stop)
        if other.done:
            self.mode = self.in_prose
        elif other.at_calls:
            other.at_calls = False
            self.mode = self.in_prose
            self._try(JsonCalls(Beginning(self._setting)), stop, self._other_standing)
        return stop

    # -- landmarks ------------------------------------------------------------------------

    def _at_landmark(self, found: Found, text: str, at: int) -> int:
        """Where reading goes on; NO if the marker means nothing where it stands."""
        named = self.place.in_code
        match found.kind:
            case Landmark.CALL:
                assert found.call is not None, "the markers of a call"
                return self.at_call(found.call, text, at, found.end)
            case Landmark.DROPPED:
                return self._at_dropped(text, at, found.end)
            case Landmark.RESULT if self.place.standing().begins_something:
                return self._begin_cut(at)
            case Landmark.THOUGHT if not named:
                self._begin_thought()
                return found.end
            case Landmark.END_OF_THOUGHT if not named:
                self.place.in_thought = False
                return found.end  # of one around another, or opened in the prompt, or never
            case Landmark.END_OF_CALL if self._line_begins or (text[at + 1] in "|｜" and not named):
                return found.end  # of one that was ended before, or had no opening marker
            case Landmark.LEAK if not named:
                return self._at_leak(text[at : found.end], at, found.end)
        return NO

    def at_call(self, markers: CallMarkers, text: str, at: int, end: int) -> int:
        """Read the call behind the marker between *at* and *end*."""
        standing = PLAIN if self.fences.open else self.place.standing()
        special = markers.opener.is_special
        if special and standing.reason in OF_TALK:
            standing = PLAIN
        woven = standing.verdict is not Verdict.PLAIN
        body = MarkedBody(self._setting, markers, self.base + end, in_sentence=woven)
        self._try(body, at, standing, special=special)
        if self._attempt and self._attempt.course is Course.RUN and markers.is_any_fence:
            # Nobody asked for a call in a fence: this one is like any other.
            self._attempt.course = Course.ASK_BEHIND
            self.outbox.repairs = (FENCED,)
        self.outbox.keep(text[at:end])
        return end

    def _at_dropped(self, text: str, at: int, end: int) -> int:
        """A marker around calls: nobody should read it, unless a sentence names it.

        What stands before it goes on to count for the call behind it.
        """
        self._wrapped = True
        if self.place.standing().verdict is not Verdict.PLAIN:
            self.outbox.text(text[at:end], self.base + at)
            self.mode = self._behind_shown_wrapper
        return end

    def _behind_shown_wrapper(self, text: str, at: int, final: bool) -> int:
        """A line end between a marker around calls and the first of them changes nothing."""
        space = _SPACES.match(text, at)
        if space is None:
            self.mode = self.in_prose
            return at
        self.outbox.text(space.group(), self.base + at)
        return space.end()

    def _at_leak(self, token: str, at: int, end: int) -> int:
        if token == ENDS_REPLY:
            return self._begin_cut(at, None)
        if token in OPENS_TURN:
            self.mode = self._in_speaker
        return end

    def _in_speaker(self, text: str, at: int, final: bool) -> int:
        end, invented = invented_turn(text, at, final)
        if end == MORE:
            return at
        self.mode = self.in_prose
        if invented:
            return self._begin_cut(at, None)
        return at if end == NO else end

    # -- thoughts -------------------------------------------------------------------------

    def _new_thought(self, *, in_prompt: bool = False) -> Thought:
        ends, opener = self.landmarks.thought_ends, self.landmarks.opens_in_thought
        return Thought(ends, opener, in_prompt=in_prompt)

    def _begin_thought(self, *, in_prompt: bool = False) -> None:
        self._thought = self._new_thought(in_prompt=in_prompt)
        self._after_call = StringIO()  # what was thought behind a call in a thought
        self.mode = self._in_thought

    def _in_thought(self, text: str, at: int, final: bool) -> int:
        stop = self._thought.feed(text, at, final)
        number = self._thought.number
        if number == NO:
            self.outbox.reasoning(text[at:stop], self.base + at)
        elif number < self.landmarks.ends_of_thought:
            self._end_thought()
        else:
            self.outbox.withhold(self.base + at)
            self._try_in_thought(text, at, stop)
        return stop

    def _end_thought(self) -> None:
        self.mode = self.in_prose
        self.place.restart()
        self.place.in_thought = self._thought.inner > 0
        self._line_begins = True

    def _try_in_thought(self, text: str, at: int, end: int) -> None:
        """By the model's template a call ends a thought: so it counts, unless that is closed."""
        number = self._thought.number - self.landmarks.ends_of_thought
        markers = self.landmarks.calls_in_thought[number]
        body = MarkedBody(self._setting, markers, self.base + end)
        self._attempt = Attempt(body, Course.ASK_THOUGHT)
        self.mode = self._in_attempt
        self.outbox.keep(self._after_call.getvalue() + text[at:end])
        self._after_call = StringIO()

    def _behind_call_in_thought(self, text: str, at: int, final: bool) -> int:
        stop = self._thought.feed(text, at, final)
        number = self._thought.number
        if number == NO:
            self._after_call.write(text[at:stop])
            if self._after_call.tell() > _LONGEST_WAIT:
                self._count_in_thought()
        elif number < self.landmarks.ends_of_thought:
            self.outbox.keep(self._after_call.getvalue())
            self._pass_over(self.outbox.let_go_as_reasoning(), "thinking")
            self._end_thought()
        else:
            self._try_in_thought(text, at, stop)
        return stop

    def _count_in_thought(self) -> None:
        """The thought was not closed, so the calls in it ended it."""
        self.outbox.doubt_withheld(REASONS["unclosed_thought"].doubt)
        self.outbox.let_go()
        after = self._after_call.getvalue()
        self.outbox.reasoning(after, self.base + len(self.text) - len(after))
        self._begin_thought()

    # -- attempts at a call ---------------------------------------------------------------

    def _try(
        self, body: Body, at: int, standing: Standing | None = None, *, special: bool = False
    ) -> None:
        """Read what begins at *at* as a call; what it was is decided later."""
        course, standing = Course.ASK_FENCE, standing or self.place.standing()
        if self.fences.open is None:
            course = Course.of(standing)
            self.outbox.withhold(self.base + at)
        # Words behind it on its line would show it to be talk: its end waits for them.
        self.outbox.patient = course is Course.RUN and not special
        self._attempt = Attempt(body, course, standing)
        self.mode = self._in_attempt

    def _in_attempt(self, text: str, at: int, final: bool) -> int:
        attempt = self._attempt
        assert attempt is not None, "an attempt is under way"
        stop = attempt.body.feed(text, at, self.base, final)
        self.outbox.keep(text[at:stop])
        if attempt.course is Course.RUN and attempt.body.committed:
            self.outbox.let_go()
        if self._read_again(stop):
            return 0
        if attempt.body.done:
            self._end_attempt()
        return stop

    def _read_again(self, stop: int) -> bool:
        """Go back to where a broken call turned out to end, if that lies behind us."""
        assert self._attempt is not None, "an attempt is under way"
        pushback = self._attempt.body.take_pushback()
        if not pushback:
            return False
        if self._recoveries <= 0:
            if not self.outbox.withholding:
                self.outbox.text(pushback, self.base + stop - len(pushback))
            return False
        self._recoveries -= 1
        self.outbox.unkeep(len(pushback))
        self.base += stop - len(pushback)
        self.text = pushback + self.text[stop:]
        if self._attempt.body.done:
            self._end_attempt()
        return True

    def _end_attempt(self) -> None:
        attempt, self._attempt = self._attempt, None
        assert attempt is not None, "an attempt is under way"
        refused = attempt.body.refused
        if refused and isinstance(attempt.body, MarkedBody | PythonCalls):
            self._markers_left -= 1
        match attempt.course:
            case Course.ASK_FENCE:
                self.fences.end_attempt(refused)
            case Course.ASK_THOUGHT:
                self.mode = self._behind_call_in_thought
                self._thought = self._new_thought()
            case Course.SHOW:
                self.show_withheld(attempt.standing.reason)
            case _ if refused:
                shown = self.show_withheld()
                if attempt.course is Course.RUN:
                    self.fences.shown(shown)
            case Course.ASK_BEHIND:
                self.outbox.patient = False
                self.mode = self.fences.behind
            case Course.DOUBT:
                self._end_doubted(attempt.standing)
            case _:
                self.run_withheld()

    def _end_doubted(self, standing: Standing) -> None:
        """Its place is doubtful: with a doubtful form it is text, else a call that says so."""
        if self.outbox.withholds_guess:
            self.show_withheld(standing.reason)
        elif self.outbox.withholds_whole_call:
            self.outbox.doubt_withheld(standing.doubt)
            self.run_withheld()
        else:
            self.mode = self._behind_broken

    def _behind_broken(self, text: str, at: int, final: bool) -> int:
        """Behind what is no call in the middle of a sentence: a mistake, unless that goes on."""
        blank = _BLANK.match(text, at)
        if blank is None and not final:
            return at
        if blank and goes_on(text[blank.end()]):
            self.show_withheld("mid_sentence")
        else:
            self.run_withheld()
        return at

    def show_withheld(self, reason: str = "") -> str:
        """What was withheld is text, which is returned; *reason* if that is its place."""
        self.mode = self.in_prose
        self.outbox.repairs = ()
        self.outbox.patient = False
        if reason and self.outbox.withholds_call:
            self._markers_left -= 1
            self._pass_over(self.outbox.withheld_span, reason)
        text = self.outbox.let_go_as_text()
        self._saw(text)
        return text

    def _pass_over(self, span: Span, reason: str) -> None:
        self.passed_over.append(PassedOver(span, reason))

    def run_withheld(self) -> None:
        """What was withheld is a call."""
        self.mode = self._behind_call
        self.outbox.repairs = ()
        self.outbox.let_go()
        self.place.restart()
        self._line_begins = True

    def _behind_call(self, text: str, at: int, final: bool) -> int:
        """Behind a call: separators and brackets to spare are no text."""
        if self.has_failed_too_often:
            self._release(doubted=False)
            self.mode = self._behind_last_call
            return at
        if text[at] in "]}":
            found = self.landmark_at(text, at, final)  # some markers begin with a bracket
            if found == MORE:
                return at
            if found == NO:
                return at + 1
        if self.outbox.patient and self._wrapped:
            stop = self._to_wrapper_end(text, at, final)
            if stop != NO:
                return stop
        blank = _BLANK.match(text, at)
        if self.outbox.patient and blank and text[blank.end()] == "\n":
            self._release(doubted=False)  # nothing more stands on its line
        if not final and (_SEPARATOR.may_change(text, at) or _BLANK.may_change(text, at)):
            return at
        separator = _SEPARATOR.match(text, at)
        words = blank is not None and goes_on(text[blank.end()])
        self._release(doubted=words and separator is None)
        self.mode = self.in_prose
        return separator.end() if separator else at

    @property
    def has_failed_too_often(self) -> bool:
        """Have there been so many mistakes that nothing more is read?"""
        return self.outbox.mistakes >= self._setting.limits.mistakes

    def _behind_last_call(self, text: str, at: int, final: bool) -> int:
        """Behind so many mistakes that no more is read, if there is more."""
        space = _SPACES.match(text, at)
        return self._say(text, at, space.end()) if space else self._begin_cut(at, TOO_MANY)

    def _to_wrapper_end(self, text: str, at: int, final: bool) -> int:
        """Behind the closing marker around calls if that comes next, since words there count, too.

        *at* if it may come yet; NO if it does not.
        """
        space = _SPACES.match(text, at)
        start = space.end() if space else at
        if start == len(text):
            return NO if final else at
        found = self.landmark_at(text, start, final)
        if isinstance(found, Found) and found.kind is Landmark.DROPPED:
            self._space = (text[at:start], self.base + at)
            self._wrapped = False
            return found.end
        return at if found == MORE else NO

    def _release(self, *, doubted: bool) -> None:
        """Let the call go that waited for what stands behind it."""
        if doubted and self.outbox.patient:
            self.outbox.amend(REASONS["words_behind"].doubt)
        self.outbox.patient = False
        self.outbox.release()
        self.outbox.text(*self._space)
        self._space = ("", 0)

    # -- the end --------------------------------------------------------------------------

    def _begin_cut(self, at: int, why: tuple[ProblemKind, str] | None = FABRICATED) -> int:
        """From here on nothing is the model's to say, or read."""
        self._cut = CutTail(self.base + at, why, StringIO())
        self.mode = self._in_cut
        return at

    def _in_cut(self, text: str, at: int, final: bool) -> int:
        assert self._cut is not None, "the reply was cut"
        self._cut.raw.write(text[at:])
        return len(text)
