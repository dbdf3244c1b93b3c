"""What no standard of Markdown knows, read from its tokens: quotations, sentences and JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NoReturn

from .standard import CALL, WORD, WordSpot, find_word

__all__ = ["BETWEEN", "is_in_json", "is_in_sentence", "open_quotation"]

#: What counts as nothing behind a call on its line, beside blanks.
BETWEEN = r"""[\s,;)\]}"'”’»*_`]*"""

# -- quotations -------------------------------------------------------------------------------


def open_quotation(spot: WordSpot) -> Literal["line", "earlier", ""]:
    """Whether a quotation is open at the word, and if its own line opened it or an earlier one."""
    chars = list(_before_the_word(spot))
    if chars and chars[-1] in (("'", True), ("’", True)):  # they count directly before a call
        return "line"
    opened: list[tuple[str, int]] = []
    line = 0
    for at, (char, counts) in enumerate(chars):
        line += char == "\n"
        if not counts or not (char == "’" or _is_quotation_mark(char)):
            continue
        before = chars[at - 1][0] if at else ""
        opens, closes = _flanking(char, before, chars[at + 1][0] if at + 1 < len(chars) else WORD)
        if char == "’":
            if closes and not opens and opened and opened[-1][0] == "‘":
                opened.pop()
        elif opens and not (closes and not _is_opener(char)):
            opened.append((char, line))
        elif closes and not (opens and not _is_closer(char)) and opened:
            opened.pop()
    if any(where == line for _, where in opened):
        return "line"
    return "earlier" if opened else ""


def _before_the_word(spot: WordSpot) -> Iterator[tuple[str, bool]]:
    """Each character before the word as it is written, and whether it can be a quotation mark.

    None can in code, tags, images and the targets of links, nor behind a backslash. Of markup one
    sign is told, which is enough to tell punctuation from words.
    """
    source, at, is_address = (spot.leaf.content if spot.leaf else ""), 0, False
    for token in spot.inline:
        at = max(at, source.replace("\n", " ").find(token.content, at))
        match token.type:
            case "text":
                yield from ((char, not is_address) for char in token.content.partition(WORD)[0])
                if WORD in token.content:
                    return
            case "text_special":  # an escape or an entity
                yield from ((char, False) for char in token.markup)
            case "softbreak" | "hardbreak":
                yield "\n", False
            case "code_inline" | "html_inline":  # of code, the content has no line ends
                written = source[at : at + len(token.content)]
                yield from ((char, False) for char in f"`{written}`")
            case "image":
                yield from ((char, False) for char in f"[{token.content})")
            case "link_open":
                is_address = token.markup == "autolink"
                yield "[", False
            case "link_close":
                is_address = False
                yield ")", False
            case _ if token.markup:
                yield token.markup[0], False


def _flanking(char: str, before: str, behind: str) -> tuple[bool, bool]:
    """Is *char* left-flanking, right-flanking between these two (CommonMark 6.2)?"""
    a, b = _kind(before), _kind(behind[:1])
    left = b == "word" or (b == "mark" and a != "word")
    right = a == "word" or (a == "mark" and b != "word")
    return left, right


def _kind(char: str) -> Literal["space", "mark", "word"]:
    if not char or char.isspace():
        return "space"
    return "mark" if unicodedata.category(char)[0] in "PS" else "word"


def _is_quotation_mark(char: str) -> bool:
    return char == '"' or _is_opener(char) or _is_closer(char)


def _is_opener(char: str) -> bool:
    kind = unicodedata.category(char)
    return kind == "Pi" or (kind == "Ps" and _is_named_quotation(char))


def _is_closer(char: str) -> bool:
    kind = unicodedata.category(char)
    return kind == "Pf" or (kind == "Pe" and _is_named_quotation(char))


def _is_named_quotation(char: str) -> bool:
    """``„`` and ``「``, but no parenthesis or bracket."""
    return bool(re.search("QUOTATION MARK|CORNER BRACKET", unicodedata.name(char, "")))


# -- sentences --------------------------------------------------------------------------------

#: An attribute of a tag (CommonMark 6.6): ``id=1``, ``id='1'``, ``hidden``.
_ATTRIBUTE = r"""\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
#: ``<b>``, ``<a_b x="1"/>``, ``</a:b.c>`` and ``<|im_end|>``: words that count as nothing.
_TRANSPARENT = re.compile(
    rf"(?<!\\)(?:<[A-Za-z][\w:.-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][\w:.-]*\s*>"
    r"|<\|[^<>|\n]{1,60}\|>)"
)
_CALLS = re.compile(CALL + BETWEEN)


def is_in_sentence(spot: WordSpot) -> bool:
    """Does the word continue a sentence of its line?"""
    assert spot.leaf is not None
    said = spot.leaf.content
    for tag in (each.content for each in spot.inline if each.type == "html_inline"):
        said = said.replace(tag, "\n" * tag.count("\n"), 1)
    line = said.partition(WORD)[0].rpartition("\n")[2]
    words = _CALLS.sub("", _TRANSPARENT.sub("", line)).rstrip(" \t*_~")
    if not any(char.isalnum() for char in words):
        return False
    while words and _closes(words[-1]):
        words = words[:-1].rstrip("*_~")
    return not (words and _ends_sentence(words[-1]))


def _closes(char: str) -> bool:
    return char in "'’" or _is_quotation_mark(char) or unicodedata.category(char) in ("Pe", "Pf")


def _ends_sentence(char: str) -> bool:
    """Whether *char* has Unicode's property Sentence_Terminal, or is ``…``.

    Python has no table of the property. In the scripts that our texts use, the names tell.
    """
    names = "FULL STOP|QUESTION MARK|EXCLAMATION MARK|DANDA"
    return char == "…" or bool(re.search(names, unicodedata.name(char, "")))


# -- JSON -------------------------------------------------------------------------------------

#: The marks of containers before what may be JSON: ``> - {`` begins one, too.
_MARKS = re.compile(r"^(?:[ \t]*(?:[-+*>]|\d+[.)])(?=[ \t>{\[]))*[ \t]*(?=[{\[])", re.MULTILINE)
#: A string, a number or a word.
_CONTENT = re.compile(r'["0-9a-z]')


def is_in_json(text: str, spot: WordSpot) -> bool:
    """Is all of *text* from some line on the beginning of strict JSON, in the same containers?"""
    begun = (found.end() for found in _MARKS.finditer(text) if _begins_json(text[found.end() :]))
    return any(find_word(text[:at] + WORD).containers == spot.containers for at in begun)


def _begins_json(text: str) -> bool:
    """Could more text make JSON of *text* and a value behind it? Brackets alone are none."""
    if not _CONTENT.search(text.replace(CALL, "")):
        return False
    text = re.sub(rf'(?<![\w"]){CALL}(?![\w"])', "0", text)
    open_, in_string = _nesting(text)
    endings = ('"', '":0') if in_string else ("0", '"k":0')
    return open_ != "" and any(_is_json(text + ending + open_[::-1]) for ending in endings)


def _nesting(text: str) -> tuple[str, bool]:
    """What would close the brackets that are open behind *text*; whether a string is, too."""
    open_, in_string = "", False
    for sign in re.findall(r"\\.|[\"{}\[\]]", text, re.DOTALL):
        if sign == '"':
            in_string = not in_string
        elif not in_string and sign in "{[":
            open_ += "}" if sign == "{" else "]"
        elif not in_string and sign in "}]":
            open_ = open_[:-1]
    return open_, in_string


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)  # NaN and Infinity are none of JSON's
