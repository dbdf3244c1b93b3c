"""One reply, read as it arrives: text, thinking, calls, and what only looks like a call.

:class:`ReplyReader` goes through the prose from one telling character to the next, as ordinary
sequential code that waits where more text could change what it finds (`source.py`). A marker, or
the beginning of a JSON object that could be a call, opens a *body*, which is read while text and
events are withheld (`events_out.py`) until it is certain which of the two should go out. Where the
body stands decides what becomes of it (`place.py`). All decisions depend on positions in the text,
never on how it was cut into chunks.
"""

from __future__ import annotations

import re
from copy import deepcopy
from functools import partial
from io import StringIO
from typing import NamedTuple

from ...messages import ProblemKind, Span
from ...tools.spec import ToolOffer
from ..calls.marked import CallBody, MarkedBody
from ..calls.names import leading_key, offered
from ..calls.record import Beginning, CallSetting
from ..calls.which_reader import BareCalls, Opening
from ..contract import Limits
from ..families.json_calls import JsonCalls
from ..patterns import Pattern
from ..source import Pull, Source
from .events_out import Outbox
from .fences import FENCE, FENCED, CodeFence, behind_fence, in_code, open_fence, read_fence
from .forms import ReplyForm
from .hot_string import StreamedString
from .landmarks import CallMarkers, Found, Landmark, landmarks
from .markers import MORE, NO
from .other_json import OtherJson
from .place import OF_TALK, PLAIN, REASONS, Place, Standing, Verdict, goes_on
from .thinking import Reasoning, Thought

__all__ = ["PassedOver", "ReplyReader"]

_RUN = Pattern(r"`{1,64}+|~{1,64}+")
_QUOTED_MEMBER = re.compile(r"\{\s{0,80}+[\"'“]")
_BARE_MEMBER = re.compile(r"\{\s{0,80}+([A-Za-z_]{1,30}+)[^A-Za-z_]")
_SEPARATOR = Pattern(r"\s{0,20}[,;]\s{0,20}(?=[{\[<])")
_INDENT = re.compile(r"[ \t\r]{1,200}")
_SPACES = re.compile(r"\s{1,64}")
_BLANK = Pattern(r"[ \t]{0,64}(?=\S|\n)")
#: Whose turn it is; those in the group are not the model.
_SPEAKER = Pattern(r"(user|system|tool|ipython)|assistant|model")
#: Text that may follow a call in a thought before it is decided whether the thought is closed.
_LONGEST_WAIT = 65_536

#: Why the rest of a reply is not read, where the model is told.
_FABRICATED = (
    ProblemKind.FABRICATED_RESULT,
    "you wrote a tool result yourself; only the tool's real result counts",
)
_TOO_MANY = (
    ProblemKind.TOO_LARGE,
    "so many calls before it are not as they should be that the rest was not read;"
    " write fewer at a time",
)


class PassedOver(NamedTuple):
    """Something that was read like a call and is none, and why.

    *reason* is a name of ``place.REASONS``, or ``broken_off`` if it was not decided yet.
    """

    span: Span
    reason: str


class ReplyReader:
    """Reads one reply into *outbox*."""

    # Every reply has one, and its attributes are asked for at every character that may tell.
    __slots__ = (
        "_body", "_markers_left", "_reading", "_rests", "_setting", "_space", "_tells", "_wrapped",
        "bare", "calm", "code", "form", "inside", "is_over", "landmarks", "line_begins", "outbox",
        "passed_over", "place", "quiet", "source",
    )  # fmt: skip

    def __init__(
        self,
        form: ReplyForm,
        offer: ToolOffer,
        outbox: Outbox,
        reasoning: Reasoning,
        limits: Limits,
    ) -> None:
        self.form = form
        self.outbox = outbox
        self.source = Source()
        self._setting = CallSetting(form.shape, offered(offer), outbox, limits, form.gated)
        self.bare = BareCalls(form, self._setting)
        self.landmarks = landmarks(form, reasoning)
        self.place = Place()
        self.passed_over: list[PassedOver] = []
        self._markers_left = limits.markers  # without a call behind them
        self._tells = self.landmarks.telling.search
        self.line_begins = True  # nothing but space since the line began, or since a call
        self.inside = ""  # what shows all that stands in it, by its name in REASONS
        self._space = ("", 0)  # between a call that waits and the marker around calls, and where
        self._wrapped = False  # has a marker around calls come, or what is dropped like one?
        self._body: CallBody | None = None  # that is being read
        self._rests = False  # in prose, all of which was read
        self.quiet = False  # the same, with nothing undecided
        self.calm = False  # the same, in the middle of a line
        self.code: CodeFence | None = None  # in which reading rests
        self.is_over = False  # is nothing that follows the model's to say?
        self._reading = self._read(starts_inside=reasoning.starts_inside)

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if all of it may go out at once."""
        return None if self._body is None or self.outbox.withholding else self._body.streaming

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
        self.source.text += text
        next(self._reading)
        self.outbox.keep()
        self.source.forget()
        self.quiet = self._rests and not self.outbox.keeps_something
        self.calm = self.quiet and not self.line_begins

    def finish(self, reason: str | None) -> None:
        """The reply is over: decide whatever is undecided.

        If it was broken off, for *reason*, its end says nothing: a call that would be taken for
        meant because nothing follows it is only shown.
        """
        self.outbox.cut = reason is not None
        self.source.final = True
        next(self._reading, None)
        self.calm = self.quiet = False  # nothing more is prose

    def _read(self, *, starts_inside: bool) -> Pull[None]:
        if starts_inside:
            yield from self._in_thought(in_prompt=True)
        else:
            yield from self._at_start()
        yield from self._in_prose()
        self._release(doubted=False)

    # -- prose ----------------------------------------------------------------------------

    def _at_start(self) -> Pull[None]:
        """At the first character of the reply, where its template may have begun a thought."""
        if not (yield from self.source.peek()):
            return
        found = yield from self.source.ask(self.landmarks.starts.at)
        if isinstance(found, Found):
            self.source.at = found.end
            if found.kind is Landmark.THOUGHT:
                yield from self._in_thought()

    def _in_prose(self) -> Pull[None]:
        source, no_tag_lines = self.source, self.landmarks.no_tag_lines
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
            is_line = self.line_begins and not (no_tag_lines and source.text[source.at] == "<")
            if is_line and (yield from self._at_line()):
                continue
            stop, found = self._next_telling()
            self._say(stop)
            if found is not None:
                yield from self._at_telling(found)

    def _next_telling(self) -> tuple[int, Found | int | None]:
        """Where the next thing stands that may mean something, and the landmark there.

        Most brackets turn out to mean nothing. None where nothing but a line begins.
        """
        text, at, final = self.source.text, self.source.at, self.source.final
        start = at
        while telling := self._tells(text, at):
            at = telling.start()
            char = text[at]
            if char == "\n":
                return at + 1, None  # something may begin in the line below
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

    def landmark_at(self, text: str, at: int, final: bool) -> Found | int:
        """The landmark at *at*, or NO, or MORE."""
        return self.landmarks.at(text, at, final, self._setting.offered)

    def _at_telling(self, found: Found | int) -> Pull[None]:
        source = self.source
        if found == MORE:
            found = yield from source.ask(self.landmark_at)
        char = source.text[source.at]
        if isinstance(found, Found):
            read_on = yield from self._at_landmark(found)
        elif char in "`~":
            read_on = yield from self._at_run()
        else:
            read_on = char in "{[" and (yield from self._at_bracket())
        if not read_on:
            self._say(source.at + 1)

    def _at_line(self) -> Pull[bool]:
        """At the beginning of a line: did something special begin it, which was read?"""
        source = self.source
        if space := _INDENT.match(source.text, source.at):
            self._say(space.end())
            return True
        found = yield from source.ask(self.landmarks.lines.at)
        if isinstance(found, Found) and found.kind is not Landmark.END_OF_REPLY:
            return (yield from self._at_landmark(found))
        if isinstance(found, Found) and self.place.after_blank_line:
            yield from self._in_cut(None)
            return True
        if not self.bare.by_name:
            return False
        opening = yield from source.ask(self.bare.at_name)
        if isinstance(opening, int) or self.place.standing().verdict is not Verdict.PLAIN:
            return False
        yield from self._try_unmarked(opening)
        return True

    def _say(self, stop: int) -> None:
        """What was read, up to *stop*, is text."""
        source = self.source
        if stop > source.at:
            piece = source.text[source.at : stop]
            self.outbox.text(piece, source.offset)
            self._saw(piece)
            source.at = stop

    def _saw(self, piece: str) -> None:
        self.place.saw(piece)
        newline = piece.rfind("\n")
        if newline >= 0 or self.line_begins:
            self.line_begins = not piece[newline + 1 :].strip()

    def _at_run(self) -> Pull[bool]:
        """Backticks or tildes: a fence, or inline code."""
        source, place = self.source, self.place
        may_open = place.allows_fence and (self.line_begins or not place.in_code)
        if may_open and (fence := (yield from source.match(FENCE))):
            self._markers_left -= 1
            yield from read_fence(self, fence)
            return True
        run = yield from source.match(_RUN)
        assert run is not None, "a run has at least one character"
        self._say(run.end())
        return True

    def give_up(self) -> None:
        """So much has come that only costs time: all the rest is text."""
        self._markers_left = 0

    def _in_rest(self) -> Pull[None]:
        source = self.source
        while (yield from source.peek()):
            self.outbox.text(source.text[source.at :], source.offset)
            source.at = len(source.text)

    def _at_bracket(self) -> Pull[bool]:
        """A bracket: perhaps the beginning of a call that stands without a marker."""
        source = self.source
        key = yield from source.ask(leading_key)
        standing = self.place.standing  # most brackets mean nothing, wherever they stand
        if key and key == self.form.result_key and standing().begins_something:
            yield from self._in_cut(_FABRICATED)
            return True
        opening = yield from source.ask(partial(self.bare.at_bracket, str(key), standing))
        if not isinstance(opening, int):
            yield from self._try_unmarked(opening)
            return True
        if not key or not _QUOTED_MEMBER.match(source.text, source.at):
            return False
        yield from self._in_other_json(standing())
        return True

    def _in_other_json(self, standing: Standing) -> Pull[None]:
        """In an object that is no call: what looks like one inside it is data."""
        source = self.source
        other = OtherJson(self.form.shape.wrapper, self.landmarks.of_calls.end_at)
        self.inside = "other_json"
        while not other.done and (yield from source.peek()):
            at = source.at
            self._say(other.feed(source.text, at, source.final))
            if source.at == at and not other.done:
                yield
        self.inside = ""
        if other.at_calls:
            calls = Opening(JsonCalls(Beginning(self._setting)))
            yield from self._try(self.unmarked(calls), standing)

    # -- landmarks ------------------------------------------------------------------------

    def _at_landmark(self, found: Found) -> Pull[bool]:
        """Read on from there; False if the marker means nothing where it stands."""
        source, named = self.source, self.place.in_code
        match found.kind:
            case Landmark.CALL:
                assert found.call is not None, "the markers of a call"
                yield from self._try_marked(found.call, found.end)
                return True
            case Landmark.DROPPED:
                yield from self._at_dropped(found.end)
                return True
            case Landmark.RESULT if self.place.standing().begins_something:
                yield from self._in_cut(_FABRICATED)
                return True
            case Landmark.END_OF_REPLY if not named:
                yield from self._in_cut(None)
                return True
            case Landmark.RESULT | Landmark.END_OF_REPLY:
                return False
            case Landmark.END_OF_CALL if not self._is_stray(named):
                return False
            case _ if named and found.kind is not Landmark.END_OF_CALL:
                return False
        source.at = found.end
        if found.kind is Landmark.THOUGHT:
            yield from self._in_thought()
        elif found.kind is Landmark.END_OF_THOUGHT:
            self.place.in_thought = False  # one around another, or opened in the prompt, or never
        elif found.kind is Landmark.TURN:
            speaker = yield from source.take(_SPEAKER)
            if speaker and speaker[1]:
                yield from self._in_cut(None)
        return True

    def _is_stray(self, named: bool) -> bool:
        """Does the closing marker here end a call that was ended before, or never opened?"""
        source = self.source
        return self.line_begins or (source.text[source.at + 1] in "|｜" and not named)

    def _at_dropped(self, end: int) -> Pull[None]:
        """A marker around calls: nobody should read it, unless a sentence names it.

        What stands before it goes on to count for the call behind it.
        """
        source = self.source
        self._wrapped = True
        if self.place.standing().verdict is Verdict.PLAIN:
            source.at = end
            return
        self.outbox.text(source.text[source.at : end], source.offset)
        source.at = end
        # A line end between the marker and the first of the calls changes nothing.
        while (yield from source.peek()) and (space := _SPACES.match(source.text, source.at)):
            self.outbox.text(space.group(), source.offset)
            source.at = space.end()

    def _in_cut(self, why: tuple[ProblemKind, str] | None) -> Pull[None]:
        """From here on nothing is the model's to say, or read; None for what somebody else says."""
        source, raw = self.source, StringIO()
        self.is_over, start = True, source.offset
        while (yield from source.peek()):
            raw.write(source.text[source.at :] if why else "")
            source.at = len(source.text)
        if why:
            self.outbox.rejected_text(*why, raw.getvalue(), start)

    # -- thoughts -------------------------------------------------------------------------

    def _in_thought(self, *, in_prompt: bool = False) -> Pull[None]:
        """In a thought, to its end.

        By the model's template some calls end a thought. They count, unless the thought is closed
        behind them.
        """
        source, outbox = self.source, self.outbox
        thought = Thought(self.landmarks.in_thought, in_prompt=in_prompt)
        behind = -1  # where in the reply the last call ended
        self.inside = "thinking"
        while (yield from source.peek()):
            at = source.at
            source.at = thought.feed(source.text, at, source.final)
            if thought.end is None:
                if behind < 0:
                    outbox.reasoning(source.text[at : source.at], source.base + at)
                elif source.offset - behind > _LONGEST_WAIT:
                    self._count_in_thought(behind)
                    behind, thought = -1, Thought(self.landmarks.in_thought)
                if source.at == at:
                    yield
            elif thought.end.call is None:
                end, source.at = source.at, at
                self._end_thought(thought, called=behind >= 0)
                source.at = end
                return
            else:
                end, source.at = source.at, at
                if behind < 0:
                    outbox.withhold(source)
                yield from self.read_body(MarkedBody(self._setting, thought.end.call, end))
                behind, thought = source.offset, Thought(self.landmarks.in_thought)
        if behind >= 0:
            self._count_in_thought(behind)

    def _end_thought(self, thought: Thought, *, called: bool) -> None:
        if called:
            self._pass_over(self.outbox.let_go_as_reasoning(), "thinking")
        self.inside = ""
        self.place.restart()
        self.place.in_thought = thought.inner > 0
        self.line_begins = True

    def _count_in_thought(self, behind: int) -> None:
        """The thought was not closed, so the calls in it, up to *behind*, ended it."""
        self.outbox.doubt_withheld(REASONS["unclosed_thought"].doubt)
        after = self.outbox.withheld_text(behind)
        self.outbox.let_go()
        self.outbox.reasoning(after, behind)

    # -- what may be a call ---------------------------------------------------------------

    def marked(self, markers: CallMarkers, end: int, *, in_sentence: bool = False) -> MarkedBody:
        """What reads the call behind the marker that ends at *end*."""
        return MarkedBody(self._setting, markers, end, in_sentence=in_sentence)

    def unmarked(self, opening: Opening) -> CallBody:
        """What reads that call."""
        return CallBody(self._setting, opening)

    def read_body(self, body: CallBody) -> Pull[bool]:
        """Have *body* read; was it no call?"""
        self._body = body
        yield from body.read(self.source)
        self._body = None
        if body.refused and body.is_dear:
            self._markers_left -= 1
        return body.refused

    def _try_marked(self, markers: CallMarkers, end: int) -> Pull[None]:
        standing, special = self.place.standing(), markers.opener.is_special
        if special and standing.reason in OF_TALK:
            standing = PLAIN
        woven = standing.verdict is not Verdict.PLAIN
        # Nobody asked for a call in a fence: that one is like any other.
        is_fence = markers.is_any_fence and not woven
        if is_fence:
            self.outbox.repairs = (FENCED,)
        body = self.marked(markers, end, in_sentence=woven)
        yield from self._try(body, standing, special=special, is_fence=is_fence)

    def _try_unmarked(self, opening: Opening) -> Pull[None]:
        standing = self.place.standing()
        # Unknown markup before a call without its marker is that marker gone wrong.
        odd_marker = opening.is_guess and standing is REASONS["behind_markup"]
        yield from self._try(self.unmarked(opening), PLAIN if odd_marker else standing)

    def _try(
        self,
        body: CallBody,
        standing: Standing,
        *,
        special: bool = False,
        is_fence: bool = False,
    ) -> Pull[None]:
        """Read what begins here as a call, and then decide what it was."""
        plain = standing.verdict is Verdict.PLAIN
        self.outbox.withhold(self.source, until_certain=plain and not is_fence)
        # Words behind it on its line would show it to be talk: its end waits for them.
        self.outbox.patient = plain and not special
        refused = yield from self.read_body(body)
        if standing.verdict is Verdict.SHOWN:
            self.show_withheld(standing.reason)
        elif refused:
            fence = open_fence(self.show_withheld())
            if fence and plain and not is_fence:
                yield from in_code(self, fence)
        elif is_fence:
            self.outbox.patient = False
            yield from behind_fence(self)
        elif plain:
            yield from self.run_withheld()
        else:
            yield from self._end_doubted(standing)

    def _end_doubted(self, standing: Standing) -> Pull[None]:
        """Its place is doubtful: with a doubtful form it is text, else a call that says so."""
        if self.outbox.withholds_guess:
            self.show_withheld(standing.reason)
            return
        if self.outbox.withholds_whole_call:
            self.outbox.doubt_withheld(standing.doubt)
        else:  # what is no call in the middle of a sentence is a mistake, unless that goes on
            blank = yield from self.source.match(_BLANK)
            if blank and goes_on(self.source.text[blank.end()]):
                self.show_withheld("mid_sentence")
                return
        yield from self.run_withheld()

    def show_withheld(self, reason: str = "") -> str:
        """What was withheld is text, which is returned; *reason* if that is its place."""
        self.outbox.repairs = ()
        self.outbox.patient = False
        if reason and self.outbox.withholds_call:
            self._markers_left -= 1
            self._pass_over(self.outbox.withheld_span, reason)
        text = self.outbox.let_go_as_text()
        self._saw(text)
        return text

    def end_withheld(self) -> None:
        """The reply is over: what was withheld is a call, unless there is none, or a cut hides it.

        What would follow might show it to be none.
        """
        if self.outbox.cut and self.outbox.withholds_whole_call:
            self.show_withheld("broken_off")
        elif self.outbox.withholds_call:
            self.outbox.let_go()
        else:
            self.show_withheld()

    def _pass_over(self, span: Span, reason: str) -> None:
        self.passed_over.append(PassedOver(span, reason))

    @property
    def has_failed_too_often(self) -> bool:
        """Have there been so many mistakes that nothing more is read?"""
        return self.outbox.mistakes >= self._setting.limits.mistakes

    def run_withheld(self) -> Pull[None]:
        """What was withheld is a call; separators and brackets to spare behind it are no text."""
        self.outbox.repairs = ()
        self.outbox.let_go()
        self.place.restart()
        self.line_begins = True
        if (yield from self.source.peek()) and self.has_failed_too_often:
            yield from self._behind_last_call()
            return
        yield from self._pass_brackets()
        while self.outbox.patient and self._wrapped and (yield from self._pass_wrapper_end()):
            yield from self._pass_brackets()
        blank = yield from self.source.match(_BLANK)
        follows = self.source.text[blank.end()] if blank else ""
        if self.outbox.patient and follows == "\n":
            self._release(doubted=False)  # nothing more stands on its line
        separator = yield from self.source.take(_SEPARATOR)
        self._release(doubted=bool(follows) and goes_on(follows) and separator is None)

    def _pass_brackets(self) -> Pull[None]:
        """Pass over brackets to spare; some markers begin with one."""
        while (yield from self.source.peek()) in ("]", "}"):
            if (yield from self.source.ask(self.landmark_at)) != NO:
                return
            self.source.at += 1

    def _behind_last_call(self) -> Pull[None]:
        """Behind so many mistakes that no more is read, if there is more."""
        source = self.source
        self._release(doubted=False)
        while (yield from source.peek()):
            space = _SPACES.match(source.text, source.at)
            if space is None:
                yield from self._in_cut(_TOO_MANY)
                return
            self._say(space.end())

    def _pass_wrapper_end(self) -> Pull[bool]:
        """Pass the closing marker around calls if that comes next, since words there count, too."""
        source = self.source
        while True:
            space = _SPACES.match(source.text, source.at)
            start = space.end() if space else source.at
            found: Found | int = NO if source.final else MORE
            if start < len(source.text):
                found = self.landmark_at(source.text, start, source.final)
            if found != MORE:
                break
            yield
        if not isinstance(found, Found) or found.kind is not Landmark.DROPPED:
            return False
        self._space = (source.text[source.at : start], source.offset)
        self._wrapped = False
        source.at = found.end
        return True

    def _release(self, *, doubted: bool) -> None:
        """Let the call go that waited for what stands behind it."""
        if doubted and self.outbox.patient:
            self.outbox.amend(REASONS["words_behind"].doubt)
        self.outbox.patient = False
        self.outbox.release()
        self.outbox.text(*self._space)
        self._space = ("", 0)
