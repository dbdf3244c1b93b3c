"""One reply, read as it arrives: text, thinking, calls, and what only looks like a call.

:class:`ReplyReader` goes through the prose from one telling character to the next. A marker, or
the beginning of a JSON object that could be a call, opens an *attempt*: what follows is read by
a body reader (`json_body.py`, `json_calls.py`) while text and events are withheld (`outbox.py`)
until it is certain which of the two should go out. All decisions depend on positions in the
text, never on how it was cut into chunks.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..events import TextDelta
from ..messages import Span
from ..tools.spec import ToolOffer
from .attempts import Attempt, Body, Policy
from .bare_calls import BareCall, BareCalls
from .base import Limits
from .call_draft import CallSetting
from .candidates import leading_key
from .cut import CutTail
from .families.json_tokens import OtherJson
from .fenced_calls import Fences
from .fences import FENCE, FENCE_BEGUN
from .forms import ReplyForm
from .json_calls import JsonCalls
from .landmarks import Landmark, landmarks
from .leaks import ends_reply, invented_turn, opens_turn
from .marked_body import MarkedBody
from .offered import offered
from .outbox import Outbox
from .reasoning import Reasoning
from .scanner import MORE, NO
from .string_feed import StreamedString
from .surroundings import Standing, Surroundings
from .thoughts import Thought

__all__ = ["ReplyReader"]

_LONGEST_RUN = 64
_RUN = re.compile(r"`{1,64}+|~{1,64}+")
_SPACE = re.compile(r"[\s,]++")
_QUOTED_MEMBER = re.compile(r"\{\s{0,80}+[\"'“]")
_SEPARATOR = re.compile(r"\s{0,20}+[,;]\s{0,20}+(?=[{\[<])")
_SEPARATOR_BEGUN = re.compile(r"\s{0,20}+(?:[,;]\s{0,20}+)?\Z")

_INDENT = re.compile(r"\s{1,200}")

_Mode = Callable[[str, int, bool], int]


class ReplyReader:
    """Reads one reply into *outbox*. Each ``_in_…`` and ``_behind_…`` method is a mode of it."""

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
        tags = self._setting.offered.names if form.tool_tags else ()
        self.landmarks = landmarks(form, reasoning, tags)
        self.around = Surroundings()
        self._recoveries = limits.recoveries
        self.text = ""  # not read yet
        self.base = 0  # where in the reply that begins
        self.mode: _Mode = self.in_prose
        self._attempt: Attempt | None = None
        self.fences = Fences(self, form)
        self._other = OtherJson(None)
        self._cut: CutTail | None = None
        self._broken_off = False
        self._thought = Thought(self.landmarks.ends_of_thought)
        if reasoning.starts_inside:
            self.mode = self._in_thought

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if all of it may go out at once."""
        return self._attempt.streaming if self._attempt is not None else None

    def plain(self, text: str) -> TextDelta | None:
        """*text* read, if it is prose behind prose and nothing in it could begin anything.

        Most chunks of most replies are: this takes a third of the time of :meth:`read`.
        """
        if self.text or self.mode != self.in_prose or not self.outbox.is_empty:
            return None
        if not text or self.landmarks.telling.search(text):
            return None
        if self.bare.by_name and (self.around.blank_line or "\n" in text):
            return None
        start = self.base
        self.base = end = start + len(text)
        self.around.saw(text)
        return TextDelta(text, Span(start, end))

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
        held = self.outbox
        undecided = self._broken_off and held.withholds_whole_call
        if undecided or (held.withholding and not held.withholds_call):
            held.let_go_as_text()
        self.outbox.let_go()
        problem = self._cut.problem() if self._cut else None
        if problem is not None:
            self.outbox.rejected(None, problem)
        self.outbox.settle()

    # -- prose ----------------------------------------------------------------------------

    def in_prose(self, text: str, at: int, final: bool) -> int:
        if self.bare.by_name and self.around.blank_line:
            stop = self._at_line(text, at, final)
            if stop != NO:
                return stop
        telling = self.landmarks.telling.search(text, at)
        stop = telling.start() if telling else len(text)
        if stop > at:
            newline = text.find("\n", at, stop) if self.bare.by_name else NO
            return self._say(text, at, stop if newline == NO else newline + 1)
        landmark, end, number = self.landmarks.at(text, at, final)
        if end == MORE:
            return at
        if landmark is Landmark.THOUGHT and end == len(text) and not final:
            return at  # what comes behind it may matter
        if landmark is not None:
            stop = self._at_landmark(landmark, text, at, end, number)
            return stop if stop != NO else self._say(text, at, at + 1)
        if text[at] in "`~":
            return self._at_run(text, at, final)
        if text[at] in "{[":
            return self._at_bracket(text, at, final)
        return self._say(text, at, at + 1)

    def _at_line(self, text: str, at: int, final: bool) -> int:
        """At the start of a line, where a call may begin with its name; NO if none does."""
        space = _INDENT.match(text, at)
        if space:
            return self._say(text, at, space.end())
        if self.around.standing() is not Standing.PLAIN:
            return NO
        return self.at_bare(self.bare.at_name(text, at, final), at)

    def at_bare(self, found: BareCall | int, at: int) -> int:
        """Read the bare call that was found at *at*: where reading goes on; NO if there is none."""
        if isinstance(found, int):
            return at if found == MORE else NO
        self._try(found.body, at)
        self.outbox.keep(found.lead)
        return at + len(found.lead)

    def _say(self, text: str, at: int, stop: int) -> int:
        piece = text[at:stop]
        self.outbox.text(piece, self.base + at)
        self.around.saw(piece)
        return stop

    def _at_run(self, text: str, at: int, final: bool) -> int:
        """Backticks or tildes: a fence at the start of a line, otherwise inline code."""
        run = _RUN.match(text, at)
        assert run is not None, "a run has at least one character"
        if not self.around.in_code and not self.around.in_block_quote:
            fence = FENCE.match(text, at)
            if fence:
                return self.fences.begin(fence, at)
            if not final and FENCE_BEGUN.match(text, at):
                return at
        if run.end() == len(text) and not final and len(run.group()) < _LONGEST_RUN:
            return at
        if text[at] == "`":
            self.around.saw_backticks(len(run.group()))
        return self._say(text, at, run.end())

    def _at_bracket(self, text: str, at: int, final: bool) -> int:
        """A bracket: perhaps the beginning of a call that stands without a marker."""
        key = leading_key(text, at, final)
        if key and key == self._form.result_key and self.around.standing() is Standing.PLAIN:
            return self._begin_cut(at)
        apart = self.around.after_sentence
        stop = self.at_bare(self.bare.at_bracket(text, at, final, apart=apart), at)
        if stop != NO:
            return stop
        if key and _QUOTED_MEMBER.match(text, at):
            self._other = OtherJson(self._form.shape.wrapper, self.landmarks.call_markers)
            self.mode = self._in_other_json
            return at
        return self._say(text, at, at + 1)

    def _in_other_json(self, text: str, at: int, final: bool) -> int:
        """In an object that is no call: what looks like one inside it is data."""
        stop = self._other.feed(text, at, final)
        if stop > at:
            self._say(text, at, stop)
        if self._other.done:
            self.mode = self.in_prose
        elif self._other.at_calls:
            self._other.at_calls = False
            self.mode = self.in_prose
            self._try(JsonCalls(self._setting, marked=True), stop)
        return stop

    # -- landmarks ------------------------------------------------------------------------

    def _at_landmark(self, landmark: Landmark, text: str, at: int, end: int, number: int) -> int:
        """Where reading goes on; NO if the marker means nothing where it stands."""
        match landmark:
            case Landmark.CALL:
                return self.at_call(text, at, end, number)
            case Landmark.DROPPED if not self.around.in_code:
                return self._at_dropped(text, at, end)
            case Landmark.RESULT if self.around.standing() is Standing.PLAIN:
                return self._begin_cut(at)
            case Landmark.THOUGHT if self._begins_thought(text, end):
                self._thought = Thought(self.landmarks.ends_of_thought)
                self.mode = self._in_thought
                return end
            case Landmark.END_OF_THOUGHT if not self.around.in_code:
                return end  # the thought was opened in the prompt, or never
            case Landmark.END_OF_CALL if self.around.blank_line:
                return end  # of one that was ended before, or had no opening marker
            case Landmark.LEAK if not self.around.in_code:
                return self._at_leak(text[at:end], at, end)
        return NO

    def _begins_thought(self, text: str, end: int) -> bool:
        """A tag amid words is only named, unless its thought begins on a line of its own."""
        shown = self.around.in_code or self.around.in_block_quote
        return self.around.begins_something or (not shown and text[end : end + 1] == "\n")

    def at_call(self, text: str, at: int, end: int, number: int) -> int:
        woven = self.around.standing() is not Standing.PLAIN
        markers = self.landmarks.calls[number]
        self._try(MarkedBody(self._setting, markers, self.base + end, in_sentence=woven), at)
        self.outbox.keep(text[at:end])
        return end

    def _at_dropped(self, text: str, at: int, end: int) -> int:
        """A marker around calls: nobody should read it, unless a sentence names it.

        What stands before it goes on to count for the call behind it.
        """
        if self.around.standing() is not Standing.PLAIN:
            self.outbox.text(text[at:end], self.base + at)
        return end

    def _at_leak(self, token: str, at: int, end: int) -> int:
        if ends_reply(token):
            return self._begin_cut(at, fabricated=False)
        if opens_turn(token):
            self.mode = self._in_speaker
        return end

    def _in_speaker(self, text: str, at: int, final: bool) -> int:
        end, invented = invented_turn(text, at, final)
        if end == MORE:
            return at
        self.mode = self.in_prose
        if invented:
            return self._begin_cut(at, fabricated=False)
        return at if end == NO else end

    def _in_thought(self, text: str, at: int, final: bool) -> int:
        stop = self._thought.feed(text, at, final)
        if not self._thought.over:
            self.outbox.reasoning(text[at:stop], self.base + at)
            return stop
        self.mode = self.in_prose
        self.around.restart()
        return stop

    # -- attempts at a call ---------------------------------------------------------------

    def _try(self, body: Body, at: int) -> None:
        """Read what begins at *at* as a call; what it was is decided later."""
        start = self.base + at
        policy = Policy.ASK_FENCE
        if self.fences.open is None:
            policy = Policy.of(self.around.standing())
            self.outbox.withhold(start)
        self.outbox.woven_from = start if policy is Policy.ASK_NEXT else None
        self._attempt = Attempt(body, policy, start, self.outbox)
        self.mode = self._in_attempt

    def _in_attempt(self, text: str, at: int, final: bool) -> int:
        attempt = self._attempt
        assert attempt is not None, "an attempt is under way"
        stop = attempt.feed(text, at, self.base, final)
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
        if attempt.policy is Policy.ASK_FENCE:
            self.fences.end_attempt(refused)
        elif refused or attempt.policy is Policy.SHOW:
            shown = self.show_withheld()
            if refused and attempt.policy is Policy.RUN:
                self.fences.shown(shown)
        elif attempt.policy is Policy.ASK_NEXT:
            self.mode = self._behind_example
        else:
            self.run_withheld()

    def _behind_example(self, text: str, at: int, final: bool) -> int:
        shown = Attempt.goes_on(text, at, final, self.around.closing_quote())
        if shown or (self._broken_off and not text[at:].strip()):
            self.show_withheld()
        elif shown is not None:
            self.run_withheld()
        return at

    def show_withheld(self) -> str:
        """What was withheld is text, which is returned."""
        self.mode = self.in_prose
        self.outbox.repairs = ()
        text = self.outbox.let_go_as_text()
        self.around.saw(text)
        return text

    def run_withheld(self) -> None:
        """What was withheld is a call."""
        self.mode = self._between_calls
        self.outbox.repairs = ()
        self.outbox.let_go()
        self.around.restart()

    def _between_calls(self, text: str, at: int, final: bool) -> int:
        """Behind a call: separators and brackets to spare are no text."""
        if text[at] in "]}":
            return at + 1
        separator = _SEPARATOR.match(text, at)
        if separator is None and not final and _SEPARATOR_BEGUN.match(text, at):
            return at
        self.mode = self.in_prose
        return separator.end() if separator else at

    # -- the end --------------------------------------------------------------------------

    def _begin_cut(self, at: int, *, fabricated: bool = True) -> int:
        """From here on nothing is the model's to say."""
        self._cut = CutTail(self.base + at, fabricated=fabricated)
        self.mode = self._in_cut
        return at

    def _in_cut(self, text: str, at: int, final: bool) -> int:
        assert self._cut is not None, "the reply was cut"
        self._cut.write(text[at:])
        return len(text)
