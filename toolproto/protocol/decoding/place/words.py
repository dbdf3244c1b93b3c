"""What a person would read as words: the text of a line without calls, tags and tokens.

A call is a word in the kept text: `STOOD` for one that stood there, `HERE` for the one that is
asked about. Text cannot forge them (`tracker.py` replaces their second characters), and they begin
with a letter, as a word does.
"""

from __future__ import annotations

import re
import unicodedata

STOOD, HERE = "W\ue000", "W\ue001"

# Unicode's Pi and Pf, and those of Ps and Pe whose name holds QUOTATION MARK or CORNER BRACKET.
QUOTATION_MARKS = '"«»‘’‚‛“”„‟‹›⸂⸃⸄⸅⸉⸊⸌⸍⸜⸝⸠⸡⹂「」『』〝〞〟﹁﹂﹃﹄｢｣'

# What may stand between two calls, and behind one, and counts as nothing: `{C}, {C}`, `**{C}**`.
_NOTHING = r"[\s,;)\]}\"'”’»*_`]*+"
_CALLS = re.compile(STOOD + _NOTHING)
nothing = re.compile(_NOTHING).fullmatch
#: A line that holds calls and nothing else, or is empty: `{C}, {C}; `.
only_calls = re.compile(rf"(?:{_CALLS.pattern})*+").fullmatch

# ` a`, ` a=b`, ` a = 'b'`
_ATTRIBUTE = (
    r"(?:\s++[A-Za-z_:][\w:.-]*+"
    r"(?:\s*+=\s*+(?:[^\"'=<>`\x00-\x20]++|'[^']*+'|\"[^\"]*+\"))?+)"
)
#: `<b>`, `</b>`, `<br />`, `<a href="x">`
HTML_TAG = rf"<[A-Za-z][A-Za-z0-9-]*+{_ATTRIBUTE}*+\s*+/?>|</[A-Za-z][A-Za-z0-9-]*+\s*+>"
# As above, names that models use (``<tool.x>``, ``<my_plan>``, ``<ns:a>``), tokens: ``<|im_end|>``
_TRANSPARENT = re.compile(
    rf"(?<!\\)(?:<[A-Za-z][\w:.-]*+{_ATTRIBUTE}*+\s*+/?>|</[A-Za-z][\w:.-]*+\s*+>"
    r"|<\|[^<>|\n]{1,60}\|>)",
    re.A,
)
_LETTER = re.compile(r"[^\W_]")
# `> `, `- `, `1. `: containers begin with these, and no one reads them as words.
_MARKERS = re.compile(r"(?:[ \t]*+(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]|\Z)))*+")
# "```json", "~~~", "- ```"
_FENCE_LINE = re.compile(_MARKERS.pattern + r"[ \t]*+(?:`{3,}+[^`]*+|~{3,}+.*+)\Z")

# Sentence_Terminal of Unicode 16's PropList.txt, and `…`.
_TERMINALS = (
    "21 2E 3F 589 61D-61F 6D4 700-702 7F9 837 839 83D-83E 964-965 104A-104B 1362 1367-1368 166E"
    " 1735-1736 17D4-17D5 1803 1809 1944-1945 1AA8-1AAB 1B4E-1B4F 1B5A-1B5B 1B5E-1B5F 1B7D-1B7F"
    " 1C3B-1C3C 1C7E-1C7F 2024 2026 203C-203D 2047-2049 2CF9-2CFB 2E2E 2E3C 2E53-2E54 2E60-2E61"
    " 3002 A4FF A60E-A60F A6F3 A6F7 A876-A877 A8CE-A8CF A92F A9C8-A9C9 AA5D-AA5F AAF0-AAF1 ABEB"
    " FE12 FE15-FE16 FE52 FE56-FE57 FF01 FF0E FF1F FF61 10A56-10A57 10F55-10F59 10F86-10F89"
    " 11047-11048 110BE-110C1 11141-11143 111C5-111C6 111CD 111DE-111DF 11238-11239 1123B-1123C"
    " 112A9 113D4-113D5 1144B-1144C 115C2-115C3 115C9-115D7 11641-11642 1173C-1173E 11944 11946"
    " 11A42-11A43 11A9B-11A9C 11C41-11C42 11EF7-11EF8 11F43-11F44 16A6E-16A6F 16AF5 16B37-16B38"
    " 16B44 16D6E-16D6F 16E98 1BC9F 1DA88"
)
TERMINALS = frozenset(
    chr(code)
    for first, _, last in (each.partition("-") for each in _TERMINALS.split())
    for code in range(int(first, 16), int(last or first, 16) + 1)
)


def without_calls(line: str) -> str:
    """Return *line* without its calls and what counts as nothing behind each."""
    return _CALLS.sub("", line) if STOOD in line else line


def words(text: str) -> str:
    """Return *text* without comments, tags and tokens."""
    if "<" not in text:
        return text
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return _TRANSPARENT.sub("", "".join((*kept, text[at:])))


def holds_words(text: str) -> bool:
    """Return True if a letter or digit stands in *text* outside tags and tokens."""
    return bool(_LETTER.search(text)) and bool(_LETTER.search(words(text)))


def is_fence_line(line: str) -> bool:
    """Return True if *line* looks like the first or last line of a fence."""
    return ("```" in line or "~~~" in line) and bool(_FENCE_LINE.match(line))


def line_holds_words(line: str) -> bool:
    """Return True if the whole *line* is text: markers of containers and fence lines are none."""
    if is_fence_line(line):
        return False
    marks = _MARKERS.match(line)
    return holds_words(line[marks.end() :] if marks else line)


def introduces(line: str) -> bool:
    """Return True if *line* ends as one that says what comes: `I do it:`, `**Plan:**`, `Well…`"""
    return words(line).rstrip(" \t*_~").endswith((":", "：", "…", ".."))


def continues_sentence(said: str) -> bool:
    """Return True if what follows *said* on its line stands in the middle of a sentence."""
    said = words(said).rstrip(" \t*_~")
    if not _LETTER.search(said):
        return False
    while said and _closes(said[-1]):
        said = said[:-1].rstrip("*_~")
    return said[-1:] not in TERMINALS


def _closes(char: str) -> bool:
    return (
        char == "'"
        or char in QUOTATION_MARKS
        or ((not char.isascii() or char in ")]}") and unicodedata.category(char) in ("Pe", "Pf"))
    )
