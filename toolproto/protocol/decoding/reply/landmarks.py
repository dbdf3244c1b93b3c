"""What to look for in a reply, and where.

A paradigm says how its calls and results look (`contract.py`); together with the tags of thinking
and the tokens of chat templates that makes the :class:`Landmarks` of its replies, compiled once for
all of them, whatever the tools on offer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum, auto
from functools import lru_cache, partial
from typing import NamedTuple

from ..calls.names import Offered
from ..markers import MORE, SPELLINGS, Marker, MarkerSet, in_any_case, marker_of
from ..markup import GAP, SLASH, SLASHED
from ..patterns import Pattern
from ..reply_form import CallMarkers, Family, MarkedForm, ReplyForm
from .thinking_tokens import Reasoning


class Landmark(Enum):
    """What a marker announces."""

    CALL = auto()
    RESULT = auto()
    THOUGHT = auto()
    END_OF_CALL = auto()
    END_OF_THOUGHT = auto()
    DROPPED = auto()
    LEAK = auto()  # of a chat template: nothing a person should read
    TURN = auto()  # the same, with the speaker's name behind it
    END_OF_REPLY = auto()  # what only another's turn can begin with


# Where a token of a chat template opens another speaker's turn, the model has begun to write the
# conversation on by itself, and the reply is over.
_TURNS = ("<|im_start|>", "<|start_header_id|>", "<start_of_turn>")
_USERS_TURNS = (
    "[INST]", "<|message_user|>", "<|user|>", "<|system|>", "<｜User｜>", "<|USER_TOKEN|>",
)  # fmt: skip
_OTHERS = (
    "im_end", "end_header_id", "eot_id", "eom_id", "endoftext", "end_of_text", "begin_of_text",
    "end_of_sentence", "end", "return", "assistant", "eot", "role_end", "assistant_start",
    "assistant_end",
    "START_OF_TURN_TOKEN", "CHATBOT_TOKEN", "END_OF_TURN_TOKEN",
)  # fmt: skip
#: The tokens of chat templates that leak into replies as text.
LEAKS = (*_TURNS, *(f"<|{name}|>" for name in _OTHERS), "<end_of_turn>", *_USERS_TURNS, "[/INST]")
#: Tokens that mean nothing in a reply, but a good deal in a prompt: a server that turns text into
#: tokens may take them for its own wherever they stand.
VOCABULARY = (
    *("<s>", "<bos>", "<eos>", "<pad>", "<unk>"),
    *("<<SYS>>", "<</SYS>>", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    *("[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    "[BEGIN FINAL RESPONSE]",  # ends the thoughts of Apriel
)
#: Labels that open a user's turn where they begin a line below an empty one; nobody writes them
#: there for any other reason. "User:" is not one of them.
LABELS = ("Human:", "### Instruction:")


class _Row(NamedTuple):
    """A marker, what it announces, and the markers of the call that it opens."""

    marker: Marker
    kind: Landmark
    call: CallMarkers | None = None


class Found(NamedTuple):
    """A landmark, where it ends, the markers of the call that it opens, and how it is spelled."""

    kind: Landmark
    end: int
    call: CallMarkers | None = None
    tag: str = ""


_tuple = tuple.__new__  # a NamedTuple's own way to be made takes twice as long


class Table:
    """Markers that count in the same places, and what each announces."""

    def __init__(self, rows: Iterable[_Row]) -> None:
        self.rows = tuple(rows)
        self._markers = MarkerSet([row.marker for row in self.rows])
        #: The first character of any of them.
        self.begins = self._markers.begins
        self._told = [(row.kind, row.call, row.marker.text.lower()) for row in self.rows]

    def at(self, text: str, at: int, final: bool) -> Found | int:
        """What the marker at *at* announces; or NO, or MORE."""
        number, end = self._markers.at(text, at, final)
        if number < 0:
            return end
        kind, call, tag = self._told[number]
        return _tuple(Found, (kind, end, call, tag))

    def end_at(self, text: str, at: int, final: bool) -> int:
        """Where the marker ends that stands at *at*; or NO, or MORE."""
        return self._markers.at(text, at, final)[1]


#: Space before what begins a line: all that ``str.strip`` takes off. ``[^\S\n]`` takes longer.
SPACE = r"[ \t\r\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
# What a call that begins with its name looks like, or may yet: behind the name is a parenthesis or
# a token, or its line ends and a brace begins the next. It need not be exact, but every line of
# prose is held against it: each part is looked at once, and never given back.
_NAMED = r"[\w.:/\\-]{1,260}+[\"'`”’ \t\r]{0,12}+"
_NAMED_LINE = rf"{_NAMED}(?:\(|\Z|<(?:[|｜]|\Z)|\[(?:[AC]|\Z)|\n\s{{0,8}}+(?:\{{|\Z))"
# Behind a bracket: the first member of an object, and the first call in a list of Python calls.
# Brackets that have neither are not even stopped at, nor where a member without quotes has a name
# that begins no call, as in code.
_MEMBER = r"\s{{0,80}}+(?:[\"'“‘`](?:[A-Za-z_]|\Z)|{bare}|\Z)"
_LISTED_CALL = r"\s{0,80}+(?:\[\s{0,80}+)?+(?:\{\s{0,80}+)?+(?:\\?+[\"'`“‘])?+"
_LISTED_CALL += rf"(?:{_NAMED}(?:\(|\Z)|\Z)"
# Behind a backtick or a tilde: the rest of a line that opens a fence, or may yet. A long run is
# always stopped at, lest it be looked at from its middle.
_FENCED = r"{0}(?:{0}(?:{0}{{97}}|{0}{{0,96}}+[^{1}\n]{{0,150}}+(?:\n|\Z))|\Z)|\Z"
_TOOL_TAG = Pattern(rf"<{GAP}({SLASH}?){GAP}(\w(?:[\w:.-]|\\_){{0,127}})(?:\s[^<>]{{0,256}})?>")
_TAG_NAME = re.compile(rf"<{SLASHED}([\w:.\\-]{{0,128}})")
# A backslash may be all that has come of an underscore, and before its bracket a tag may go on.
_BEGUN = {**SPELLINGS, "_": rf"(?:{SPELLINGS['_']}|\\\Z)", ">": r"[>:\s]"}
# So many characters of a marker tell it from nearly all other text.
_ENOUGH = 4
_ALL = 256
# Chunks that are remembered, and how long they may be: a few hundred kilobytes at most.
_MOST_PLAIN = 4096
_LONGEST_PLAIN = 16


class Landmarks:
    """The markers of one form of reply, and the characters worth stopping at."""

    def __init__(self, form: ReplyForm, reasoning: Reasoning) -> None:
        marked = [_Row(call.opener, Landmark.CALL, call) for call in map(CallMarkers, form.calls)]
        calls = [row for row in marked if row.call and not row.call.form.at_line]
        closers = [call.closer for _, _, call in calls if call and call.closer]
        # A run of backticks behind a call closes it; in prose it begins a fence.
        ends = _rows((each.text for each in closers if each.first != "`"), Landmark.END_OF_CALL)
        #: What opens and closes thoughts; and the openers that have a closer of their own name, so
        #: that the end of a message ends nothing that they opened.
        self.tags = {(on.lstrip().lower(), off.lower()) for on, off in reasoning.tags}
        named = {(on, off) for on, off in self.tags if _words(on) & _words(off)}
        self.named = {on for on, _ in named} - {on for on, _ in self.tags - named}
        thoughts = _rows((opener for opener, _ in reasoning.tags), Landmark.THOUGHT)
        thought_ends = _rows((closer for _, closer in reasoning.tags), Landmark.END_OF_THOUGHT)
        #: What closes thoughts and nothing else, as the end of a message does.
        self.closers = {off for _, off in named}
        named_ends = [row for row in thought_ends if row.marker.text.lower() in self.closers]
        dropped = _rows((*form.dropped, *form.around), Landmark.DROPPED)
        #: Those of them that are text, unless a call stands beside them.
        self.around = frozenset(
            row.marker.text.lower() for row in _rows(form.around, Landmark.DROPPED)
        )
        # What begins with a space goes on with the prompt: it counts at the beginning of a reply,
        # and, if it is dropped, of a line. Endpoints may strip the space.
        first = [row for row in (*calls, *thoughts, *dropped) if row.marker.text[0] == " "]
        begun = [row._replace(marker=marker_of(row.marker.text[1:])) for row in first]
        calls = [row for row in calls if row not in first]
        thoughts = [row for row in thoughts if row not in first]
        anywhere = [
            *calls,
            *ends,
            *_rows(form.results, Landmark.RESULT),
            *thoughts,
            *thought_ends,
            *(row for row in dropped if row not in first),
            *(_Row(marker_of(token), _LEAK_KINDS.get(token, Landmark.LEAK)) for token in LEAKS),
        ]
        self._tool_tags = form.tool_tags
        #: What counts in prose; where a reply begins; where a line does.
        self.anywhere = Table(anywhere)
        # A word that is dropped counts only there.
        dropped_lines = [r for r in begun if r.kind is Landmark.DROPPED and r.marker.is_special]
        self.starts = Table([*first, *(row for row in begun if row not in dropped_lines)])
        call_lines = (row for row in marked if row.call and row.call.form.at_line)
        labels = _rows(LABELS, Landmark.END_OF_REPLY)
        self.lines = Table([*labels, *dropped_lines, *call_lines])
        #: What counts in a thought: what ends it, which some calls do, and what begins another. In
        #: ``<think>`` the end of a message is only quoted.
        ending = [row for row in calls if row.call and row.call.form.ends_thought]
        if ending:  # what stands around such calls is no thought either
            ending += [row for row in dropped if row.marker.is_special and row not in first]
        self.in_thought = Table([*named_ends, *ending, *thoughts])
        self.in_thought_message = Table([*thought_ends, *ending, *thoughts])
        self.of_calls = Table([*calls, *ends])
        #: What a line may begin with that counts nowhere else.
        firsts = re.escape("".join({row.marker.first for row in self.lines.rows}))
        names = r"|[^\W\d]" if form.bare_by_name else ""
        self.line_begins = re.compile(rf"{SPACE}|[`{firsts}]{names}").match
        #: Words in which nothing is telling.
        self.plain: set[str] = set()
        self.telling = _telling(form, anywhere, self.lines.rows)

    @property
    def markers(self) -> list[Marker]:
        """All markers, but for the words that count where a line begins."""
        rows = (*self.anywhere.rows, *self.lines.rows)
        return [row.marker for row in rows if row.marker.text not in LABELS]

    def found_plain(self, text: str) -> None:
        """Remember a chunk within a line in which nothing is telling, if it may well come again."""
        if len(text) <= _LONGEST_PLAIN and len(self.plain) < _MOST_PLAIN and "\n" not in text:
            self.plain.add(text)

    def finder(self, tools: Offered) -> Callable[[str, int, bool], Found | int]:
        """What finds the landmark at a place in prose, or NO, or MORE unless that is final."""
        return partial(self._or_tool_tag, tools) if self._tool_tags else self.anywhere.at

    def _or_tool_tag(self, tools: Offered, text: str, at: int, final: bool) -> Found | int:
        """The same, or the element there that is called like one of *tools*."""
        found = self.anywhere.at(text, at, final)
        begun = None if isinstance(found, Found) else _TAG_NAME.match(text, at)
        if begun is None or not tools.begins_tag(begun.group(1)):
            return found  # most elements are called otherwise
        tag = _TOOL_TAG.match(text, at)
        if tag is None and not final and _TOOL_TAG.may_change(text, at):
            return MORE
        name = tools.tag(tag.group(2)) if tag else ""
        if tag is None or not name:
            return found
        kind = Landmark.END_OF_CALL if tag.group(1) else Landmark.CALL
        return Found(kind, tag.end(), None if tag.group(1) else _tool_markers(name))


_LEAK_KINDS = {
    **dict.fromkeys(_USERS_TURNS, Landmark.END_OF_REPLY),
    **dict.fromkeys(_TURNS, Landmark.TURN),
}


def _words(tag: str) -> set[str]:
    return set(re.findall("[a-z]{3,}", tag.lower()))


def _rows(texts: Iterable[str], kind: Landmark) -> list[_Row]:
    return [_Row(marker_of(text), kind) for text in dict.fromkeys(texts)]


@lru_cache(maxsize=256)
def _tool_markers(name: str) -> CallMarkers:
    return CallMarkers(MarkedForm(f"<{name}>", f"</{name}>", Family.TAGS, tool=name))


@lru_cache(maxsize=256)
def landmarks(form: ReplyForm, reasoning: Reasoning) -> Landmarks:
    """The landmarks of that form."""
    return Landmarks(form, reasoning)


def _telling(form: ReplyForm, rows: Sequence[_Row], lines: Sequence[_Row]) -> re.Pattern[str]:
    """What to stop at in prose: a character that, with those behind it, may mean something.

    Most brackets in prose and code are told apart here, without stopping. A line end is one only
    where the line below it begins like a call, or with one of *lines*.
    """
    keys = form.shape.leading_keys | ({form.result_key} if form.result_key else set())
    member = _MEMBER.format(bare=_begins(keys, _ALL))
    behind: dict[str, list[str]] = {
        "\n": [],
        "<": [],
        "[": [rf"\s{{0,80}}+(?:\{{(?:{member})|\Z)"],
        "{": [member],
        "`": [_FENCED.format("`", "`")],  # what a code span is, `place/` sees
        "~": [_FENCED.format("~", "")],
    }
    lines_begin = [_begins({line.marker.same for line in lines}, _ALL)]
    lines_begin += [_NAMED_LINE] if form.bare_by_name else []
    behind["\n"].append(rf"{SPACE}*+(?:{'|'.join(lines_begin)})")
    if form.bare_python:
        behind["["].append(_LISTED_CALL)
    if form.tool_tags:
        behind["<"].append(r"[\s/\\]{0,7}+\w")
    rests: dict[str, set[str]] = {}
    for marker, _, _ in rows:
        rests.setdefault(marker.text[0], set()).add(marker.same[1:])
    for first, texts in rests.items():
        if first == "<":  # a tag may have stray spaces in it, and a backslash for its slash
            texts = {text.removeprefix("/") for text in texts}
            behind[first].append(rf"[\s/\\]{{0,7}}+{_goes_on(texts, _ENOUGH)}")
        else:  # many a word begins like one that is a marker
            enough = _ENOUGH if first in behind else _ALL
            behind.setdefault(first, []).append(_goes_on(texts, enough))
    told = {first: "|".join(sorted(set(ways))) for first, ways in behind.items()}
    return re.compile("|".join(f"{re.escape(first)}(?={way})" for first, way in told.items()))


def _begins(texts: Collection[str], enough: int) -> str:
    """A pattern for what *texts* begin with, in all spellings: one character at least."""
    by_first: dict[str, set[str]] = {}
    for text in texts:
        by_first.setdefault(text[0], set()).add(text[1:])
    # Of many ways, those that begin with a set are left out at once where another one goes on.
    spell, flag = (in_any_case, "-i") if len(by_first) > 3 else (re.escape, "i")
    spelled = (
        f"{_BEGUN.get(first) or spell(first)}{_goes_on(rests, enough - 1)}"
        for first, rests in sorted(by_first.items())
    )
    return f"(?{flag}:{'|'.join(spelled)})"


def _goes_on(texts: Collection[str], enough: int) -> str:
    """The same; the end may come before it, and so many characters are *enough*."""
    return "" if "" in texts or not enough else f"(?:{_begins(texts, enough)}|\\Z)"
