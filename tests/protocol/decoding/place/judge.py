"""Where does a call stand, by markdown-it-py's own tokens of whole documents?

A word for each call, the text ends behind the one that is asked about, and what is open is closed.
Quotations and sentences, which no standard knows, are looked for in the inline tokens.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Sequence

import markdown_it.rules_block.html_block  # noqa: F401
from markdown_it import MarkdownIt
from markdown_it.token import Token

from .telling import C

CALL, WORD = "QCALLQ", "QXWORDXQ"
_MARKDOWN = MarkdownIt("commonmark").enable("table")
# The package gives the name to a function.
_SEQUENCES = sys.modules["markdown_it.rules_block.html_block"].HTML_SEQUENCES
_BETWEEN = r"[\s,;)\]}\"'”’»*_`]*"
_IN_MARGIN = re.compile(rf"(?:{CALL}{_BETWEEN})*")
_MARKS = {'"'} | {
    char
    for char in map(chr, range(0x10000))
    if (kind := unicodedata.category(char)) in ("Pi", "Pf")
    or (
        kind in ("Ps", "Pe")
        and re.search("QUOTATION MARK|CORNER BRACKET", unicodedata.name(char, ""))
    )
}
# Deviation 8: a line of a fence's signs, indented, somewhere below a call.
_CLOSES_ANYWHERE = re.compile(r"\x00[^\x00]*\n[ \t]+(?:`{3,}|~{3,})[ \t]*\n")


def _parse(document: str, seventh: bool) -> list[Token]:
    kept = list(_SEQUENCES)
    if not seventh:
        del _SEQUENCES[6:]
    try:
        return _MARKDOWN.parse(document)
    finally:
        _SEQUENCES[:] = kept


def _spot(document: str, seventh: bool = False) -> tuple[list[str], Token | None]:
    """Return the tokens open around the word, and the one that holds it."""
    around: list[str] = []
    for token in _parse(document, seventh):
        if token.nesting == 1:
            around.append(token.type)
        elif token.nesting == -1:
            around.pop()
        if token.type in ("inline", "fence", "code_block", "html_block") and WORD in token.content:
            return around, token
    return [], None


def _child(token: Token | None, kind: str) -> Token | None:
    children = (token.children or ()) if token is not None and token.type == "inline" else ()
    return next((each for each in children if each.type == kind and WORD in each.content), None)


def _flat(token: Token) -> list[tuple[str, bool]]:
    """Return the characters before the word, and whether each is text."""
    out: list[tuple[str, bool]] = []
    for child in token.children or ():
        if child.type in ("text", "text_special"):
            content, _, _ = child.content.partition(WORD)
            out += [(char, child.type == "text") for char in content]
            if WORD in child.content:
                return out
        elif child.type in ("softbreak", "hardbreak"):
            out.append(("\n", True))
        elif child.type == "code_inline":
            out += [("`", False), *((char, False) for char in child.content), ("`", False)]
        elif child.type == "html_inline":
            out += [("<", False), *[("\n", False)] * child.content.count("\n"), (">", False)]
        elif child.type in ("link_open", "link_close"):
            sign = "<>" if child.markup == "autolink" else "[)"
            out.append((sign[child.type == "link_close"], False))
        elif child.type == "image":
            out += [("[", False), *((char, False) for char in child.content), (")", False)]
        elif child.markup:
            out.append((child.markup[0], False))
    raise AssertionError("no word")


def _kind(char: str) -> str:
    if not char or char.isspace():
        return "space"
    return "mark" if unicodedata.category(char)[0] in "PS" else "word"


def _quotation(chars: Sequence[tuple[str, bool]]) -> str:
    """Return "own" or "earlier" for the line of an open quotation; empty for none."""
    stack: list[tuple[int, str]] = []
    line = 0
    for n, (char, text) in enumerate(chars):
        line += char == "\n"
        if not text or char not in _MARKS:
            continue
        before = _kind(chars[n - 1][0] if n else "")
        behind = _kind(chars[n + 1][0] if n + 1 < len(chars) else "x")
        left = behind == "word" or (behind == "mark" and before != "word")
        right = before == "word" or (before == "mark" and behind != "word")
        if char == "’":
            if right and not left and stack and stack[-1][1] == "‘":
                stack.pop()
            continue
        if left and right:
            category = unicodedata.category(char)
            left, right = category in ("Pi", "Ps"), category in ("Pf", "Pe")
        if left:
            stack.append((line, char))
        elif right and stack:
            stack.pop()
    if (chars and chars[-1][1] and chars[-1][0] in "'’") or any(at == line for at, _ in stack):
        return "own"
    return "earlier" if stack else ""


def _in_sentence(token: Token) -> bool:
    own = token.content
    for child in token.children or ():
        if child.type == "html_inline":
            own = own.replace(child.content, "\n" * child.content.count("\n"), 1)
    own = own[: own.index(WORD)].rsplit("\n", 1)[-1]
    # Names with `_` and `:` are no tags for CommonMark.
    own = re.sub(r"(?<!\\)</?[A-Za-z][\w:.-]*\s*/?>", "", own)
    first, *others = own.split(CALL)
    said = (first + "".join(each for each in others if not re.fullmatch(_BETWEEN, each))).rstrip(
        " \t*_~"
    )
    if not any(char.isalnum() for char in said):
        return False
    while said and (
        said[-1] in "\"'’" or said[-1] in _MARKS or unicodedata.category(said[-1]) in ("Pe", "Pf")
    ):
        said = said[:-1].rstrip("*_~")
    return said[-1:] not in set(".!?…。！？｡")


def _in_json(text: str) -> bool:
    """Is there a line from which on all up to the word begins a strict value with content?"""
    lines = text[: -len(WORD)].split("\n")
    for n, line in enumerate(lines):
        head = re.sub(r"^(?:[ \t]*(?:[-+*>]|\d+[.)])(?=[ \t]|>|$|\{|\[))*[ \t]*", "", line)
        begun = "\n".join([head, *lines[n + 1 :]])
        if not begun.startswith(("{", "[")):
            continue
        stack, in_string, skip = "", False, False
        value = re.sub(r"(?<![\w\"])QCALLQ(?![\w\"])", "0", begun)
        for char in value:
            if skip:
                skip = False
            elif in_string:
                in_string, skip = char != '"', char == "\\"
            elif char == '"':
                in_string = True
            elif char in "[{":
                stack += "]}"["[{".index(char)]
            elif char in "]}":
                stack = stack[:-1]
        if not stack or not re.search(r'["0-9a-z]', begun.replace(CALL, "")):
            continue
        for end in ('"', '":0') if in_string else ("0", '"k":0'):
            try:
                json.loads(value + end + stack[::-1])
            except ValueError:
                continue
            return True
    return False


def judge(document: str) -> tuple[str, str, str]:  # noqa: C901 - the table, row by row
    """Return the verdict, the place and the numbered deviation for a call behind *document*."""
    text = document.replace(C, CALL) + WORD
    own = text.rsplit("\n", 1)[-1][: -len(WORD)]
    around, token = _spot(text)
    strict_around, strict = _spot(text, seventh=True)
    same = around == strict_around and (token and token.type) == (strict and strict.type)
    deviation = "" if same else "4 condition 7"
    if _CLOSES_ANYWHERE.search(document):
        deviation = "8 closed at any indent"
    in_margin = _IN_MARGIN.fullmatch(own) is not None
    if token is not None and in_margin and token.type == "inline":
        if "blockquote_open" in around:
            return "doubted", "quote", "3 below a quote"
        if _in_json(text):
            return "shown", "json", deviation
        if "table_open" in around or "list_item_open" in around:
            return "plain", "", "3 below a list or a table"
    if in_margin and CALL in own and _spot(text[: -len(own + WORD)] + WORD)[1] is None:
        return "doubted", "container", deviation
    in_code = ""
    for run in sorted({len(each) for each in re.findall("`+", text)}):
        closed = _spot(text + "`" * run)[1]
        if closed is not None and (child := _child(closed, "code_inline")):
            inside = child.content[: child.content.index(WORD)]
            if len(inside) + run <= closed.content.rsplit("\n", 1)[-1].index(WORD):
                return "shown", "code", deviation
            in_code = "code"
    if token is not None and token.type == "fence":
        held = token.content.replace(CALL, "").replace(WORD, "")
        if re.search(r"[^\s,;)\]}\"'*_]", held):
            return "shown", "code", deviation
        deviation = deviation or "5 fence of calls"
    if "blockquote_open" in around:
        return "shown", "quote", deviation
    if "table_open" in around:
        return "shown", "table", deviation
    comment = _child(_spot(text + "-->")[1], "html_inline")
    if (token is not None and token.type == "html_block") or (
        comment is not None and comment.content.startswith("<!--")
    ):
        return "shown", "html", deviation
    quoted = _quotation(_flat(token)) if token is not None and token.type == "inline" else ""
    if quoted == "own":
        return "shown", "quotation", deviation
    if _in_json(text):
        return "shown", "json", deviation
    if in_code or quoted:
        return "doubted", in_code or "quotation", "6 an earlier line"
    if token is None or "list_item_open" in around or "heading_open" in around:
        return "doubted", "container", deviation
    if token.type == "code_block":
        return "doubted", "container", deviation
    if token.type == "inline" and _in_sentence(token):
        return "doubted", "sentence", deviation
    return "plain", "", deviation
