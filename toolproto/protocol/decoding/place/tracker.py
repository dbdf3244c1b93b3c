"""Where does a call stand, and does what follows doubt it? One object sees all of a reply's prose.

The reader appends prose to `unseen` and asks when a call begins; prose costs nothing until then.
Answers do not depend on the pieces in which the text comes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..pieces import MOST_PIECES, join_pieces
from .blocks import cost, where
from .json_value import holds_content, reach
from .kept import LONGEST, cut, may_hold_fence
from .verdict import PLAIN, TOO_DEEP, Look, Place, is_foreign, look
from .words import (
    HERE,
    STOOD,
    holds_words,
    introduces,
    line_holds_words,
    nothing,
    without_calls,
)

#: So often may a reply ask the library, and so much may that cost: so much at first, and more with
#: each character, so that it grows no faster than the text. Beyond that, all is doubted.
LOOKS, WORK, WORK_EACH = 64, 2 * LONGEST, 8
# What could be taken for our words, and lone surrogates, which cannot be encoded.
_FORGED = re.compile("[\ue000\ue001\ud800-\udfff]")


# Without any of these there is no code: fences, code spans, indents of four columns.
_CODE = ("`", "~", "\t", "    ")
# What is known of a call before anything was said.
_NOTHING = Look(PLAIN)


class Late(NamedTuple):
    """A plain call that turns out to be doubted: its number, from 0, and the place."""

    call: int
    place: str


class PlaceTracker:
    """The place of each call of a reply. Calls are told with `call`, thoughts are cut out.

    While `waits` is True, a call above waits for what follows, and the reader feeds every piece.
    While it is False, prose may be appended to `unseen` instead.
    """

    def __init__(self) -> None:
        self.unseen: list[str] = []
        self._joined = 0  # so many pieces of that were joined from others
        self.waits = False
        self._count = 0
        self._looks = 0
        self._work = WORK  # that is left
        self._thought = False
        self._unseen_before = 0
        self._ended_by_call = False
        self._fences = 0  # that were read at the top level, and ended
        self._plain: dict[int, None] = {}  # calls that nothing doubts yet
        self._late: list[Late] = []
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.unseen.clear()
        self._joined = 0
        self._text = ""
        self._return = False  # the text ends with "\r", which counted as a line end
        self._cut_lines = 0
        self._lost = False  # text was cut without a look at its blocks
        # Do the last words before this offset introduce what follows?
        self._above, self._above_at = False, 0
        self._fresh = 0
        self._words = (0, 0)  # nothing but words stands there
        self._look: Look | None = None
        self._behind = 0  # where the line begins, or what stands behind its last call
        self._on_line: list[int] = []  # plain calls on this line
        self._introduced_here: list[int] = []
        self._introduced: list[int] = []  # above this line
        self._in_fence: list[int] = []
        self._fence: re.Pattern[str] | None = None  # what closes the fence of calls we are in
        self._indent = ""
        self._fence_signs = ""
        self._in_value: list[int] = []
        self._value = 0

    # What the reader tells

    def feed(self, text: str) -> Sequence[Late]:
        """Take prose: all that is neither call nor thought."""
        if self._thought:
            return ()
        self.unseen.append(text)
        if self.waits and ("\n" in text or "\r" in text):
            self.join()
        elif len(self.unseen) - self._joined > MOST_PIECES:
            self._joined = join_pieces(self.unseen, self._joined)
        return self._told()

    def call(self, *, special: bool = False) -> Sequence[Late]:
        """Take a call of any kind, which becomes a word of the text.

        Set *special* if the form's own special token opens it.
        """
        number = self._count
        self._count += 1
        place = self.before(special=special)
        if self._thought:
            return ()
        self._ended_by_call = False
        seen = self._seen()
        if self.waits:
            self._hear(self._text[self._behind :], whole=False)
        if place == PLAIN:
            self._wait_for(number, seen, special)
        if seen.fenced and self._fence is None:
            count = len(seen.sign)
            self._fence = re.compile(rf"[ \t]*+{seen.sign[0]}{{{min(count, 1000)},}}[ \t]*+\Z")
            self._indent, self._fence_signs = seen.indent, seen.sign
        if not self._text.endswith(STOOD):  # a thousand calls in a row are no more than one
            self._text += STOOD
        self._behind = len(self._text)
        self._look, self._return = None, False
        self._keep_short()
        self._set_waits()
        return self._told()

    def begin_thought(self) -> Sequence[Late]:
        """Cut out what follows."""
        if not self._thought:
            self._thought, self._unseen_before = True, len(self.unseen)
        return self._told()

    def end_thought(self, *, by_call: bool = False) -> Sequence[Late]:
        """Go on behind a thought; *by_call* if a token of a call ended it."""
        if not self._thought:
            return self.thought_ended_unopened()
        del self.unseen[self._unseen_before :]
        self._thought, self._ended_by_call = False, by_call
        return self._told()

    def thought_ended_unopened(self) -> Sequence[Late]:
        """Doubt the calls above, which a thought that never began held; the text begins anew."""
        if self.waits:
            self.join()
        self._thought = False
        self._doubt(list(self._plain), "thinking")
        self._begin_anew()
        self._set_waits()
        return self._told()

    def other_json(self, calls: int) -> Sequence[Late]:
        """Doubt the last *calls* calls: the list that held them turns out to be other JSON."""
        self._doubt(list(range(self._count - calls, self._count)), "json")
        return self._told()

    def fence_ended(self) -> None:
        """Begin anew behind a fence of the top level, which ends all that was open."""
        self.join()
        self._fences += 1
        self._hear_above(len(self._text))
        self._text, self._cut_lines, self._fresh, self._words = "", 0, 0, (0, 0)
        self._behind = self._above_at = 0
        self._look, self._in_value, self._fence, self._in_fence = None, [], None, []
        self._set_waits()

    def finish(self) -> Sequence[Late]:
        """End the reply, as if its last line were whole."""
        if self.waits:
            self.join()
            if self._behind < len(self._text):
                self._line_ends(len(self._text))
            self._set_waits()
        return self._told()

    # What the reader asks

    def before(self, *, special: bool = False) -> Place:
        """Return the place of a call that would begin here; nothing changes by asking."""
        if self._thought:
            return Place("thinking", True)
        place = self._seen().place
        if special and place.name == "sentence":
            place = PLAIN
        return Place("thinking") if place == PLAIN and self._ended_by_call else place

    @property
    def fenced(self) -> bool:
        """Would a call here stand in a fence with nothing but calls above it?"""
        return not self._thought and self._seen().fenced

    @property
    def in_code(self) -> bool:
        """Would a call here stand in a fence, in indented code or in a code span of its line?"""
        if self._thought:
            return False
        self.join()
        return any(sign in self._text for sign in _CODE) and self._seen().in_code

    @property
    def introduced(self) -> bool:
        """Do the nearest words above, or before it on its line, introduce a call here?"""
        self.join()
        return bool(self._text or self._above) and not self._thought and self._is_introduced()

    @property
    def is_blank(self) -> bool:
        """Has nothing been said so far?"""
        self.join()
        return not (self._count or self._fences or self._text.strip())

    def tail(self, count: int) -> str:
        """Return the last characters so far, at most *count*."""
        self.join()
        return self._text[-count:]

    def opens_fence(self, line: str) -> bool:
        """Would *line*, which looks like it, open a fence of the top level here?"""
        self.join()
        start = self._text.rfind("\n") + 1
        if self._text[start:].strip(" "):
            return False
        in_margin = start == len(self._text)
        if in_margin and not self._cut_lines and not may_hold_fence(self._text):
            return True
        if self._looks >= LOOKS or self._work <= 0:
            return in_margin
        text = self._text[self._fresh :] + line
        spot = where(text + HERE)
        self._work -= cost(text, spot.tokens)
        return spot.leaf == "fence" and not spot.depth and spot.fence_line == text.count("\n") - 1

    def _seen(self) -> Look:
        if self.unseen:
            self.join()
        if self._look is None:
            if not (self._text or self._lost):
                return _NOTHING
            may_ask = self._looks < LOOKS and self._work > 0
            self._look = (
                Look(TOO_DEEP)
                if self._lost
                else look(self._text, self._fresh, self._cut_lines, self._words, may_ask=may_ask)
            )
            self._words = self._look.words
            self._work -= self._look.work
            self._looks += self._look.work > 0
            self._fresh = max(self._fresh, self._look.fresh)
        return self._look

    # The text

    def join(self) -> None:
        """Take what is unseen into the text; lines end on the way if a call waits for them."""
        if not self.unseen:
            return
        text = "".join(self.unseen)
        self.unseen.clear()
        self._joined = 0
        if not text:
            return
        if self._return and text[0] == "\n":
            text = text[1:]
            self._return = False
            if not text:
                return
        if "\r" in text:
            self._return = text[-1] == "\r"
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        else:
            self._return = False
        if not text.isascii():
            text = _FORGED.sub("\ue002", text)
        self._look = None
        at = 0
        while at < len(text):
            # To one character more than is kept, so that what is cut depends on the text alone.
            end = at + LONGEST + 1 - len(self._text)
            self._work += WORK_EACH * len(text[at:end])
            self._text += text[at:end]
            at = end
            self._hear_lines()
            self._keep_short()

    def _hear_lines(self) -> None:
        while self.waits and (end := self._text.find("\n", self._behind)) >= 0:
            self._line_ends(end)
            self._set_waits()
        if not self.waits:
            self._behind = max(self._behind, self._text.rfind("\n") + 1)

    def _keep_short(self) -> None:
        while len(self._text) > LONGEST:
            if self.waits and "\n" not in self._text[self._behind :]:
                self._hear(self._text[self._behind :], whole=False)
                self._behind = len(self._text)
            self._lost = self._lost or self._work <= 0
            kept = cut(self._text, self._cut_lines, may_parse=not self._lost)
            self._hear_above(len(self._text) if kept.cut_lines else kept.gone)
            self._text, self._cut_lines = kept.text, kept.cut_lines
            self._work -= kept.work
            self._fresh, self._words = 0, (0, 0)
            self._behind = max(0, self._behind - kept.gone)
            self._above_at = len(self._text) if kept.cut_lines else self._above_at - kept.gone
            self._value -= kept.gone
            if self._value < 0:
                self._in_value = []

    # What follows a call

    def _wait_for(self, number: int, seen: Look, special: bool) -> None:
        self._plain[number] = None
        if seen.fenced:
            self._in_fence.append(number)
        elif not special:
            self._on_line.append(number)
        if seen.value is not None:
            self._value = seen.value.start
            self._in_value.append(number)
        if not special and (self._text or self._above) and self._is_introduced():
            self._introduced_here.append(number)

    def _is_introduced(self) -> bool:
        """Do the nearest words above, or before it on its line, introduce a call here?"""
        start = self._text.rfind("\n") + 1
        line = without_calls(self._text[start:])
        if line_holds_words(line):
            return introduces(line)
        self._hear_above(start)
        return self._above

    def _hear_above(self, end: int) -> None:
        """Take in the lines before *end*, each of them once."""
        lines = self._text[self._above_at : end].split("\n")
        self._above_at = max(end, self._above_at)
        for line in reversed(lines):
            if line and line_holds_words(said := without_calls(line)):
                self._above = introduces(said)
                return

    def _line_ends(self, end: int) -> None:
        start = self._text.rfind("\n", 0, self._behind) + 1
        line = self._text[self._behind : end]
        whole = start == self._behind
        if whole and self._fence is not None and self._fence.match(line):
            # At any indent: written so that the library sees it close the fence.
            closing = self._indent + self._fence_signs
            self._text = self._text[:start] + closing + self._text[end:]
            end = start + len(closing)
            self._fence, self._in_fence = None, []
        else:
            self._hear(line, whole=whole)
        self._introduced += self._introduced_here
        self._introduced_here, self._on_line = [], []
        self._behind = end + 1

    def _hear(self, text: str, *, whole: bool) -> None:
        """Take in a line behind the calls above, or the part of one behind its last call."""
        if not self.waits:
            return
        if self._in_value:
            self._hear_value(self._behind + len(text))
        if self._fence is not None and not (nothing(text) if not whole else not is_foreign(text)):
            self._doubt(self._in_fence, "code")
            self._fence, self._in_fence = None, []
        if line_holds_words(text) if whole else holds_words(text):
            self._doubt(self._on_line, "sentence")
            self._doubt(self._introduced, "introduced")
            self._introduced = []

    def _hear_value(self, end: int) -> None:
        if not holds_content(self._text[self._behind : end]):
            return
        value = reach(self._text[:end], self._value)
        if value.content:
            self._doubt(self._in_value, "json")
        if value.content or not value.is_open:
            self._in_value = []

    def _doubt(self, calls: Sequence[int], place: str) -> None:
        for call in calls:
            if call in self._plain:
                del self._plain[call]
                self._late.append(Late(call, place))

    def _set_waits(self) -> None:
        self.waits = bool(
            self._on_line
            or self._introduced
            or self._introduced_here
            or self._in_fence
            or self._in_value
            or self._fence
        )

    def _told(self) -> Sequence[Late]:
        if not self._late:
            return ()
        late, self._late = self._late, []
        return late
