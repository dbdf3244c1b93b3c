"""What may be a call: it is tried, and then decided by where it stands (`place/`).

While a *body* is read, its text and its events are both withheld (`events_out.py`) until it is
certain which of the two goes out. A call that is only shown is text; one in a doubtful place goes
out and names that place. What comes behind a call may cast a doubt on it later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from io import StringIO
from typing import NamedTuple

from ...messages import Grade, ProblemKind, Repair, Span
from ...tools.spec import ToolOffer
from ..calls.names import offered
from ..calls.record import CallSetting
from ..contract import Limits
from ..hot_string import StreamedString
from ..markers import NO
from ..patterns import Pattern
from ..place import PLAIN, Late, Place, PlaceTracker
from ..reply_form import CallMarkers, ReplyForm
from ..source import Pull, Source
from .events_out import EventsOut
from .landmarks import Found, landmarks
from .marked import CallBody, MarkedBody
from .thinking_tokens import Reasoning
from .which_reader import BareCalls, Opening

_SEPARATOR = Pattern(r"\s{0,20}[,;]\s{0,20}(?=[{\[<])")
SPACES = re.compile(r"\s{1,64}")
_LINE_END = re.compile(r"[\r\n]")
#: Of a marker without a call: data has objects that begin like a call, and there may be many.
_JSON_THAT_IS_NONE = 1 / 16

#: Of a call in a fence that holds nothing but calls.
FENCED = Repair("fenced", Grade.GUESSED)
#: In what is addressed to the person, by the form itself, nothing is a call.
_TO_USER = Place("to_user", shown=True)
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
#: Why the rest of a reply with so many calls is not read.
TOO_MANY_CALLS = (
    ProblemKind.TOO_LARGE,
    "the reply has so many tool calls that the rest of it was not read; make fewer at once",
)


class PassedOver(NamedTuple):
    """Something that was read like a call and is none, and why.

    *reason* is the name of a place (``messages.PLACES``), ``to_user``, or ``echo`` if it only
    repeats the call before it.
    """

    span: Span
    reason: str


class Attempts:
    """Where reading one reply stands, and what is done with what may be a call in it."""

    # Every reply has one, and its attributes are asked for at every character that may tell.
    __slots__ = (
        "_aside",
        "_behind_call",
        "_body",
        "_body_at",
        "_gap",
        "_guesses",
        "_marked",
        "_markers_left",
        "_numbers",
        "_setting",
        "_shows_wrapper",
        "_wrapped",
        "_wraps",
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
    )

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
        self.place = PlaceTracker()
        self._guesses = bool(form.repairs) and any(r.grade is Grade.GUESSED for r in form.repairs)
        self._numbers: list[range] = []  # of the calls among the events, for each of the tracker's
        self.passed_over: list[PassedOver] = []
        self._markers_left: float = limits.markers  # without a call behind them
        self.line_begins = True  # nothing but space since the line began, or since a call
        self.inside = ""  # the place that shows all that stands in it, while that is read
        #: While reading rests in a fence, or in what is not read: does a text only go on with it?
        self.takes: Callable[[str], bool] | None = None
        self._behind_call = False  # nothing but space since a call
        self._marked = False  # had that its marker?
        self._wrapped = False  # behind a marker around calls, with nothing said since?
        self._wraps = False  # has a marker around calls come?
        self._shows_wrapper = False  # the same, where that marker and the calls are only shown?
        self._gap = ""  # blanks behind that, which stand in what is around calls if one follows
        self._aside = False  # in a message that is addressed to the user?
        self._body: CallBody | None = None  # that is being read
        self._body_at = 0  # where in the reply it began
        self.is_over = False  # is nothing that follows the model's to say?

    @property
    def streaming(self) -> StreamedString | None:
        """The string argument in which reading stands, if that is so."""
        string = None if self._body is None else self._body.streaming
        return None if string is None else self.out.withheld_string(string)

    @property
    def has_enough(self) -> bool:
        """Have there been so many mistakes, or calls, that nothing more is read?"""
        return self._why_enough is not None

    @property
    def _why_enough(self) -> tuple[ProblemKind, str] | None:
        limits = self._setting.limits
        if self.out.mistakes >= limits.mistakes:
            return _TOO_MANY
        return TOO_MANY_CALLS if self.out.call_count >= limits.calls else None

    def give_up(self) -> None:
        """So much has come that only costs time: all the rest is text."""
        self._markers_left = 0

    # -- what is text ---------------------------------------------------------------------

    def say(self, stop: int) -> None:
        """What was read, up to *stop*, is text."""
        source = self.source
        while source.at < stop:
            # A doubt comes with the end of the line that casts it, however the text was cut.
            line = _LINE_END.search(source.text, source.at, stop) if self.place.waits else None
            end = line.end() if line else stop
            piece = source.text[source.at : end]
            self.out.text(piece, source.base + source.at)
            source.at = end
            self.saw(piece)

    def skip(self, stop: int) -> None:
        """What was read, up to *stop*, belongs to the calls around it: nobody should read it."""
        piece = self.source.text[self.source.at : stop]
        self.source.at = stop
        self.saw(piece)

    def saw(self, piece: str) -> None:
        """Take in prose that was read."""
        if self._wrapped:
            self._gap += piece
            if piece.isspace():
                return
            piece, self._gap, self._wrapped = self._gap, "", False
        self._shows_wrapper = self._shows_wrapper and piece.isspace()
        self.doubt(self.place.feed(piece))
        if self.line_begins or "\n" in piece:
            self.line_begins = not piece[piece.rfind("\n") + 1 :].strip()
        self._behind_call = self._behind_call and not piece.strip()

    def doubt(self, lates: Sequence[Late]) -> None:
        """What came behind some calls casts a doubt on them."""
        for late in lates:
            self.out.doubt(self._numbers[late.call], late.place)

    def cut_off(self, why: tuple[ProblemKind, str] | None) -> Pull[None]:
        """From here on nothing is the model's to say, or read; None for what somebody else says."""
        source, raw = self.source, StringIO()
        self.is_over, start = True, source.offset
        while (yield from source.peek()):
            raw.write(source.text[source.at :] if why else "")
            source.at = len(source.text)
        if why:
            self.out.rejected_text(*why, raw.getvalue(), start)

    # -- what may be a call ---------------------------------------------------------------

    def place_here(self, *, special: bool = False, wrapped: bool = False) -> Place:
        """Where a call stands that begins here, perhaps with a *special* token.

        One that is *wrapped* is the member of a JSON object in which the form has its calls.
        """
        self._gap = ""
        # A special token begins a message of its own.
        to_user = self._aside and not special
        place = _TO_USER if to_user else self.place.before(special=special)
        return PLAIN if wrapped and place.name == "json" else place

    def marked(self, markers: CallMarkers, end: int, *, doubtful: bool = False) -> MarkedBody:
        """What reads the call behind the marker that ends at *end*."""
        return MarkedBody(self.out, self._setting, markers, end, doubtful=doubtful)

    def unmarked(self, opening: Opening) -> CallBody:
        """What reads that call."""
        return CallBody(self.out, self._setting, opening)

    def read_body(self, body: CallBody) -> Pull[bool]:
        """Have *body* read; was it no call?"""
        self._body, self._body_at = body, self.source.offset
        yield from body.read(self.source)
        self._body = None
        if body.refused:
            self._markers_left -= 1 if body.is_dear else _JSON_THAT_IS_NONE
        return body.refused

    def try_marked(self, markers: CallMarkers, end: int) -> Pull[bool]:
        """Read the call whose marker ends at *end*; was it one?"""
        special = markers.opener.is_special
        place = self.place_here(special=special)
        body = self.marked(markers, end, doubtful=place != PLAIN)
        # A call that was not closed may be begun anew.
        may_echo = self._behind_call and self.out.is_unclosed
        return (yield from self.try_body(body, place=place, special=special, may_echo=may_echo))

    def try_unmarked(self, opening: Opening, *, wrapped: bool = False) -> Pull[bool]:
        """Read the call of *opening*, which no marker stands before; was it one?"""
        # LFM2 often writes a call once more behind the marker that closes it.
        may_echo = opening.is_guess and self._behind_call and self._marked
        body = self.unmarked(opening)
        is_guess = opening.is_guess and self._guesses
        is_call = yield from self.try_body(
            body, wrapped=wrapped, marked=False, is_guess=is_guess, may_echo=may_echo
        )
        self._marked = False
        return is_call

    def try_body(
        self,
        body: CallBody,
        *,
        place: Place | None = None,
        special: bool = False,
        wrapped: bool = False,
        marked: bool = True,
        is_guess: bool = False,
        may_echo: bool = False,
    ) -> Pull[bool]:
        """Read what begins here as a call, and decide what it was; was it one?

        Where its *place* is doubtful, which is looked for if it is not known yet, what has no
        marker is text if its form is a guess, or broken.
        """
        out, first, is_labelled = self.out, self.out.calls_begun, bool(self.out.repairs)

        def here() -> Place:
            return place or self.place_here(special=special, wrapped=wrapped)

        def is_fenced() -> bool:  # in a list, say, where no fence was looked for
            return not is_labelled and self.place.fenced

        out.unsettled = lambda: is_labelled or (not special and self.place.introduced)
        if not out.withholding:
            out.withhold(self.source)
        if not (may_echo or is_guess):
            out.decide(lambda: here() == PLAIN and not is_fenced())
        refused = yield from self.read_body(body)
        out.repairs, out.unsettled = (), bool
        if refused:
            self.show_withheld()
            return False
        if is_guess and self._holds_marked_call():  # which is read by itself
            self._markers_left -= 1
            self.source.again(out.drop_withheld()[0])
            self.say(self.source.at + 1)
            return False
        stands = here()
        is_text = not marked and (is_guess or not out.withholds_whole_call)
        if stands.shown or (is_text and stands != PLAIN):
            self.pass_over(stands.name)
            self.show_withheld(is_call=True)
            return False
        if may_echo and out.withholds_echo:
            self.pass_over("echo")
            out.drop_withheld()
            return True
        if out.withholding:
            out.let_go(stands.name, *([FENCED] if is_fenced() else []))
        self._numbers.append(range(first, out.calls_begun))
        self.doubt(self.place.call(special=special))
        if body.lists_others:
            self.doubt(self.place.other_json(1))
        self.line_begins = self._behind_call = self._marked = True
        return True

    def _holds_marked_call(self) -> bool:
        """Does a marked call stand among words in the JSON that was read?"""
        if not self.out.withholds_bare_words:
            return False
        raw, at = self.out.withheld_text, self.landmark_at
        return any(
            isinstance(found := at(raw, telling.start(), True), Found) and found.call
            for telling in self.landmarks.telling.finditer(raw, 1)
        )

    def pass_over(self, reason: str) -> None:
        """What is withheld was read like a call, and is none for that *reason*."""
        self._markers_left -= 1
        if self.out.withholds_call:
            self.passed_over.append(PassedOver(self.out.withheld_span, reason))

    def show_withheld(self, *, is_call: bool = False) -> str:
        """What was withheld is text, which is returned; a call that is only shown counts as one."""
        text = self.out.let_go_as_text()
        if is_call:
            self._numbers.append(range(0))
            self.doubt(self.place.call())
            self.line_begins = self._behind_call = False
        else:
            self.saw(text)
        return text

    def behind_call(self) -> Pull[None]:
        """Behind a call: separators and brackets to spare are no text."""
        if not (yield from self.source.peek()):
            return
        if self.has_enough:
            yield from self.behind_last_call()
            return
        while (yield from self.source.peek()) in ("]", "}"):  # some markers begin with one
            if (yield from self.source.ask(self.landmark_at)) != NO:
                return
            self._skip_behind(self.source.at + 1)
        if separator := (yield from self.source.match(_SEPARATOR)):
            self._skip_behind(separator.end())

    def _skip_behind(self, stop: int) -> None:
        self.skip(stop)
        self.line_begins = self._behind_call = True

    def behind_last_call(self) -> Pull[None]:
        """Behind so many mistakes, or calls, that no more is read, if there is more."""
        source = self.source
        while (yield from source.peek()) and (space := SPACES.match(source.text, source.at)):
            self.say(space.end())
        if (yield from source.peek()):
            yield from self.cut_off(self._why_enough)
