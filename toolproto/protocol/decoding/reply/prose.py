"""What is open in the prose read so far: blocks, quotations, code spans, elements?

It is carried over lines, by :class:`Prose`: block structure (block quotes with their lazy lines,
indented code, tables, lists, definitions), inline structure (code spans, quotation marks of every
script, over lines) and elements that show or quote. Fences are the reader's own affair, because
only what follows them decides (`fences.py`), and so is thinking (`thinking.py`). What all of it
means for a call, `place.py` says.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from ..markers import MORE, NO
from ..patterns import Pattern, lazy
from . import lines

# Quotation marks of all scripts, by how they open, and what closes each. Where one mark opens in
# one language and closes in another (“ ” » «), whether one is open decides.
_PAIRS = {
    "“": "”“", "„": '“”„"', "‟": "”“", "«": "»", "‹": "›", "»": "«»", "›": "‹›", "”": "”“",
    "‘": "’", "‚": "‘’", "‛": "’", "〝": "〞〟", "〞": "〟", "⹂": "”", "﴾": "﴿", "﴿": "﴾", "‶": "″",
    **{mark: mark for mark in "\"＂״＇´′″"},
    **dict(re.findall("..", (
        "「」『』｢｣﹁﹂﹃﹄《》〈〉⟪⟫⟨⟩❝❞❛❜༺༻🙶🙷❮❯⸂⸃⌜⌝（）［］【】〔〕〖〗⟦⟧⁅⁆⸢⸣⸤⸥⸄⸅⸌⸍❨❩❪❫❲❳❴❵❬❭❰❱"
        "༼༽᚛᚜〘〙〚〛⦅⦆⦃⦄｟｠｛｝⌈⌉⌊⌋⟮⟯⟬⟭⸉⸊⸜⸝⸠⸡⸦⸧⸨⸩⦇⦈⦉⦊⦋⦌⦍⦎⦏⦐⦑⦒⦓⦔⦕⦖⦗⦘⧘⧙⧚⧛⧼⧽︗︘︵︶︷︸"
        "︹︺︻︼︽︾︿﹀﹇﹈﹙﹚﹛﹜﹝﹞"
    ))),
}  # fmt: skip
_CLOSES = frozenset("".join(_PAIRS.values())) - frozenset("“")
#: What is an apostrophe more often than a quotation mark.
APOSTROPHES = frozenset("'’‘‛")
# These open only where a quotation can begin: elsewhere they are apostrophes, or close one.
_WARY = frozenset('‘’‚‛»›”״＇"´′″‶')
# A run of backticks counts as a whole, and a mark by what stands behind it.
_READ_WITH_THE_NEXT = frozenset({"", "`", *_PAIRS, *_CLOSES, *APOSTROPHES})
# Where a line, or a word, begins with one of these, it opens once more what one above has opened.
_AGAIN = frozenset("“„»›")

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
    (r"<(!)\[CDATA\[", "]]>"),
    (rf"\\begin\{{((?:{_VERBATIM})\*?)\}}", "\\end{{{}}}"),
    (r"\[(code|quote|noparse|pre|spoiler|php|html)(?:=[^\]\n]{0,80})?\](?=[^(])", "[/{}]"),
    (r"\{(code|quote|noformat)(?::[^}\n]{0,40})?\}", "{{{}}}"),
    (r"\#\+begin_(src|example|quote|verse|export|comment|center)(?=\W)", "#+end_{}"),
)
# Any element is known by its name, and any token of thinking by its word; in one that shows nothing
# a call may be meant. What follows is looked at, so that no text to come can change what was found.
_ELEMENT = (
    r"<[|｜](?P<token>[\w▁/]{0,30}?(?:think|thought|reason|reflect|scratch|思考)[\w▁]{0,20})[|｜]>"
    rf"|<(?P<slash>/?)(?P<name>[^\W\d_][\w{lines.MARKS}:.|-]{{0,40}})(?=[^\w{lines.MARKS}:.|-])"
)
_TAG = Pattern("|".join([*(opening for opening, _ in _REGIONS), _ELEMENT]), re.IGNORECASE)
_REST_SHOWING = Pattern(r"(?:\s[^<>\n]{0,200}(?:\n\s{0,40}[\w:-]{1,40}=[^<>\n]{1,200}){0,4})?>")
_REST = Pattern(r"(?:[ \t][^<>\n]{0,110})?(?<!/)>")
# ``<parameter=path>``, as Qwen's coders and Llama write arguments.
_OF_ARGUMENTS = frozenset({"arg", "argument", "param", "parameter"})
_REST_OF_ARGUMENT = Pattern(r"(?:[ \t=][^<>\n]{0,110})?(?<!/)>")
# Elements that hold nothing, tokens of a vocabulary among them, and those that models put around
# calls they mean, or all they say.
_OPENS_NOTHING = lazy(rf"(?i:br|hr|img|wbr|[be]os|pad|unk)\b|{lines.OWN_WRAPPER}")
# How a sentence goes on that only speaks of an element: ``the <script> tag``, ``in <pre>.``
_MENTIONED = Pattern(r"[ \t]{1,3}[^\W_]|[.,;:!?…)。，、；：！？）]")
_LONGEST_CLOSER = 40
# What may begin one of these, with what comes second in it.
_SECOND = {"\\": "[bB]", "[": "[chnpqs]", "{": "[cnq]", "#": "[+]", "<": r"[^\W\d_]|[!/|｜]"}
_NO_MARKUP = "|".join(rf"\{first}(?!{second}|\Z)" for first, second in _SECOND.items())
# Nor is what another bracket follows, before any that closes it.
_NO_MARKUP += r"|<(?=[^<>\n!/][^<>\n]{0,200}+<)"

# The characters at which reading prose can change where things stand.
_TELLING = "\n`<\\\\\\[{#" + "".join(sorted({*_PAIRS, *_CLOSES}))
_DULL = f"[^{_TELLING}]++|(?i:{_NO_MARKUP})"
_NOT_SPECIAL = lazy(f"(?:{_DULL}){{0,4000}}+")
# The same where no quotation is open: one that is closed on its line changes nothing. Nothing is
# closed by what begins a word.
_QUOTE_END = r'(?:(?<!\s)"|"(?!\w))'
_NOT_OPEN = lazy(f'(?:{_DULL}|(?<=[\\s([{{:,=])"[^{_TELLING}]*+{_QUOTE_END}){{0,4000}}+')
_NO_CODE_END = lazy(r"[^`\n]*+")
# Lines of words, and items of a list, in which what is opened is closed: below a line of the same
# kind nothing changes in them. Most lines are like that.
_DULL_CHARS = f"[^>＞|&()'*{_TELLING}]"
_PLAIN_LINES = lazy(
    rf"(?:\n(?!{lines.NOT_WORDS})(?:[^\W_]|[-*+•] |\*\*(?=\w)|(?=[“\"<]))(?:{_DULL_CHARS}++"
    rf"|(?<!/)\*++{_DULL_CHARS}*+|(?<=\w)'|\({_DULL_CHARS}*+\)|\)|`[^`\n]++`(?!`)|(?<=[\s(])\"{_DULL_CHARS}*+{_QUOTE_END}|“{_DULL_CHARS}*+”"
    rf"|(?<!\w)<(?P<name>[A-Za-z]{{1,12}})>{_DULL_CHARS}*+</(?P=name)>"
    r")*+(?<![:|\s-])(?<!''')(?=\n)){1,4000}"
)
_AN_ITEM = lazy(rf"\n{lines.ITEM}")
_RUN = lazy(r"`+")
# What a quotation can begin behind, beside space.
_BEFORE_QUOTE = frozenset('([{<>=:;,/"\\#@$-–—*_~“”„«»「『‘（【')
# A line of reST or YAML below which what is indented is literal.
_BEFORE_LITERAL = lazy(
    r"[ \t]{0,12}\.\.(?:[ ]|\s*\Z)|.*(?:::|: (?:[!&]\S{1,20} )?[|>][-+\d]{0,2}(?: +#.*)?)\s*\Z"
)
_LAZY = frozenset({"quote", "block", "definition"})
_RULE = lazy(r"([^\w@>$´｀'\":`]|_)\1{2,3}\Z")  # closes what a line of such signs opens
_MOST_OPEN = 8  # quotations, or blocks, within each other
_TAIL = 192
# A quotation, or a block, that was opened amid words this long ago and never closed was none. What
# begins its line, and is not indented, goes on for ever, unless a heading or the like comes below
# an empty line, which shows that it was none either.
_LONGEST_QUOTATION = 2_000
_LONGEST_BLOCK = 4_000
#: What stands this far behind an element that shows and that nobody closed is doubted.
LONGEST_ELEMENT = 4_000

#: So many pieces of prose are kept before they are joined: a list of thousands makes each dearer.
#: So many times so many are looked at though nobody asks, lest who asks in the end waits for long.
MOST_UNSEEN = 256


class _Open(NamedTuple):
    """A quotation or a block that is open: what closes it, where it stands, and on which line.

    One that nothing closes is over *long* characters behind *at*.
    """

    closers: str
    at: int
    line: int
    long: float

    def bounded(self, longest: int) -> _Open:
        """The same, no longer than *longest*, unless only a closing tag ends it."""
        return self if self.closers[:2] == "</" else self._replace(long=longest)


class Prose:
    """What the prose read so far says about the next thing to come.

    Prose is only taken in by :meth:`saw`, and looked at when somebody asks: most of it never is.
    """

    # As it is where a reply begins. Every reply has a place, and in most little of it changes.
    _changed = True  # has something come since the place was last asked for?
    _rest = ""  # looked at, but for a mark of which more may come
    _seen = 0  # characters looked at
    # -- of the line
    _line = 0  # its number
    _head = ""  # its first characters
    _tail = ""  # its last ones, since a call in it
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
    _aside = False  # in a message that its head addresses to the user?

    def __init__(self) -> None:
        self.unseen: list[str] = []  # prose that was read but not looked at
        self._joined: list[str] = []  # the same, before that
        self._quotes: list[_Open] = []
        self._blocks: list[_Open] = []  # that lines above opened, and elements

    def saw(self, text: str) -> None:
        """Take in prose that was read."""
        self.unseen.append(text)
        if len(self.unseen) > MOST_UNSEEN:
            self.join()

    def join(self) -> None:
        """Keep what was read in fewer pieces; look at it only if that is very much."""
        self._joined.append("".join(self.unseen))
        self.unseen.clear()
        last = lines.visible(self._joined[-1])[-1:] if len(self._joined) > MOST_UNSEEN else ""
        if last not in _READ_WITH_THE_NEXT:
            self.look()

    def restart(self) -> None:
        """A call or a thought has ended: what stood before it on its line no longer counts."""
        self.look()
        self._rest = self._tail = ""
        self._changed = self._called = True

    def end_thought(self, *, in_thought: bool) -> None:
        """A thought has ended, perhaps *in_thought*: the words above it are over, too."""
        self.restart()
        self._last = ""
        self._called = False
        self._line += 1  # so that what stands above is above the thought, not above what follows
        self.in_thought = in_thought

    def begin_message(self, *, marked: bool = True, aside: bool = False) -> None:
        """What stood here is left out; *marked*, it began a message: an *aside* shows its calls."""
        self.look()
        self._aside = aside
        self._called = self._called or marked
        self._changed = True

    def end_block(self, outer: str = "") -> None:
        """A fence has ended: a line begins, and nothing inline is open any more.

        Unless that was within another one, which *outer* would close. What closes that one may as
        well open one more in it, so it stays open behind all those that follow.
        """
        self.look()
        outer = outer or self._outer_fence()
        self._rest = self._last = self._above = ""
        self._code = 0
        self._begin_line()
        self._changed, self._after_blank = True, False
        if outer:
            others = [each for each in self._blocks if each.closers != outer]
            again = _Open(outer, self._seen, self._line, _LONGEST_BLOCK)
            self._blocks = [*others[: _MOST_OPEN - 1], again]

    def may_close_fence(self, run: str) -> bool:
        """May *run* close the fence around those that were read, if one is open?"""
        self.look()
        outer = self._outer_fence()
        return bool(outer) and run.startswith(outer)

    def _outer_fence(self) -> str:
        """What would close that fence."""
        opened = _not_over(self._blocks, self._seen)
        return next((each.closers for each in opened if lines.is_fence(each.closers)), "")

    @property
    def in_code(self) -> bool:
        """Inside a code span of this line?"""
        self.look()
        return self._code > 0 and self._code_line == self._line

    @property
    def allows_fence(self) -> bool:
        """In no line that is quoted, and no element that shows or quotes what is in it?"""
        self.look()
        return self._element is None and lines.line_of(self._head).kind != "quote"

    @property
    def after_blank_line(self) -> bool:
        """At the beginning of a line, or behind a call, below an empty line?"""
        self.look()
        return self._after_blank and not self._before.strip()

    @property
    def touches_word(self) -> bool:
        """Right behind a letter or a digit?"""
        self.look()
        return self._before[-1:].isalnum()

    @property
    def _before(self) -> str:
        """The last characters before this on its line."""
        return self._tail + self._rest

    # -- looking at prose -----------------------------------------------------------------

    def look(self) -> None:
        """Take in what can be seen, left to right; a mark that may go on waits in ``_rest``."""
        if not self.unseen and not self._joined:
            return
        text = lines.visible("".join((self._rest, *self._joined, *self.unseen)))
        self._changed, self._rest = True, ""
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
            words = _NOT_SPECIAL if self._quotes else _NOT_OPEN
            words = _NO_CODE_END if self._code else words
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
                if at > start:
                    break  # what stands before it is taken in first, however the text was cut
                stop = self._markup(text, at, last)
                if stop < 0:
                    self._rest = text[at:]
                    break
            else:
                stop = at + 1
                self._quote(char, self._seen + at - start, last, text[stop : stop + 1])
        else:
            at = stop
        self._said(text, start, at)
        return at

    def _said(self, text: str, at: int, stop: int) -> None:
        """Keep both ends of the line: nobody looks at more of it."""
        said = text[at:stop]
        words = said.rstrip()  # a wide gap hides no words before it
        self._head = (self._head + said[: lines.HEAD])[: lines.HEAD]
        self._tail = (self._tail + words[-_TAIL:] + said[len(words) :][:1])[-_TAIL:]

    def _newline(self, text: str, at: int) -> int:
        self._end_line()
        self._begin_line()
        if self._above not in ("words", "list") or self._code or self._quotes or self._blocks:
            return at + 1
        plain = _PLAIN_LINES.match(text, at)
        # The last two of them say what a call below them goes on with.
        stop = text.rfind("\n", at, text.rfind("\n", at, plain.end())) if plain else at
        if stop <= at:
            return at + 1
        self._in_list = self._in_list or _AN_ITEM.search(text, at, stop) is not None
        self._head = "w"  # words, whatever they are
        return stop

    def _end_line(self) -> None:
        head = self._head
        self._below_call = self._called and not head.strip()
        in_diff = head[:1] == " " and self._above == "block"  # where such a line is one, too
        if not head or (head.isspace() and not in_diff):
            self._after_blank = True
            if not self._called:
                # Nothing inline goes on over an empty line, but for quotations.
                self._code, self._above = 0, ""
            is_below = self._blocks and self._blocks[-1].line == self._line - 1
            titled = any(map(str.isalnum, self._last))
            if is_below and _RULE.match(self._blocks[-1].closers) and not titled:
                del self._blocks[-1]  # it was a line across the page
            return
        line, said = lines.line_of(head), head + self._tail * (len(head) == lines.HEAD)
        if self._after_blank and (self._blocks or self._quotes) and lines.begins_section(said):
            self._blocks = [each.bounded(_LONGEST_BLOCK) for each in self._blocks]
            self._quotes = [each.bounded(_LONGEST_QUOTATION) for each in self._quotes]
        self._open_block(line.closer or lines.closes_end(said))
        is_speech = line.kind == "record" and lines.says_all(said)
        self._above = self._kind("" if is_speech else line.kind, line.indent)
        if line.kind in ("quote", "row"):  # what is opened in one ends with it
            self._quotes = [each for each in self._quotes if each.line != self._line]
        self._earlier, self._last = self._last, said
        indented = head[0] in " \t"
        if self._above == "list":
            self._in_list = True
        elif self._after_blank and not indented and self._above == "words":
            self._in_list = False
        self._literal = bool(_BEFORE_LITERAL.match(said) or (self._literal and indented))
        self._after_blank = False

    def _open_block(self, closer: str) -> None:
        """A line ends that may close a block, or open one that *closer* closes."""
        opened = len(self._blocks)
        if opened:
            self._in_block()
        if not closer or len(self._blocks) < opened or opened == _MOST_OPEN:
            return
        closed = len(self._head) == lines.HEAD and lines.holds(closer, self._tail)
        # Below words such signs underline a heading.
        underlines = self._above == "words" and self._last.rstrip()[-1:].isalnum()
        if not closed and not (underlines and _RULE.match(closer)):
            begins = self._head[0] in "([{<'’`," or (
                lines.line_of(self._head).closer and not self._head[0].isspace()
            )
            long = math.inf if begins else _LONGEST_BLOCK
            self._blocks.append(_Open(closer, self._seen, self._line, long))

    def _kind(self, kind: str, indent: int) -> str:
        """What the line was that ends: that of the line above it goes on in some."""
        if kind in ("quote", "definition"):
            return kind
        if self._is_row(kind):
            return "table"
        if self._is_code(indent):
            return "code"
        if kind == "record":
            return "block"
        if kind == "delimiter":
            return "" if self._above == "block" else "block"
        if kind == "list":
            return "list"
        # A line below such a one goes on with it, until an empty line comes.
        return self._above if self._above in _LAZY and not self._after_blank else "words"

    def _begin_line(self) -> None:
        self._line += 1
        self._head = self._tail = ""
        self._called = False

    def _is_row(self, kind: str) -> bool:
        """In a line with cells: one that begins with a bar, or has one below a row?"""
        return kind == "row" or (self._above == "table" and "|" in self._head)

    def _is_code(self, indent: int) -> bool:
        """Is a line with that *indent* one of code here?"""
        if self._literal:
            return self._head[:1] in (" ", "\t")
        # In a list what is indented goes on with an item, whose own text is indented already.
        if indent < (6 if self._in_list else 4):
            return False
        below_blank = self._after_blank and not self._below_call
        return below_blank or self._above == "code" or lines.ends_with_colon(self._last)

    def _in_block(self) -> bool:
        """Is a block open here that was opened above, not too long ago to be still meant?"""
        head, tail = self._head, self._tail
        self._blocks = _not_over(self._blocks, self._seen)
        for number, (closer, *_) in enumerate(self._blocks):
            # What closes an element was seen where it stands.
            if closer[:2] != "</" and lines.holds(closer, head, tail):
                del self._blocks[number:]
                break
        return bool(self._blocks)

    def _in_quotation(self) -> bool:
        """Is a quotation open here?"""
        self._quotes = _not_over(self._quotes, self._seen)
        return bool(self._quotes)

    def _quote(self, char: str, at: int, before: str, then: str) -> None:
        """A quotation mark stands *at* in the prose, between the characters *before* and *then*."""
        if char in APOSTROPHES and before.isalnum() and then.isalnum():
            return
        self._quotes = _not_over(self._quotes, at)
        begins = char in _PAIRS and not before.strip()
        for number in range(len(self._quotes) - 1, -1, -1):
            closers = self._quotes[number].closers
            same = char in _AGAIN and closers == _PAIRS[char]
            again = begins and (same or (char in closers and then.isalnum()))
            if char in closers and not again:
                del self._quotes[number:]
                return
            if again and not before and not self._head:
                return  # as every paragraph of a long quotation begins
            if char in APOSTROPHES:
                break  # it closes nothing that was opened before something else
        if char not in _PAIRS or (char in _WARY and not may_quote(before)):
            return
        if len(self._quotes) < _MOST_OPEN:
            long = _LONGEST_QUOTATION if self._head or before else math.inf
            self._quotes.append(_Open(_PAIRS[char], at, self._line, long))

    # -- elements -------------------------------------------------------------------------

    def _markup(self, text: str, at: int, before: str) -> int:
        """At a character that may begin an element: behind that, or -1 if more has to come."""
        end, closer, does = _tag_at(text, at, False)
        if end < 0:
            return -1 if end == MORE else at + 1
        mentioned, said, seen = None, self._tail, self._seen
        if len(self._head) == lines.HEAD and not self._called:
            said = self._head + said
        if does == "shows" and said.strip():
            mentioned = _MENTIONED.match(text, end)
            if mentioned is None and _MENTIONED.may_change(text, end):
                return -1
        # ``List<int>`` is a type of a programming language: words behind it would be none of one.
        is_type = before.isascii() and before.isalnum() and not text[end : end + 1].isalnum()
        if is_type and end == len(text) and does == "opens":
            return -1
        # The assistant's turn below somebody else's is out of a transcript, and the token that
        # begins a reply is the first thing in it.
        turn = closer == "</assistant" and self._element_at >= 0
        meant = (closer == "</s" and not seen) or (not turn and _OPENS_NOTHING.match(text, at + 1))
        if does != "closes":  # what its line has opened before it is not closed with it
            self._open_block(lines.line_of(said[: lines.HEAD]).closer or lines.closes_end(said))
        if does == "closes":
            opened = [number for number, each in enumerate(self._blocks) if each.closers == closer]
            del self._blocks[opened[-1] if opened else len(self._blocks) :]
        elif does == "shows" and not mentioned:
            rest = r"\s{0,8}>" * (closer[:2] == "</")
            self._element, self._element_at = re.compile(f"(?i){re.escape(closer)}{rest}"), seen
        # What a sentence only names may yet be closed.
        elif mentioned or not (is_type or meant):
            long = _LONGEST_BLOCK if said and closer != "</|" else math.inf
            block = _Open(closer, seen, self._line, long)
            self._blocks += [block][: _MOST_OPEN - len(self._blocks)]
        return end

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


def _not_over(opened: list[_Open], at: int) -> list[_Open]:
    """Those of *opened* that are not too long ago to be still meant *at* a place."""
    return [each for each in opened if at - each.at <= each.long] if opened else opened


def opens_region(rest: str) -> bool:
    """Does *rest*, of which no more comes, open what shows what is in it?"""
    # The bracket that ends a tag may belong to the marker of a call: ``<pre>>>>f``.
    return any(_tag_at(tag, 0, True)[2] == "shows" for tag in (rest, f"{rest}>"))


def _tag_at(text: str, at: int, final: bool) -> tuple[int, str, str]:
    """Where the tag at *at* ends, or NO, or MORE; its closer; and if it shows, opens or closes."""
    tag, pattern, start = _TAG.match(text, at), _TAG, at
    if tag and tag.lastindex and tag.lastindex <= len(_REGIONS):
        return tag.end(), _REGIONS[tag.lastindex - 1][1].format(tag[tag.lastindex]), "shows"
    if tag and tag["token"]:
        return tag.end(), "</|", "closes" if re.search("/|end|结束", tag["token"]) else "opens"
    if tag:
        name, start = tag["name"].lower(), tag.end()
        if tag["slash"]:
            return start, f"</{name}", "closes"
        pattern = _REST_OF_ARGUMENT if name in _OF_ARGUMENTS else _REST
        pattern = _REST_SHOWING if name in _SHOWING else pattern
        if tag := pattern.match(text, start):
            return tag.end(), f"</{name}", "shows" if name in _SHOWING else "opens"
    return MORE if not final and pattern.may_change(text, start) else NO, "", ""


def may_quote(before: str) -> bool:
    """May a quotation begin behind *before*?"""
    last = before[-1:] or " "  # Thai, Chinese and their like put no space between words
    return last in _BEFORE_QUOTE or last.isspace() or last >= "\u0e00"
