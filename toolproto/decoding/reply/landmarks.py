"""What to look for in the prose of a reply, and where.

A paradigm says how its calls and results look (`forms.py`); together with the tags of thinking and
the tokens of chat templates that makes the :class:`Landmarks` of its replies, compiled once for
all of them, whatever the tools on offer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from ..calls.names import Offered
from ..patterns import Pattern
from .forms import Family, MarkedForm, ReplyForm
from .markers import MORE, NO, SPELLINGS, Marker, MarkerSet
from .template_tokens import LABELS, LEAKS
from .thinking import Reasoning

__all__ = ["CallMarkers", "Found", "Landmark", "Landmarks", "landmarks"]


class Landmark(Enum):
    """What a marker in prose announces."""

    CALL = auto()
    RESULT = auto()
    THOUGHT = auto()
    END_OF_CALL = auto()
    END_OF_THOUGHT = auto()
    LEAK = auto()
    DROPPED = auto()


class CallMarkers:
    """The markers of one form of call."""

    def __init__(self, form: MarkedForm) -> None:
        self.form = form
        self.opener = Marker(form.opener)
        self.closer = Marker(form.closer) if form.closer else None
        #: Markers that no payload goes on behind.
        self.ends = (self.opener,) if self.closer is None else (self.closer, self.opener)
        #: Is the opener a code fence, in a reply for which nobody asked for one?
        self.is_any_fence = form.gated and self.opener.first == "`"


class Found(NamedTuple):
    """A landmark, where it ends, and the markers of the call that it opens."""

    kind: Landmark
    end: int
    call: CallMarkers | None = None


# What a call that begins with its name looks like at the beginning of a line, or may yet: behind
# the name stands a parenthesis, or the line ends and a brace begins the next. It need not be exact,
# but every line of prose is held against it: each part is looked at once, and never given back.
_NAMED_LINE = r"[ \t\r]{0,200}+[\w.:/\\-]{1,260}+[\"'`”’ \t\r]{0,12}+(?:\(|\Z|\n\s{0,8}+(?:\{|\Z))"
# Behind a bracket: the first member of an object, and the name of the first call in a list of
# Python calls. Brackets that have neither are not even stopped at.
_MEMBER = r"\s{0,80}+[\"'“‘`]?+(?:[A-Za-z_]|\Z)"
_LISTED_CALL = r"\s{0,80}+(?:\[\s{0,80}+)?+(?:\{\s{0,80}+)?+(?:\\?+[\"'`“‘])?+(?:[^\W\d]|\\|\Z)"
_TOOL_TAG = Pattern(r"<\s{0,3}([/\\]?)\s{0,3}(\w(?:[\w:.-]|\\_){0,127})(?:\s[^<>]{0,256})?>")
_TAG_NAME = re.compile(r"<\s{0,3}[/\\]?\s{0,3}([\w:.\\-]{0,128})")
# So many characters of a marker tell it from nearly all other text.
_ENOUGH = 4
# Chunks that are remembered, and how long they may be: a few hundred kilobytes at most.
_MOST_PLAIN = 4096
_LONGEST_PLAIN = 16
_OF_CALLS = frozenset({Landmark.CALL, Landmark.END_OF_CALL})


class Landmarks:
    """The markers of one form of reply, and the characters worth stopping at."""

    def __init__(self, form: ReplyForm, reasoning: Reasoning) -> None:
        calls = [CallMarkers(call) for call in form.calls]
        # A run of backticks behind a call closes it; in prose it begins a fence.
        closers = {
            call.closer.text: call.closer
            for call in calls
            if call.closer and call.closer.first != "`"
        }
        thoughts = [(Marker(opener), opener) for opener, _ in reasoning.tags]
        table: list[tuple[Marker, Landmark]] = [
            *((call.opener, Landmark.CALL) for call in calls),
            *((closer, Landmark.END_OF_CALL) for closer in closers.values()),
            *((Marker(text), Landmark.RESULT) for text in form.results),
            *((marker, Landmark.THOUGHT) for marker, text in thoughts if text[0] != " "),
            *((Marker(closer), Landmark.END_OF_THOUGHT) for _, closer in reasoning.tags),
            *((Marker(text), Landmark.DROPPED) for text in form.dropped if text[0] != " "),
            *((marker, Landmark.LEAK) for marker in LEAKS),
        ]
        self._calls = calls
        self._kinds = [kind for _, kind in table]
        self._markers = MarkerSet([marker for marker, _ in table])
        self._tool_tags = form.tool_tags
        # What begins with a space goes on with the prompt: it counts at the beginning of a reply,
        # and, if it is dropped, of a line. Endpoints may strip the space.
        first_thoughts = [
            Marker(opener) for _, text in thoughts if text[0] == " " for opener in (text, text[1:])
        ]
        first_dropped = [Marker(text) for text in form.dropped if text[0] == " "]
        dropped_lines = [Marker(marker.text[1:]) for marker in first_dropped]
        #: What counts where a reply begins: that of thoughts, then what is dropped.
        self.starts, self.thoughts = (
            MarkerSet([*first_thoughts, *first_dropped]),
            len(first_thoughts),
        )
        #: What counts where a line begins: labels, then what is dropped.
        self.lines, self.labels = MarkerSet([*map(Marker, LABELS), *dropped_lines]), len(LABELS)
        #: Every marker that is looked for, and what it announces.
        self.table = (*table, *((marker, Landmark.DROPPED) for marker in dropped_lines))
        #: What ends a thought: the tags, and behind those the calls that may do so. What begins
        #: another one in it stands behind these.
        self.ends_of_thought = len(reasoning.tags)
        self.calls_in_thought = [call for call in calls if call.form.ends_thought]
        self.thought_ends = MarkerSet(
            [
                *(Marker(closer) for _, closer in reasoning.tags),
                *(call.opener for call in self.calls_in_thought),
                *(marker for marker, text in thoughts if text[0] != " "),
            ]
        )
        #: The first of those that only begin another thought.
        self.opens_in_thought = len(reasoning.tags) + len(self.calls_in_thought)
        self.call_markers = MarkerSet([marker for marker, kind in table if kind in _OF_CALLS])
        self.by_name = form.bare_by_name
        #: Does nothing that counts at the beginning of a line alone look like a tag?
        self.no_tag_lines = all(marker.first != "<" for marker in dropped_lines)
        #: Words in which nothing is telling.
        self.plain: set[str] = set()
        python = form.bare_python
        lines = [*LABELS, *(marker.literal for marker in dropped_lines)]
        self.telling = _telling(
            [marker for marker, _ in table], lines, python, self.by_name, form.tool_tags
        )

    def found_plain(self, text: str) -> None:
        """Remember a chunk within a line in which nothing is telling, if it may well come again."""
        if len(text) <= _LONGEST_PLAIN and len(self.plain) < _MOST_PLAIN and "\n" not in text:
            self.plain.add(text)

    def at(self, text: str, at: int, final: bool, tools: Offered) -> Found | int:
        """The landmark at *at*, or NO, or MORE."""
        number, end = self._markers.at(text, at, final)
        if number >= 0:
            call = self._calls[number] if number < len(self._calls) else None
            return Found(self._kinds[number], end, call)
        if not self._tool_tags or text[at] != "<":
            return end
        tagged = self._tool_tag(text, at, final, tools)
        return MORE if end == MORE and tagged == NO else tagged

    def _tool_tag(self, text: str, at: int, final: bool, tools: Offered) -> Found | int:
        """The element at *at* that is called like a tool on offer."""
        found = _TOOL_TAG.match(text, at)
        if found is None:
            if final or not _TOOL_TAG.may_change(text, at):
                return NO
            begun = _TAG_NAME.match(text, at)
            assert begun is not None, "a tag has begun"
            return MORE if tools.begins_tag(begun.group(1)) else NO
        name = tools.tag(found.group(2))
        if not name:
            return NO
        if found.group(1):
            return Found(Landmark.END_OF_CALL, found.end())
        return Found(Landmark.CALL, found.end(), _tool_markers(name))


@lru_cache(maxsize=256)
def _tool_markers(name: str) -> CallMarkers:
    return CallMarkers(MarkedForm(f"<{name}>", f"</{name}>", Family.TAGS, tool=name))


@lru_cache(maxsize=256)
def landmarks(form: ReplyForm, reasoning: Reasoning) -> Landmarks:
    """The landmarks of that form."""
    return Landmarks(form, reasoning)


def _telling(
    markers: Sequence[Marker], lines: Sequence[str], python: bool, by_name: bool, tool_tags: bool
) -> re.Pattern[str]:
    """What to stop at in prose: a character that, with those behind it, may mean something.

    Most brackets in prose and code are told apart here, without stopping. A line end is one only
    where the line below it begins like a call, or with one of *lines*.
    """
    behind: dict[str, list[str]] = {
        "\n": [],
        "<": [],
        "[": [rf"\s{{0,80}}+(?:\{{(?:{_MEMBER})|\Z)"],
        "{": [_MEMBER],
        "`": [r"`(?:`|\Z)|\Z"],  # a code span is none of our business: `place.py` sees it
        "~": [r"~|\Z"],
    }
    begun = [*(_rest_of(line, least=1) for line in lines), *([_NAMED_LINE] if by_name else [])]
    behind["\n"].append(rf"[ \t\r]{{0,200}}+(?:{'|'.join(begun)})")
    if python:
        behind["["].append(_LISTED_CALL)
    if tool_tags:
        behind["<"].append(r"[\s/\\]{0,7}+\w")
    starts: dict[str, set[str]] = {}
    for marker in markers:
        if marker.text[0] in behind:
            starts.setdefault(marker.text[0], set()).add(marker.same[1:])
        else:
            behind.setdefault(marker.text[0], []).append(_rest_of(marker.literal[1:]))
    for first, rests in starts.items():
        if first == "<":  # a tag may have stray spaces in it, and a backslash for its slash
            rests = {rest.removeprefix("/") for rest in rests}
            behind[first].append(rf"[\s/\\]{{0,7}}+{_one_of(rests)}")
        else:
            behind[first].append(_one_of(rests))
    told = {first: "|".join(sorted(set(rests))) for first, rests in behind.items()}
    return re.compile("|".join(f"{re.escape(first)}(?={rest})" for first, rest in told.items()))


def _one_of(texts: Collection[str], enough: int = _ENOUGH) -> str:
    """A pattern for what *texts* begin with, in all spellings; the end may come in the middle."""
    if "" in texts or not enough:
        return ""
    by_first: dict[str, set[str]] = {}
    for text in texts:
        by_first.setdefault(text[0], set()).add(text[1:])
    spelled = (
        f"{SPELLINGS.get(first, re.escape(first))}{_one_of(rests, enough - 1)}"
        for first, rests in sorted(by_first.items())
    )
    return f"(?i:{'|'.join(spelled)}|\\Z)"


def _rest_of(text: str, least: int = 0) -> str:
    """A pattern for *text*, or its beginning if the end comes behind *least* characters of it."""
    rest = ""
    for number, char in reversed(list(enumerate(text))):
        end = "|\\Z" if number >= least else ""
        rest = f"(?:{re.escape(char)}{rest}{end})"
    return rest
