"""Text of which a terminal shows every character, and obeys none.

What models, tools and files say may hold escape sequences that write to the clipboard, marks that
turn the reading direction so that ``rm`` looks like ``mr``, and characters nobody sees.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["visible"]

#: Shown as nothing or as a blank, although they count as letters, symbols or marks: fillers, the
#: empty braille cell, the grapheme joiner, and the selectors of variants, which can hide a message
#: (the two that choose between text and emoji are everywhere, and stay).
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)))
)
_BLANKS = re.compile(f"[{''.join(_BLANK)}]")
_KEPT = "\n\t"
#: The joiners of Persian words and of composed emoji; between ASCII letters they only deceive.
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """*text* with its hidden characters written as ``⟨U+202E⟩``; line ends and tabs stay."""
    if text.isprintable() and not _BLANKS.search(text):
        return text
    around = f" {text} "
    return "".join(_shown(around[at : at + 3]) for at in range(len(text)))


def _shown(seen: str) -> str:
    """The middle one of three characters."""
    before, char, after = seen[0], seen[1], seen[2]
    if char in _JOINERS:
        hidden = before.isascii() or after.isascii()
    else:
        hidden = char in _BLANK or not (char.isprintable() or char in _KEPT or _is_space(char))
    return f"⟨U+{ord(char):04X}⟩" if hidden else char


def _is_space(char: str) -> bool:
    return unicodedata.category(char) == "Zs"
