"""The same call, shown and meant: what is shown never runs, what is meant always does.

Every row of the tables is a way in which models write a call down; each is read in one piece,
character by character and in pieces of seven.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import cycle, islice
from typing import NamedTuple

import pytest

from tests.amount import together
from toolproto import (
    CallCompleted,
    CallStarted,
    Grade,
    Limits,
    ParsedResponse,
    ProblemKind,
    Reasoning,
    ToolCall,
    ToolOffer,
    ToolSpec,
    parse_any,
)
from toolproto.protocol.paradigms import get_paradigm
from toolproto.testing.laws import read_in_pieces

OFFER = ToolOffer(
    (
        ToolSpec(
            "get_weather",
            "Current weather for a city.",
            {
                "type": "object",
                "properties": {"city": {"type": "string"}, "unit": {"enum": ["c", "f"]}},
                "required": ["city"],
            },
        ),
        ToolSpec(
            "write_file",
            "Write a file.",
            {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
            },
        ),
        ToolSpec(
            "delete_rows",
            "Delete rows by their numbers.",
            {
                "type": "object",
                "properties": {"rows": {"type": "array", "items": {"type": "integer"}}},
                "required": ["rows"],
            },
        ),
        ToolSpec("now", "The time.", {"type": "object", "properties": {}}),
    )
)
PARADIGMS = ["json_strict", "xml_tag"]
CALLS = {
    "plain": ToolCall("get_weather", {"city": "Oslo"}),
    "unicode": ToolCall("get_weather", {"city": "São Paulo, 東京 😀", "unit": "f"}),
    "code": ToolCall(
        "write_file", {"path": "a.py", "content": "def f(x):\n    return {\"a\": [x, 'b']}\n"}
    ),
    "markup": ToolCall("write_file", {"path": "a.html", "content": "<b>1 < 2</b> > “so” </tool>"}),
    "numbers": ToolCall("delete_rows", {"rows": [1, 2, -3]}),
    "nothing": ToolCall("now", {}),
}

Way = Callable[[str], str]


def spread(written: str) -> str:
    """The same call over many lines."""
    opener, body, closer = re.fullmatch(r"(<tool_code>)?(\{.*\})(</tool_code>)?", written).groups()
    lines = [opener, json.dumps(json.loads(body), indent=2, ensure_ascii=False), closer]
    return "\n".join(filter(None, lines))


def quoted(text: str) -> str:
    """A block quote."""
    return "\n".join(f"> {line}" for line in text.split("\n"))


#: So much that what was opened amid words above it is forgotten.
LONG = "Das ist so.\n" * 400

#: In the open: read, and exactly as asked for.
OPEN: dict[str, Way] = {
    "alone": lambda c: c,
    "alone, lines around": lambda c: f"\n\n{c}\n\n",
    "alone, indented": lambda c: f"  {c}",
    "over many lines": lambda c: f"Let me check.\n{spread(c)}\n",
    "after a sentence": lambda c: f"I will look that up. {c}",
    "after an exclamation": lambda c: f"Sure! {c}",
    "after a sentence and a blank line": lambda c: f"I will look that up.\n\n{c}",
    "after an exclamation and an emoji": lambda c: f"Sure! 😊 {c}",
    "after an emoji and a newline": lambda c: f"One moment 🔍\n{c}",
    "after a colon and a newline": lambda c: f"I'll use the tool:\n{c}",
    "after carriage returns": lambda c: f"Let me check.\r\n\r\n{c}\r\n",
    "after thinking": lambda c: f"<think>They want this. I should do it.</think>\n{c}",
    "after thinking on the same line": lambda c: f"Okay. <think>Oslo, then.</think> {c}",
    "after thinking between bold words": lambda c: f"<think>So **it is**</think>**Yes.**\n\n{c}",
    "after thinking between quotations": lambda c: f"<think>Not 'so'</think>'Yes.'\n\n{c}",
    "after a comment of Obsidian": lambda c: f"%%\nSo.\n%%\n\n{c}",
    "after a table of AsciiDoc": lambda c: f"|===\n|a |b\n|===\n\n{c}",
    "after thinking of another call": lambda c: f"<think>Not {c} again!\n{c}</think>\n\n{c}",
    "before prose on the next line": lambda c: f"{c}\nI will tell you what comes back.",
    "before prose on the same line": lambda c: f"{c} This gets what you asked for.",
    "before a semicolon and prose": lambda c: f"{c}; This gets what you asked for.",
    "before a tag and prose below": lambda c: f"{c}</b>\nto get it.",
    "after a list item": lambda c: f"1. Ask the tool.\n2. Answer.\n\n{c}",
    "right after a list item": lambda c: f"1. First I ask the tool:\n{c}",
    "after thinking below half a sentence": lambda c: f"Well\n<think>Oslo.</think>{c}",
    "in an element for calls": lambda c: f"<functioncall>\nSo.\n\n{c}\n</functioncall>",
    "in an element of one's own": lambda c: f"<use_mcp_tool>\nSo.\n\n{c}\n</use_mcp_tool>",
    "after an element": lambda c: f"It is <b>cold</b> there, 3 < 5 <br> or so.\n{c}",
    "after entries of a record": lambda c: f"Name: Ann\nCity: Oslo\n\nI look that up.\n{c}",
    "after a question and a thought": lambda c: f"Question: Cold?\nThought: I look.\n{c}",
    "after two steps": lambda c: f"Schritt 1: Erledigt.\n\nSchritt 2: Erledigt.\n\n{c}",
    "after a Dutch contraction": lambda c: f"'s Avonds kijk ik.\n\n't Is goed.\n{c}",
    "after a heading": lambda c: f"## Step 1\n{c}",
    "after bold words": lambda c: f"**Looking it up**\n{c}",
    "after inline code": lambda c: f"I use `get_weather` and ``x`` here.\n{c}",
    "after naming the markers": lambda c: f"I write `<tool_code>` or `tool_calls`.\n{c}",
    "after a shown fence": lambda c: f"```python\nprint(1)\n```\nThat is the code. Now:\n{c}",
    "after a block quote": lambda c: f"> What is it like there?\n\n{c}",
    "after quotation marks": lambda c: f'You said "please" and “now”.\n{c}',
    "after apostrophes": lambda c: f"It's fine, don't worry, 'tis done.\n{c}",
    "after a stray quotation mark": lambda c: f'The 6" pipe:\n{c}',
    "after Hebrew quotation marks": lambda c: f"אמר ”כן“.\n\n{c}",
    "after a decade": lambda c: f"'90s music it is, the users' choice.\n\n{c}",
    "after a quotation over lines": lambda c: f"He said: 'Go.\n\nYou don't stay.'\n\nSo I go.\n{c}",
    "after a parenthesis over lines": lambda c: f"I look (in Oslo,\nas you said).\n\n{c}",
    "after a quotation of two paragraphs": lambda c: f"“One.\n\n“Two.”\n\nI look.\n\n{c}",
    "after quotations in a quotation": lambda c: f"„So „ist“ es.“ »Niin.» “So“ it is.\n\n{c}",
    "after German and straight quotation marks": lambda c: f'Der „Ort" ist Oslo.\n\n{c}',
    "after feet and inches": lambda c: f"It is 5′ 3″ in a café´s Rock 'N' Roll.\n\n{c}",
    "after code with a backtick in it": lambda c: f"`` ` `` is a backtick.\n\n{c}",
    "after an environment": lambda c: f"\\begin{{verbatim}}\nx\n\\end{{verbatim}}\n\nNow.\n\n{c}",
    "after a comment amid a line": lambda c: f"int x; /* so */ y.\n\nNow I look.\n\n{c}",
    "after the name of all files": lambda c: f"It is in /usr/*.py and a/**/b.\n\n{c}",
    "after a template": lambda c: f"{{{{!-- so --}}}} \\textbf{{So}} it is.\n\nNow I look.\n\n{c}",
    "after bold words of a wiki": lambda c: f"Das ist '''so''' in [[Oslo]] und {{A}}.\n\n{c}",
    "after a macro": lambda c: f"{{code}}\nx\n{{code}}\n\nNow I look.\n\n{c}",
    "after a Hindi sentence in brackets": lambda c: f"《यह है।》\n\nमैं देखता हूँ।\n\n{c}",
    "after thinking between unknown tokens": lambda c: f"<|im_think|>So.<|im_think_end|>\n\n{c}",
    "far behind an open quotation": lambda c: f"He said “so.\n{LONG}\n{c}",
    "far behind an open bracket": lambda c: f"It is so (or so.\n{LONG}\n{c}",
    "far behind a placeholder": lambda c: f"Put it into <file> there.\n{LONG}\n{c}",
    "far behind a note, below a heading": lambda c: f"[Note]\n{LONG}\n## Now\n\nI look.\n\n{c}",
    "far behind a quotation, below a rule": lambda c: f"“So.\n{LONG}\n---\n\n我来看。\n\n{c}",
    "in German": lambda c: f"Ich sehe gleich nach.\n{c}",
    "in French": lambda c: f"Je vérifie tout de suite :\n{c}",
    "in Russian": lambda c: f"Сейчас проверю:\n{c}",
    "in Chinese": lambda c: f"我来查一下。{c}",
    "in Chinese, on its own line": lambda c: f"好的，我来查一下。\n{c}\n请稍等。",
    "in Japanese": lambda c: f"調べます：\n{c}",
    "in Japanese, after a quotation": lambda c: f"「はい、調べます。」{c}",
    "in Khmer": lambda c: f"ខ្ញុំនឹងពិនិត្យមើល។\n{c}",
    "in Burmese": lambda c: f"ကျွန်တော် ကြည့်ပါမည်။ {c}",
    "in Tibetan": lambda c: f"ངས་བལྟ་གི་ཡིན།\n{c}",
    "in Greek, after a question": lambda c: f"Τι καιρό κάνει; {c}",
    "in Armenian": lambda c: f"Հիմա կնայեմ՝\n{c}",
    "after an interrobang": lambda c: f"Really‽ {c}",
    "below a finger": lambda c: f"I look it up 👇\n{c}",
    "in Arabic": lambda c: f"سأتحقق الآن:\n{c}",
}

#: In a fence that holds nothing else and ends the reply: read, and labelled.
WRAPPED: dict[str, Way] = {
    "a fence": lambda c: f"```\n{c}\n```",
    "a fence with a language": lambda c: f"```json\n{c}\n```",
    "a fence with another language": lambda c: f"```tool_code\n{c}\n```\n",
    "a fence over many lines": lambda c: f"```json\n{spread(c)}\n```",
    "a fence of tildes": lambda c: f"~~~\n{c}\n~~~",
    "a longer fence": lambda c: f"````json\n{c}\n````",
    "a fence after a sentence": lambda c: f"I will look that up.\n\n```json\n{c}\n```\n",
    "a fence after a colon": lambda c: f"Calling the tool:\n```\n{c}\n```",
    "a fence after thinking": lambda c: f"<think>Hm.</think>\n\n```json\n{c}\n```",
    "a fence after a shown fence": lambda c: (
        f"```python\nprint(1)\n```\nThat is the code.\n```json\n{c}\n```"
    ),
    "a fence with blank lines": lambda c: f"```json\n\n{c}\n\n```\n\n",
    "a fence that is never closed": lambda c: f"Let me check:\n```json\n{c}\n",
    "a fence before a leaked token": lambda c: f"```json\n{c}\n```\n<|im_end|>",
}

#: Where calls are meant and shown alike: read, and labelled with the place, so that the model is
#: asked before anybody runs it.
DOUBTED: dict[str, Way] = {
    "after half a sentence": lambda c: f"Let me check that {c}",
    "after half a sentence, prose on the next line": lambda c: f"Let me check that {c}\nand wait.",
    "after a comma": lambda c: f"Okay, {c}",
    "after a colon": lambda c: f"I call the tool now: {c}",
    "after a Japanese colon": lambda c: f"調べます：{c}",
    "after a label": lambda c: f"Usage: {c}",
    "after a name": lambda c: f"**Ann:** {c}",
    "below a label": lambda c: f"Usage:\n{c}",
    "between two lines of a sentence": lambda c: f"You would write\n{c}\nto get it.",
    "in Chinese, below half a sentence": lambda c: f"好的，我来查一下\n{c}\n请稍等。",
    "below the head of a mail": lambda c: f"From: Ann\nTo: Bob\n\n{c}",
    "in a chat": lambda c: f"Ann: Hi.\nBob: Hello.\n{c}\nAnn: No!",
    "under a list item": lambda c: f"1. First I ask the tool:\n   {c}",
    "behind a sentence in a list item": lambda c: f"- Like this. {c}",
    "in an element that is not closed": lambda c: f"Well, <plan>let me see.\n\n{c}\n\nHm.",
    "between dots": lambda c: f"Write ... {c} ... to get it.",
    "between signs": lambda c: f"%%%\n{c}\n%%%\n",
    "after a dash": lambda c: f"One moment – {c}",
    "after an emoji": lambda c: f"🔍 {c}",
    "in a list item": lambda c: f"Plan:\n- {c}",
    "after a stray backtick": lambda c: f"The ` key is stuck.\n{c}",
    "in Chinese, after half a sentence": lambda c: f"我来查一下{c}",
    "in a fence with talk behind it": lambda c: f"```json\n{c}\n```\nThat is how a call looks.",
    "in a fence with talk around it": lambda c: (
        f"A call looks like this:\n\n```\n{c}\n```\n\nShall I make it?"
    ),
    "in a fence of tildes with talk behind it": lambda c: f"~~~json\n{c}\n~~~\nLike that.",
    "in a fence with talk on its last line": lambda c: f"```\n{c}\n``` is what you would send.",
    "in a fence in a list": lambda c: f"- Such as:\n  ```json\n  {c}\n  ```\n  and so on.",
    "woven into a sentence": lambda c: f"Just write {c} to get it.",
    "woven in with a comma": lambda c: f"Write {c}, then wait.",
    "woven in between parentheses": lambda c: f"It is a call (as in {c}) that I may write.",
    "woven in, alone between parentheses": lambda c: f"There is a call ({c}) for that.",
    "woven in as an example": lambda c: f"For example, {c} gets you that.",
    "woven in behind an abbreviation": lambda c: f"Write a call, e.g. {c} for that.",
    "woven in behind a colon": lambda c: f"The call that failed was: {c}, which is wrong.",
    "woven in before a full stop": lambda c: f"I will not write {c}.",
    "woven into a Chinese sentence": lambda c: f"只要写{c}就能得到结果。",
    "woven into an Arabic sentence": lambda c: f"اكتب {c} للحصول عليه.",
    "woven into a German sentence": lambda c: f"Man schreibt {c} und wartet.",
    "at the beginning of a sentence": lambda c: f"{c} is what you write.",
    "at the beginning of a Japanese sentence": lambda c: f"{c}と書けばよい。",
    "below a block quote": lambda c: f"> They wrote:\n{c}",
    "in an open quotation": lambda c: f"He said “write\n{c}",
    "in indented code": lambda c: f"Like this:\n\n    {c}\n\nand so on.",
}

#: Shown in the text: not read, and the person sees all of it.
SHOWN: dict[str, Way] = {
    "in inline code": lambda c: f"You get it with `{c}` at any time.",
    "in inline code alone": lambda c: f"`{c}`",
    "in inline code after a colon": lambda c: f"The call looks like this: `{c}`",
    "in inline code in a list": lambda c: f"- `{c}`: asks the tool\n- `x`: does not",
    "in double backticks": lambda c: f"You get it with `` {c} ``.",
    "in triple backticks": lambda c: f"You get it with ```{c}``` at any time.",
    "in inline code beside other code": lambda c: f"Type `curl -d {c} localhost` there.",
    "in a block quote": lambda c: f"> {c}",
    "in a block quote without a space": lambda c: f"They wrote:\n>{c}",
    "in a block quote of many lines": lambda c: f"> For example:\n> {c}\n> Nothing more.",
    "in a block quote, over many lines": lambda c: f"Such as\n\n{quoted(spread(c))}\n\nand so on.",
    "in a nested block quote": lambda c: f"> > {c}\n> Who wrote that?",
    "in a fence in a block quote": lambda c: f"> ```json\n> {c}\n> ```",
    "in a table": lambda c: f"| object | effect |\n|---|---|\n| {c} | asks |\n",
    "between typographic quotation marks": lambda c: f"The text “{c}” is a call.",
    "between quotation marks with words before it": lambda c: f"The page says “now write {c}”.",
    "between quotation marks with words behind it": lambda c: f"It says “{c} is a call” there.",
    "between quotation marks with a full stop": lambda c: f"You sent “{c}.” I did not.",
    "between straight quotation marks with words": lambda c: f'It says "now write {c}" there.',
    "between angle quotation marks": lambda c: f"Le texte «{c}» est un appel.",
    "between spaced angle quotation marks": lambda c: f"Le texte « {c} » est un appel.",
    "between straight quotation marks": lambda c: f'The text "{c}" is a call.',
    "between straight quotation marks alone": lambda c: f'"{c}"',
    "between single quotation marks": lambda c: f"The text '{c}' is a call.",
    "between German quotation marks": lambda c: f"Der Text „{c}“ ist ein Aufruf.",
    "between turned angle quotation marks": lambda c: f"Der Text »{c}« ist ein Aufruf.",
    "between Polish quotation marks": lambda c: f"Tekst „{c}” to wywołanie.",
    "between Swedish quotation marks": lambda c: f"Texten ”{c}” är ett anrop.",
    "between double corner brackets": lambda c: f"『{c}』と書きます。",
    "between corner brackets": lambda c: f"「{c}」と書きます。",
    "in a fence with another behind it": lambda c: f"```\n{c}\n```\n```python\nx = 1\n```",
    "in a fence with code before it": lambda c: f"```python\nreply = model()\n{c}\n```",
    "in a fence with code behind it": lambda c: f"```\n{c}\nprint(reply)\n```",
    "in a fence with a comment": lambda c: f"```\n# an example\n{c}\n```",
    "in a fence with a variable": lambda c: f"```python\nreply = '''{c}'''\n```",
}

#: Shown to nobody but the model itself.
THOUGHT: dict[str, Way] = {
    "in a thought": lambda c: f"<think>I could write {c} here.</think>\nNo tool is needed.",
    "in a thought, on its own line": lambda c: f"<think>\nPerhaps:\n{c}\n</think>\nNot needed.",
    "in another thought": lambda c: f"<thinking>\n{c}\n</thinking>\nNot needed.",
    "in a thought between loud tags": lambda c: f"<THINK>\n{c}\n</Think>\nNot needed.",
    "in a thought behind a sentence": lambda c: f"Okay. <think>Perhaps {c}</think> Not needed.",
    "in a thought of many lines behind a word": lambda c: (
        f"Hm <think>\nPerhaps:\n{c}\n</think>\nNot needed."
    ),
    "in a thought that names its closer": lambda c: (
        f"<think>It ends with `</think>`.\n{c}\n</think>\nNot needed."
    ),
    "in a fence in a thought": lambda c: f"<think>\n```json\n{c}\n```\n</think>\n\nNot needed.",
    "in a thought without an end": lambda c: f"<think>\nShould I?\n{c}",
}

#: Shown in a thought that was opened in the prompt.
INSIDE: dict[str, Way] = {
    "in a thought from the start": lambda c: f"I could:\n{c}\n</think>\nNot needed.",
    "alone in a thought from the start": lambda c: f"{c}\n</think>\n\nNot needed.",
    "in a thought from the start, without an end": lambda c: f"Perhaps this:\n{c}\n",
}

SHOWINGS = {**SHOWN, **THOUGHT, **INSIDE}
MEANINGS = {**OPEN, **WRAPPED}


class Pair(NamedTuple):
    """The same call in one paradigm, in a way of showing it and in a way of meaning it."""

    paradigm: str
    call: str
    shown: str
    meant: str

    @property
    def written(self) -> str:
        return get_paradigm(self.paradigm).encode_call(CALLS[self.call])


def pairs() -> list[Pair]:
    """For every paradigm and call, each way at least once."""
    count = max(len(SHOWINGS), len(MEANINGS))
    ways = list(islice(zip(cycle(SHOWINGS), cycle(MEANINGS), strict=False), count))
    return [Pair(p, c, *way) for p in PARADIGMS for c in CALLS for way in ways]


PAIRS = pairs()


def every(**tables):  # type: ignore[no-untyped-def]
    """One test for each paradigm, with every call and row of the table."""

    def decorate(test):  # type: ignore[no-untyped-def]
        return pytest.mark.parametrize("paradigm", PARADIGMS)(together(**tables, call=CALLS)(test))

    return decorate


def readings(paradigm: str, reply: str, reasoning: Reasoning | None = None) -> list[ParsedResponse]:
    """*reply* read whole, character by character, and in pieces of seven."""
    reader = get_paradigm(paradigm, reasoning=reasoning)
    sizes = (len(reply), 1, 7)
    return [
        ParsedResponse(
            reply,
            tuple(
                read_in_pieces(
                    reader, [reply[at : at + size] for at in range(0, len(reply), size)], OFFER
                )
            ),
        )
        for size in sizes
    ]


def written(paradigm: str, call: str) -> str:
    return get_paradigm(paradigm).encode_call(CALLS[call])


@every(way=OPEN)
def test_a_call_in_the_open_is_read_as_written(paradigm, call, way):
    reply = OPEN[way](written(paradigm, call))
    for parsed in readings(paradigm, reply):
        assert parsed.calls == [CALLS[call]]
        assert parsed.calls[0].grade is None
        assert parsed.problems == []


@every(way=WRAPPED)
def test_a_wrapped_call_is_read_and_labelled(paradigm, call, way):
    reply = WRAPPED[way](written(paradigm, call))
    for parsed in readings(paradigm, reply):
        assert parsed.calls == [CALLS[call]]
        assert parsed.calls[0].grade is Grade.GUESSED
        assert parsed.problems == []


@every(way=DOUBTED)
def test_a_call_in_a_doubtful_place_is_read_and_says_so(paradigm, call, way):
    reply = DOUBTED[way](written(paradigm, call))
    for parsed in readings(paradigm, reply):
        assert parsed.calls == [CALLS[call]]
        assert parsed.calls[0].doubt
        assert parsed.problems == []


@every(way=SHOWN)
def test_a_call_that_is_shown_is_text(paradigm, call, way):
    reply = SHOWN[way](written(paradigm, call))
    for parsed in readings(paradigm, reply):
        assert parsed.calls == []
        assert parsed.problems == []
        assert parsed.text == reply


@every(way=THOUGHT)
def test_a_call_that_is_thought_of_is_reasoning(paradigm, call, way):
    reply = THOUGHT[way](written(paradigm, call))
    for parsed in readings(paradigm, reply):
        assert parsed.calls == []
        assert parsed.problems == []
        assert written(paradigm, call) in parsed.reasoning


@every(way=INSIDE)
def test_a_call_in_a_thought_that_the_prompt_opened_is_reasoning(paradigm, call, way):
    reply = INSIDE[way](written(paradigm, call))
    for parsed in readings(paradigm, reply, Reasoning(starts_inside=True)):
        assert parsed.calls == []
        assert parsed.problems == []
        assert written(paradigm, call) in parsed.reasoning


CLOSED = [pair for pair in PAIRS if pair.shown in SHOWN and "alone" not in pair.shown]


@together(pair=CLOSED)
def test_a_call_shown_first_and_meant_then_is_read_once(pair):
    shown, meant = SHOWINGS[pair.shown](pair.written), MEANINGS[pair.meant](pair.written)
    for parsed in readings(pair.paradigm, f"{shown}\n\nNow I do it.\n\n{meant}"):
        assert parsed.calls == [CALLS[pair.call]]
        assert parsed.text.startswith(shown)


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_long_example_is_never_a_plain_call(paradigm):
    """It may be read, because arguments should not wait for long, but not as a sure one."""
    call = ToolCall("write_file", {"path": "a.sh", "content": "echo line\n" * 200})
    reply = f"For example, {get_paradigm(paradigm).encode_call(call)} would write the script."
    for parsed in readings(paradigm, reply):
        assert [read for read in parsed.calls if read.grade is not Grade.GUESSED] == []


@pytest.mark.parametrize("paradigm", PARADIGMS)
@together(first=CALLS, between=["\n", "\n\n", " ", "", ",\n", "\nAnd then:\n"])
def test_two_calls_in_a_row_are_both_read(paradigm, between, first):
    reply = written(paradigm, first) + between + written(paradigm, "plain")
    for parsed in readings(paradigm, reply):
        assert parsed.calls == [CALLS[first], CALLS["plain"]]
        assert [call.grade for call in parsed.calls] == [None, None]


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "~~~\n{}\n~~~\n", "Now:\n```\n{}\n```"])
@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_two_calls_in_one_fence_are_both_read_and_labelled(paradigm, fence):
    both = f"{written(paradigm, 'code')}\n{written(paradigm, 'plain')}"
    for parsed in readings(paradigm, fence.format(both)):
        assert parsed.calls == [CALLS["code"], CALLS["plain"]]
        assert [call.grade for call in parsed.calls] == [Grade.GUESSED] * 2


def _flat(tool: ToolSpec) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }


#: A tool's own description, repeated: it names the tool and has "parameters", yet calls nothing.
ECHOES: dict[str, Callable[[ToolSpec], str]] = {
    "flat": lambda tool: json.dumps(_flat(tool)),
    "flat, over many lines": lambda tool: f"I have:\n{json.dumps(_flat(tool), indent=2)}",
    "flat, after a colon": lambda tool: f"It is declared so: {json.dumps(_flat(tool))}",
    "as OpenAI writes it": lambda tool: json.dumps({"type": "function", "function": _flat(tool)}),
    "without a description": lambda tool: json.dumps(
        {"name": tool.name, "parameters": dict(tool.parameters)}
    ),
    "in a list": lambda tool: json.dumps([_flat(tool), _flat(tool)]),
    "in a fence": lambda tool: f"My tools:\n```json\n{json.dumps(_flat(tool), indent=1)}\n```",
}


@pytest.mark.parametrize("paradigm", PARADIGMS)
@together(echo=ECHOES, tool=OFFER.tools)
def test_a_tool_described_is_not_a_tool_called(paradigm, tool, echo):
    reply = ECHOES[echo](tool)
    for parsed in readings(paradigm, reply):
        assert parsed.calls == []
        assert parsed.problems == []
        assert parsed.text == reply


def test_a_tool_described_first_and_called_then_is_read_once():
    for paradigm in PARADIGMS:
        reply = f"{ECHOES['flat'](OFFER.tools[0])}\n\nI call it:\n{written(paradigm, 'plain')}"
        for parsed in readings(paradigm, reply):
            assert parsed.calls == [CALLS["plain"]]


def test_the_table_does_not_shrink():
    assert len(set(PAIRS)) >= 200
    assert {pair.shown for pair in PAIRS} == set(SHOWINGS)
    assert {pair.meant for pair in PAIRS} == set(MEANINGS)
    assert len(SHOWINGS) >= 12
    assert len(OPEN) >= 8


def test_every_way_keeps_the_call_as_it_is_written():
    """A row that changed the call, or two rows that say the same, would test nothing."""
    for table in (SHOWINGS, MEANINGS):
        replies = [way('{"a": 1}') for way in table.values()]
        assert len(set(replies)) == len(replies)
        assert all('"a": 1' in reply for reply in replies)


@pytest.mark.parametrize("open_brace", ['{"a": 1, "b": ', "{name ", "f() { x "])
def test_a_brace_left_open_hides_no_marked_call(open_brace):
    paradigm = get_paradigm("xml_tag")
    parsed = paradigm.parse_response(
        f'{open_brace}\n<tool_code>{{"name": "now", "arguments": {{}}}}</tool_code>'
    )
    assert [call.name for call in parsed.calls] == ["now"]


@pytest.mark.parametrize("name", ["xml_tag", "hermes", "deepseek_v31", "kimi_k2"])
@pytest.mark.parametrize("sign", ["a <b", "x[code", "a {quote", "\\beg", "#+begin"])
@pytest.mark.parametrize("around", ["``", "“”", '""'])
def test_what_only_looks_like_the_beginning_of_an_element_hides_no_quotes(name, sign, around):
    paradigm = get_paradigm(name)
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    reply = f"If {sign}, say {around[0]}{call}{around[1]} and wait."
    for pieces in ([reply], list(reply)):
        events = read_in_pieces(paradigm, pieces, OFFER)
        assert not any(isinstance(event, CallStarted) for event in events)


@pytest.mark.parametrize("size", [1, 7, 0])
def test_unseen_characters_behind_a_long_line_hide_no_sentence(size):
    paradigm = get_paradigm("xml_tag")
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    reply = f"you would {'perhaps ' * 40}write{chr(0x200B) * 60}{call}"
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)] if size else [reply]
    events = read_in_pieces(paradigm, pieces, OFFER)
    [done] = [event.call for event in events if isinstance(event, CallCompleted)]
    assert [repair.name for repair in done.repairs] == ["mid_sentence"]


@pytest.mark.parametrize("words", ["you might say ", "\n\n<draft>"])
def test_so_many_doubtful_calls_are_not_read_to_the_end(words):
    paradigm = get_paradigm("xml_tag", limits=Limits(mistakes=2))
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    parsed = paradigm.parse_response(f"{words}{call}" * 20, OFFER)
    assert len(parsed.calls) == 8  # a quarter of a mistake each, as any that has a repair
    assert [problem.kind for problem in parsed.problems] == [ProblemKind.TOO_LARGE]


@pytest.mark.parametrize("blank", ["\n", "\n" * 30])
def test_a_call_behind_words_is_no_echo_of_the_one_before(blank):
    paradigm = get_paradigm("lfm2")
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    parts = [call, *blank, "Once more.\n\n", '[get_weather(city="Oslo")]']
    for pieces in (parts, ["".join(parts)]):
        events = read_in_pieces(paradigm, pieces, OFFER)
        assert sum(isinstance(event, CallCompleted) for event in events) == 2


@pytest.mark.parametrize("name", ["xml_tag", "hermes", "pythonic"])
def test_a_call_before_another_cell_is_doubted(name):
    paradigm = get_paradigm(name)
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    [read] = paradigm.parse_response(f"{call}\tIt shows the form.\n", OFFER).calls
    assert [repair.name for repair in read.repairs] == ["words_behind"]
    [alone] = paradigm.parse_response(f"{call}\t\n\nIt shows the form.\n", OFFER).calls
    assert alone.grade is None


@pytest.mark.parametrize(
    "before",
    ["So:\n\n    ", "> So\n", "[^1]: So\n", "| a |\n|---|\n", "EXAMPLES\n", "From: a\nTo: b\n\n"],
)
def test_unknown_markup_before_a_call_hides_nothing_above_it(before):
    json_call = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
    hermes = get_paradigm("hermes")
    for read in (hermes.parse_response, parse_any):
        assert read(f"{before}<my_call>{json_call}</my_call>\n", OFFER).calls == []
        [call] = read(f"So it is.\n\n<my_call>{json_call}</my_call>\n", OFFER).calls
        assert call.grade is Grade.GUESSED


@pytest.mark.parametrize("named", ["`<think>`", "the <think> tag", "<think>, then", '"<think>"'])
def test_a_thought_that_names_its_tag_holds_no_other(named):
    paradigm = get_paradigm("xml_tag")
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    [read] = paradigm.parse_response(f"<think>I use {named}.</think>\n{call}", OFFER).calls
    assert read.grade is None


def test_a_call_in_an_element_of_the_assistants_is_meant():
    paradigm = get_paradigm("xml_tag")
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    [read] = paradigm.parse_response(f"<assistant>\n{call}\n</assistant>", OFFER).calls
    assert read.grade is None


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("name", ["xml_tag", "json_strict", "hermes"])
@pytest.mark.parametrize(
    ("before", "doubted"),
    [
        ("I add a <script> tag to the page.\n\n", True),
        ("I put it into <pre>.\n", True),
        ('First <script src="a.js"> goes into the head.\n\nSo:\n', True),
        ("我把它放进 <title>。\n\n", True),
        ("例如<pre>：\n", True),
        ("So<pre> it goes.\n", True),
        ("A comment begins with <!-- in HTML.\n\n", True),
        ("A comment begins with <!-- and ends with --> in HTML.\n\n", False),
        ("I add a <script> tag and close </script> it.\n\n", False),
    ],
)
def test_a_sentence_that_speaks_of_an_element_hides_no_call(before, doubted, name, size):
    paradigm = get_paradigm(name)
    reply = before + paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = read_in_pieces(paradigm, pieces, OFFER)
    [call] = [event.call for event in events if isinstance(event, CallCompleted)]
    assert [repair.name for repair in call.repairs] == ["open_block"] * doubted


@pytest.mark.parametrize("before", ["So: <pre>\n", "<pre> So.\n", "So: <pre>so\n", "So: <pre> "])
def test_an_element_that_a_sentence_only_leads_to_shows_what_is_in_it(before):
    paradigm = get_paradigm("xml_tag")
    call = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    assert not paradigm.parse_response(f"{before}{call}\n</pre>", OFFER).calls


@pytest.mark.parametrize("paradigm", ["hermes", "json_strict", "xml_tag"])
def test_a_call_in_an_argument_of_another_form_is_doubted(paradigm):
    call = written(paradigm, "plain")
    reply = f"<function=write>\n<parameter=content>\n# A\n\n{call}\n</parameter>\n</function>"
    for parsed in readings(paradigm, reply):
        assert [bool(each.doubt) for each in parsed.calls] == [True]


@pytest.mark.parametrize("paradigm", ["hermes", "json_strict", "xml_tag"])
def test_a_call_behind_a_fence_around_fences_is_doubted_and_not_lost(paradigm):
    fences = "```md\n# A\n\n```sh\nx\n```\n\n```sh\ny\n```\n\nMore.\n```"
    for parsed in readings(paradigm, f"{fences}\n\nI do it.\n\n{written(paradigm, 'plain')}"):
        assert [bool(each.doubt) for each in parsed.calls] == [True]


@pytest.mark.parametrize(
    "before",
    [
        "$$ E = mc^2 $$", "- sep: ''", "The value is ''", "I know x=''", "i<n=10; p->x", "a <b= c>",
        "$ is a sign.\nI do it.", "2026-01-15 is a holiday.\nI do it.", "It costs $5.\nI do it.",
        "<think>\nA sum.</think>\nI do it.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("paradigm", ["hermes", "json_strict", "xml_tag"])
def test_what_only_looks_like_a_block_that_is_open_doubts_no_call(before, paradigm):
    for parsed in readings(paradigm, f"{before}\n\n{written(paradigm, 'plain')}"):
        assert parsed.calls == [CALLS["plain"]]
        assert not parsed.calls[0].doubt
