"""Where does a call stand that begins at the end of a text? The first place that fits holds.

`_shown` has the places that show a call, `_place` those that doubt it. Their names are in
``messages.PLACES``; `tracker.py` adds what only later text, or a thought, can say.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .blocks import DEEPEST, Spot, cost, where
from .inline import Inline, Opened, read_inline
from .json_value import OpenValue, open_value
from .kept import last_paragraph
from .words import HERE, QUOTATION_MARKS, STOOD, continues_sentence, only_calls, without_calls


class Place(NamedTuple):
    """Where a call stands: its name, and whether a call there is only shown."""

    name: str = ""
    shown: bool = False


PLAIN = Place()
TOO_DEEP = Place("container")

#: In a fence, what is more than calls and what stands between them.
_foreign = re.compile(r"[^\s,;)\]}\"'*_]").search
# Where a JSON value may begin: `{`, `  [1,`
_may_begin_value = re.compile(r"\n[ \t]*+[{\[]").search
# What may change how a paragraph is read: quotations and code anywhere (``“a``, ``<b``), these
# where a line begins: ``␊> ``, ``␊- ``, ``␊1. ``, ``␊# ``, ``␊| a |``, ``␊[x]:``, ``␊    x``
_may_matter = re.compile(
    rf"[`{QUOTATION_MARKS.replace('’', '')}]|['’]\Z|<(?:[A-Za-z/!?]|\Z)"
    r"|\n(?: {2}|[ ]?\t|[ ]?(?:[>#|:~{\[+=-]|\*(?![*\w])|[0-9]{1,9}[.)]))"
).search


class Look(NamedTuple):
    """All that is known of a call that would begin at the end of a text."""

    place: Place
    fenced: bool = False  # in a fence that holds nothing but calls
    in_code: bool = False
    sign: str = ""  # the signs of that fence, and the text of its first line before them
    indent: str = ""
    value: OpenValue | None = None  # the JSON value that holds it
    fresh: int = 0  # text before this offset tells nothing more
    work: int = 0  # what it cost: about so many characters were read
    words: tuple[int, int] = (0, 0)  # a paragraph of nothing but words: where, and how far


def is_foreign(text: str) -> bool:
    """Return True if *text*, in a fence, is more than calls and what stands between them."""
    return bool(_foreign(text.replace(STOOD, "")))


def look(text: str, fresh: int, cut_lines: int, known: tuple[int, int], *, may_ask: bool) -> Look:
    """Judge the place at the end of *text*, whose blocks depend on nothing before *fresh*.

    The first *cut_lines* lines are what is left of a block that is too long to be kept. *known* is
    the paragraph that was last found to be nothing but words.
    """
    start = text.rfind("\n") + 1
    own = text[start:]
    begin = 0 if cut_lines else last_paragraph(text, HERE)
    # A line that holds nothing yet may go on with a blank.
    sure = fresh if begin == len(text) else begin or fresh
    if not cut_lines and is_ordinary(text, begin, known):
        place = Place("sentence") if continues_sentence(without_calls(own)) else PLAIN
        return Look(place, fresh=sure, words=(begin, len(text)))
    fresh = begin or fresh
    if not may_ask:
        return Look(TOO_DEEP)
    in_margin = only_calls(own) is not None
    document = (text[fresh:start] if in_margin else text[fresh:]) + HERE
    spot = where(document)
    value = _open_value(text, fresh, spot, in_margin)
    before = spot.before + own if in_margin else spot.before
    fenced = spot.leaf == "fence" and not is_foreign(before)
    place = _place(spot, before, own, in_margin, value)
    if fresh + cut_lines and text.count("\n", 0, fresh) + spot.block < cut_lines:
        place = TOO_DEEP
    lines = document.split("\n")
    return Look(
        place,
        fenced,
        spot.leaf in ("fence", "code_block") or place == ("code", True),
        spot.sign if fenced else "",
        re.sub(r"\S", " ", lines[spot.fence_line].split(spot.sign)[0]) if fenced else "",
        value,
        max(sure, fresh + sum(len(line) + 1 for line in lines[: spot.fresh]) if spot.fresh else 0),
        cost(document, spot.tokens),
    )


def is_ordinary(text: str, begin: int, known: tuple[int, int]) -> bool:
    """Return True if what stands from *begin* on is one paragraph of nothing but words.

    A *begin* of 0 means that the paragraph is all of the text, or that its beginning is not known.
    What is *known* of that paragraph is not looked at again, but for its last line.
    """
    if known[1] and known[0] == begin:
        return not _may_matter("\n" + text[max(begin, text.rfind("\n", 0, known[1]) + 1) :])
    if _may_matter("\n" + text[begin:]):
        return False
    return not begin or not (("{" in text or "[" in text) and _may_begin_value("\n" + text[:begin]))


def _open_value(text: str, fresh: int, spot: Spot, in_margin: bool) -> OpenValue | None:
    """Return the JSON value in which the word stands, if it began in the same containers."""
    value = open_value(text)
    if value is None:
        return None
    begins = text.rfind("\n", 0, value.start) + 1
    prefix = text[begins : value.start]
    if value.start >= fresh:
        depth = spot.depth_of(text.count("\n", fresh, value.start) if begins >= fresh else 0)
    else:
        depth = 1 if prefix.strip() else 0
    if in_margin:
        # A call in column one continues no container, and nor does a value that begins there.
        return value if not prefix or not depth else None
    return value if depth <= spot.depth else None


def _place(spot: Spot, before: str, own: str, in_margin: bool, value: OpenValue | None) -> Place:
    in_value = value is not None and value.content
    if in_margin and spot.leaf == "inline" and (spot.depth or spot.in_table):
        if spot.quoted:
            return Place("quote")
        return Place("json", True) if in_value else PLAIN
    inline = _inline(spot, before)
    shown = _shown(spot, before, inline, in_value)
    if shown:
        return Place(shown, True)
    if inline.code or inline.quotation:
        return Place("code" if inline.code else "quotation")
    held = spot.in_item or spot.in_heading or spot.depth > DEEPEST
    if held or spot.leaf in ("", "info", "code_block"):
        return Place("container")
    if spot.leaf == "inline" and continues_sentence(without_calls(inline.said)):
        return Place("sentence")
    return PLAIN


def _inline(spot: Spot, before: str) -> Inline:
    if spot.leaf == "inline":
        return read_inline(before)
    return Inline(Opened.NOT, Opened.NOT, Opened.NOT, "")


def _shown(spot: Spot, before: str, inline: Inline, in_value: bool) -> str:
    """Return the first place on the table that only shows a call; empty if there is none."""
    in_info = spot.leaf == "info" and spot.sign.startswith("`")
    in_fence = spot.leaf == "fence" and is_foreign(before)
    return next(
        (
            name
            for name, holds in (
                ("code", inline.code is Opened.HERE or in_fence or in_info),
                ("quote", spot.quoted),
                ("table", spot.in_table),
                ("html", spot.leaf == "html_block" or bool(inline.comment)),
                ("quotation", inline.quotation is Opened.HERE),
                ("json", in_value),
            )
            if holds
        ),
        "",
    )
