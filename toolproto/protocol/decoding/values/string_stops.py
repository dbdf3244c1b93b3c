"""How far a piece of text certainly goes on with a string that is open.

The hot path asks this of nearly every token of a long argument.
"""

from __future__ import annotations

import re

__all__ = [
    "SPECIAL_IN_PIECE",
    "SPECIAL_IN_QUOTES",
    "SPECIAL_IN_STRING",
    "quoted_stop",
    "string_stop",
    "structural_tail",
]

# The text of a string in strict JSON, if nothing but the beginning of an escape follows it. The
# look-ahead is there for the reason that `strings.py` gives.
# ``Oslo\n``, ``say \"hi\``, ``\u00``.
_CERTAIN = re.compile(
    r'[^"\\\x00-\x1f]*+'
    r'(?:(?=\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))\\.[^"\\\x00-\x1f]*+)*+'
    r"(?=(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z)"
)
_LONGEST_TAIL = 80
_TAIL_ENDS = frozenset((",", "}", "]", ""))
# All begin with one of a few characters, so that others are passed over quickly.
# ``,␊``, ``}]}</tool_call>``, ``␊  ``.
_TAIL = re.compile(
    r"[\r\n,}\]](?:(?<=[\r\n])\s*+(?:[,}\]]|\Z))?"
    r"(?:(?<=[\s,])\s*|(?<=[}\]])[\s}\]]*(?:<[/\\]?[\w:.-]*>?\s*)?)\Z"
)
#: What may be no ordinary character of a string between double quotes.
SPECIAL_IN_QUOTES = re.compile(r'["\\\x00-\x1f]')
# Of that, what is no whole escape. Behind an even number of backslashes the last one is taken for
# the first half of one, so that some pieces are looked at in vain.
_NO_ESCAPE = r'(?<=[<\x00-\x1f])|(?<=")(?<!(?<!\\)\\")|(?<=\\)(?!["\\/bfnrt]|u[0-9a-fA-F]{4})'
#: What has to be looked at in a piece of such a string; in JSON also what could be its tail.
SPECIAL_IN_PIECE = re.compile(rf'["\\\x00-\x1f](?:{_NO_ESCAPE})')
SPECIAL_IN_STRING = re.compile(rf'["\\<\x00-\x1f,}}\]](?:\s*\Z|{_NO_ESCAPE})')


def quoted_stop(text: str) -> int:
    """Where the part of *text* ends that goes on with a string, if no more than an escape is left.

    *text* begins inside a string between double quotes; -1 if anything else comes in it.
    """
    body = _CERTAIN.match(text)
    return -1 if body is None else body.end()


def string_stop(text: str) -> int:
    """The same for a string of JSON, before what would be structure if its quote was forgotten."""
    stop = quoted_stop(text)
    tail = _TAIL.search(text, stop - _LONGEST_TAIL, stop) if stop > 0 else None
    return stop if tail is None else tail.start()


def structural_tail(text: str) -> str:
    """What *text*, from inside a string, ends with that would be structure outside it.

    A model that forgets the closing quote goes on with a comma or with brackets, and perhaps a
    closing tag; whether these belong to the string shows only behind them.
    """
    ending = text[-_LONGEST_TAIL:]
    words = ending.rstrip()
    # Most text ends in a word, in no line before another, and this is asked of every piece.
    if words[-1:] not in _TAIL_ENDS and "<" not in words and ending.isprintable():
        return ""
    tail = _TAIL.search(ending)
    return tail.group() if tail else ""
