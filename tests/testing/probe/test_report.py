"""What a probe found, and what to choose."""

from __future__ import annotations

import json

import pytest

from toolproto import UsageError
from toolproto.testing.probe import (
    ARRAY,
    BASELINE,
    Arm,
    CaseKind,
    Marks,
    ProbePlan,
    ProbeReport,
    Scored,
    Share,
    load_cases,
    plan_probe,
)
from toolproto.testing.probe.trial import TrialAnswer

CASES = load_cases()
CALLING = [case for case in CASES if case.calls]
SILENT = [case for case in CASES if not case.calls]
A, B = Arm("json_strict"), Arm("xml_tag")


def _scored(arm, right, of=20, needless=0, used=True, tokens=10):
    replies = (TrialAnswer("", "stop", tokens, 1),)
    for number, case in enumerate(CALLING[:of]):
        good = number < right
        yield Scored(arm, case, Marks(good, good, good, good, None, used), replies)
    for number, case in enumerate(SILENT):
        yield Scored(arm, case, Marks(needless=number < needless), replies)


def _report(*arms):
    scored = [each for found in arms for each in found]
    plan = ProbePlan(tuple(dict.fromkeys(each.arm for each in scored)), CASES)
    return ProbeReport(plan, tuple(scored))


def test_the_arm_with_the_most_right_arguments_is_best():
    assert _report(_scored(A, 10), _scored(B, 15)).best.arm == B


def test_needless_calls_decide_between_equals():
    assert _report(_scored(A, 10, needless=3), _scored(B, 10, needless=1)).best.arm == B


def test_then_the_use_of_results_and_then_the_length_of_prompts():
    assert _report(_scored(A, 10, used=False), _scored(B, 10)).best.arm == B
    assert _report(_scored(A, 10, tokens=90), _scored(B, 10, tokens=80)).best.arm == B
    assert _report(_scored(A, 10), _scored(B, 10)).best.arm == A


def test_the_baseline_is_never_chosen():
    report = _report(_scored(A, 5), _scored(BASELINE, 20))
    assert report.best.arm == A
    assert report.baseline.arm == BASELINE and not report.beats_baseline(report.best)


def test_arms_are_compared_by_the_cases_that_all_were_asked():
    # A was asked five easy ones only, and B all twenty.
    report = _report(_scored(A, 4, of=5), _scored(B, 5, of=20))
    assert report.best.arm == B
    assert report.best.right_arguments == Share(5, 20)


def test_without_a_case_in_common_there_is_no_best():
    half = [each for each in _scored(A, 10) if each.case.id != CALLING[0].id]
    other = [each for each in _scored(B, 10) if each.case.id == CALLING[0].id]
    assert _report(half, other).best is None
    assert ProbeReport(plan_probe(), ()).best is None


def test_while_an_arm_was_asked_nothing_there_is_no_best():
    assert ProbeReport(ProbePlan((A, B), CASES), tuple(_scored(A, 20))).best is None
    assert ProbeReport(ProbePlan((A, BASELINE), CASES), tuple(_scored(A, 20))).best.arm == A


def test_where_nothing_was_right_nothing_is_best():
    assert _report(_scored(A, 0), _scored(B, 0)).best is None


def test_beating_the_baseline_takes_more_than_both_intervals():
    report = _report(_scored(A, 18), _scored(B, 12), _scored(BASELINE, 9))
    assert [report.beats_baseline(row) for row in report.rows] == [True, False, None]
    assert _report(_scored(A, 18)).beats_baseline(_report(_scored(A, 18)).rows[0]) is None


def test_a_report_in_json_has_every_figure_and_reply():
    told = json.loads(json.dumps(_report(_scored(A, 10), _scored(BASELINE, 1)).to_json()))
    assert told["best"] == "json_strict/examples"
    assert told["planned"] == 2 * len(CASES) and told["asked"] == len(told["trials"]) == 58
    row = told["rows"][0]
    assert row["right_arguments"]["right"] == 10 and row["right_arguments"]["asked"] == 20
    assert 0.29 < row["right_arguments"]["low"] < 0.31
    assert row["beats_baseline"] is True
    assert row["kinds"]["no_tool"]["value"] == 1.0
    assert told["trials"][0]["replies"][0]["input_tokens"] == 10


def test_the_better_of_two_generic_prompts_is_the_one_to_beat():
    report = _report(_scored(A, 18), _scored(BASELINE, 3), _scored(ARRAY, 15))
    assert report.baseline.arm == ARRAY and report.best.arm == A
    assert not report.beats_baseline(report.best)


@pytest.mark.parametrize("right, of, clear", [(20, 20, True), (12, 20, False), (9, 10, False)])
def test_a_form_is_ahead_only_beyond_doubt(right, of, clear):
    assert _report(_scored(A, right, of), _scored(B, 1, of)).is_clear is clear


def test_an_arm_that_was_asked_nothing_has_no_row():
    plan = ProbePlan((A, B), CASES)
    assert [row.arm for row in ProbeReport(plan, tuple(_scored(B, 1))).rows] == [B]


# -- the plan -------------------------------------------------------------------------------


def test_a_plan_is_paradigms_by_styles_by_examples_and_the_baseline():
    plan = plan_probe(paradigms=["XML_Tag", "react"], describe=["forms", "TypeScript"])
    assert [arm.name for arm in plan.arms] == [
        "xml_tag/forms/examples",
        "xml_tag/forms",
        "xml_tag/typescript/examples",
        "xml_tag/typescript",
        "react/forms/examples",
        "react/forms",
        "react/typescript/examples",
        "react/typescript",
        "baseline",
        "array",
    ]
    assert len(list(plan.trials())) == 10 * len(CASES)


def test_a_quick_plan_asks_some_of_every_kind():
    plan = plan_probe(quick=True)
    assert len(plan.arms) == 5
    assert {case.kind for case in plan.cases} == set(CaseKind)
    assert len(plan.cases) < len(CASES) / 2


def test_ways_of_teaching_are_arms_of_their_own():
    plan = plan_probe(
        paradigms=["hermes"], teaching=["eager", "classic"], examples=[False], baseline=False
    )
    assert [arm.name for arm in plan.arms] == ["hermes/eager", "hermes/classic"]
    eager, classic = (arm.made() for arm in plan.arms)
    assert eager.teaching != classic.teaching


def test_an_arm_named_twice_is_asked_once():
    assert len(plan_probe(paradigms=["hermes", "Hermes"], baseline=False).arms) == 2


@pytest.mark.parametrize(
    "options, told",
    [
        ({"paradigms": ["xml_tga"]}, "no paradigm named 'xml_tga'"),
        ({"describe": ["prose"]}, "no style named 'prose'"),
        ({"teaching": ["kind"]}, "no way of teaching is called 'kind'"),
        ({"examples": []}, "nothing to ask"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_before_anything_is_asked(options, told):
    with pytest.raises(UsageError, match=told):
        plan_probe(**options)


def test_parameters_are_added_to_the_usual_ones():
    assert plan_probe(params={"max_tokens": 9, "seed": 1}).params == {
        "temperature": 0,
        "max_tokens": 9,
        "seed": 1,
    }
