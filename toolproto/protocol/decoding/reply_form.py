"""What a reader of replies looks for: how calls and results look in a paradigm's replies."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum

from ..messages import Repair
from .calls.pulled import MakesReader
from .calls.shape import CallShape
from .markers import marker_of

_USUAL = CallShape()


class Family(Enum):
    """In what way the inside of a call is written."""

    JSON = "json"  # {"name": …, "arguments": {…}}, or a list of those
    NAMED_JSON = "named_json"  # the tool's name, then its arguments as JSON
    TAGS = "tags"  # an element for each argument
    PYTHON = "python"  # name(key=value)
    DECLARED = "declared"  # as its payload declares, and like no other: see Inside


@dataclass(frozen=True, slots=True)
class Inside:
    """How a call of the family ``DECLARED`` is read: *reader* makes what reads it.

    *word* stands before its name, and tells it where its marker was left out; behind that it may be
    written as Python's. *bare_family* is the family that models write instead without a marker.
    """

    reader: MakesReader
    word: str = ""
    bare_family: Family = Family.DECLARED


@dataclass(frozen=True, slots=True)
class MarkedForm:
    """Calls that stand behind a marker.

    *opener* and *closer* stand around a call; an empty *closer* is none. *family* is what is asked
    for between them, and *shape* how it is asked if that is JSON. *many* says that several calls
    may stand between one pair of markers. *means_call* is whether the marker alone says that a call
    is meant. *only_offered* calls count only if their tool is on offer. *tool* is the tool that the
    marker itself names, and *loose* makes what reads plain text, if that may be the argument of a
    tool which has only one. *ends_thought* says that by the model's template the opener ends a
    thought that was not closed. *repairs* is how a call behind these markers departs from the
    asked form. *inside* is how a call of the family ``DECLARED`` is read. A marker *at_line* is a
    word: it counts only where a line begins.
    """

    opener: str
    closer: str = ""
    family: Family = Family.JSON
    shape: CallShape = _USUAL
    many: bool = False
    means_call: bool = True
    only_offered: bool = False
    tool: str = ""
    loose: MakesReader | None = None
    ends_thought: bool = False
    repairs: tuple[Repair, ...] = ()
    inside: Inside | None = None
    at_line: bool = False


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """How calls and results look in a paradigm's replies.

    *calls* are the markers to look for; *tool_tags* adds elements that are called like an offered
    tool. *bare* are the families in which a call may stand without a marker, *bare_asked* the one
    that should, *shape* that of a bare call in JSON, and *repairs* how a bare call of another
    family departs from the asked form. *only_offered* bare calls count only if their tool is on
    offer. *dropped* are markers that say nothing by themselves; *asides* are words in those that
    begin a message in which calls are only shown. *around* are markers that say nothing beside a
    call: another form's around its calls. *results* open a result block, and *result_key*
    is the first member of one written in JSON: neither is ever the model's to write.
    """

    shape: CallShape = _USUAL
    calls: tuple[MarkedForm, ...] = ()
    bare: frozenset[Family] = frozenset({Family.JSON})
    tool_tags: bool = False
    bare_asked: Family | None = None
    repairs: tuple[Repair, ...] = ()
    dropped: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    result_key: str | None = None
    only_offered: bool = False
    # What is asked of *bare* for every reply: hashing a family takes longer than reading it.
    bare_json: bool = field(init=False, repr=False, compare=False)
    bare_python: bool = field(init=False, repr=False, compare=False)
    bare_by_name: bool = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # What is made for a form is looked up for every reply, and a form has hundreds of parts.
        parts = tuple(getattr(self, each.name) for each in fields(self) if each.compare)
        python = Family.PYTHON in self.bare
        object.__setattr__(self, "_hash", hash(parts))
        object.__setattr__(self, "bare_json", Family.JSON in self.bare)
        object.__setattr__(self, "bare_python", python)
        object.__setattr__(self, "bare_by_name", python or Family.NAMED_JSON in self.bare)

    def __hash__(self) -> int:
        return self._hash


class CallMarkers:
    """The markers of one form of call."""

    def __init__(self, form: MarkedForm) -> None:
        self.form = form
        self.opener = marker_of(form.opener)
        self.closer = marker_of(form.closer) if form.closer else None
        #: Markers that no payload goes on behind.
        self.ends = (self.opener,) if self.closer is None else (self.closer, self.opener)
        #: Is the opener a code fence, in a reply for which nobody asked for one?
        self.is_any_fence = form.only_offered and self.opener.first == "`"
