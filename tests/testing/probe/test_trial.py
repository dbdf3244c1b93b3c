"""One case, asked in one way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toolproto.testing.probe import BASELINE, Arm, ProbePlan, load_cases
from toolproto.testing.probe.trial import Trial, TrialAnswer

CASES = {case.id: case for case in load_cases()}


STRICT = Arm("json_strict")


def _trial(case: str, arm: Arm = STRICT, **options: object) -> Trial:
    (trial,) = ProbePlan((arm,), (CASES[case],), **options).trials()  # type: ignore[arg-type]
    return trial


def _asked(trial: Trial, *replies: str):
    sent = []

    def ask(request):
        sent.append(request)
        return TrialAnswer(replies[len(sent) - 1])

    return sent, trial.run(ask)


def test_a_request_holds_the_instructions_the_example_and_what_is_asked():
    sent, _ = _asked(_trial("weather_lisbon"), "")
    system, shown, call, *_, asked = sent[0].messages
    assert system.content.startswith("You are a helpful assistant.")
    assert "get_weather" in system.content
    assert (shown.role, call.role) == ("user", "assistant")
    assert asked.content == "What is the weather in Lisbon?"
    assert sent[0].params == {"temperature": 0, "max_tokens": 160}


def test_without_examples_nothing_stands_between():
    sent, _ = _asked(_trial("weather_lisbon", Arm("json_strict", examples=False)), "")
    assert [message.role for message in sent[0].messages] == ["system", "user"]


def test_the_baseline_is_a_schema_and_a_placeholder():
    sent, _ = _asked(_trial("weather_lisbon", BASELINE), "")
    system = sent[0].messages[0].content
    assert '"type": "function"' in system and '{"name": "<tool>", "arguments": {...}}' in system
    assert len(sent[0].messages) == 2


@pytest.mark.parametrize(
    "reply",
    [
        '{"name": "get_weather", "arguments": {"city": "Lisbon"}}',
        '```json\n{"name": "get_weather", "arguments": {"city": "Lisbon"}}\n```',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Lisbon"}}</tool_call>',
        '{"tool_calls": [{"name": "get_weather", "arguments": {"city": "Lisbon"}}]}',
        '[get_weather(city="Lisbon")]',
    ],
)
def test_the_baseline_loses_nothing_to_how_it_is_read(reply):
    trial = _trial("weather_lisbon", BASELINE)
    _, outcome = _asked(trial, reply)
    assert trial.marks(outcome).right_arguments


def test_the_result_is_told_of_the_models_own_call_if_that_was_right():
    own = 'Sure. {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Reykjavík"}}]}'
    sent, _ = _asked(_trial("result_weather"), own, "snow at -7")
    call, result = sent[1].messages[-2:]
    assert call.role == "assistant" and "Reykjavík" in call.content
    assert result.role == "user" and "light snow" in result.content and "call_1" in result.content


def test_where_the_call_was_wrong_the_right_one_stands_in_its_place():
    sent, outcome = _asked(_trial("result_weather"), "No idea.", "It snows, at -7.")
    call = sent[1].messages[-2]
    assert "Reykjavik" in call.content and "No idea" not in call.content
    marks = _trial("result_weather").marks(outcome)
    assert marks.right_arguments is False and marks.used_result is True


def test_a_result_that_is_an_error_is_told_as_one():
    sent, _ = _asked(_trial("result_missing_file"), "", "")
    assert "isError" in sent[1].messages[-1].content
    sent, _ = _asked(_trial("result_missing_file", BASELINE), "", "")
    assert sent[1].messages[-1].content.startswith("Error of read_file:")


def test_a_fingerprint_is_the_same_for_the_same_request():
    assert _trial("result_weather").fingerprint == _trial("result_weather").fingerprint


def test_a_fingerprint_changes_with_whatever_is_sent():
    case = CASES["result_weather"]
    arm = Arm("json_strict")
    plans = [
        ProbePlan((arm,), (case,)),
        ProbePlan((arm,), (case,), model="another"),
        ProbePlan((arm,), (case,), system="You are terse."),
        ProbePlan((arm,), (case,), params={"temperature": 1}),
        ProbePlan((Arm("xml_tag"),), (case,)),
        ProbePlan((Arm("json_strict", "forms"),), (case,)),
        ProbePlan((Arm("json_strict", examples=False),), (case,)),
        ProbePlan((arm,), (replace(case, ask="And in Reykjavik?"),)),
        ProbePlan((arm,), (replace(case, result="sunny"),)),
        ProbePlan((arm,), (replace(case, failed=True),)),
    ]
    prints = {trial.fingerprint for plan in plans for trial in plan.trials()}
    assert len(prints) == len(plans)
