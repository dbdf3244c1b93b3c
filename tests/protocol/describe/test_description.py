"""A budget is kept, in a stated order, and what it cost is said."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.amount import some
from toolproto import ToolOffer, UsageError
from toolproto.protocol.describe import Presentation, describe_tools, estimate_tokens, list_styles
from toolproto.protocol.describe.description import presented
from toolproto.protocol.describe.shorten import STEPS

from .cases import FIFTY, GREEDY, MEETING, NOW

OFFER = ToolOffer((MEETING, NOW))
BIG = ToolOffer(
    tuple(replace(tool, name=f"{tool.name}_{number}") for number in range(4) for tool in FIFTY)
)
#: From what fits easily to what cannot.
BUDGETS = [40_000, 12_000, 6_000, 4_500, 1]


def names_everything(text: str, offer: ToolOffer) -> bool:
    return all(name in text for tool in offer.tools for name in (tool.name, *tool.required))


@pytest.mark.parametrize("style", list_styles())
def test_without_a_budget_nothing_is_dropped(style):
    shown = describe_tools(BIG, style)
    assert (shown.dropped, shown.style, shown.fits) == ((), style, True)
    assert shown.tokens == estimate_tokens(shown.text)


@pytest.mark.parametrize("style", list_styles())
def test_a_budget_that_is_enough_changes_nothing(style):
    whole = describe_tools(OFFER, style)
    shown = describe_tools(OFFER, style, budget=whole.tokens)
    assert (shown.text, shown.dropped) == (whole.text, ())


# Every style, and every budget, but not each with each.
@pytest.mark.parametrize("style, budget", some([*product(list_styles(), BUDGETS)], 3))
def test_two_hundred_tools_stay_usable(style, budget):
    shown = describe_tools(BIG, style, budget=budget)
    assert names_everything(shown.text, BIG)
    assert shown.fits is (shown.tokens <= budget)
    assert shown.fits or budget < 4_000


@pytest.mark.parametrize("style", list_styles())
def test_two_hundred_tools_fit_in_a_small_model(style):
    assert describe_tools(BIG, style, budget=4_000).fits


def test_the_order_in_which_things_are_dropped_is_this():
    dropped = []
    for budget in range(400, 0, -1):
        for what in describe_tools(OFFER, "typescript", budget=budget).dropped:
            if what not in dropped:
                dropped.append(what)
    assert dropped == [
        "defaults and examples",
        "argument descriptions",
        "tool descriptions after the first sentence",
        "what is nested in arguments, bounds and long choices",
        "optional arguments",
        "everything but names, required arguments and first sentences",
        "everything but names and required arguments",
    ]


def test_every_step_can_be_seen():
    long = {"type": "string", "description": f"First. {'more ' * 30}", "default": "x"}
    spec = replace(
        MEETING,
        parameters={
            **MEETING.parameters,
            "properties": {**MEETING.parameters["properties"], "note": long},
        },
    )
    texts = [spec]
    for step in STEPS.values():
        texts.append(step(texts[-1]))
    shown = [describe_tools(ToolOffer((each,)), "typescript").text for each in texts]
    sizes = [len(text) for text in shown]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)


def test_what_was_not_there_is_not_said_to_be_dropped():
    shown = describe_tools(ToolOffer((NOW,) * 3), "xml", budget=1)
    assert shown.dropped == ("everything but names and required arguments",)


def test_a_smaller_budget_never_takes_more_tokens():
    offer = ToolOffer(FIFTY)
    for style in list_styles():
        taken = [describe_tools(offer, style, budget=budget // 4 + 1).tokens for budget in BUDGETS]
        assert taken == sorted(taken, reverse=True)


def test_typescript_takes_at_most_three_fifths_of_compact_schemas():
    """By the estimate; benchmarks/prompt_cost.py counts exactly."""
    offer = ToolOffer(FIFTY)
    assert (
        describe_tools(offer, "typescript").tokens
        <= 0.6 * describe_tools(offer, "json_schema").tokens
    )


def test_the_style_that_was_used_in_the_end_is_told():
    shown = describe_tools(BIG, "typescript", budget=5_000)
    assert shown.style == "names_only"
    assert shown.text.startswith("- read_file_0(path): Read a text file from the workspace.\n")


def test_a_budget_that_nothing_fits_shows_every_tool_and_says_so():
    shown = describe_tools(OFFER, budget=1)
    assert shown.text == "- book_meeting(title, room, people, date)\n- now()"
    assert not shown.fits


def test_tokens_are_counted_by_whom_the_program_says():
    shown = Presentation(budget=300, count=len).describe(OFFER)
    assert shown.tokens == len(shown.text) <= 300
    assert shown.dropped


@pytest.mark.parametrize("kind", GREEDY)
def test_a_greedy_schema_fits_a_budget(kind):
    # Every kind, and every style, but not each with each.
    for style in some(list_styles(), 2, [*GREEDY].index(kind)):
        shown = describe_tools(ToolOffer((GREEDY[kind],)), style, budget=2_000)
        assert shown.fits or len(GREEDY[kind].required) > 100


@pytest.mark.parametrize("kind", GREEDY)
def test_every_step_takes_every_schema(kind):
    spec = GREEDY[kind]
    for step in STEPS.values():
        spec = step(spec)
        assert spec.required == GREEDY[kind].required


def test_properties_called_like_keywords_are_not_taken_for_them():
    """A tool may well have an argument named ``default`` or ``description``."""
    properties = {name: {"type": "string"} for name in ("default", "description", "examples")}
    parameters = {"type": "object", "properties": properties, "required": ["default"]}
    spec = replace(NOW, parameters=parameters)
    for what in ("defaults and examples", "argument descriptions"):
        assert STEPS[what](spec).properties == properties


def test_the_specs_themselves_stay_as_they_are():
    before = repr(OFFER)
    describe_tools(OFFER, budget=1)
    assert repr(OFFER) == before


@given(budget=st.integers(1, 700), style=st.sampled_from(list_styles()))
def test_any_budget_keeps_the_promises(budget, style):
    shown = describe_tools(OFFER, style, budget=budget)
    assert names_everything(shown.text, OFFER)
    assert shown == describe_tools(OFFER, style, budget=budget)


@pytest.mark.parametrize("budget", [0, -5])
def test_a_budget_below_one_is_refused(budget):
    with pytest.raises(UsageError, match="use a number of tokens"):
        Presentation("forms", budget)


def test_an_unknown_style_is_refused_at_once():
    with pytest.raises(UsageError, match="no style named 'prose'"):
        Presentation("prose")


def test_a_style_alone_is_a_presentation_without_a_budget():
    assert presented("xml") == Presentation("xml")
    assert presented(Presentation("xml", 9)) == Presentation("xml", 9)
