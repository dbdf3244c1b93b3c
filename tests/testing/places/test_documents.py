"""The texts that calls are put into."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from toolproto.testing.places import (
    DEVIATIONS,
    TEMPLATES,
    Placing,
    draw_placing,
    example_placings,
    judge_place,
)

EXAMPLES = json.loads((Path(__file__).parent / "commonmark.json").read_text("utf-8"))["examples"]


def test_a_seed_draws_the_same_documents() -> None:
    first, again, other = ([draw_placing(Random(seed)) for _ in range(9)] for seed in (1, 1, 2))
    assert first == again != other


def test_chance_meets_every_place_that_stands_before_a_call() -> None:
    random = Random(5)
    met = Counter(judge_place(draw_placing(random).before) for _ in range(600))
    places = {"code", "quote", "table", "html", "quotation", "json", "container", "sentence", ""}
    assert {each.place for each in met} == places
    assert {each.verdict for each in met} == {"plain", "doubted", "shown"}


@pytest.mark.parametrize("number", DEVIATIONS)
def test_a_deviation_is_met_by_what_is_drawn_for_it(number: int) -> None:
    drawn = [DEVIATIONS[number](Random(seed)) for seed in range(60)]
    if number in (3, 4, 5, 6, 8):  # the others lie in what comes behind, or in the call
        met = [judge_place(each.before).deviation for each in drawn]
        assert met.count(number) >= 8, Counter(met)
    elif number == 1:
        assert all(each.behind for each in drawn)
    else:
        verdicts = Counter(judge_place(each.before).place for each in drawn)
        assert verdicts["" if number == 2 else "sentence"] >= 20, verdicts


def test_a_call_is_put_for_each_word_of_an_example_and_behind_it() -> None:
    befores = [each.before for each in example_placings(["> a\t`b\n"])]
    assert befores == ["", "> ", "> a\t", "> a\t`b", "> a\t`b\n"]
    assert len(EXAMPLES) > 600 and len(list(example_placings(EXAMPLES))) > 3_000


def test_a_text_is_judged_at_each_of_its_calls() -> None:
    judged = Placing("> {call}\n\nOk, ", " is how.").judged()
    assert judged.text == "> {call}\n\nOk, {call} is how."
    assert judged.expected == ("shown quote", "doubted sentence")


def test_each_template_tells_what_holds_for_each_of_its_calls() -> None:
    assert len(TEMPLATES) <= 60
    assert len({template.text for template in TEMPLATES}) == len(TEMPLATES)
    for template in TEMPLATES:
        assert template.text.count("{call}") == len(template.expected), template
        assert template.source
        for each in template.expected:
            assert each == "plain" or each.split()[0] in ("shown", "doubted", "late")
