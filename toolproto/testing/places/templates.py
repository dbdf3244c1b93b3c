"""Sixty texts that decide what a place is: rulings, each with the rule or the reply behind it.

What :func:`~toolproto.testing.places.judge_place` cannot say is here as well: thoughts, and what
comes behind a call.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TEMPLATES", "PlaceTemplate"]


@dataclass(frozen=True, slots=True)
class PlaceTemplate:
    """A text with ``{call}`` for each call, what holds for each, and *source*, which decided it.

    *expected* has for each call ``"plain"``, ``"doubted PLACE"`` or ``"shown PLACE"``; a doubt that
    only what comes behind the call justifies is ``"late PLACE"``.
    """

    text: str
    expected: tuple[str, ...]
    source: str


def _of(source: str, *rows: tuple[str, str]) -> tuple[PlaceTemplate, ...]:
    """Templates for *rows* of a text and what holds for its calls, set apart by commas."""
    return tuple(PlaceTemplate(text, tuple(held.split(", ")), source) for text, held in rows)


#: The texts and what holds for each of their calls.
TEMPLATES: tuple[PlaceTemplate, ...] = (
    *_of(
        "a code span (CommonMark 6.1), where the first open run of a line counts",
        ("Use ``` so. `x` {call}", "shown code"),
        ("Write `{call}` for it.", "shown code"),
        ("`a\n{call}\nb`", "doubted code"),
    ),
    *_of(
        "a fence (CommonMark 4.5); nearly all of 51 calls in one, in 4,415 replies, were meant",
        ("```\n{call}\n```", "plain"),
        ("```json\n{call}\n```\nThat is it.", "plain"),
        ("~~~\n{call},\n {call}\n~~~", "plain, plain"),
        ("```\n# look\n{call}", "shown code"),
        ("```\n{call}\n# done", "late code"),
        ("````\n```\n{call}\n```\n````", "shown code"),
        ("```markdown\n```json\n{call}\n```\n```\nThat is how.", "shown code"),
        ("``` {call}", "shown code"),
        ("~~~ {call}", "doubted container"),
        ("- ```\n  {call}", "doubted container"),
        ("```\n{call}\n      ```\n\n{call}", "plain, plain"),
    ),
    *_of(
        "a fence after a line that introduces it, the false call that coding agents meet",
        ("So:\n\n```json\n{call}\n```\n\nThat is all.", "late introduced"),
    ),
    *_of(
        "a block quote (CommonMark 5.1)",
        ("> {call}", "shown quote"),
        ("> a\n{call}", "doubted quote"),
        ("> a\n\n{call}", "plain"),
        ("> ```\n{call}", "plain"),
    ),
    *_of(
        "a list item (CommonMark 5.2); models write a list of steps, then the call",
        ("1. read\n2. mend\n{call}", "plain"),
        ("- hi.\n   {call}", "doubted container"),
        ("1. {call}\n2. {call}", "doubted container, doubted container"),
        ("- " * 2_000 + "{call}", "doubted container"),
    ),
    *_of(
        "headings, indented code and link definitions (CommonMark 4.2 to 4.4 and 4.7)",
        ("# {call}", "doubted container"),
        ("{call}\n===", "plain"),
        ("a.\n\n    {call}", "doubted container"),
        ("[x]: {call}", "doubted container"),
    ),
    *_of(
        "a table (GitHub Flavored Markdown 4.10)",
        ("| a | b |\n|---|---|\n| a | {call} |", "shown table"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n{call}", "plain"),
    ),
    *_of(
        "HTML (CommonMark 4.6 and 6.6); models wrap what they mean in tags of their own",
        ("<div>\n{call}", "shown html"),
        ("<pre>\n\n{call}", "shown html"),
        ("text <!-- {call} -->", "shown html"),
        ("<!--\n\n{call}", "shown html"),
        ("<answer>\n{call}", "plain"),
        ("<plan>{call}</plan>", "plain"),
        ("Use <b>.\n\n{call}", "plain"),
    ),
    *_of(
        "a quotation, by Unicode's marks and CommonMark's flanking (6.2)",
        ("He said “{call}” there.", "shown quotation"),
        ("说“{call}”", "shown quotation"),
        ("“{call}”", "shown quotation"),
        ('It says "{call}".', "shown quotation"),
        ('He wrote: "So.\n{call}', "doubted quotation"),
        ('"no.\n\n{call}', "plain"),
        ("'Twas late. {call}", "plain"),
    ),
    *_of(
        "a larger JSON value (RFC 8259)",
        ('{"thought": 1, "action": {call}}', "shown json"),
        ("[{call}, 1]", "late json"),
    ),
    *_of(
        "a sentence; Unicode's Sentence_Terminal ends one",
        ("{call} and {call}", "late sentence, doubted sentence"),
        ("{call}, {call}", "plain, plain"),
        ("**{call}** ✅", "plain"),
        ("I do it: {call}", "doubted sentence"),
        ("{call} is how.", "late sentence"),
        ("a (b. {call}", "plain"),
    ),
    *_of(
        "a line that introduces a call, and text below it",
        ("I do it:\n{call}", "plain"),
        ("I do it:\n{call}\n{call}\nDone.", "late introduced, late introduced"),
        ("**计划：**\n{call}\n好", "late introduced"),
    ),
    *_of(
        "a thought, by the tags that models' chat templates declare",
        ("<think>hm. {call}</think>\nNo.", "shown thinking"),
        ("hm.\n{call}\n</think> No.", "late thinking"),
        ("<think>hm.</think>\n{call}", "plain"),
    ),
)
