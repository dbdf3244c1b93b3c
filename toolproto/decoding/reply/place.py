"""Where does a call stand: in the open, in doubt, or only shown?

Text that merely contains a call must not run it. What tells the two apart is how the text is laid
out, never the words of one language: block structure (fences, block quotes with their lazy lines,
indented code, tables, lists, definitions), inline structure (code spans, quotation marks of every
script, over lines) and elements that show or quote. :class:`Place` carries all of it over lines.
Fences are the reader's own affair, because only what follows them decides (`fences.py`), and
so is thinking (`thinking.py`).

One table, :data:`REASONS`, names every place that is not the open and what becomes of a call there:
*shown* is text, *doubted* is a call that carries its reason and is never clean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from ...messages import Grade, Repair
from ..patterns import Pattern
from .lines import BULLET, HEAD, line_of

__all__ = ["MOST_UNSEEN", "OF_TALK", "PLAIN", "REASONS", "Place", "Standing", "Verdict", "goes_on"]


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
    def doubt(self) -> Repair:
        """The label of a call that stands like this."""
        return Repair(self.reason, Grade.GUESSED)

    @property
    def begins_something(self) -> bool:
        """Is this a place in the open where a new thing may begin?"""
        return self.verdict is Verdict.PLAIN or self.reason == "behind_markup"


PLAIN = Standing(Verdict.PLAIN)

#: Every place in which a call is not plain. The doubts are those of ``messages.PLACE_DOUBTS``.
REASONS: Mapping[str, Standing] = {
    name: Standing(verdict, name)
    for verdict, names in {
        Verdict.SHOWN: "inline_code code_block block_quote quotation table element definition"
        " other_json thinking",
        Verdict.DOUBTED: "mid_sentence words_behind behind_markup list_item lazy_quote table_row"
        " open_block open_quotation open_code indented_code fence_with_talk unclosed_thought",
    }.items()
    for name in names.split()
}

#: Doubts that rest on words around a call: a special token, which nobody says, dispels them.
OF_TALK = frozenset({"mid_sentence", "words_behind", "list_item"})

# Quotation marks of all scripts, by how they open, and what closes each. Where one mark opens in
# one language and closes in another (“ ” » «), whether one is open decides.
_PAIRS = {
    "“": "”“", "„": "“”„", "‟": "”“", "«": "»", "‹": "›", "»": "«»", "›": "‹›", "”": "”",
    "‘": "’", "‚": "‘’", "‛": "’", "「": "」", "『": "』", "｢": "｣", "﹁": "﹂", "﹃": "﹄",
    "〝": "〞〟", "《": "》", "〈": "〉", "⟪": "⟫", "⟨": "⟩", "❝": "❞", "❛": "❜", "＂": "＂",
    "״": "״", "༺": "༻",
}  # fmt: skip
_CLOSES = frozenset("".join(_PAIRS.values())) - frozenset("“")
_APOSTROPHES = frozenset("'’‘‛")
# These open only where a quotation can begin: elsewhere they are apostrophes, or close one.
_WARY = frozenset("‘’‚‛»›”״")

# Elements, and the like of other markup languages, that show or quote what is in them.
_SHOWING = (
    "pre|code|samp|kbd|tt|var|xmp|listing|plaintext|textarea|script|style|template|noscript"
    "|blockquote|q|cite|quote|quotation|example|examples|sample|snippet|verbatim|literal"
    "|nowiki|syntaxhighlight|source|noformat|del|strike|title|svg|math|iframe|comment|log|email"
    "|document|webpage|page|transcript|user|human|history|figure|figcaption|caption|summary"
    "|details|aside|td|th|dd|dt|dfn|ins|mark|abbr|object|dialog|conversation|previous_response"
)
_VERBATIM = r"\w{0,8}verbatim|lstlisting|listing|minted|alltt|quote|quotation|verse|comment"
# What opens each, with its name in a group, and what closes the one of that name.
_REGIONS = (
    (rf"<({_SHOWING})(?:\s[^<>\n]{{0,200}})?>", r"(?i)</{}\s{{0,8}}>"),
    ("<(!)--", "-->"),
    (r"<(!)\[CDATA\[", r"\]\]>"),
    (rf"\\begin\{{({_VERBATIM})\*?\}}", r"\\end\{{{}\*?\}}"),
    (r"\[(code|quote|noparse|pre|spoiler|php|html)(?:=[^\]\n]{0,80})?\](?!\()", r"(?i)\[/{}\]"),
    (r"\{(code|quote|noformat)(?::[^}\n]{0,40})?\}", r"(?i)\{{{}\}}"),
    (r"\#\+begin_(src|example|quote|verse|export|comment)\b", r"(?i)\#\+end_{}"),
)
_REGION = Pattern("|".join(opening for opening, _ in _REGIONS), re.IGNORECASE)
_ELEMENT = re.compile(_REGIONS[0][0], re.IGNORECASE)
_LONGEST_CLOSER = 40
# What may begin one of these, with what comes second in it.
_SECOND = {"<": "A-Za-z!", "\\": "bB", "[": "cqnpshCQNPSH", "{": "cqnCQN", "#": "+"}
_NO_MARKUP = "|".join(rf"\{first}(?![{second}]|\Z)" for first, second in _SECOND.items())
_DULL = re.compile(f"(?:{_NO_MARKUP}){{1,4000}}")

# The characters at which reading prose can change where things stand.
_TELLING = '\n`"<\\\\\\[{#' + "".join(sorted({*_PAIRS, *_CLOSES}))
_SPECIAL = re.compile(f"[{_TELLING}]")
_NOT_SPECIAL = re.compile(f"[^{_TELLING}]*+")
# Lines of words only, below a line of words: nothing changes in them. Most lines are like that.
_WORDS_ONLY = re.compile(f"(?:\n[^\\W\\d_][^>|{_TELLING}]*+(?<!::)(?=\n)){{1,4000}}")
_RUN = re.compile(r"`+")

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_VEILED = re.compile(f"[{_INVISIBLE}\u00a0\u2000-\u200a\u202f\u205f\u3000]")
# What a quotation can begin behind, beside space.
_BEFORE_QUOTE = frozenset("([{<>=:;,/-–—*_~“”„«»「『‘（【")

_BULLET_ONLY = re.compile(rf"\s*(?:{BULLET}\s*){{1,3}}(?:\[[ xX]\]\s*)?\Z")
_DIRECTIVE = re.compile(r"[ \t]{0,12}\.\. [\w-]{1,40}::")
# How a line of reST or YAML ends below which what is indented is literal.
_BEFORE_LITERAL = ("::", ": |", ": >", ": |-", ": >-")
# A line right below one of these goes on with it.
_GOING_ON = {"quote": "lazy_quote", "table": "table_row", "block": "open_block"}
_MOST_OPEN = 8  # quotations, or blocks, within each other
_TAIL = 48

# Special tokens that leaked are nothing; tags and bracketed words may be markers gone wrong.
_TOKENS = re.compile(r"<[|｜][^<>]{1,60}[|｜]>|<(?:/?s|bos|eos|pad|unk)>")
_MARKUP_ONLY = re.compile(r"\s*(?:<[^<>\n]{1,60}>\s*|\[/?[A-Za-z_]{1,30}\]\s*){1,3}\Z")
# Behind these a sentence, or what leads to a call, is over.
_SENTENCE_ENDS = frozenset(".!?:…。！？：．｡؟۔।॥։።፧᙮᠃៖་」』")
_AFTER_SENTENCE = "\"'”’»›)]}）】*_~"
# "e.g. " and "z. B. ": a letter with a full stop ends no sentence.
_ABBREVIATION = re.compile(r"(?:^|[\s(,])[^\W\d_]\.(?:\s?[^\W\d_]\.)?\s*\Z")
# A line of a log, or of a notebook, may end its head with a colon as a sentence does.
_STAMPED = re.compile(r"\d:[0-5]\d:[0-5]\d|In ?\[\d{0,6}\]: ?\Z")
# A quotation that was opened this long ago and never closed was none.
_LONGEST_QUOTATION = 2_000
# Nor does an element go on for ever: what stands far behind one that nobody closed is doubted.
_LONGEST_ELEMENT = 4_000

#: So many pieces of prose are kept before they are looked at, though nobody asks. With thousands
#: a long reply cost more for each piece than a short one, which never paid.
MOST_UNSEEN = 256


class _Open(NamedTuple):
    """A quotation mark that is open: what closes it, where it stands, and on which line."""

    closers: str
    at: int
    line: int


class Place:
    """What the prose read so far says about the next thing to come.

    Prose is only taken in by :meth:`saw`, and looked at when somebody asks: most of it never is.
    """

    # As it is where a reply begins. Every reply has a place, and in most little of it changes.
    _standing: Standing | None = None  # as it was found, until more comes
    _rest = ""  # looked at, but for a mark of which more may come
    _seen = 0  # characters looked at
    _line = 0  # number of the line
    _head = ""  # its first characters
    _tail = ""  # its last ones
    _fresh = True  # nothing but space in it so far, or since a call
    # -- of the block
    _after_blank = True
    _above = ""  # what the line above was: "quote", "table", "list", "words", ""
    _in_list = False
    _literal = False  # a line ended with "::", and what is indented below it is shown
    # -- inline, and what is carried over lines
    _code = 0  # length of the run of backticks that opened a code span
    _code_line = 0
    _straight: _Open | None = None  # a quotation mark that opens and closes alike
    _element: re.Pattern[str] | None = None  # what closes the element that is open
    _element_at = 0  # where that was opened
    in_thought = False  # was a thought within another one closed, and the other not yet?

    def __init__(self) -> None:
        self.unseen: list[str] = []  # prose that was read but not looked at
        self._quotes: list[_Open] = []
        self._blocks: list[_Open] = []  # that lines above opened

    # -- taking prose in ------------------------------------------------------------------

    def saw(self, text: str) -> None:
        """Take in prose that was read."""
        self.unseen.append(text)
        if len(self.unseen) > MOST_UNSEEN:
            self.look()

    def restart(self) -> None:
        """A call or a thought has ended: what stood before it on its line no longer counts."""
        self.look()
        self._standing = None
        self._rest = ""
        self._tail = ""
        self._fresh = True

    def end_block(self) -> None:
        """A fence has ended: a line begins, and nothing inline is open any more."""
        self.look()
        self._standing = None
        self._rest = ""
        self._end_paragraph()
        self._begin_line()
        self._above, self._after_blank = "", False

    @property
    def in_code(self) -> bool:
        """Inside a code span of this line?"""
        self.look()
        return self._code > 0 and self._code_line == self._line

    @property
    def allows_fence(self) -> bool:
        """In no line that is quoted, and no element that shows or quotes what is in it?"""
        self.look()
        return self._element is None and line_of(self._head).kind != "quote"

    @property
    def after_blank_line(self) -> bool:
        """At the beginning of a line, or behind a call, below an empty line?"""
        self.look()
        return self._fresh and self._after_blank and not self._rest.strip()

    # -- the answer -----------------------------------------------------------------------

    def standing(self) -> Standing:
        """How a call that begins here stands."""
        self.look()
        if self._standing is None:
            # Most calls begin where nothing was touched.
            reason = "" if self._is_untouched else self._shown() or self._doubt()
            self._standing = REASONS[reason] if reason else PLAIN
        return self._standing

    @property
    def _is_untouched(self) -> bool:
        """Has the line just begun, below nothing that goes on in it?"""
        inline = self._quotes or self._code or self._straight or self._element
        around = inline or self._blocks or self.in_thought
        before = self._head or self._tail or self._rest
        return not before and not around and self._above not in _GOING_ON

    def _shown(self) -> str:
        # The bracket that ends a tag may belong to the marker of a call: ``<pre>>>>f``.
        if self._in_near_element or (self._rest and _ELEMENT.fullmatch(f"{self._rest}>")):
            return "element"
        kind = line_of(self._head).kind
        if kind == "quote":
            return "block_quote"
        if self._in_table:
            return "table"
        if kind == "definition":
            return "definition"
        if self._code and self._code_line == self._line:
            return "inline_code"
        return "quotation" if self._quoted_here() else ""

    @property
    def _in_table(self) -> bool:
        """In a line with cells: one that begins with a bar, or has one below a row?"""
        is_row = line_of(self._head).kind == "row"
        return is_row or (self._above == "table" and "|" in self._head)

    def _quoted_here(self) -> bool:
        """Is a quotation open that began on this line?"""
        if self._quotes and self._quotes[-1].line == self._line:
            return True
        if self._straight is not None and self._straight.line == self._line:
            return True
        # An apostrophe opens too easily: only one right before the call counts.
        before = self._before.rstrip()
        return before[-1:] in _APOSTROPHES and _may_quote(before[:-1])

    @property
    def _in_near_element(self) -> bool:
        """In an element that was opened not too long ago to be still meant?"""
        near = self._seen - self._element_at <= _LONGEST_ELEMENT
        return self._element is not None and near

    def _doubt(self) -> str:
        if self.in_thought:
            return "unclosed_thought"
        if self._element is not None:
            return "open_block"
        if self._code:
            return "open_code"
        if self._straight is not None or (self._quotes and not self._is_stale(self._quotes[-1])):
            return "open_quotation"
        if self._fresh and self._above in _GOING_ON:
            return _GOING_ON[self._above]
        if self._fresh and self._is_code_line():
            return "indented_code"
        if self._blocks and self._in_block():
            return "open_block"
        before = self._before
        if "<" in before:
            before = _TOKENS.sub("", before)
        if not before.strip(" \t\r{["):
            return ""
        if _MARKUP_ONLY.match(before):
            return "behind_markup"
        if _BULLET_ONLY.match(before):
            return "list_item"
        ended = _ends_sentence(before) and not _STAMPED.search(self._head)
        return "" if ended else "mid_sentence"

    @property
    def _before(self) -> str:
        """The last characters before this on its line."""
        return _plain(self._tail + self._rest)

    def _is_code_line(self) -> bool:
        if self._literal:
            return self._head[:1] in (" ", "\t")
        if not self._after_blank and self._above != "code":
            return False
        # In a list what is indented goes on with an item, whose own text is indented already.
        return line_of(self._head).indent >= (6 if self._in_list else 4)

    def _in_block(self) -> bool:
        """Is a block open here that a line above opened, not too long ago to be still meant?"""
        line = self._head + self._tail
        for number, block in enumerate(self._blocks):
            if block.closers in line or self._seen - block.at > _LONGEST_ELEMENT:
                del self._blocks[number:]
        return bool(self._blocks)

    def _is_stale(self, quote: _Open) -> bool:
        return self._seen - quote.at > _LONGEST_QUOTATION

    # -- looking at prose -----------------------------------------------------------------

    def look(self) -> None:
        """Take in what has come, from left to right; a mark that may go on waits in ``_rest``."""
        if not self.unseen:
            return
        text = self._rest + "".join(self.unseen)
        self._standing, self._rest = None, ""
        self.unseen.clear()
        at = 0
        while at < len(text):
            if self._element is not None:
                stop = self._in_element(text, at)
            else:
                found = _SPECIAL.search(text, at)
                stop = found.start() if found else len(text)
                if stop == at:
                    stop = self._at_special(text, at)
                else:
                    self._words(_ends(text, at, stop))
            if stop < 0:
                self._rest = text[at:]
                return
            self._seen += stop - at
            at = stop

    def _words(self, words: str) -> None:
        if len(self._head) < HEAD:
            # An unseen character hides no quote mark.
            self._head = (self._head + _plain(words))[:HEAD]
        tail = self._tail + words
        self._tail = tail if len(tail) < 4 * _TAIL else tail[-_TAIL:]
        if self._fresh and _plain(words).strip():
            self._fresh = False

    def _at_special(self, text: str, at: int) -> int:
        char = text[at]
        if char == "\n":
            return self._newline(text, at)
        stop = at + 1
        if char == "`":
            stop = _RUN.match(text, at).end()  # type: ignore[union-attr]  # one at least
            self._backticks(stop - at)
        elif char in _SECOND:
            stop = self._markup(text, at)
        elif not self._code:
            self._quote(char)
        if stop > at:
            if self._element is None:
                stop = _NOT_SPECIAL.match(text, stop).end()  # type: ignore[union-attr]  # any
            self._words(_ends(text, at, stop))
        return stop

    def _newline(self, text: str, at: int) -> int:
        self._end_line()
        self._begin_line()
        if self._above != "words" or self._in_list:
            return at + 1
        boring = _WORDS_ONLY.match(text, at)
        if boring is None:
            return at + 1
        self._line += 1
        self._after_blank = False
        self._head = self._tail = "w"  # words, whatever they are
        self._fresh = False
        return boring.end()

    def _end_line(self) -> None:
        head = self._head
        if not head.strip():
            self._end_paragraph()
            self._after_blank, self._above = True, ""
            return
        kind, _, closer = line_of(head)
        if self._blocks:
            self._in_block()
        closed = not closer or (len(head) == HEAD and closer in self._tail)
        if not closed and len(self._blocks) < _MOST_OPEN:
            self._blocks.append(_Open(closer, self._seen, self._line))
        if kind == "quote":
            self._above = "quote"
        elif self._in_table:
            self._above = "table"
        elif self._is_code_line():
            self._above = "code"
        elif kind == "delimiter":
            self._above = "" if self._above == "block" else "block"
        elif kind == "list":
            self._above, self._in_list = "list", True
        elif self._above not in ("quote", "block") or self._after_blank:
            # A line below such a one goes on with it, until an empty line comes.
            self._above = "words"
        if self._after_blank and head[:1] not in (" ", "\t") and self._above == "words":
            self._in_list = False
        if head[:1] not in (" ", "\t"):
            self._literal = False
        directive = kind == "definition" and _DIRECTIVE.match(head)
        if directive or self._tail.rstrip().endswith(_BEFORE_LITERAL):
            self._literal = True
        self._after_blank = False

    def _begin_line(self) -> None:
        self._line += 1
        self._head = self._tail = ""
        self._fresh = True

    def _end_paragraph(self) -> None:
        """Nothing inline goes on over an empty line, but for quotations between telling marks."""
        self._code = 0
        self._straight = None

    def _backticks(self, count: int) -> None:
        if self._code == 0:
            self._code, self._code_line = count, self._line
        elif self._code == count:
            self._code = 0

    def _quote(self, char: str) -> None:
        if char == '"':
            if self._straight is not None:
                self._straight = None
            elif _may_quote(self._tail):
                self._straight = _Open('"', self._seen, self._line)
        elif self._quotes and char in self._quotes[-1].closers:
            self._quotes.pop()
        elif char in _PAIRS and (char not in _WARY or _may_quote(self._tail)):
            self._open_quotation(char)

    def _open_quotation(self, char: str) -> None:
        while self._quotes and self._is_stale(self._quotes[0]):
            del self._quotes[0]
        if len(self._quotes) < _MOST_OPEN:
            self._quotes.append(_Open(_PAIRS[char], self._seen, self._line))

    # -- elements -------------------------------------------------------------------------

    def _markup(self, text: str, at: int) -> int:
        """At a character that may begin an element: behind that, or -1 if more has to come."""
        dull = _DULL.match(text, at)
        if dull:
            return dull.end()
        if self._code:
            return at + 1
        if region := _REGION.match(text, at):
            self._element, self._element_at = _closing(region), self._seen
            return region.end()
        return -1 if _REGION.may_change(text, at) else at + 1

    def _in_element(self, text: str, at: int) -> int:
        """In an element: behind what closes it, or as far as that cannot begin yet."""
        assert self._element is not None, "an element is open"
        found = self._element.search(text, at)
        stop = found.end() if found else max(at, len(text) - _LONGEST_CLOSER)
        if found:
            self._element = None
        elif stop == at:
            return -1
        newline = text.rfind("\n", at, stop)
        if newline >= 0:
            self._end_paragraph()
            self._begin_line()
            self._above, self._after_blank = "", text[newline - 1 : newline] == "\n"
        self._words(_ends(text, max(at, newline + 1), stop))
        return stop


def _closing(region: re.Match[str]) -> re.Pattern[str]:
    number = region.lastindex or 1
    return re.compile(_REGIONS[number - 1][1].format(region[number]))


def _ends(text: str, at: int, stop: int) -> str:
    """The text between *at* and *stop*: of a long one what anybody looks at, both its ends."""
    if stop - at < 400:
        return text[at:stop]
    return text[at : at + HEAD] + text[stop - _TAIL : stop]


def _may_quote(before: str) -> bool:
    """May a quotation begin behind *before*?"""
    last = before[-1:]
    if last in _BEFORE_QUOTE or last.isspace() or not last:
        return True
    # Thai, Chinese and their like put no space between words.
    return last >= "\u0e00" or (not last.isascii() and _VEILED.match(last) is not None)


def _plain(text: str) -> str:
    """*text* without what nobody sees; odd spaces are spaces."""
    if text.isascii():
        return text
    return _VEILED.sub(lambda found: " " if found.group().isspace() else "", text)


def _ends_sentence(before: str) -> bool:
    """Is a sentence, or what leads to a call, over at the end of *before*?"""
    words, longer = before.rstrip(), ""
    while words[-1:] not in _SENTENCE_ENDS and words != longer:
        longer, words = words, words.rstrip(_AFTER_SENTENCE).rstrip()
    return words[-1:] in _SENTENCE_ENDS and not _ABBREVIATION.search(before)


_GOES_ON = frozenset(",)，、）》」』”’\"'»›-–—(（#/=:：|←→⇐⇒↑")


def goes_on(char: str) -> bool:
    """Does a sentence that a call stands in go on with *char* behind it?

    A new sentence begins with a capital, in scripts that have them; in the others, and with
    punctuation, it is the old one.
    """
    return char in _GOES_ON or (char.isalnum() and not char.isupper())
