"""Documents to put a call into: drawn at random, out of CommonMark's examples, or for a deviation.

Each line is there because some rule of CommonMark or of ``docs/reading-replies.md`` turns on it;
which lines come together is left to chance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from .judge import judge_place
from .templates import PlaceTemplate

__all__ = [
    "BEGINNINGS",
    "DEVIATIONS",
    "ENDS",
    "LINES",
    "Placing",
    "draw_placing",
    "example_placings",
    "placing_of",
]


@dataclass(frozen=True, slots=True)
class Placing:
    """A text around a call: what is *before* it, with ``{call}`` for each earlier one, and behind.

    Nothing that comes behind makes a call plain that was shown or doubted.
    """

    before: str
    behind: str = ""

    def judged(self) -> PlaceTemplate:
        """The text as a template, with what CommonMark says of each of its calls."""
        parts = self.before.split("{call}")
        befores = ("{call}".join(parts[: at + 1]) for at in range(len(parts)))
        told = tuple(str(judge_place(each)) for each in befores)
        return PlaceTemplate(f"{self.before}{{call}}{self.behind}", told, "CommonMark")


_WORDS = (
    "Hi there.", "So:", "Well then!", "Is it so?", "Let me see…", "She said so.", "(in brackets.)",
    "The answer follows.", "  more.", "   three spaces.", "    code.", "      deep code", "\tcode.",
    "", "", "", "", "  ", "\t", "*a", "_b_ *c*", "**", "&amp; x", "\\` x", "\\\\` y",
    "a < b and b > c.", "***", "* * *", "---", "___", "- - -", "===", "======", "==", "--",
    "# H", "### Head", "# `h", "#", "####### x", "[x]", "[a](b) c", "[x]:", "[x]: /u",
    '[x]: /u "t"', '[z]: /u\n"t"', "[q]: /u\n'a", "b'", "[y]: <a b>", "[w: x",
    "{", "[", '{"a": 1,', "[1, 2]", '"k": 2}',
)  # fmt: skip
_CONTAINERS = (
    "> hi", "> - hi", "> ", ">", "> > x", ">> twice", "  > q", ">- x", ">\ta", "> 1. x\n>    y",
    "> \n> more.", "> As the manual says.", "- hi.", "- ", "-", "  - x", "   - x", "    - x",
    "- - a", "- \t", "-\ta", " - x", "  - inner", "-\n\n  a", "- a\n\n\n  b", "- i\n\n  more.",
    "* first point", "*", "* - + x", "+", "+ plus", "+ a\n  b", "1.", "1. hi.", "1.\tx", "2. hi",
    "2. - x", "0. x", "10. x", "7. seventh", "1234567890. x", "1) x", "  1. y", "     z", "  \t- x",
)  # fmt: skip
_CODE = (
    "```", "```py", "```json", "````", "   ```", "    ```", "``` `|", "``` `", "```a`b",
    "~~~", "~~~~", "~~~~ text", "~~~a`b", "   ~~~", "> ```", "> ~~~", "- ```", "1) ```",
    "- ~~~\n  x\n  ~~~", "a ` b.", "a `` b", "c `` d ` e", "`` ` ``", "Use `x` so.",
    "An `inline` word.",
)  # fmt: skip
_HTML = (
    "<!-- x", "-->", "<!-- x -->", "<!-- note", "done -->", "text <!-- and", "--> out.", "- <!-- x",
    "<pre>", "</pre>", '<pre class="x">\nx\n</pre>', "<script>", "<script>\nf();\n</script>",
    "<style>", "</style>", "<textarea>", "<?php", "?>", "<!DOCTYPE x", "<![CDATA[", "]]>",
    "<div>", "</div>", "</div> x", "<div\nid=1>", "> <div>", "- <div>", "<search>", "</p>",
    "<foo>", "<foo> x", "<b>", "</b>.", "a <b>", "<http://a`b>", '<a href="`">',
    '<a\ntitle="`">. Ok.',
)  # fmt: skip
_QUOTATIONS = (
    'He wrote: "So', "no.\"", "“open", "shut”.", "「引", "用」", "don’t ‘so’", "„Ja“.", "«a",
    '\\"a. b', "`x\ny` \"a. `z\nw`. ",
)  # fmt: skip
_TABLES = (
    "| a | b |", "|---|---|", "| 1 | 2 |", "a | b", "--- | ---", "| x | y |\n|---|---|", "|", "||",
    "| `a | b` |", "| a |", "|-|", ":-: | :-:", "a \\| b", "a\\|b", "a  |", "x | y\n--- | ---",
    "- | a |\n  |---|", "> | a |\n> |---|", "| a | b |\n|:--|--:|\n| 1",
)  # fmt: skip
_CALLS = (
    "{call}", "{call}", "  {call}", "- {call}", "> {call}", "    {call}", "{call}, {call}",
    "{call} so.", "```\n{call}\n```", "```\n{call}\n      ```", "```\n{call}", "# {call}",
    "<div>{call}", "`{call}",
)  # fmt: skip
#: Lines, and a few pieces of several lines that chance would seldom put together.
LINES: tuple[str, ...] = (
    *(*_WORDS, *_CONTAINERS, *_CODE, *_HTML),
    *(*_QUOTATIONS, *_TABLES, *_CALLS),
)
#: What a call's own line begins with; oftenest nothing.
BEGINNINGS: tuple[str, ...] = (
    *("",) * 12, "> ", ">", "> - ", "- > ", "- ", "-", "- a. ", "* ", "1. ", "1) ", "3. ", "# ",
    "## ", " ", "  ", "   ", "    ", "     ", "\t", "Ok. ", "and ", "(", "[", "\\", "**", "[x]: ",
    "`", "``` ", "~~~ ", "x ` y ` ", "x `` ` ", '"', "“", "'", "| ", "| a | ", "<!-- ", "<b>", "<b",
    "<div>", "<div ", "</div> ", "<i x='", "{call} ", "{call}, ", "{call} and ", "Ok. {call}, ",
)  # fmt: skip
#: What comes behind a call.
ENDS: tuple[str, ...] = ("", "", "", "\n", "\n\nSo.", " so.", "\n```", "\n```\n", "`", "\n\n```\nx")


def placing_of(lines: list[str], beginning: str = "", behind: str = "") -> Placing:
    """A call behind *lines* and the *beginning* of its own."""
    return Placing("\n".join([*lines, beginning]), behind)


def draw_placing(random: Random) -> Placing:
    """Up to five lines, and a call somewhere in the last."""
    lines = random.choices(LINES, k=random.randrange(6))
    return placing_of(lines, random.choice(BEGINNINGS), random.choice(ENDS))


def example_placings(examples: Iterable[str]) -> Iterator[Placing]:
    """A call for each word of each text, as those in CommonMark's specification, and behind it."""
    for example in examples:
        text = example.replace("{call}", "call")
        ends = [word.start() for word in re.finditer(r"\S+", text)]
        yield from (Placing(text[:end]) for end in (*ends, len(text.rstrip()), len(text)))


# -- the numbered deviations ------------------------------------------------------------------


def _later_line(random: Random) -> Placing:
    """A line below the call makes a heading or a table of its paragraph."""
    before, behind = random.choice(
        [("", "\n==="), ("", "\n---"), ("", "\nmore\n==="), ("| ", " |\n|---|"), ("", " |\n|-|")]
    )
    return placing_of(random.choices(_WORDS, k=random.randrange(4)), before, behind)


def _below_a_call(random: Random) -> Placing:
    """Calls stand above, whose own signs may be those of an HTML block."""
    above = [random.choice(("{call}", "Ok.\n{call}", "{call}\n{call}", "a\n\n{call}"))]
    return placing_of(above + random.choices(("", "So.", "- a", "<b>"), k=random.randrange(3)))


def _column_one(random: Random) -> Placing:
    """The line above is that of a list, a table or a quotation, and could go on."""
    tables = ("| a |\n|---|", "x | y\n--- | ---\n1 | 2", "> | a |\n> |---|")
    lines = [random.choice(LINES), random.choice((*_CONTAINERS, *tables))]
    return placing_of(lines, random.choice(("", "", "{call} ", "{call}, ")))


def _seventh_condition(random: Random) -> Placing:
    """A tag alone on its line that is none of CommonMark's own begins no block."""
    tag = random.choice(("<answer>", "</plan>", "<foo a='b'>", "<b>", "<a_b>", "<x:y>", "- <b>"))
    return placing_of([*random.choices(LINES, k=random.randrange(3)), tag])


def _fence_of_calls(random: Random) -> Placing:
    """A fence in which nothing but calls stands."""
    opener = random.choice(("```", "~~~", "````json", "   ```", "- ```", "> ```"))
    calls = random.choice(([], ["{call}"], ["{call},"], ["", "{call}"]))
    return placing_of([random.choice(LINES), opener, *calls], random.choice(("", "", " ", "  ")))


def _earlier_line(random: Random) -> Placing:
    """A code span or a quotation that an earlier line of the paragraph opened."""
    opener = random.choice(("a ` b.", "`", "use `` so", 'He wrote: "So', "“open", "«a", "「引"))
    return placing_of(
        [random.choice(LINES), opener, *random.choices(_WORDS, k=random.randrange(3))]
    )


def _special_token(random: Random) -> Placing:
    """Words around the call, which say nothing if it begins with a special token."""
    beginning = random.choice(("Ok, ", "and ", "So: ", "x = ", "Then I ", "“Ja”, "))
    return placing_of([random.choice(_WORDS)], beginning, random.choice(("", " is how.", "\nSo.")))


def _deep_closer(random: Random) -> Placing:
    """A fence of calls is closed by a line that is indented too far for CommonMark."""
    fence = random.choice(("```", "~~~", "````"))
    closer = random.choice(("    ", "\t", "      ", "     \t")) + fence
    return placing_of([random.choice(LINES), f"{fence}json", "{call}", closer])


#: The numbered deviations of ``docs/reading-replies.md``, each with what draws texts that meet it.
DEVIATIONS: Mapping[int, Callable[[Random], Placing]] = {
    1: _later_line,
    2: _below_a_call,
    3: _column_one,
    4: _seventh_condition,
    5: _fence_of_calls,
    6: _earlier_line,
    7: _special_token,
    8: _deep_closer,
}
