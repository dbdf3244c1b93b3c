"""The rulings: a text with a call for each `{C}`, and what holds for each of them.

"shown x" is text, "x" is doubted, "late x" is doubted by what follows, "" is meant.
"""

from __future__ import annotations

import pytest

from toolproto.protocol.decoding.place import Place, PlaceTracker

from .telling import C, in_words

RULINGS: list[tuple[str, ...]] = [
    ("Use ` so. {C}", "shown code"),
    ("Use ``` so. `x` {C}", "shown code"),
    ("`a\n{C}\nb`", "code"),
    ("Write `{C}` for it.", "shown code"),
    ("```\n{C}\n```", ""),
    ("```\n{C}\n```\nThat is it.", ""),
    ("So:\n```\n{C}\n```\nThat is all.", "late introduced"),
    ("So:\n\n```json\n{C}\n```\n\nThat is all.", "late introduced"),
    ("```\n# look\n{C}", "shown code"),
    ("```\n{C}\n# done", "late code"),
    ("````\n```\n{C}\n```\n````", "shown code"),
    ("```markdown\n```json\n{C}", "shown code"),
    ("```\n```a\n{C}", "shown code"),
    ("- ```\n  {C}", "container"),
    ("> {C}", "shown quote"),
    ("> a\n{C}", "quote"),
    ("> - a\n{C}", "quote"),
    ("- hi.\n{C}", ""),
    ("1. read\n2. mend\n{C}", ""),
    ("- hi.\n   {C}", "container"),
    ("- {C}", "container"),
    ("1. {C}\n2. {C}", "container", "container"),
    ("# {C}", "container"),
    ("{C}\n===", ""),
    ("| a | b |\n|---|---|\n| 1 | 2 |\n{C}", ""),
    ("| a | b |\n|---|---|\n| a | {C} |", "shown table"),
    ("<answer>\n{C}", ""),
    ("<br>\n{C}", ""),
    ("<plan>{C}</plan>", ""),
    ("<div>\n{C}", "shown html"),
    ("<search>\n{C}", "shown html"),
    ("<pre>\n{C}", "shown html"),
    ("text <!-- {C} -->", "shown html"),
    ("<!--\n\n{C}", "shown html"),
    ("{C} {C}", "", ""),
    ("{C}, {C}", "", ""),
    ("{C} and {C}", "late sentence", "sentence"),
    ("{C}.", ""),
    ("{C} ✅", ""),
    ("**{C}**", ""),
    ("{C} is how.", "late sentence"),
    ("I do it: {C}", "sentence"),
    ("I do it:\n{C}", ""),
    ("I do it:\n{C}\n{C}\nDone.", "late introduced", "late introduced"),
    ("(I say {C})", "sentence"),
    ("See [x] {C}", "sentence"),
    ("x = {C}", "sentence"),
    ("[{C}](u)", "late sentence"),
    ("[x]: {C}", "container"),
    ("He said “{C}” there.", "shown quotation"),
    ("说“{C}”", "shown quotation"),
    ('It says "{C}".', "shown quotation"),
    ("'{C}'", "shown quotation"),
    ("'Twas late. {C}", ""),
    ("Don't. {C}", ""),
    ("a (b. {C}", ""),
    ('"no.\n\n{C}', ""),
    ('He wrote: "So.\n{C}', "quotation"),
    ("[{C}, 1]", "late json"),
    ('{"thought": 1, "action": {C}}', "shown json"),
    ("hm.\n{C}\n</think> No.", "late thinking"),
    ("<think>hm <END>{C}", "thinking"),
    ("e.g. {C}", ""),
    ("A. {C}", ""),
    ("- " * 2000 + "{C}", "container"),
    ("“Ja”, so ‘don’t’. {C}", ""),
    ("‘quoted’ words. {C}", ""),
    ("„Gut.“ {C}", ""),
    ("»Gut.« {C}", ""),
    ("「好」。 {C}", ""),
    ("Sure. {C}, {C}", "", ""),
    ("Sure, {C}", "sentence"),
    ("👍 {C}", ""),
    ("**Now.** {C}", ""),
    ("He said “go.” {C}", ""),
    ("Ok… {C}", ""),
    ("I do it:\n{C}\n<br>\n---\n👍", ""),
    ("I do it..\n{C}\nx", "late introduced"),
    ("做:\n{C}\n好", "late introduced"),
    ("**Plan:**\n{C}\nx", "late introduced"),
    ("~~~\n{C}\n~~~", ""),
    ("~~~ {C}", "container"),
    ("``` {C}", "shown code"),
    ("```json\n{C},\n {C}\n```", "", ""),
    ("- a\n\n{C}", ""),
    ("> a\n\n{C}", ""),
    ("    {C}", "container"),
    ("a\n    {C}", ""),
    ("> ```\n{C}", ""),
    ("<div>\n\n{C}", ""),
    ('{"a": "so {C}"}', "shown quotation"),
    ("[1, {C}]", "shown json"),
    ('{"a": 1} {C}', "sentence"),
    ('{"a": 1}\n{C}', ""),
    ('a <b title="`">. {C}', ""),
    ('a <b\ntitle="`">. {C}', ""),
    ('a <b\ntitle="` {C}', "shown code"),
    ("\\` a. {C}", ""),
    ("> {C}\n{C}", "shown quote", "quote"),
    ("<div>\n{C}\n{C}", "shown html", "shown html"),
    ("[x]: /u\n{C}", ""),
    ("[x]: /u 'a\nb'\n{C}", ""),
    ("[x]:\n{C}", "container"),
    ("```\n{C}\n     ```\nThat is it.", ""),
    ("- ```\n  {C}\n      ```\n  Yes {C}", "container", "container"),
    ("```\n{C}\n    ```\n\n{C}", "", ""),
    ("```json\n{C}```", ""),
    ("So… {C}\nDone.", "late introduced"),
    ("> ~~~ {C}", "shown quote"),
    ('- hi.\n{"a": 1,\n{C}', "shown json"),
    ('- {"a": 1,\n\n{C}', ""),
    ("<think>a{C}</think>\n{C}", "shown thinking", ""),
    ("[{C},\n{C}]\n", "", ""),
    ('[\n{C},\n{"a": 1}]\n', "late json"),
]


@pytest.mark.parametrize("piece", [0, 1, 7])
@pytest.mark.parametrize(("text", "expected"), [(text, told) for text, *told in RULINGS])
def test_a_call_stands_where_its_word_stands(text, expected, piece):
    assert in_words(text.replace("{C}", C), piece) == expected


def special(text: str) -> list[str]:
    """Return what holds for calls that the form's own token opens."""
    tracker, told, late = PlaceTracker(), [], []
    head, *parts = text.split("{C}")
    tracker.feed(head)
    for part in parts:
        told.append(tracker.before(special=True).name)
        late += tracker.call(special=True)
        late += tracker.feed(part)
    for call, place in [*late, *tracker.finish()]:
        told[call] = f"late {place}"
    return told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I do it: {C} so", [""]),
        ("I do it:\n{C}\nDone.", [""]),
        ("- {C}", ["container"]),
        ("```\n{C}\n# done", ["late code"]),
        ("[{C}, 1]", ["late json"]),
    ],
)
def test_a_special_token_dispels_sentence_and_introduced_and_nothing_else(text, expected):
    assert special(text) == expected


def test_a_call_in_a_fence_of_calls_is_fenced():
    tracker = PlaceTracker()
    tracker.feed("So.\n```json\n")
    assert tracker.fenced
    assert tracker.in_code
    tracker.call()
    tracker.feed(",\n")
    assert tracker.fenced
    tracker.feed("# so\n")
    assert not tracker.fenced
    assert tracker.in_code


def test_a_call_in_a_span_is_in_code():
    tracker = PlaceTracker()
    tracker.feed("Use `")
    assert tracker.in_code
    tracker.feed("x` so. ")
    assert not tracker.in_code


def test_the_reader_says_that_a_list_was_other_json():
    tracker = PlaceTracker()
    tracker.call()
    tracker.feed("\n\n")
    tracker.call()
    tracker.call()
    assert [tuple(each) for each in tracker.other_json(2)] == [(1, "json"), (2, "json")]
    assert tracker.other_json(2) == ()


def test_a_doubt_is_told_at_most_once_and_text_begins_anew_behind_a_stray_end_of_a_thought():
    tracker = PlaceTracker()
    tracker.feed("```\n")
    tracker.call()
    assert [tuple(each) for each in tracker.thought_ended_unopened()] == [(0, "thinking")]
    assert tracker.before() == Place()
    assert tracker.thought_ended_unopened() == ()
