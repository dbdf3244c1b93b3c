"""Making a stranger's text visible and harmless: what nobody sees in it, and what is escaped.

What models, tools, servers and files say may hold escape sequences that write to the clipboard,
marks that turn the reading direction so that ``rm`` looks like ``mr``, signs that nobody sees, and
words that are spelled in code. Which characters those are is said here, once, and what an escape
means; terminals, prompts, masking and the guard each do their own thing with them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from urllib.parse import unquote

__all__ = [
    "CONTROLS",
    "ENTITY",
    "ESCAPE",
    "HALVES",
    "LINE_SEPARATORS",
    "PERCENT",
    "TURNING",
    "UNSEEN",
    "as_seen",
    "decoded",
    "unescaped",
    "unquoted",
    "visible",
    "without_hidden",
]

# -- which characters -------------------------------------------------------------------------

# Each is the inside of a character class. Patterns are text here: ``re`` compiles and remembers
# them when they are needed, and a start that needs none of them is a millisecond shorter.
#: Obeyed by a terminal, held by no file name.
CONTROLS = "\x00-\x1f\x7f-\x9f"
#: Line ends to some programs, and nothing to others.
LINE_SEPARATORS = "\u2028\u2029"
#: Marks that turn the direction in which the text behind them is read.
TURNING = "\u202a-\u202e\u2066-\u2069"
#: Halves of a character, which cannot be written.
HALVES = "\ud800-\udfff"
#: Choose between text and emoji, everywhere; the other selectors can hide a message.
_EMOJI_OR_TEXT = "\ufe0e\ufe0f"
#: Shown as nothing: soft hyphens, fillers (though they count as letters), joiners, marks of
#: direction and of byte order, selectors of variants, tags.
_ALWAYS_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\U000e0000-\U000e01ef"
)
UNSEEN = _ALWAYS_UNSEEN + _EMOJI_OR_TEXT

_UNSEEN = f"[{UNSEEN}]"
#: A blank that counts as a symbol.
_EMPTY_CELL = "\u2800"
_BLANK = f"[{_ALWAYS_UNSEEN}{_EMPTY_CELL}]"
_KEPT = "\n\t"
#: The joiners of Persian words and of composed emoji; between ASCII letters they only deceive.
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """Return *text* with its hidden characters written as ``⟨U+202E⟩``.

    Line ends and tabs stay. A terminal shows every character of it, and obeys none.
    """
    # By lines, since nearly every line has nothing to hide.
    return "\n".join(map(_visible_line, text.split("\n")))


def without_hidden(text: str) -> str:
    """Return *text* without its hidden characters.

    A line separator becomes a line end, and an empty cell between words in braille a blank.
    """
    if text.isprintable() and not re.search(_BLANK, text):
        return text
    text = re.sub(f"[{LINE_SEPARATORS}]", "\n", text.replace(_EMPTY_CELL, " "))
    return "".join(char for char in text if not _is_hidden(char))


def as_seen(text: str) -> str:
    """Return *text* without the signs that nobody sees, to compare it; controls stay."""
    return text if text.isascii() else re.sub(_UNSEEN, "", text)


def _visible_line(line: str) -> str:
    if line.replace("\t", " ").isprintable() and not re.search(_BLANK, line):
        return line
    around = f" {line} "
    return "".join(_shown(around[at : at + 3]) for at in range(len(line)))


def _shown(seen: str) -> str:
    """Return the middle one of three characters as :func:`visible` has it."""
    before, char, after = seen[0], seen[1], seen[2]
    joins = char in _JOINERS and not (before.isascii() or after.isascii())
    return f"⟨U+{ord(char):04X}⟩" if _is_hidden(char) and not joins else char


def _is_hidden(char: str) -> bool:
    if char.isprintable():
        return not char.isascii() and re.search(_BLANK, char) is not None
    return char not in _KEPT and unicodedata.category(char) != "Zs"


# -- what is escaped --------------------------------------------------------------------------

#: One escape of JSON, Python, YAML or a shell. Any sign may stand behind the backslash: a shell
#: takes ``r\m`` for ``rm``.
ESCAPE = (
    r"(?s:\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|[ux](?P<code>(?<=u)[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2})"
    r"|(?P<line_end>\r?\n[ \t]*+)"
    r"|(?P<sign>.)))"
)
#: No more digits than a sign has: ``html.unescape`` refuses numbers of many.
ENTITY = r"&(?:#0{0,4}[0-9]{1,7}|#[xX]0{0,4}[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,24});"
#: One character in UTF-8, as URLs have it. What is none is a percent sign: "50%decided".
PERCENT = r"%[0-7][0-9a-fA-F]|%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3}"
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def unescaped(found: re.Match[str], line_end: str = "") -> str:
    """Return what an :data:`ESCAPE` means; *line_end* is what an escaped line end does.

    In YAML and a shell it joins two lines, in Markdown it breaks one.
    """
    if found["code"]:
        return chr(int(found["code"], 16))
    if found["high"]:
        high, low = int(found["high"], 16), int(found["low"], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)
    sign = found["sign"]
    return line_end if sign is None else _SIGNS.get(sign, sign)


def unquoted(found: re.Match[str]) -> str:
    """Return what a :data:`PERCENT` means, or a row of them."""
    return unquote(found.group())


def decoded(text: str) -> str:
    """Return *text* as it is meant: nothing escaped, no half characters, nothing unseen.

    Letters of other widths and styles are what they stand for; a ``\\b`` is a blank.
    """
    if "\\" in text:
        text = re.sub(ESCAPE, unescaped, text).replace("\b", " ")
    if "&" in text:
        text = re.sub(ENTITY, lambda found: html.unescape(found.group()), text)
    if "%" in text:
        text = re.sub(f"(?:{PERCENT})+", unquoted, text)
    if text.isascii():
        return text
    # Less what is unseen first: a joiner keeps a letter and its accent apart.
    return unicodedata.normalize("NFKC", as_seen(re.sub(f"[{HALVES}]", "\ufffd", text)))
