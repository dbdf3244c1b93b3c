r"""How a tag may be written: what reader, grammar and guard take for one is made from this.

Models write ``</ city >`` and ``<\city>`` for ``</city>``; dialects put something before the name
(``<｜DSML｜invoke``, ``<atem:invoke``) or write it as a token of its own (``<|close|>``). Whoever
looks for tags puts the parts below together, and asks for their pattern: the reader for the one it
reads by, the encoder for the *wide* one, in which nothing is bounded, and the grammar for that as a
node of its own (`grammar/raw.py`). So no text is written that the reader takes for a tag.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Some(NamedTuple):
    r"""*least* to *most* times one of *chars*: of ``\s``, of ``A-Za-z``, or of those themselves."""

    chars: str
    least: int = 1
    most: int = 1


class OneOf(NamedTuple):
    """One of several sequences of parts."""

    options: tuple[Parts, ...]


#: A text in any case, characters, or one of several: one behind the other.
Parts = tuple["str | Some | OneOf", ...]

_BLANKS = Some(r"\s", 0, 3)
_LETTERS = Some("A-Za-z", 1, 12)
_BAR = Some("|｜")
_TOKEN: Parts = (_BAR, _LETTERS, _BAR, Some(" ", 0))
_PREFIXES = OneOf((_TOKEN, (_LETTERS, Some(":|")), ()))
#: What MiniMax M3 puts before a tag begins so.
NOISE = "]<]m"
#: What elements of arguments, and of calls, are called, or begin to be called.
ARGUMENTS, CALLS = ("param", "arg"), ("function", "invoke")
#: What begins the closing tag of an element, up to its name. Behind that stands BEHIND_NAME.
CLOSING: Parts = ("<", _BLANKS, Some("/\\"), _BLANKS, _PREFIXES)
BEHIND_NAME = Some(r"\s:>")
#: What closes any element of Kimi K3 (``<|close|>city<|sep|>``) and Solar Open 2
#: (``<|tool_arg:end|>``).
CLOSING_TOKEN: Parts = ("<", _BAR, OneOf((("close", _BAR), ("tool_arg:",))))
#: What an argument, or a call, begins with where the last one was not closed: a line of its own.
NEXT_ARGUMENT: Parts = (
    Some("\r\n"),
    OneOf(((NOISE,), ("<", _PREFIXES, OneOf(tuple((word,) for word in (*ARGUMENTS, *CALLS)))))),
)


def pattern_of(*parts: str | Some | OneOf, wide: bool = False) -> str:
    """Return what matches *parts*, for a pattern that ignores case; a *wide* one counts nothing."""
    return "".join(_written(part, wide) for part in parts)


def _written(part: str | Some | OneOf, wide: bool) -> str:
    if isinstance(part, str):  # with Markdown's backslash, perhaps
        return re.escape(part).replace("_", r"\\?_")
    if isinstance(part, OneOf):
        return f"(?:{'|'.join(pattern_of(*option, wide=wide) for option in part.options)})"
    chars, least, most = part
    one = f"[{chars if chars in (_LETTERS.chars, *_CLASSES) else re.escape(chars)}]"
    if (least, most) == (1, 1):
        return one
    return f"{one}{'*+' if not least else '++'}" if wide else f"{one}{{{least},{most}}}+"


_CLASSES = (r"\s", r"\s:>")
#: Stray blanks in a tag, the sign of a closing one, and both of that, as the reader matches them.
GAP, SLASH = pattern_of(_BLANKS), pattern_of(Some("/\\"))
SLASHED = f"{GAP}{SLASH}?+{GAP}"
#: What stands before the name of a tag: a token between bars.
TOKEN = f"(?:{pattern_of(*_TOKEN)})?"
#: A word and a sign; LongCat's sign is an underscore.
PREFIX = rf"(?:{pattern_of(_LETTERS)}[:|_])?"
