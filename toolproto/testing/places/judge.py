"""Where does a call stand? The answer of the docs' one sentence, given by markdown-it-py.

Put one word where each call stood, end the text behind this one's, close what is still open, and
read that as CommonMark. What ``docs/reading-replies.md`` says differently from the standard has a
number there, and the judge tells it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from .quoting import BETWEEN, is_in_json, is_in_sentence, open_quotation
from .standard import CALL, WORD, WordSpot, find_word

__all__ = ["JudgedPlace", "judge_place"]

_CALLS_ONLY = re.compile(rf"(?:{CALL}{BETWEEN})*")
#: What a fence of calls does not hold: anything but calls, blanks and signs between them.
_FOREIGN = re.compile(r"""[^\s,;)\]}"'*_]""")
#: A line that could close a fence if it were not indented: `` ``` ``.
_CLOSER = re.compile(r"^([ \t>]*)(`{3,}|~{3,})[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class JudgedPlace:
    """Whether a call is plain, doubted or shown, the name of its place, and why that differs.

    *deviation* is the number of the rule in the docs that departs from CommonMark here; 0 if none
    does.
    """

    verdict: Literal["plain", "doubted", "shown"]
    place: str = ""
    deviation: int = 0

    def __str__(self) -> str:
        """As in the templates: ``plain``, ``doubted PLACE`` or ``shown PLACE``."""
        return f"{self.verdict} {self.place}".rstrip()


@lru_cache(4096)
def judge_place(before: str) -> JudgedPlace:
    """Say where a call stands behind the text *before*, in which ``{call}`` is an earlier call.

    Thoughts are not judged, nor what comes behind the call.
    """
    text, is_moved = _with_closers_moved(before.replace("{call}", CALL))
    spot = find_word(text + WORD)
    deviation = 8 if is_moved else 4 if _is_of_condition_7(text, spot) else 0
    found = _below_a_container(text, spot)
    if found is None:
        found = _by_table(text, spot)
    return found if found.deviation else JudgedPlace(found.verdict, found.place, deviation)


def _is_of_condition_7(text: str, spot: WordSpot) -> bool:
    strict = find_word(text + WORD, seventh=True) if "<" in text else spot
    return (strict.around, strict.kind) != (spot.around, spot.kind)


def _below_a_container(text: str, spot: WordSpot) -> JudgedPlace | None:
    """Judge a call in column one that CommonMark would have continue a block (deviation 3)."""
    line = text.rpartition("\n")[2]
    if not _CALLS_ONLY.fullmatch(line):
        return None
    if spot.kind == "inline" and spot.is_in("blockquote"):
        return JudgedPlace("doubted", "quote", 3)
    if spot.kind == "inline" and spot.is_in("list_item", "table"):
        return (
            JudgedPlace("shown", "json") if is_in_json(text, spot) else JudgedPlace("plain", "", 3)
        )
    if line and not find_word(text.removesuffix(line) + WORD).kind:
        return JudgedPlace("doubted", "container")  # calls before it on its line count as nothing
    return None


def _by_table(text: str, spot: WordSpot) -> JudgedPlace:
    """The first row of the docs' table that fits."""
    code, quotation = _open_code(text), open_quotation(spot)
    in_code = spot.fence.startswith("`") or (spot.kind == "fence" and _holds_more_than_calls(spot))
    if code == "line" or in_code:
        return JudgedPlace("shown", "code")
    if spot.is_in("blockquote"):
        return JudgedPlace("shown", "quote")
    if spot.is_in("table"):
        return JudgedPlace("shown", "table")
    if spot.kind == "html_block" or _is_in_comment(text):
        return JudgedPlace("shown", "html")
    if quotation == "line":
        return JudgedPlace("shown", "quotation")
    if is_in_json(text, spot):
        return JudgedPlace("shown", "json")
    if code or quotation:
        return JudgedPlace("doubted", "code" if code else "quotation", 6)
    if spot.kind in ("", "code_block") or spot.is_in("list_item", "heading"):
        return JudgedPlace("doubted", "container")
    if spot.kind == "inline" and is_in_sentence(spot):
        return JudgedPlace("doubted", "sentence")
    return JudgedPlace("plain", "", 5 if spot.kind == "fence" else 0)


def _holds_more_than_calls(spot: WordSpot) -> bool:
    assert spot.leaf is not None
    return bool(_FOREIGN.search(spot.leaf.content.replace(CALL, "").replace(WORD, "")))


def _open_code(text: str) -> Literal["line", "earlier", ""]:
    """Whether a code span is open at the word; the first run of backticks that is open counts.

    Behind a run of an earlier line, the word's own line is also read for itself.
    """
    starts = [_start_of_code(text, run) for run in set(re.findall("`+", text))]
    begun = min((each for each in starts if each is not None), default=None)
    if begun is None:
        return ""
    line = text.rpartition("\n")[2]
    is_own = begun >= 0 or (line != text and _open_code(f"a {line}") == "line")
    return "line" if is_own else "earlier"


def _start_of_code(text: str, run: str) -> int | None:
    """Where in its line the code begins that *run* would close behind the word.

    Below zero: on an earlier line. None: the word would not be in code.
    """
    spot = find_word(text + WORD + run)
    if not (span := spot.holder("code_inline")) or not spot.leaf:
        return None
    line = spot.leaf.content.rpartition("\n")[2]
    return line.index(WORD) - len(run) - span.content.index(WORD)


def _is_in_comment(text: str) -> bool:
    comment = find_word(f"{text}{WORD}-->").holder("html_inline") if "<!--" in text else None
    return comment is not None and comment.content.startswith("<!--")


def _with_closers_moved(text: str) -> tuple[str, bool]:
    """Put each line that closes a fence of calls where CommonMark looks for it (deviation 8)."""
    is_moved, at = False, 0
    while CALL in text and (found := _CLOSER.search(text, at)):
        indent, run = found.groups()
        at = found.end()
        spot = find_word(text[: found.start(2)] + WORD)
        fence = spot.leaf if spot.kind == "fence" else None
        if not (fence and fence.map and CALL in fence.content and run.startswith(fence.markup)):
            continue
        below = find_word(f"{text[:at]}\n{indent}{WORD}")
        if _holds_more_than_calls(spot) or not (below.leaf and run in below.leaf.content):
            continue  # it holds other text, or CommonMark closes it as well
        opener = text.split("\n")[fence.map[0]]
        indent = re.sub(r"[^>\s]", " ", opener[: opener.index(fence.markup)])
        text = f"{text[: found.start()]}{indent}{run}{text[at:]}"
        is_moved, at = True, found.start() + len(indent + run)
    return text, is_moved
