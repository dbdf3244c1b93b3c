"""Where does a call stand: in the open, in doubt, or only shown?

Text that merely contains a call must not run it. What tells the two apart is how the text is laid
out, never the words of one language: what is open where the call begins (`prose.py`), and what the
lines around it are (`lines.py`).

One table, :data:`REASONS`, names every place that is not the open and what becomes of a call there:
*shown* is text, *doubted* is a call that carries its reason and is never clean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from . import lines
from .prose import APOSTROPHES, LONGEST_ELEMENT, Prose, may_quote, opens_region


class Verdict(Enum):
    """What becomes of a call, as far as its place tells."""

    PLAIN = auto()
    DOUBTED = auto()
    SHOWN = auto()


@dataclass(frozen=True, slots=True)
class Standing:
    """How a call stands, and the name of the place if that is not the open."""

    verdict: Verdict
    reason: str = ""

    @property
    def place(self) -> str:
        """The public name of the place."""
        return _PLACES[self.reason]

    @property
    def begins_something(self) -> bool:
        """Is this a place in the open where a new thing may begin?"""
        return self.verdict is Verdict.PLAIN or self.reason in _BEGINNINGS


PLAIN = Standing(Verdict.PLAIN)
# Doubtful places in the open where a new thing may begin all the same.
_BEGINNINGS = frozenset({"behind_markup", "behind_colon", "below_words"})

#: Every place in which a call is not plain.
REASONS: Mapping[str, Standing] = {
    name: Standing(verdict, name)
    for verdict, names in {
        Verdict.SHOWN: "inline_code code_block block_quote quotation table element definition"
        " other_json thinking to_user",
        Verdict.DOUBTED: "mid_sentence words_behind amid_talk cut_behind behind_colon below_words"
        " behind_markup behind_signs list_item lazy_quote table_row open_block open_quotation"
        " open_code indented_code fence_with_talk fence_of_code unclosed_thought",
    }.items()
    for name in names.split()
}

# The doubts by the names that people know (``messages.PLACES``).
_PLACES = {
    **dict.fromkeys(["mid_sentence", "words_behind", "cut_behind"], "sentence"),
    **dict.fromkeys(["behind_colon", "below_words"], "sentence"),
    **dict.fromkeys(["behind_markup", "behind_signs"], "sentence"),
    **dict.fromkeys(["amid_talk", "fence_with_talk"], "introduced"),
    **dict.fromkeys(["list_item", "indented_code"], "container"),
    **dict.fromkeys(["open_code", "fence_of_code"], "code"),
    "lazy_quote": "quote", "table_row": "table", "open_block": "html",
    "open_quotation": "quotation",
    "unclosed_thought": "thinking",
}  # fmt: skip

#: Doubts that rest on words around a call: a special token, which nobody says, dispels them.
OF_TALK = frozenset(
    {"mid_sentence", "words_behind", "amid_talk", "behind_colon", "below_words", "list_item"}
)
# A line right below one of these goes on with it.
_GOING_ON = {
    "quote": "lazy_quote", "table": "table_row", "block": "open_block", "definition": "open_block",
}  # fmt: skip


class Place(Prose):
    """How a call stands that begins behind the prose read so far."""

    _standing: Standing

    def __init__(self, *, labelled: bool = False) -> None:
        super().__init__()
        #: Are lines with labels the asked form? A thought is one, whole sentence or not.
        self.labelled = labelled

    @property
    def is_led_to(self) -> bool:
        """At the beginning of a line, below one that is no whole sentence, however far above?"""
        self.look()
        is_over = lines.says_all(self._last) and not lines.trails_off(self._last)
        return self._begins_line and (not is_over or self._below_entries)

    @property
    def _below_entries(self) -> bool:
        """Below two lines of a mail's head, a chat, or a record of thoughts and steps?"""
        return bool(lines.ENTRY.match(self._last) and lines.ENTRY.match(self._earlier))

    @property
    def _below_own_thought(self) -> bool:
        """Below a thought that belongs to the asked form, with all said above that?"""
        thought = self.labelled and lines.THOUGHT.match(self._last) is not None
        return thought and (not self._earlier or lines.says_all(self._earlier))

    def standing(self) -> Standing:
        """How a call that begins here stands."""
        self.look()
        if self._changed:
            self._changed = False
            # Most calls begin where nothing was said.
            said = self._seen or self._rest or self.in_thought or self._aside
            reason = said and (self._shown() or self._open() or self._words())
            self._standing = REASONS[reason] if reason else PLAIN
        return self._standing

    def _shown(self) -> str:
        """The place that shows what stands in it, if this is one."""
        if self._aside:
            return "to_user"
        near = self._seen - self._element_at <= LONGEST_ELEMENT
        if (self._element and near) or (self._rest and opens_region(self._rest)):
            return "element"
        kind = lines.line_of(self._head).kind
        if kind == "quote":
            return "block_quote"
        if self._is_row(kind):
            return "table"
        if kind == "definition":
            return "definition"
        if self._code and self._code_line == self._line:
            return "inline_code"
        return "quotation" if self._quoted_here() else ""

    def _quoted_here(self) -> bool:
        """Is a quotation open that began on this line?"""
        if self._quotes and self._quotes[-1].line == self._line:
            return True
        # An apostrophe opens too easily: only one right before the call counts.
        before = self._before.rstrip()
        mark = before[-1:] in APOSTROPHES or (self._rest and before[-1:] == '"')
        return bool(mark) and may_quote(before[:-1])

    def _open(self) -> str:
        """What was opened above and may go on here, if anything."""
        if self.in_thought:
            return "unclosed_thought"
        if self._element is not None:
            return "open_block"
        if self._code:
            return "open_code"
        if self._in_quotation():
            return "open_quotation"
        if self._above in _GOING_ON and self._begins_line:
            return _GOING_ON[self._above]
        if self._begins_line and self._is_code(lines.line_of(self._head).indent):
            return "indented_code"
        return "open_block" if self._blocks and self._in_block() else ""

    def _words(self) -> str:
        """What the words around say: a sentence before this, if any, has to be over."""
        before = lines.without_tokens(self._before)
        if lines.is_markup(before):
            return self._lines_above() or ("behind_markup" if before.strip() else "")
        open_here = lines.line_of(self._head).closer or lines.closes_end(self._head)
        signs = lines.NO_SPEECH.match(self._head) or lines.is_behind_signs(before)
        if signs or open_here not in ("", ")"):  # people say parentheses
            return "behind_signs"
        if lines.line_of(self._head).kind == "list" or lines.ITEM_ONLY.match(before):
            return "list_item"
        if lines.ends_with_colon(before):
            return "behind_colon"
        return "mid_sentence" if open_here or not lines.ends_sentence(before) else ""

    def _lines_above(self) -> str:
        """What the lines above say of a call that begins its line."""
        if self._below_entries and not (
            lines.says_all(self._last) and lines.says_all(self._earlier)
        ):
            return "open_block"  # of a mail: what people say, or think, is sentences
        indent = lines.line_of(self._head).indent
        if self._in_list and indent >= 2:
            return "list_item"
        below = self._above in ("words", "list")
        if below and indent >= 4:
            return "indented_code"
        if not below or lines.leads_on(self._last) or self._below_own_thought:
            return ""
        # Nobody says signs: they open a block.
        return "below_words" if any(map(str.isalnum, self._last)) else "open_block"

    @property
    def _begins_line(self) -> bool:
        """Does nothing stand before this on its line but what may be a marker gone wrong?"""
        return lines.is_markup(self._before)


def gap_to_call(said: str) -> str:
    """What to write between the words *said* and a call, so that it stands in the open."""
    if not said:
        return ""
    place = Place()
    place.saw(f"{said}\n")
    return "\n" if place.standing() is PLAIN else "\n\n"
