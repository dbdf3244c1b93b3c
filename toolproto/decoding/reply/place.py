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
from .lines import (
    BEHIND_SIGNS,
    COMMENT,
    HEAD,
    ITEM,
    MARKS,
    NOT_WORDS,
    OWN_WRAPPER,
    VEILED,
    closes_end,
    ends_sentence,
    ends_with_colon,
    is_head,
    is_item,
    is_markup,
    leads_on,
    line_of,
    says_all,
    visible,
    without_tokens,
)
from .markers import MORE, NO


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
        return self.verdict is Verdict.PLAIN or self.reason in _BEGINNINGS


PLAIN = Standing(Verdict.PLAIN)
# Doubtful places in the open where a new thing may begin all the same.
_BEGINNINGS = frozenset({"behind_markup", "behind_colon", "below_words"})

#: Every place in which a call is not plain. The doubts are those of ``messages.PLACE_DOUBTS``.
REASONS: Mapping[str, Standing] = {
    name: Standing(verdict, name)
    for verdict, names in {
        Verdict.SHOWN: "inline_code code_block block_quote quotation table element definition"
        " other_json thinking to_user",
        Verdict.DOUBTED: "mid_sentence words_behind amid_talk cut_behind behind_colon below_words"
        " behind_markup behind_signs list_item lazy_quote table_row open_block open_quotation"
        " open_code indented_code fence_with_talk unclosed_thought",
    }.items()
    for name in names.split()
}

#: Doubts that rest on words around a call: a special token, which nobody says, dispels them.
OF_TALK = frozenset(
    {"mid_sentence", "words_behind", "amid_talk", "behind_colon", "below_words", "list_item"}
)

# Quotation marks of all scripts, by how they open, and what closes each. Where one mark opens in
# one language and closes in another (“ ” » «), whether one is open decides.
_PAIRS = {
    "“": "”“", "„": "“”„", "‟": "”“", "«": "»", "‹": "›", "»": "«»", "›": "‹›", "”": "”",
    "‘": "’", "‚": "‘’", "‛": "’", "「": "」", "『": "』", "｢": "｣", "﹁": "﹂", "﹃": "﹄",
    "〝": "〞〟", "《": "》", "〈": "〉", "⟪": "⟫", "⟨": "⟩", "❝": "❞", "❛": "❜", "＂": "＂",
    "״": "״", "༺": "༻", "⹂": "”", "🙶": "🙷", "＇": "＇", '"': '"', "❮": "❯", "⸂": "⸃", "⌜": "⌝",
    "（": "）", "［": "］", "【": "】", "〔": "〕", "〖": "〗", "⟦": "⟧", "⁅": "⁆",
    "⸢": "⸣", "⸤": "⸥", "⸄": "⸅", "⸌": "⸍", "❨": "❩", "❪": "❫", "❲": "❳", "❴": "❵", "❬": "❭",
    "❰": "❱", "༼": "༽", "᚛": "᚜", "〘": "〙", "〚": "〛", "⦅": "⦆", "⦃": "⦄", "｟": "｠",
    "｛": "｝", "⌈": "⌉", "⌊": "⌋", "⟮": "⟯", "⟬": "⟭", "﴾": "﴿", "﴿": "﴾",
}  # fmt: skip
_CLOSES = frozenset("".join(_PAIRS.values())) - frozenset("“")
_APOSTROPHES = frozenset("'’‘‛")
# These open only where a quotation can begin: elsewhere they are apostrophes, or close one.
_WARY = frozenset('‘’‚‛»›”״＇"')

# Elements, and the like of other markup languages, that show or quote what is in them.
_ELEMENTS = (
    "pre code samp kbd tt var xmp listing plaintext textarea script style template noscript"
    " blockquote q cite quote quotation example examples sample snippet verbatim literal"
    " nowiki syntaxhighlight source noformat del strike title svg math iframe comment log email"
    " document webpage page transcript user human history figure figcaption caption summary"
    " details aside td th dd dt dfn ins mark abbr object dialog conversation previous_response"
)
_SHOWING = frozenset(_ELEMENTS.split())
_VERBATIM = r"\w{0,8}verbatim|lstlisting|listing|minted|alltt|quote|quotation|verse|comment"
# What opens each, with its name in a group, and what closes the one of that name.
_REGIONS = (
    ("<(!)--", "-->"),
    (r"<(!)\[CDATA\[", r"\]\]>"),
    (rf"\\begin\{{({_VERBATIM})\*?\}}", r"\\end\{{{}\*?\}}"),
    (r"\[(code|quote|noparse|pre|spoiler|php|html)(?:=[^\]\n]{0,80})?\](?=[^(])", r"(?i)\[/{}\]"),
    (r"\{(code|quote|noformat)(?::[^}\n]{0,40})?\}", r"(?i)\{{{}\}}"),
    (r"\#\+begin_(src|example|quote|verse|export|comment|center)(?=\W)", r"(?i)\#\+end_{}"),
)
# Any element is known by its name; in one that shows nothing a call may be meant. What follows is
# looked at, so that no text to come can change what was found.
_ELEMENT = rf"<(?P<slash>/?)(?P<name>[^\W\d_][\w{MARKS}:.|-]{{0,40}})(?=[^\w{MARKS}:.|-])"
_TAG = Pattern("|".join([*(opening for opening, _ in _REGIONS), _ELEMENT]), re.IGNORECASE)
_REST_SHOWING = Pattern(r"(?:\s[^<>\n]{0,200}(?:\n\s{0,40}[\w:-]{1,40}=[^<>\n]{1,200}){0,4})?>")
_REST = Pattern(r"(?:[ \t][^<>\n]{0,110})?(?<!/)>")
# Elements that hold nothing, and those that models put around calls they mean, or all they say.
_OPENS_NOTHING = re.compile(rf"(?i:br|hr|img|wbr|s)\Z|{OWN_WRAPPER}")
_LONGEST_CLOSER = 40
# What may begin one of these, with what comes second in it.
_SECOND = {"<": r"[^\W\d_]|[!/]", "\\": "[bB]", "[": "[cqnpshCQNPSH]", "{": "[cqnCQN]", "#": "[+]"}
_NO_MARKUP = "|".join(rf"\{first}(?!{second}|\Z)" for first, second in _SECOND.items())
# Nor is what another bracket follows, before any that closes it.
_NO_MARKUP += r"|<(?=[^<>\n!/][^<>\n]{0,200}+<)"
_DULL = re.compile(f"(?:{_NO_MARKUP}){{1,4000}}")

# The characters at which reading prose can change where things stand.
_TELLING = "\n`<\\\\\\[{#" + "".join(sorted({*_PAIRS, *_CLOSES}))
_NOT_SPECIAL = re.compile(f"[^{_TELLING}]*+")
_NO_CODE_END = re.compile(r"[^`\n]*+")
# Lines of words, and items of a list, in which what is opened is closed: below a line of the same
# kind nothing changes in them. Most lines are like that.
_DULL_CHARS = f"[^>＞|&{VEILED}{_TELLING}]"
_PLAIN_LINES = re.compile(
    rf"(?:\n(?!{NOT_WORDS})(?:[^\W_]|[-*+•] |\*\*(?=\w)|(?=[“\"<]))(?:{_DULL_CHARS}++"
    rf"|`[^`\n]++`(?!`)|(?<=[\s(])\"{_DULL_CHARS}*+\"|“{_DULL_CHARS}*+”"
    rf"|(?<!\w)<(?P<name>[A-Za-z]{{1,12}})>{_DULL_CHARS}*+</(?P=name)>"
    r")*+(?<![:|\s-])(?<!''')(?=\n)){1,4000}"
)
_AN_ITEM = re.compile(rf"\n{ITEM}")
_RUN = re.compile(r"`+")
_VEILED = re.compile(f"[{VEILED}]")
# What a quotation can begin behind, beside space.
_BEFORE_QUOTE = frozenset('([{<>=:;,/"\\#@$-–—*_~“”„«»「『‘（【')

_DIRECTIVE = re.compile(r"[ \t]{0,12}\.\. [\w-]{1,40}::")
# How a line of reST or YAML ends below which what is indented is literal.
_BEFORE_LITERAL = ("::", ": |", ": >", ": |-", ": >-")
# A line right below one of these goes on with it.
_GOING_ON = {
    "quote": "lazy_quote", "table": "table_row", "block": "open_block", "definition": "open_block",
}  # fmt: skip
_LAZY = frozenset({"quote", "block", "definition"})
_RULE = re.compile(r"([^\w@>$´｀'\":`]|_)\1{2,3}\Z")  # closes what a line of such signs opens
_MOST_OPEN = 8  # quotations, or blocks, within each other
_TAIL = 192
# A line of a log, or of a notebook, may end its head with a colon as a sentence does.
_STAMPED = re.compile(r"\d:[0-5]\d:[0-5]\d|In ?\[\d{0,6}\]: ?\Z")
# A quotation that was opened this long ago and never closed was none.
_LONGEST_QUOTATION = 2_000
# Nor does an element go on for ever: what stands far behind one that nobody closed is doubted.
_LONGEST_ELEMENT = 4_000

#: So many pieces of prose are kept before they are joined: a list of thousands makes each dearer.
#: So many times so many are looked at though nobody asks, lest who asks in the end waits for long.
MOST_UNSEEN = 256


class _Open(NamedTuple):
    """A quotation or a block that is open: what closes it, where it stands, and on which line."""

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
    # -- of the line
    _line = 0  # its number
    _head = ""  # its first characters
    _tail = ""  # its last ones
    _fresh = True  # nothing but space in it so far, or since a call
    _called = False  # does a call stand in it, or a marker around calls?
    # -- of the block
    _after_blank = True
    _below_call = False  # does one stand in the line above, and nothing else?
    _above = ""  # what the line above was: "quote", "table", "list", "words", ""
    _last = _earlier = ""  # both ends of the last two lines that were not empty
    _in_list = False
    _literal = False  # a line ended with "::", and what is indented below it is shown
    # -- inline, and what is carried over lines
    _code = 0  # length of the run of backticks that opened a code span
    _code_line = 0
    _element: re.Pattern[str] | None = None  # what closes the element that is open
    _element_at = -1  # where that, or the last one, was opened
    in_thought = False  # was a thought within another one closed, and the other not yet?
    _to_user = False  # in a message that its head addresses to the user?

    def __init__(self) -> None:
        self.unseen: list[str] = []  # prose that was read but not looked at
        self._joined: list[str] = []  # the same, before that
        self._quotes: list[_Open] = []
        self._blocks: list[_Open] = []  # that lines above opened, and elements

    # -- taking prose in ------------------------------------------------------------------

    def saw(self, text: str) -> None:
        """Take in prose that was read."""
        self.unseen.append(text)
        if len(self.unseen) > MOST_UNSEEN:
            self.join()

    def join(self) -> None:
        """Keep what was read in fewer pieces; look at it only if that is very much."""
        self._joined.append("".join(self.unseen))
        self.unseen.clear()
        # A run of backticks counts as a whole, and more of it may come.
        if len(self._joined) > MOST_UNSEEN and self._joined[-1][-1:] != "`":
            self.look()

    def restart(self) -> None:
        """A call or a thought has ended: what stood before it on its line no longer counts."""
        self.look()
        self._standing = None
        self._rest = self._tail = ""
        self._fresh = self._called = True

    def end_thought(self, *, in_thought: bool) -> None:
        """A thought has ended, perhaps *in_thought*: the words above it are over, too."""
        self.restart()
        self._last = ""
        self._called = False
        self.in_thought = in_thought

    def begin_message(self, head: str = "") -> None:
        """What stood here is left out of the text: perhaps the *head* of a message."""
        self.look()
        self._to_user = "to=user<" in head
        self._called = self._called or bool(head)
        self._standing = None

    def end_block(self) -> None:
        """A fence has ended: a line begins, and nothing inline is open any more."""
        self.look()
        self._standing = None
        self._rest = self._last = self._above = ""
        self._code = 0
        self._begin_line()
        self._after_blank = False

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

    @property
    def is_led_to(self) -> bool:
        """At the beginning of a line, below one that is no whole sentence, however far above?"""
        self.look()
        return self._begins_line and not says_all(self._last)

    @property
    def touches_word(self) -> bool:
        """Right behind a letter or a digit?"""
        self.look()
        return self._before[-1:].isalnum()

    # -- the answer -----------------------------------------------------------------------

    def standing(self) -> Standing:
        """How a call that begins here stands."""
        self.look()
        if self._standing is None:
            # Most calls begin where nothing was touched.
            reason = "" if self._is_untouched else self._shown() or self._open() or self._words()
            self._standing = REASONS[reason] if reason else PLAIN
        return self._standing

    @property
    def _is_untouched(self) -> bool:
        """Has the line just begun, below nothing that goes on in it?"""
        inline = self._quotes or self._code or self._element
        around = inline or self._blocks or self.in_thought or self._to_user
        before = self._head or self._tail or self._rest or self._last
        return not before and not around and self._above not in _GOING_ON

    def _shown(self) -> str:
        """The place that shows what stands in it, if this is one."""
        if self._to_user:
            return "to_user"
        near = self._seen - self._element_at <= _LONGEST_ELEMENT
        if (self._element and near) or (self._rest and _opens_region(self._rest)):
            return "element"
        kind = line_of(self._head).kind
        if kind == "quote":
            return "block_quote"
        if self._is_row(kind):
            return "table"
        if kind == "definition":
            return "definition"
        if self._code and self._code_line == self._line:
            return "inline_code"
        return "quotation" if self._quoted_here() else ""

    def _is_row(self, kind: str) -> bool:
        """In a line with cells: one that begins with a bar, or has one below a row?"""
        return kind == "row" or (self._above == "table" and "|" in self._head)

    def _quoted_here(self) -> bool:
        """Is a quotation open that began on this line?"""
        if self._quotes and self._quotes[-1].line == self._line:
            return True
        # An apostrophe opens too easily: only one right before the call counts.
        before = self._before.rstrip()
        return before[-1:] in _APOSTROPHES and _may_quote(before[:-1])

    def _open(self) -> str:
        """What was opened above and may go on here, if anything."""
        if self.in_thought:
            return "unclosed_thought"
        if self._element is not None:
            return "open_block"
        if self._code:
            return "open_code"
        if self._quotes and self._seen - self._quotes[-1].at <= _LONGEST_QUOTATION:
            return "open_quotation"
        if self._above in _GOING_ON and self._begins_line:
            return _GOING_ON[self._above]
        if self._begins_line and self._is_code(line_of(self._head).indent):
            return "indented_code"
        return "open_block" if self._blocks and self._in_block() else ""

    def _words(self) -> str:
        """What the words around say: a sentence before this, if any, has to be over."""
        before = without_tokens(self._before)
        if not before.strip():
            return self._lines_above()
        if is_markup(before):
            return self._lines_above() or "behind_markup"
        if BEHIND_SIGNS.search(before) or COMMENT.match(self._head):
            return "behind_signs"
        if line_of(self._head).kind == "list" or is_item(before):
            return "list_item"
        if ends_with_colon(before):
            return "behind_colon"
        within = before.rfind("(") > before.rfind(")") or _STAMPED.search(self._head)
        return "mid_sentence" if within or not ends_sentence(before) else ""

    def _lines_above(self) -> str:
        """What the lines above say of a call that begins its line."""
        if is_head(self._last, self._earlier):
            return "open_block"  # of a mail, or what was said in a chat
        indent = line_of(self._head).indent
        if self._in_list and indent >= 2:
            return "list_item"
        if self._above not in ("words", "list") or leads_on(self._last):
            return ""
        if indent >= 4:
            return "indented_code"
        # Nobody says signs: they open a block.
        return "below_words" if any(map(str.isalnum, self._last)) else "open_block"

    @property
    def _before(self) -> str:
        """The last characters before this on its line."""
        return visible(self._tail + self._rest)

    @property
    def _begins_line(self) -> bool:
        """Does nothing stand before this on its line but what may be a marker gone wrong?"""
        before = self._before
        return not before.strip() or is_markup(before)

    def _is_code(self, indent: int) -> bool:
        """Is a line with that *indent* one of code here?"""
        if self._literal:
            return self._head[:1] in (" ", "\t")
        # In a list what is indented goes on with an item, whose own text is indented already.
        if indent < (6 if self._in_list else 4):
            return False
        below_blank = self._after_blank and not self._below_call
        return below_blank or self._above == "code" or ends_with_colon(self._last)

    def _in_block(self) -> bool:
        """Is a block open here that was opened above, not too long ago to be still meant?"""
        ends = (self._head, self._tail)
        for number, (closer, at, _) in enumerate(self._blocks):
            # What closes an element was seen where it stands.
            closed = any(closer in end for end in ends) and not closer.startswith("</")
            if closed or self._seen - at > _LONGEST_ELEMENT:
                del self._blocks[number:]
                break
        return bool(self._blocks)

    # -- looking at prose -----------------------------------------------------------------

    def look(self) -> None:
        """Take in what has come, from left to right; a mark that may go on waits in ``_rest``."""
        if not self.unseen and not self._joined:
            return
        text = "".join((self._rest, *self._joined, *self.unseen))
        self._standing, self._rest = None, ""
        self._joined.clear()
        self.unseen.clear()
        at = 0
        while at < len(text) and not self._rest:
            if self._element is not None:
                stop = self._in_element(text, at)
            elif text[at] == "\n":
                stop = self._newline(text, at)
            else:
                stop = self._in_line(text, at)
            self._seen += stop - at
            at = stop

    def _in_line(self, text: str, at: int) -> int:
        """Take in words and marks, to the end of the line or behind what opens an element."""
        start, stop, last = at, at, self._tail[-1:]  # the character before
        while self._element is None:
            words = _NO_CODE_END if self._code else _NOT_SPECIAL
            at = words.match(text, stop).end()  # type: ignore[union-attr]  # any
            char = text[at : at + 1]
            if not char or char == "\n":
                break
            last = text[at - 1] if at > start else last
            if char == "`":
                stop = _RUN.match(text, at).end()  # type: ignore[union-attr]  # one at least
                if not self._code:
                    self._code, self._code_line = stop - at, self._line
                elif self._code == stop - at:
                    self._code = 0
            elif char in _SECOND:
                stop = self._markup(text, at, self._seen + at - start, last)
                if stop < 0:
                    self._rest = text[at:]
                    break
            else:
                stop = at + 1
                self._quote(char, self._seen + at - start, last)
        else:
            at = stop
        self._said(text, start, at)
        return at

    def _said(self, text: str, at: int, stop: int) -> None:
        """Keep both ends of the line: nobody looks at more of it."""
        if len(self._head) < HEAD:
            # An unseen character hides no quote mark.
            self._head = (self._head + visible(text[at:stop]))[:HEAD]
        self._tail = (self._tail + text[max(at, stop - _TAIL) : stop])[-_TAIL:]
        if self._fresh and visible(text[at:stop]).strip():
            self._fresh = False

    def _newline(self, text: str, at: int) -> int:
        self._end_line()
        self._begin_line()
        if self._above not in ("words", "list") or self._code or self._quotes or self._blocks:
            return at + 1
        lines = _PLAIN_LINES.match(text, at)
        # The last two of them say what a call below them goes on with.
        stop = text.rfind("\n", at, text.rfind("\n", at, lines.end())) if lines else at
        if stop <= at:
            return at + 1
        self._in_list = self._in_list or _AN_ITEM.search(text, at, stop) is not None
        self._head = "w"  # words, whatever they are
        return stop

    def _end_line(self) -> None:
        head = self._head
        self._below_call = self._called and not head.strip()
        if not head or head.isspace():
            self._after_blank = True
            if not self._called:
                # Nothing inline goes on over an empty line, but for quotations.
                self._code, self._above = 0, ""
            is_below = self._blocks and self._blocks[-1].line == self._line - 1
            if is_below and _RULE.match(self._blocks[-1].closers):
                del self._blocks[-1]  # it was a line across the page
            return
        line, said = line_of(head), head + self._tail * (len(head) == HEAD)
        self._open_block(line.closer or closes_end(said))
        self._above = self._kind(line.kind, line.indent)
        self._earlier, self._last = self._last, said
        indented = head[0] in " \t"
        if self._above == "list":
            self._in_list = True
        elif self._after_blank and not indented and self._above == "words":
            self._in_list = False
        directive = line.kind == "definition" and _DIRECTIVE.match(head)
        opens_literal = directive or self._last.rstrip().endswith(_BEFORE_LITERAL)
        self._literal = bool(opens_literal or (self._literal and indented))
        self._after_blank = False

    def _open_block(self, closer: str) -> None:
        """A line ends that may close a block, or open one that *closer* closes."""
        opened = len(self._blocks)
        if opened:
            self._in_block()
        if not closer or len(self._blocks) < opened or opened == _MOST_OPEN:
            return
        closed = len(self._head) == HEAD and closer in self._tail
        # Below words such signs underline a heading.
        underlines = self._above == "words" and self._last.rstrip()[-1:].isalnum()
        if not closed and not (underlines and _RULE.match(closer)):
            self._blocks.append(_Open(closer, self._seen, self._line))

    def _kind(self, kind: str, indent: int) -> str:
        """What the line was that ends: that of the line above it goes on in some."""
        if kind in ("quote", "definition"):
            return kind
        if self._is_row(kind):
            return "table"
        if self._is_code(indent):
            return "code"
        if kind == "delimiter":
            return "" if self._above == "block" else "block"
        if kind == "list":
            return "list"
        # A line below such a one goes on with it, until an empty line comes.
        return self._above if self._above in _LAZY and not self._after_blank else "words"

    def _begin_line(self) -> None:
        self._line += 1
        self._head = self._tail = ""
        self._fresh, self._called = True, False

    def _quote(self, char: str, at: int, before: str) -> None:
        """A quotation mark stands *at* in the prose, behind the character *before*."""
        for number in range(len(self._quotes) - 1, -1, -1):
            if char in self._quotes[number].closers:
                del self._quotes[number:]
                return
            if char in _APOSTROPHES:
                break  # it closes nothing that was opened before something else
        if char not in _PAIRS or (char in _WARY and not _may_quote(before)):
            return
        while self._quotes and at - self._quotes[0].at > _LONGEST_QUOTATION:
            del self._quotes[0]
        if len(self._quotes) < _MOST_OPEN:
            self._quotes.append(_Open(_PAIRS[char], at, self._line))

    # -- elements -------------------------------------------------------------------------

    def _markup(self, text: str, at: int, seen: int, before: str) -> int:
        """At a character that may begin an element: behind that, or -1 if more has to come."""
        dull = _DULL.match(text, at)
        if dull:
            return dull.end()
        end, closer, name = _element_at(text, at, False)
        if end < 0:
            return -1 if end == MORE else at + 1
        if text[at + 1] == "/":
            self._close_element(name)
        elif closer:
            self._element, self._element_at = re.compile(closer), seen
        # The assistant's turn below somebody else's is out of a transcript.
        elif (name == "assistant" and self._element_at >= 0) or not (
            before.isalnum() or _OPENS_NOTHING.match(name)  # ``List<int>``
        ):
            self._blocks += [_Open(f"</{name}", seen, self._line)][: _MOST_OPEN - len(self._blocks)]
        return end

    def _close_element(self, name: str) -> None:
        for number in range(len(self._blocks) - 1, -1, -1):
            if self._blocks[number].closers == f"</{name}":
                del self._blocks[number:]
                break

    def _in_element(self, text: str, at: int) -> int:
        """In an element: behind what closes it, or as far as that cannot begin yet."""
        assert self._element is not None, "an element is open"
        found = self._element.search(text, at)
        stop = found.end() if found else max(at, len(text) - _LONGEST_CLOSER)
        if found:
            self._element = None
        elif stop == at:
            self._rest = text[at:]
            return at
        newline = text.rfind("\n", at, stop)
        if newline >= 0:
            self._begin_line()
            self._code, self._above, self._last, self._after_blank = 0, "", "", False
        self._said(text, max(at, newline + 1), stop)
        return stop


def gap_to_call(said: str) -> str:
    """What to write between the words *said* and a call, so that it stands in the open."""
    if not said:
        return ""
    place = Place()
    place.saw(f"{said}\n")
    return "\n" if place.standing() is PLAIN else "\n\n"


def _opens_region(rest: str) -> bool:
    """Does *rest*, of which no more comes, open what shows what is in it?

    The bracket that ends a tag may belong to the marker of a call: ``<pre>>>>f``.
    """
    return any(_element_at(tag, 0, True)[1] for tag in (rest, f"{rest}>"))


def _element_at(text: str, at: int, final: bool) -> tuple[int, str, str]:
    """Where the tag at *at* ends, or NO, or MORE; what closes it if it shows; and its name."""
    tag, name = _TAG.match(text, at), ""
    if tag and tag.lastindex and tag.lastindex <= len(_REGIONS):
        return tag.end(), _REGIONS[tag.lastindex - 1][1].format(tag[tag.lastindex]), ""
    pattern, start = _TAG, at
    if tag:
        name, start = tag["name"].lower(), tag.end()
        if tag["slash"]:
            return start, "", name
        pattern = _REST_SHOWING if name in _SHOWING else _REST
        tag = pattern.match(text, start)
    if tag is None:
        return MORE if not final and pattern.may_change(text, start) else NO, "", ""
    return tag.end(), rf"(?i)</{name}\s{{0,8}}>" if name in _SHOWING else "", name


def _may_quote(before: str) -> bool:
    """May a quotation begin behind *before*?"""
    last = before[-1:]
    if last in _BEFORE_QUOTE or last.isspace() or not last:
        return True
    # Thai, Chinese and their like put no space between words.
    return last >= "\u0e00" or (not last.isascii() and _VEILED.match(last) is not None)
