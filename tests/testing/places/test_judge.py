"""Where a call stands, as the judge says it: what the docs' table says, and CommonMark."""

from __future__ import annotations

import pytest

from tests.amount import together
from toolproto.testing.places import TEMPLATES, judge_place

#: What stands before a call, and what holds for it; :data:`TEMPLATES` has more.
RULINGS = [
    ("Use ` so. ", "shown code"),
    ("Ok.\n\\` a. ", "plain"),
    ("c `` d ` e\nx ` y ` ", "doubted code"),
    ("a `\nb ` c ` ", "shown code"),
    ('a <b title="`">. ', "plain"),
    ('a <b\ntitle="` ', "shown code"),
    ("a | b\n    ```\nc\n``` ", "shown code"),
    ("> ~~~ ", "shown quote"),
    ("```\n```a\n", "shown code"),
    ("```json\n{call},\n ", "plain"),
    ("- a\n\n", "plain"),
    ("- hi.\n", "plain"),
    ("- hi.\n{call}, ", "plain"),
    ("- hi.\n and ", "doubted container"),
    ("> - a\n", "doubted quote"),
    ("> {call}\n", "doubted quote"),
    ("a\n    ", "plain"),
    ("* - + > ", "shown quote"),
    ("<br>\n", "plain"),
    ("<search>\n", "shown html"),
    ("<div>\n\n", "plain"),
    ("<div>\n{call}\n", "shown html"),
    ("{call}\n\n{call} ", "plain"),
    ("{call}; {call}) ", "plain"),
    ("Sure. {call}, ", "plain"),
    ("{call}, and ", "doubted sentence"),
    ("Sure, ", "doubted sentence"),
    ("(I say ", "doubted sentence"),
    ("See [x] ", "doubted sentence"),
    ("x = ", "doubted sentence"),
    ("[", "plain"),
    ("e.g. ", "plain"),
    ("👍 ", "plain"),
    ("**Now.** ", "plain"),
    ("He said “go.” ", "plain"),
    ("Ok… ", "plain"),
    ("मैंने किया। ", "plain"),
    ("<tool_x>Ok", "doubted sentence"),
    ('<tool_x a="so">', "plain"),
    ("<|im_start|>", "plain"),
    ("“Ja”, so ‘don’t’. ", "plain"),
    ("‘quoted’ words. ", "plain"),
    ("„Gut.“ ", "plain"),
    ("»Gut.« ", "plain"),
    ("「好」。 ", "plain"),
    ("Don't. ", "plain"),
    ("'", "shown quotation"),
    ("「", "shown quotation"),
    ("so «", "shown quotation"),
    ('\\"', "plain"),
    ('<http://a"b>. ', "plain"),
    ('[a](b "c"). ', "plain"),
    ('"a `x\ny`. ', "doubted quotation"),
    ('{"a": "so ', "shown quotation"),
    ("[1, ", "shown json"),
    ('> {"a": ', "shown quote"),
    ('- {"a": ', "shown json"),
    ('{"a": 1} ', "doubted sentence"),
    ('{"a": 1}\n', "plain"),
    ('{"a": 1,\n\n', "shown json"),
    ('- x\n{"a": 1,\n', "shown json"),
    ('- x\n{"a": 1,\n\n', "plain"),
    ("[x]: /u\n", "plain"),
    ("[x]:\n", "doubted container"),
    ("[x]:\n{call} ", "doubted container"),
    ("[foo]\n\n> [foo]: ", "shown quote"),
]
DEVIATIONS = [
    (3, "1. read\n2. mend\n"),
    (3, "> a\n"),
    (3, "| a |\n|---|\n"),
    (4, "<answer>\n"),
    (5, "```\n"),
    (6, "`a\n"),
    (6, "“a\n"),
    (8, "```\n{call}\n      ```\n"),
    (0, "```\n{call}\n  ```\n"),
    (0, "- a\n  "),
    (0, "> "),
]


@together(ruling=RULINGS)
def test_what_stands_before_a_call_decides_its_place(ruling: tuple[str, str]) -> None:
    before, expected = ruling
    assert str(judge_place(before)) == expected, before


@pytest.mark.parametrize("number, before", DEVIATIONS)
def test_what_departs_from_the_standard_is_told_by_its_number(number: int, before: str) -> None:
    assert judge_place(before).deviation == number


def test_the_templates_hold_what_the_judge_can_say() -> None:
    """It knows no thoughts, nothing that comes late, and 16 containers, as the library does."""
    for template in TEMPLATES:
        if "think" in template.text or len(template.text) > 1_000:
            continue
        for at, expected in enumerate(template.expected):
            before = "{call}".join(template.text.split("{call}")[: at + 1])
            assert str(judge_place(before)) == ("plain" if "late" in expected else expected), (
                template
            )


DEEP_CLOSERS = [
    (True, "```\n{call}\n      ```\n"),
    (True, "~~~~\n{call},\n{call}\n\t~~~~~\n"),
    (True, "- ```\n  {call}\n        ```\n  "),
    (True, "> ```\n> {call}\n>      ```\n> "),
    (False, "```\nx\n{call}\n      ```\n"),
    (False, "```\n\n      ```\n"),
    (False, "````\n{call}\n      ```\n"),
    (False, "```\n{call}\n      ~~~\n"),
    (False, "```\n{call}\n   ```\n"),
]


@pytest.mark.parametrize("is_moved, before", DEEP_CLOSERS)
def test_a_deep_line_closes_a_fence_that_holds_nothing_but_calls(
    is_moved: bool, before: str
) -> None:
    assert (judge_place(before).deviation == 8) is is_moved
