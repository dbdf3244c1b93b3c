"""What is a line of prose: quoted, a row of a table, an item, words? And is what it says over?

How a line begins tells the first, how it ends the second. Of a line that is not over yet, the same
is asked of what has come of it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ...foreign_text import LINE_SEPARATORS, UNSEEN
from ..patterns import lazy

#: As much of a line as tells what it is.
HEAD = 160
#: What stands in words beside letters: vowels of scripts of South Asia are signs over a letter.
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0900-\u0963\u0966-\u109f\u1780-\u17d3"

# -- how a line begins ------------------------------------------------------------------------

_NUMBER = r"(?:\d{1,9}(?:\.\d{1,4}){0,3}|[^\W\d_]|[ivxlcIVXLC]{1,6}|[①-⑳])[.)、）．:।။།]\)?"
_BULLET = rf"(?:[-*+•‣◦⁃∙·▪▫●○–—]|\(?{_NUMBER}|\*\*{_NUMBER}\*\*|\[\d{{1,4}}\]|[①-⑳])"
#: What an item of a list begins with.
ITEM = rf"{_BULLET}[ \t\u3000]"
#: How a line begins that is no words and no item though its first character is a letter.
NOT_WORDS = r"(?:bc|bq|pre|notextile|h[1-6])\.|Thinking\.\.\.|(?:[A-Z]{3,7} |HTTP)/"
# No word, and nothing that ends a sentence or closes something; nor an emoji, which people say.
_SIGN = r"[^\w\s#>|`~.!?…。！？:：,;)\]}”’»›」』\u2600-\u27bf\U0001f300-\U0001faff]"
# A delimiter is a line of signs that opens a block in AsciiDoc, wikis, Docusaurus and programs;
# the same closes most, and not only over an empty line. Three of some are a rule in Markdown. So
# does a word behind a sign in roff, TeX and Org: ``.EX``, ``\iffalse``, ``:LOGBOOK:``. A record is
# a line of a log, or what was typed at a prompt: what stands right below is what came of it.
_KIND = lazy(
    r"(?P<quote>(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,3}(?:>|&gt;|＞|\|>))"
    r"|(?P<row>[|│┃║¦]|:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*\Z)"
    r"|(?P<delimiter>(?:\$\$|\#{3,}|@@(?: .{0,80})?|:::+[ \t]*\w{0,40}"
    r"|[!?]{3}[ ].{0,80}|[\u2500-\u259f]{3,}|[.\\:][^\W\d_]\w{0,20}:?"
    rf"|(?P<mark>[@<´｀'\"])(?P=mark){{2,}}[ \t]*\w{{0,20}}"
    rf"|(?P<sign>[._\u2600-\u27bf]|{_SIGN})(?P=sign){{2,}}"
    r"(?:[ ].{0,80}(?P=sign){3}|.{0,80}(?P=sign){4})?)[ \t]*\Z)"
    r"|(?P<record>\$ [a-z./]|[\w.-]{1,40}@[\w.-]{1,40}:\S{0,40}[\#$] |==> .* <=="
    r"|(?:In|Out) ?\[\d{0,6}\]:|\[?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d:)"
    rf"|(?P<list>{_BULLET}(?=[ \t\u3000]))"
    r"|(?P<definition>\*?\[[^\]\n]{1,80}\]:|::?[ \t]|\.\. |(?:bc|bq|pre|notextile|h[1-6])\.{1,2} )"
)
_CLOSED_BY_SAME = lazy(r"\$\$|:::|([@<´｀'\"])\1{2}|([^\w\s]|_)\2{2}(?:\2|(?=[ ]+\S))")
#: How the name of an element begins that models put around calls they mean, or all they say.
OWN_WRAPPER = (
    r"(?i:(?![\w:.-]{0,40}(?:result|output|response|example|log\b|description))"
    r"(?:[\w:.-]{0,40}[_:.-])?(?:tool|function|func|call|action|invo(?:ke|cation))"
    r"(?:s|call|calls|code|use|request|ing)?(?![^\W\d_])"
    r"|(?:final_?)?(?:answer|response|reply|message)\b(?![^>]{0,40}(?:user|\bfrom\b))|assistant\b)"
)
_JIRA = r"(?:code|quote|noformat)\}"  # the same opens and closes these: `prose.py` sees them
_BRACKETS = r"[\[{«‹⟨⟪≪❮⦅〈《【〔〖⟦（［｛]{1,2}"
_BRACKET = rf"{_BRACKETS}(?!{OWN_WRAPPER}|{_JIRA})"
_BRACKET_END = r"[]}»›⟩⟫❯⦆〉》】〕〗⟧）］｝]{1,2}(?:\s*\Z|(?<=[]}»›⟩])(?=\w))"
# What thoughts are called, where their brackets are no known tag.
_THINKING = (
    r"[|%$\\]?((?i:think(?:ing)?|thoughts?|reasoning|denken|gedanken?|réflexion|pensée|razonamiento"
    r"|pensa(?:mi)?ent?o|raciocínio|pensiero|ragionamento|tanke|ajatus|myśl(?:enie)?|přemýšlení"
    r"|gondolat|gândire|düşünce|suy nghĩ|pikiran|мысли?|думаю|размышлени[ея]|роздуми|σκέψη)"
    r"|思考(?:开始|過程|过程)?|推理|考え|생각|تفكير|فکر|חשיבה|विचार|चिंतन|চিন্তা|சிந்தனை|ความคิด)"
)
_THINKING_END = r"[|%$\\]?[]}»›⟩⟫≫❯⦆】〕〗》〉⟧）］｝)]{1,2}(?!\()"
# Lines that open a block which has a closing line of its own, and what that holds: an escaped
# element, a word in brackets (as of a thought), an environment, a shell's document, a comment of
# some programming language, Ollama's thinking.
_AMID_LINE = (  # these open one wherever they stand in a line
    (r"\\begin\{(\w{1,40}\*?)\}", "\\end{{{}"),
    (r"(/\*)(?=[\s*])", "*/"),
    (r"(\{\{!)--", "--}}}}"),
    (rf"(?:{_BRACKETS}|\(\(){_THINKING}{_THINKING_END}(?= ?\w)", "/{}"),
)
_BLOCKS = (
    *_AMID_LINE,
    (rf"(?:{_BRACKETS}|\({{1,2}}|\\\[){_THINKING}{_THINKING_END}", "/{}"),
    (rf"(?:(?=[|%$]\w)|\#|//|<!){_THINKING}(?:[|%$>]|\s*\Z)", "/{}"),
    (r"(?:&lt;|＜|\\<)([^\W\d_]\w{0,20})", "/{}"),
    # Capitals may begin the line, or have a space or words around them: no other word does.
    (
        r"(?=.*<<)(?:(?:.{0,100}[^<])?<<<?[-~ '\"]{0,3}(?=[A-Z_]{1,20}\b)"
        r"|.{0,100}\s<<[-~]?[\\'\"]{0,2}(?=[\w-]{2,21}['\");]{0,3}(?: [>|&].*)?\Z))"
        r"([^\W\d][\w-]{0,20})['\");]{0,3}(?: .*)?\Z",
        "{}",
    ),
    (r"(-)-\[=*\[", "]]"),
    (r"(=)begin\b", "=end"),
    (r"(=)pod\b", "=cut"),
    (r"@(\w{1,20})\s*\Z", "@end {}"),
    (r"\#\+(?:begin|BEGIN)_(\w{1,20})", "_{}"),
    # No line ends a message of HTTP.
    (r"(?:< )?(?:[A-Z]{3,7} /\S{0,80} |(?=HTTP/[\d.]{1,3} \d{3}\b))(H)TTP/\d", "\n"),
    (r"(%)\{", "%}}"),
    (r"(:::+)[ \t]*[{\w]", "{}"),
    (r"(?:\{%-?[ ]?(?!end)|\#(?=(?:if|region)\b))(\w{1,20})", "end{}"),
    (r"\{\{[<%\#][ ]?(\w{1,20})", "/{}"),
    (rf"{_BRACKET}([^\W\d_][\w {MARKS}-]{{0,20}})(?:[,=][^]]{{0,60}})?{_BRACKET_END}", "/{}"),
    (r"(\|={3,}|%%|>>>)\s*\Z", "{}"),
    (r"(///+)[ ]\w{1,20}\s*\Z", "{}"),
    (r"(8)<[- ]{2,}\s*\Z", ">8"),
    # Most comments end with the signs that begin them, turned round.
    (r"\#?(/[*+]|\(\*|\{[-#%*]|<[#%?]|\#[|=\[]|@\*|\{\{)", ""),
    (r"(T)hinking\.\.\.[ \t\r]*\Z", "...done thinking."),
)
_TURNED = str.maketrans("(<[{", ")>]}")
# A line that ends with one of these goes on below, to what closes it: a bracket, or a quote that
# begins a string; not so ``\textbf{so}``.
_OPENS_AT_END = lazy(
    r"(?:((?:^|(?<=[\s\w=(,|)$[{\"]))(?:[{[(]|(?<!\w)`)|(?<=[\s=(,@$])')"
    rf"|(?:&lt;|(?<![a-z$])[＜{{【〔〖⟦](?!{_JIRA}))([^\W\d_]\w{{0,20}})(?:&gt;|[＞}}】〕〗⟧]))\s*\Z"
)
# So does one that leaves open what its first group finds, each behind what it may stand behind.
_LEFT_OPEN = lazy(
    r"([(\[{<'’`,])(?:"
    # A bracket behind a space, a caret or another one, or a brace: no bracket comes after it.
    r"(?<=[(\[{])(?:(?<=\w\{)|(?<![^\s^*_\[{].))(?=[^\s)\]}])[^()\[\]{}]*+"
    # A tag with attributes.
    r"|(?<=<)(?=[^\W\d_][\w:-]{0,40}\s)[^<>=]*+=[^<>]*+"
    # An apostrophe where the line begins, behind a colon, before a capital behind a sentence, or
    # before a word with one behind another word; those within words do not close it. A consonant
    # alone, where the line begins, is what is left of a word.
    r"|(?<=['’])(?:(?![\s\d'’]|[b-df-hj-np-tv-z]\s)(?<!..)(?!(?<=’)\Z)|(?=[^\W\d_])"
    r"(?:(?<=[:：] .)|(?=[A-ZÀ-ÞΑ-ΩА-Я])(?:(?<=[,.!?…—\#*_(][ *_(#].)|(?<=\w .)(?=.[^\W\d_A-Z]))))"
    r"(?:[^'’]|(?<=\w)['’](?=\w))*+"
    # Two of one sign, where the line or a word begins: ``so'' and ,,so'' and <<so>>.
    r"|(?<=[<'`,])(?:(?<!..)|(?<=[:：] .)|(?<=\s[,'`]))\1(?=\w)[^'>`]*+"
    r")\Z"
)
_CLOSED_BY = {mark: rf"(?<=\S){mark}(?!\w)|^{mark}\W*\Z" for mark in "'’"} | {"''": "''|``"}
_BLOCK = lazy("|".join(opening for opening, _ in _BLOCKS))
_BLOCK_AMID_LINE = lazy(rf"(?<=[\s;])(?:{'|'.join(opening for opening, _ in _AMID_LINE)})")
_LONG_STRING = lazy(r"(?:^|[=(,][ ]?)[A-Za-z]{0,2}(?:\"\"\"|''')|(?:\"\"\"|''')\s*\Z")
ITEM_ONLY = lazy(rf"\s*(?:{_BULLET}\s*){{1,3}}(?:\[[ xX]\]\s*)?\Z")


class Line(NamedTuple):
    """A line: its kind, by how much it is indented, what closes the block it opens."""

    kind: str
    indent: int
    closer: str


@lru_cache(maxsize=1024)
def line_of(head: str) -> Line:
    """What the line is that begins with *head*. Most lines of a hostile text are alike."""
    text = head.lstrip(" \t")
    space, text = head[: len(head) - len(text)], text.rstrip("\r")
    indent = len(space.expandtabs(4)) if space else 0
    found, closer = _KIND.match(text), ""
    block = _BLOCK.match(text) or _BLOCK_AMID_LINE.search(text)
    kind = (found and found.lastgroup) or ""
    for quotes in ('"""', "'''"):
        if text.count(quotes) % 2 and _LONG_STRING.search(text):
            kind, closer = kind or "delimiter", quotes
    if kind == "delimiter" and not closer and (run := _CLOSED_BY_SAME.search(text)):
        closer = run.group().translate(_TURNED)
    if block is not None:
        number = block.lastindex or 1
        closer = _BLOCKS[number - 1][1].format(block[number])
        closer = closer or block[number][::-1].translate(_TURNED)
        closer = "" if holds(closer, text[block.start(number) + 1 :]) else closer
    return Line(kind, indent, closer)


@lru_cache(maxsize=256)
def closes_end(line: str) -> str:
    """What closes what *line* leaves open at its end, if that is so."""
    may_open = line.rstrip()[-1:] in "{[(`';＞}】〕〗⟧"  # most lines do not
    opened = _OPENS_AT_END.search(line, max(0, len(line) - 40)) if may_open else None
    if opened is not None and (opened[1] != "`" or line.count("`") % 2):
        return opened[1].translate(_TURNED) if opened[1] else f"/{opened[2]}"
    left = _LEFT_OPEN.search(line.strip())
    if left is None:
        return ""
    closer = left[1].replace("`", "'").replace(",", "'").translate(_TURNED)
    return closer * 2 if left[0].startswith(left[1] * 2) else closer


def is_fence(run: str) -> bool:
    """Is *run* what opens or closes a code fence?"""
    return run.startswith(("```", "~~~"))


def holds(closer: str, head: str, tail: str = "") -> bool:
    """Does *closer* stand at either end of a line? An apostrophe within a word closes nothing.

    Nor does a fence, which may as well open another one.
    """
    if is_fence(closer):
        return False
    if within := _CLOSED_BY.get(closer):
        return bool(re.search(within, head) or re.search(within, tail))
    return closer in head or closer in tail


# -- how it ends ------------------------------------------------------------------------------

#: What nobody sees, and odd spaces.
VEILED = f"{UNSEEN}{LINE_SEPARATORS}\u00a0\u2000-\u200a\u202f\u205f\u3000"
_VEILED = re.compile(f"[{VEILED}]")
# Special tokens that leaked are nothing; tags and bracketed words may be markers gone wrong.
_TOKENS = re.compile(r"<[|｜][^<>]{1,60}[|｜]>|<(?:/?s|bos|eos|pad|unk)>")
_MARKUP_ONLY = lazy(r"\s*(?:<[ /!?|｜\w][^<>\n]{0,60}>\s*|\[/?[A-Za-z_]{1,30}\]\s*){0,3}\Z")
_SENTENCE_ENDS = frozenset(".!?…。！？．｡؟۔।॥։።፧᙮᠃᠉།༎။។៕‽⁇⁈⁉‼⸮෴꯫᱾᱿܀꧉︒\u037e")
_ASKS_IN_GREEK = lazy(r"[Ͱ-Ͽἀ-῿];\Z")
_COLONS = frozenset(":：៖﹕፦՝👇")
# Those that point, cut or stand around something say nothing by themselves.
_NO_EMOJI = "★☆☚☛☜☝☞☟✁✂✃✄❛❜❝❞❟❠👆👇👈👉" + "".join(
    map(chr, (*range(0x2768, 0x2776), *range(0x2794, 0x27C0)))
)
_EMOJI = "".join(map(chr, (*range(0x2600, 0x27C0), *range(0x1F300, 0x1FB00))))
_EMOJI = _EMOJI.translate(dict.fromkeys(map(ord, _NO_EMOJI)))
_MARKS = "\"'”’»›)]}）】」』*_~ \t\r\ufe0f\u200d"
# "e.g. " and "z. B. ": a letter with a full stop ends no sentence. Nor does the number of a step
# or a figure, or a row of dots that leads over to another column.
_ABBREVIATION = lazy(
    r"(?:^|[\s(,])[^\W\d_]\.(?:\s?[^\W\d_]\.)?\s*\Z|\.{4}\Z"
    r"|^\W{0,4}(?:[^\W\d_]\S{0,20} )?\d{1,4}(?:\.\d{1,4}){0,3}\.\Z"
)
# One word, a number or a time perhaps, and a colon: who says it, which step it is, what it is.
# Thai, Chinese and their like put no space between words, but few have more than three signs.
_LABEL = lazy(
    r"\W*(?:[^\W\d_][^\s\u0e00-\u109f\u1780-\u17ff\u2e80-\U0010ffff]{0,20}|\w{1,3})"
    r"(?: ?\d{1,4})?(?: ?\([^()]{1,20}\))?\W{0,4}[:：]\W{0,4}\Z"
)
_WORD = rf"[\w{MARKS}-]"
#: A line of a mail's head, a transcript or a record: a name with what is said.
ENTRY = lazy(rf"[*_]{{0,2}}[^\W\d_]{_WORD}{{0,20}}(?: {_WORD}{{1,20}}){{0,2}} ?[:：] ?\S")
#: The one before a call where lines have labels.
THOUGHT = lazy(r"[*_]{0,2}Thoughts?(?: \d{1,2})?[*_]{0,2} ?[:：]")
# Blocks of one line: a heading, which may be only bold, and what is left of a fence.
_HEADING = lazy(r"\#{1,6} |```|~~~|(\*\*|__)(?=.*\1\s*\Z)")
# Behind a call these go on with nothing: what may begin a call or a fence, or is left of one.
_NO_TALK = frozenset("<[{`]};\n")
# Signs that stand before a call on its line, or touch it as no word and no closing mark does: of a
# comment, of markup, of what is assigned, of a prompt, of another cell. Nobody says them.
_ONLY_SIGNS = lazy(
    rf"(?:(?!\s*{ITEM})\s*(?:{_SIGN}|[!;_#|~»”]){{1,8}}\s*|[^<]{{0,60}}[>$#]\s{{1,4}})\Z"
)
_SIGNS_AT_END = lazy(
    r"(?:\S\s?\t\s{0,4}|[([{]|[=|→⇒]\s{0,4}|[=-]>\s{0,4}"
    rf"|\s(?![-–—])(?:{_SIGN}|[_#|~]){{1,3}}|&[#\w]{{2,8}};|\\[a-zA-Z]{{3,20}}\*?[^\w\s])\Z"
)
_LEFT_CALLED = lazy(r"\w\([^()]{0,80}\Z")
#: A line that begins like this is a heading, a comment, or one of a log, whatever it says.
NO_SPEECH = lazy(
    rf"\s*(?!{ITEM})(?:\#|[/%;-]{{2}}){{1,6}}[ ]\S|.{{0,30}}\d:[0-5]\d:[0-5]\d"
    r"|\s*(?:In|Out) ?\[\d{0,6}\]: |\s*\[(?:[A-Z]{4,8}|[^]]{0,20}(?:\d:\d\d|\d{5})[^]]{0,40})\] "
)


def visible(text: str) -> str:
    """*text* without what nobody sees; odd spaces are spaces."""
    if text.isascii():
        return text
    return _VEILED.sub(lambda found: " " if found.group().isspace() else "", text)


def is_markup(text: str) -> bool:
    """Is *text* nothing, or nothing but tags and bracketed words?"""
    return _MARKUP_ONLY.match(text) is not None


def is_behind_signs(before: str) -> bool:
    """Does a line that says *before* end in signs, or is it nothing else?"""
    end = len(before)  # far from which nothing counts
    called = "(" in before and _LEFT_CALLED.search(before, end - 82)
    return bool(called or _ONLY_SIGNS.match(before) or _SIGNS_AT_END.search(before, end - 24))


def without_tokens(text: str) -> str:
    """*text* without special tokens."""
    return _TOKENS.sub("", text) if "<" in text else text


def _words(text: str) -> str:
    """*text* without the marks behind a sentence. To strip emoji off takes long: few have any."""
    words = text.rstrip(_MARKS)
    return words.rstrip(_MARKS + _EMOJI) if words[-1:] > "\u25ff" else words


def ends_with_colon(before: str) -> bool:
    """Does *before* end with a colon, in whatever marks?"""
    return _words(before)[-1:] in _COLONS


def ends_sentence(before: str) -> bool:
    """Is a sentence over at the end of *before*? Signs alone are none."""
    words = _words(before)
    is_over = words[-1:] in _SENTENCE_ENDS and not _ABBREVIATION.search(words)
    is_over = is_over or _ASKS_IN_GREEK.search(words, len(words) - 2) is not None
    return is_over and any(map(str.isalnum, words))


def says_all(line: str) -> bool:
    """Does *line* say nothing, or all it says, with a whole sentence or an emoji at its end?"""
    line = without_tokens(line).rstrip()
    return is_markup(line) or line[-1] in _EMOJI or ends_sentence(line)


def trails_off(line: str) -> bool:
    """Does *line* end in dots, so that another may go on with it?"""
    return _words(line).endswith(("…", "...", "⋯"))


def leads_on(line: str) -> bool:
    """Does something begin right below *line*?

    It does if that says all it says, ends with a colon and is no mere label, or is a block by
    itself.
    """
    words = _words(without_tokens(line))
    if words[-1:] in _COLONS and not _HEADING.match(line):
        return _LABEL.match(words) is None
    return says_all(line) or _HEADING.match(line) is not None


def begins_section(line: str) -> bool:
    """Does *line* begin another part of a text: a heading, a rule, a word alone in brackets?"""
    kind, _, closer = line_of(line[:HEAD])
    return kind == "delimiter" or closer[:1] == "/" or _HEADING.match(line) is not None


def goes_on(char: str) -> bool:
    """Does a sentence that a call stands in go on with *char* behind it?

    A new one begins with a capital, in scripts that have them; all else goes on with the old one.
    """
    return not char.isupper() and char not in _NO_TALK
