"""Tells a reply to a tracker as a reader would, and makes replies up."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from toolproto.protocol.decoding.place import Late, Place, PlaceTracker

#: A call; in rulings it is written `{C}`.
C = "\x00"
_MARKS = re.compile("(\x00|<think>|</think>|<END>)")


def tell(text: str, piece: int = 0, *, asks: bool = False) -> tuple[list[Place], list[Late]]:
    """Return the place of each call, and the late doubts; *asks* on the way, if so told."""
    tracker, found, late = PlaceTracker(), [], []
    for part in _MARKS.split(text):
        if part == C:
            found.append(tracker.before())
            late += tracker.call()
        elif part == "<think>":
            tracker.begin_thought()
        elif part in ("</think>", "<END>"):
            late += tracker.end_thought(by_call=part == "<END>")
        else:
            for at in range(0, len(part), piece or len(part) or 1):
                some = part[at : at + (piece or len(part))]
                if tracker.waits:
                    late += tracker.feed(some)
                else:
                    tracker.unseen.append(some)
                if asks:
                    assert tracker.before() == tracker.before()
    return found, late + list(tracker.finish())


def in_words(text: str, piece: int = 0) -> list[str]:
    """Return for each call "shown x", "x" where it is doubted, "late x" or ""."""
    found, late = tell(text, piece)
    told = [("shown " if place.shown else "") + place.name for place in found]
    for each in late:
        assert told[each.call] == ""
        told[each.call] = f"late {each.place}"
    return told


LINES: Sequence[str] = [
    "Hi there.", "> hi", "> - hi", "- hi.", "1. hi.", "2. hi", "  more.", "    code.", "\tcode.",
    "", "", "", "", "```", "```py", "~~~", "~~~~", "> ```", "- ```", "a ` b.", "<!-- x", "-->",
    "<pre>", "</pre>", "<div>", "</div>", "<script>", "---", "***", "# H", "* * *", "> > x",
    "  - x", "   ```", "So:", "<!-- x -->", "<style>", "</style>", "Use `x` so.", "> ", "-",
    "1.", "+ a\n  b", "> \n", "      x", "- - a", "<foo>", "<foo> x", "a <b>", "1) x", "   - x",
    "    - x", ">", "  > q", "7. seventh", "````", "```json", "~~~~ text", "> ~~~", "1) ```",
    "<!-- note", "done -->", "<pre class=\"x\">\nx\n</pre>", "___", "### Head", ">> twice",
    "\ttab", "<script>\nf();\n</script>", "<textarea>", "Is it so?", "> \n> more.",
    "- item\n\n  more of it.", "a < b and b > c.", "She said so.", "(in brackets.)",
    "Let me see…", "He wrote: \"So", "no.\"", "“open", "shut”.", "a `` b", "c `` d ` e", "\\` x",
    "\\\\` y", "<a href=\"`\">", "<a\ntitle=\"`\">. Ok.", "text <!-- and", "--> out.", "<?php",
    "?>", "<!DOCTYPE x", "<![CDATA[", "]]>", "</div> x", "<search>", "</p>", "<b>",
    "<http://a`b>", "# `h", "#", "======", "--", "- ", "*", "+", "10. x", "1234567890. x",
    "-\ta", ">\ta", "-\n\n  a", "- a\n\n\n  b", "* - + x", "2. - x", ">- x", "> 1. x\n>    y",
    " - x", "  1. y", "     z", "`` ` ``", "```a`b", "~~~a`b", "``` `", "   ~~~", "    ```",
    "- ~~~\n  x\n  ~~~", "> <div>", "- <div>", "- <!-- x", "<div\nid=1>", "*a", "_b_ *c*", "**",
    "[x]", "[a](b) c", "[x]: /u", "[x]: /u \"t\"", "[x]:", "[y]: <a b>", "[z]: /u\n\"t\"",
    "[q]: /u\n'a", "b'", "[w: x", "「引", "用」", "don’t ‘so’", "„Ja“.", "«a", "{", "[",
    "{\"a\": 1,", "[1, 2]", "\"k\": 2}", "&amp; x", "a\\", "a  ", "   ", "\t", "- \t", "1.\tx",
    "  \t- x",
    *("| a | b |", "|---|---|", "| 1 | 2 |", "a | b", "--- | ---", "| x | y |\n|---|---|", "|-|"),
    *("| `a | b` |", "a \\| b", "- | a |\n  |---|", "> | a |\n> |---|", "|"),
    "| a | b |\n|:--|--:|",
    *(C, C, f"  {C}", f"- {C}", f"> {C}", f"    {C}", f"{C}, {C}", f"{C} so.", f"```\n{C}\n```"),
    *(f"```\n{C}", f"# {C}", f"<div>{C}", f"`{C}"),
]  # fmt: skip
#: What stands on the line of the call, before it.
BEFORE = (
    *[""] * 12, "> ", "- ", "    ", "  ", "   ", "## ", "1. ", "* ", "# ", "3. ", " ", "\t",
    "Ok. ", "and ", "`", "``` ", "~~~ ", "<!-- ", '"', "“", "(", "'", "**", "<b>", "[", "<div>",
    "<div ", "| ", "| a | ", f"{C} ", f"{C}, ", f"{C} and ", f"Ok. {C}, ", "- a. ", ">", "-",
    "> - ", "- > ", "     ", "[x]: ", "x ` y ` ", "x `` ` ", "<b", "\\", "<i x='", "1) ", "</div> ",
)  # fmt: skip
BEHIND = (
    " is how.", "\nThat is all.", ".", " ✅", ", and", "\n```\nDone.", "\n# done", "\n<br>\n\nok",
    ", 1]", "](u)", "\r\nDone.\r\n", "\n\n---\nx", "</b>", " <b", "\rx", "`", '"', "", "```\nSo.",
    "\n     ```\nx",
)  # fmt: skip
LEADS = ("So:", "I do it:\n\n", "做：", "Well…", "```", "```json", "{", "[", "[1,", "a:\r\n", "\r")
LONG = (
    "x" * 9000, "lo rem " * 1500, "`" * 9000, "a " * 9000, "<a b='" * 4000, "- " * 12000,
    "“ " * 9000, "a line.\n" * 3000, "- an item\n" * 2000, "```\n" + "code\n" * 4000,
    "A paragraph.\n\n" * 2000, "[\n" * 6000, "<!-- \n\nx" * 3000,
)  # fmt: skip


def document(rng: random.Random) -> str:
    """Make up what stands before a call."""
    lines = [rng.choice(LINES) for _ in range(rng.randrange(6))]
    return "\n".join([*lines, rng.choice(BEFORE)])


def reply(rng: random.Random) -> str:
    """Make up a reply with a few calls."""
    parts = []
    for _ in range(rng.randrange(1, 4)):
        lead = rng.choice(LONG) if rng.random() < 0.01 else rng.choice([*LEADS, "", "", "", ""])
        head = f"{lead}\n" if lead else ""
        parts.append(head + document(rng) + C + rng.choice(BEHIND))
    text = "\n".join(parts)
    return text.replace("\n", "\r\n") if rng.random() < 0.1 else text
