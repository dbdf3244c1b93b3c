"""What may be a call: it is tried, and then decided by where it stands and what follows it.

While a *body* is read, its text and its events are both withheld (`events_out.py`) until it is
certain which of the two should go out: a call in the open runs, one that is shown is text, and of
a doubtful one the call says so (`place.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from typing import NamedTuple

from ...messages import ProblemKind, Span
from ...tools.spec import ToolOffer
from ..calls.marked import CallBody, MarkedBody
from ..calls.names import offered
from ..calls.record import CallSetting
from ..calls.which_reader import BareCalls, Opening
from ..contract import Limits, ReplyForm
from ..patterns import Pattern
from ..source import Pull, Source
from .events_out import EventsOut
from .fences import FENCED, behind_fence, in_code, open_fence
from .hot_string import StreamedString
from .landmarks import CallMarkers, Found, Landmark, landmarks
from .lines import VEILED, goes_on
from .markers import MORE, NO
from .place import OF_TALK, PLAIN, REASONS, Place, Standing, Verdict
from .thinking import Reasoning

_SEPARATOR = Pattern(r"\s{0,20}[,;]\s{0,20}(?=[{\[<])")
SPACES = re.compile(r"\s{1,64}")
# Up to what somebody sees, however wide the gap is: words there show a call to be talk.
_BLANK = Pattern(rf"[ \t\r\f\v\x85\u1680\u2028\u2029{VEILED}]{{0,400}}(?=[^\s{VEILED}]|\n)")
_FAR_BLANK = Pattern(rf"[\s{VEILED}]{{0,2000}}(?=[^\s{VEILED}])")
# Perhaps a call, a result, or what is left of a fence or of a call.
_NO_TALK = frozenset("<[{`~;]}")
# Talk that begins like those: a code span, a link or a note in brackets, an arrow, an element; or
# a sentence that goes on behind them.
_TALK = Pattern(
    r"(?:[;\]}]{1,4}|</[^\W\d_]\w{0,20}>)[ \t]{1,8}(?=[^\W\d_A-ZÀ-ÞΑ-ΩА-Я])|"
    r"(?:`{1,2}|~{1,2})(?![`~])|<(?:[-=\s]|!--|[A-Za-z]{1,10}>[ \t]{0,3}(?=\w))"
    r"|[\[{]{1,2}[^][{}\n\"'(]{1,40}[]}]{1,2}(?:\(|[ \t]{1,8}(?=\w))"
)

#: Why the rest of a reply is not read, where the model is told.
FABRICATED = (
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

    *reason* is a name of ``place.REASONS``; or ``broken_off`` if it was not decided yet, or
    ``echo`` if it only repeats the call before it.
    """

    span: Span
    reason: str


class Attempts:
    """Where reading one reply stands, and what is done with what may be a call in it."""

    # Every reply has one, and its attributes are asked for at every character that may tell.
    __slots__ = (
        "_amid_talk",
        "_behind_call",
        "_body",
        "_markers_left",
        "_setting",
        "_wrapped",
        "bare",
        "form",
        "inside",
        "is_over",
        "landmark_at",
        "landmarks",
        "line_begins",
        "out",
        "passed_over",
        "place",
        "source",
        "takes",
    )  # fmt: skip

    def __init__(
        self,
        form: ReplyForm,
        offer: ToolOffer,
        out: EventsOut,
        reasoning: Reasoning,
        limits: Limits,
    ) -> None:
        self.form = form
        self.out = out
        self.source = Source()
        self._setting = CallSetting(form.shape, offered(offer), out, limits, form.only_offered)
        self.bare = BareCalls(form, self._setting)
        self.landmarks = landmarks(form, reasoning)
        self.landmark_at = self.landmarks.finder(self._setting.offered)
        self.place = Place(labelled=bool(form.calls) and form.calls[0].loose is not None)
        self.passed_over: list[PassedOver] = []
        self._markers_left = limits.markers  # without a call behind them
        self.line_begins = True  # nothing but space since the line began, or since a call
        self.inside = ""  # what shows all that stands in it, by its name in REASONS
        #: While reading rests in a fence, or in what is not read: does a text only go on with it?
        self.takes: Callable[[str], bool] | None = None
        self._behind_call = False  # nothing but space since a call that had its marker
        self._amid_talk = False  # has a call come that a line leads to, with talk behind it?
        self._wrapped = False  # has a marker around calls come, or what is dropped like one?
        self._body: CallBody | None = None  # that is being read
        self.is_over = False  # is nothing that follows the model's to say?

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        string = None if self._body is None else self._body.streaming
        return None if string is None else self.out.withheld_string(string)

    @property
    def has_failed_too_often(self) -> bool:
        """Have there been so many mistakes that nothing more is read?"""
        return self.out.mistakes >= self._setting.limits.mistakes

    def give_up(self) -> None:
        """So much has come that only costs time: all the rest is text."""
        self._markers_left = 0

    def _saw(self, piece: str) -> None:
        self.place.saw(piece)
        if self.line_begins or "\n" in piece:
            self.line_begins = not piece[piece.rfind("\n") + 1 :].strip()
        self._behind_call = self._behind_call and not piece.strip()

    def say(self, stop: int) -> None:
        """What was read, up to *stop*, is text."""
        source = self.source
        if stop > source.at:
            piece = source.text[source.at : stop]
            self.out.text(piece, source.base + source.at)
            self._saw(piece)
            source.at = stop

    def cut_off(self, why: tuple[ProblemKind, str] | None) -> Pull[None]:
        """From here on nothing is the model's to say, or read; None for what somebody else says."""
        source, raw = self.source, StringIO()
        self.is_over, start = True, source.offset
        while (yield from source.peek()):
            raw.write(source.text[source.at :] if why else "")
            source.at = len(source.text)
        if why:
            self.out.rejected_text(*why, raw.getvalue(), start)

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

    def try_marked(self, markers: CallMarkers, end: int) -> Pull[None]:
        standing, special = self.place.standing(), markers.opener.is_special
        if special and standing.reason in (*OF_TALK, "to_user"):  # it begins a message of its own
            standing = PLAIN
        woven = standing.verdict is not Verdict.PLAIN
        # Nobody asked for a call in a fence: that one is like any other.
        is_fence = markers.is_any_fence and not woven
        if is_fence:
            self.out.repairs = (FENCED,)
        body = self.marked(markers, end, in_sentence=woven)
        # A call that was not closed may be begun anew.
        echo = self._behind_call and self.out.is_unclosed
        yield from self.try_body(body, standing, special=special, is_fence=is_fence, may_echo=echo)

    def try_unmarked(self, opening: Opening) -> Pull[None]:
        standing = self.place.standing()
        # Unknown markup before a call without its marker is that marker gone wrong.
        odd_marker = opening.is_guess and standing is REASONS["behind_markup"]
        standing = PLAIN if odd_marker else standing
        # LFM2 often writes a call once more behind the marker that closes it.
        may_echo = opening.is_guess and self._behind_call
        yield from self.try_body(self.unmarked(opening), standing, may_echo=may_echo)
        self._behind_call = False

    def try_body(
        self,
        body: CallBody,
        standing: Standing,
        *,
        special: bool = False,
        is_fence: bool = False,
        may_echo: bool = False,
    ) -> Pull[None]:
        """Read what begins here as a call, and then decide what it was."""
        plain = standing.verdict is Verdict.PLAIN
        until_certain = plain and not (is_fence or may_echo)
        self.out.withhold(self.source, until_certain=until_certain)
        # Words behind it on its line would show it to be talk: its end waits for them.
        self.out.patient = plain and not special
        self.out.led_to = self.out.patient and self.place.is_led_to
        refused = yield from self.read_body(body)
        if standing.verdict is Verdict.SHOWN:
            self.show_withheld(standing.reason)
        elif refused:
            fence = open_fence(self.show_withheld())
            if fence and plain and not is_fence:
                yield from in_code(self, fence)
        elif may_echo and self.out.withholds_echo:
            self.out.patient = self.out.led_to = False
            self.pass_over(self.out.withheld_span, "echo")
            self.out.drop_withheld()
        elif is_fence:
            self.out.patient = self.out.led_to = False
            yield from behind_fence(self)
        elif plain:
            yield from self.run_withheld()
        else:
            yield from self._end_doubted(standing)

    def _end_doubted(self, standing: Standing) -> Pull[None]:
        """Its place is doubtful: with a doubtful form it is text, else a call that says so."""
        if self.out.withholds_guess:
            self.show_withheld(standing.reason)
            return
        if self.out.withholds_whole_call:
            self.out.doubt_withheld(standing.doubt)
        else:  # what is no call in the middle of a sentence is a mistake, unless that goes on
            blank = yield from self.source.match(_BLANK)
            if blank and goes_on(self.source.text[blank.end()]):
                self.show_withheld("mid_sentence")
                return
        yield from self.run_withheld()

    def show_withheld(self, reason: str = "") -> str:
        """What was withheld is text, which is returned; *reason* if that is its place."""
        self.out.repairs = ()
        self.out.patient = self.out.led_to = False
        if reason and self.out.withholds_call:
            self._markers_left -= 1
            self.pass_over(self.out.withheld_span, reason)
        text = self.out.let_go_as_text()
        self._saw(text)
        return text

    def end_withheld(self) -> None:
        """The reply is over: what was withheld is a call, unless there is none, or a cut hides it.

        What would follow might show it to be none.
        """
        if self.out.cut and self.out.withholds_whole_call:
            self.show_withheld("broken_off")
        elif self.out.withholds_call:
            self.out.let_go()
        else:
            self.show_withheld()

    def pass_over(self, span: Span, reason: str) -> None:
        self.passed_over.append(PassedOver(span, reason))

    def run_withheld(self) -> Pull[None]:
        """What was withheld is a call; separators and brackets to spare behind it are no text."""
        self.out.repairs = ()
        self.out.let_go()
        self.place.restart()
        self.line_begins = self._behind_call = True
        if not (yield from self.source.peek()):
            return
        if self.has_failed_too_often:
            yield from self._behind_last_call()
            return
        yield from self._pass_brackets()
        while self.out.patient and self._wrapped and (yield from self._pass_wrapper_end()):
            yield from self._pass_brackets()
        blank = yield from self.source.match(_BLANK)
        follows = self.source.text[blank.end()] if blank else ""
        if self.out.patient and follows == "\n" and not self.out.led_to:
            self._release()  # nothing more stands on its line
        separator = yield from self.source.take(_SEPARATOR)
        reason = "amid_talk" if self.out.led_to else ""
        # What a tab sets apart stands in another cell.
        talk = goes_on(follows) or follows in _NO_TALK or (blank and "\t" in blank[0])
        reason = "words_behind" if talk and follows.strip() else reason
        may_be_talk = self.out.patient and reason and separator is None
        is_talk = may_be_talk and (yield from self._is_talked_of())
        self._release(reason if is_talk else "")

    def _is_talked_of(self) -> Pull[bool]:
        """Does talk follow the call, on its line or below?"""
        source = self.source
        space = yield from source.match(_FAR_BLANK)
        if space is None:
            return False
        self.say(space.end())
        if source.text[source.at] in _NO_TALK and not (yield from source.match(_TALK)):
            return False
        for table in (self.landmark_at, self.landmarks.lines.at):
            if (yield from source.ask(table)) != NO:
                return False
        return not self.bare.by_name or (yield from self.bare.at_name(source)) is None

    def _pass_brackets(self) -> Pull[None]:
        """Pass over brackets to spare; some markers begin with one."""
        while (yield from self.source.peek()) in ("]", "}"):
            if (yield from self.source.ask(self.landmark_at)) != NO:
                return
            self.source.at += 1

    def _behind_last_call(self) -> Pull[None]:
        """Behind so many mistakes that no more is read, if there is more."""
        source = self.source
        self._release()
        while (yield from source.peek()) and (space := SPACES.match(source.text, source.at)):
            self.say(space.end())
        if (yield from source.peek()):
            yield from self.cut_off(_TOO_MANY)

    def _pass_wrapper_end(self) -> Pull[bool]:
        """Pass the closing marker around calls if that comes next, since words there count, too."""
        source = self.source
        while True:
            space = SPACES.match(source.text, source.at)
            start = space.end() if space else source.at
            found: Found | int = NO if source.final else MORE
            if start < len(source.text):
                found = self.landmark_at(source.text, start, source.final)
            if found != MORE:
                break
            yield
        if not isinstance(found, Found) or found.kind is not Landmark.DROPPED:
            return False
        self.out.text(source.text[source.at : start], source.offset)
        self._wrapped = False
        source.at = found.end
        return True

    def _release(self, reason: str = "") -> None:
        """Let the call go that waited for what stands behind it, doubted if that is a *reason*.

        Whatever still waits where a reply was broken off does not know what it waits for.
        """
        if self.out.cut:
            reason = "cut_behind"
        elif self._amid_talk and self.out.led_to:
            reason = "amid_talk"  # one more way to write what was talked of
        if reason and self.out.patient:
            self.out.amend(REASONS[reason].doubt)
            self._amid_talk = self._amid_talk or self.out.led_to
        self.out.patient = self.out.led_to = False
        self.out.release()
