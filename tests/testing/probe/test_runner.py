"""Probing models that we know."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.patience import interrupt
from toolproto import EndpointError, ToolsRefused, UsageError
from toolproto.endpoints import Hold, ScriptedEndpoint, ScriptedReply
from toolproto.protocol.messages import Usage
from toolproto.testing.probe import Budget, CaseKind, Share, load_cases, plan_probe, probe_model
from toolproto.testing.probe.arms import NATIVE
from toolproto.testing.probe.budget import Spending

from .models import deaf, needless, perfect, scripted, small_plan


def test_a_perfect_model_has_everything_right_in_every_paradigm():
    plan = plan_probe("perfect", examples=[False])
    report = probe_model(scripted(perfect(plan)), plan)
    due = sum(bool(case.calls) for case in load_cases())
    assert len(report.rows) == 8 and report.stopped is None
    for row in report.rows:
        assert row.cases == len(load_cases()) == report.total // 8
        assert row.well_formed == row.right_tool == row.right_arguments == Share(due, due)
        assert row.holds_back == Share(9, 9) and row.used_result == Share(9, 9)
        assert all(share.right == share.asked for share in row.kinds.values())


def test_the_services_own_tools_are_an_arm_beside_the_others():
    plan = small_plan(native="auto")
    endpoint = scripted(perfect(plan))
    report = probe_model(endpoint, plan)
    native = next(row for row in report.rows if row.arm == NATIVE)
    assert native.right_arguments.value == native.used_result.value == 1.0
    offered = [request for request in endpoint.requests if request.offer is not None]
    assert len(offered) == sum(trial.requests for trial in plan.trials() if trial.arm == NATIVE)
    assert all(request.constraint is None for request in offered)
    told = next(request for request in offered if request.messages[-1].results)
    assert told.messages[-2].calls[0].id == told.messages[-1].results[0].call.id == "call_1"


def test_a_service_that_refuses_tools_has_nothing_right_in_its_own_way():
    plan = small_plan(native="auto")
    model = perfect(plan)

    def refusing(request):
        return ToolsRefused("no tools", status=400) if request.offer else model(request)

    report = probe_model(scripted(refusing), plan)
    assert report.stopped is None and report.best.arm != NATIVE
    native = next(row for row in report.rows if row.arm == NATIVE)
    assert native.right_arguments.value == 0.0


def test_only_the_services_own_tools_are_tried_if_no_other_way_is_wanted():
    plan = plan_probe(native="only", baseline=False)
    assert plan.arms == (NATIVE,)


def test_a_deaf_model_has_nothing_right_and_no_best_way():
    plan = small_plan()
    report = probe_model(scripted(deaf), plan)
    for row in report.rows:
        assert row.well_formed.right == row.right_arguments.right == row.used_result.right == 0
        assert row.holds_back.right == row.holds_back.asked
    assert report.best is None


def test_a_needless_caller_is_found_out():
    plan = small_plan()
    for row in probe_model(scripted(needless(plan)), plan).rows:
        assert row.holds_back == Share(0, 3)
        assert row.right_arguments.value == 1.0
        assert row.kinds[CaseKind.NO_TOOL].right == 0


def test_a_probe_ends_when_one_form_is_ahead_beyond_doubt():
    plan = plan_probe(paradigms=["json_strict", "pythonic"], examples=[True], baseline=False)
    perfectly = perfect(plan)

    def one_form(request):
        return perfectly(request) if '"tool_calls"' in request.messages[0].content else "No."

    # A form in which nothing is right does not rank at all; let it have one.
    def nearly(request):
        return perfectly(request) if "Lisbon" in request.messages[-1].content else one_form(request)

    whole = probe_model(nearly, plan)
    early = probe_model(nearly, plan, until_clear=True)
    assert whole.stopped is None and early.stopped.why == "clear"
    assert early.best.arm == whole.best.arm == plan.arms[0]
    assert 20 <= len(early.scored) < len(whole.scored)


def test_a_function_is_an_endpoint_too():
    assert probe_model(deaf, small_plan(kinds=[CaseKind.NO_TOOL])).rows


def test_neighbours_in_the_order_of_asking_share_their_prompt():
    endpoint = scripted(deaf)
    probe_model(endpoint, small_plan(quick=False, examples=[True]))
    systems = [request.messages[0].content for request in endpoint.requests]
    changes = sum(a != b for a, b in pairwise(systems))
    assert changes == len(set(systems)) - 1


# -- what it took ---------------------------------------------------------------------------


def test_tokens_are_the_endpoints_where_it_counts_them():
    plan = small_plan(kinds=[CaseKind.NO_TOOL])
    endpoint = scripted(lambda _: ScriptedReply("Hm.", usage=Usage(100, 7)))  # type: ignore[arg-type]
    row = probe_model(endpoint, plan).rows[0]
    assert (row.input_tokens.value, row.output_tokens.value, row.estimated) == (100.0, 7.0, False)
    assert row.seconds.value > 0


def test_tokens_are_estimated_where_it_does_not():
    row = probe_model(scripted(deaf), small_plan(kinds=[CaseKind.NO_TOOL])).rows[0]
    assert row.estimated and row.input_tokens.value > 50 and row.output_tokens.value > 5


def test_a_reply_without_end_is_cut():
    plan = small_plan(kinds=[CaseKind.NO_TOOL], paradigms=["json_strict"], baseline=False)
    endpoint = scripted(lambda _: ScriptedReply("word " * 30 for _ in range(10_000)))  # type: ignore[arg-type]
    report = probe_model(endpoint, plan)
    assert all(len(each.replies[0].text) < 201_000 for each in report.scored)
    assert endpoint.open == 0


# -- going on -------------------------------------------------------------------------------


def _told(report):
    """What a report says, without how long it took."""
    told = report.to_json()
    for row in told["rows"]:
        del row["seconds"]
    for trial in told["trials"]:
        for reply in trial["replies"]:
            del reply["seconds"]
    return told


@pytest.mark.parametrize("known", [1, 7, 20, 37])
def test_a_run_that_was_killed_goes_on_to_the_same_report(tmp_path, known):
    plan = small_plan()
    whole = tmp_path / "whole.jsonl"
    expected = probe_model(scripted(perfect(plan)), plan, results=whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    killed = tmp_path / "killed.jsonl"
    killed.write_bytes(b"".join(lines[:known]) + lines[known][:30])
    endpoint = scripted(perfect(plan))
    report = probe_model(endpoint, plan, results=killed)
    assert _told(report) == _told(expected)
    known_requests = sum(len(json.loads(line)["replies"]) for line in lines[:known])
    assert len(endpoint.requests) == sum(t.requests for t in plan.trials()) - known_requests


def test_a_run_that_is_done_asks_nothing_and_reports_the_same_to_the_second(tmp_path):
    plan = small_plan()
    path = tmp_path / "replies.jsonl"
    first = probe_model(scripted(perfect(plan)), plan, results=path)
    again = probe_model(ScriptedEndpoint(), plan, results=path)
    assert again.to_json() == first.to_json()


def test_another_model_starts_anew(tmp_path):
    path = tmp_path / "replies.jsonl"
    one, other = small_plan("one"), small_plan("other")
    probe_model(scripted(perfect(one)), one, results=path)
    endpoint = scripted(deaf)
    assert probe_model(endpoint, other, results=path).best is None
    assert len(endpoint.requests) == sum(trial.requests for trial in other.trials())


def test_only_the_arms_that_are_new_are_asked(tmp_path):
    path = tmp_path / "replies.jsonl"
    small, more = small_plan(), small_plan(paradigms=["json_strict", "pythonic", "hermes"])
    probe_model(scripted(perfect(small)), small, results=path)
    endpoint = scripted(perfect(more))
    assert len(probe_model(endpoint, more, results=path).rows) == 5
    assert len(endpoint.requests) == sum(t.requests for t in more.trials()) // 5


def test_arms_that_ask_the_same_are_both_reported():
    from toolproto import get_paradigm
    from toolproto.protocol.paradigms.json_strict import JsonStrict

    class Silent(JsonStrict):
        name = "silent"

        def examples(self, offer):
            return []

    def make(name, **options):
        return Silent(**options) if name == "silent.py" else get_paradigm(name, **options)

    plan = plan_probe(paradigms=["silent.py"], kinds=[CaseKind.CODE], baseline=False, make=make)
    assert [row.cases for row in probe_model(scripted(deaf), plan).rows] == [7, 7]


# -- ending early ---------------------------------------------------------------------------


def test_a_budget_of_requests_is_never_exceeded():
    plan = small_plan()
    for limit in (1, 2, 30):
        endpoint = scripted(perfect(plan))
        report = probe_model(endpoint, plan, budget=Budget(requests=limit))
        assert limit - 1 <= len(endpoint.requests) <= limit
        assert report.stopped and report.stopped.why == "budget"
        assert f"{limit} requests" in report.stopped.message


def test_a_budget_of_seconds_ends_a_run():
    plan = small_plan()
    report = probe_model(scripted(perfect(plan)), plan, budget=Budget(seconds=1e-9))
    assert report.stopped and "1e-09 seconds is used up" in report.stopped.message


def test_seconds_count_from_the_begin_of_a_run():
    spending = Spending(Budget(seconds=20), iter([100.0, 119.0, 120.0]).__next__)
    assert [spending.exceeded(1) for _ in range(2)] == [None, "20 seconds"]


def test_a_budget_of_tokens_ends_a_run():
    plan = small_plan()
    report = probe_model(scripted(perfect(plan)), plan, budget=Budget(tokens=5000))
    spent = sum(r.input_tokens + r.output_tokens for each in report.scored for r in each.replies)
    assert report.stopped and 5000 <= spent < 7000


def test_a_budget_is_of_each_run(tmp_path):
    plan = small_plan()
    path = tmp_path / "replies.jsonl"
    budget = Budget(requests=30)
    known = 0
    while (
        report := probe_model(scripted(perfect(plan)), plan, results=path, budget=budget)
    ).stopped:
        assert len(report.scored) > known
        known = len(report.scored)
    assert len(report.scored) == report.total


@pytest.mark.parametrize("limits", [{"requests": 0}, {"seconds": -1}, {"tokens": 0}])
def test_a_budget_that_asks_nothing_is_refused(limits):
    with pytest.raises(UsageError, match="too small to ask"):
        Budget(**limits)


def test_an_endpoint_that_keeps_failing_ends_a_run_with_what_is_known():
    plan = small_plan()
    model = perfect(plan)
    endpoint = ScriptedEndpoint(*[model] * 10, *[EndpointError("no capacity")] * 100)
    heard = []
    report = probe_model(endpoint, plan, progress=heard.append)
    assert report.stopped and report.stopped.why == "endpoint"
    assert "no capacity" in report.stopped.message
    assert len(endpoint.requests) == 13
    assert [bool(each.error) for each in heard][-4:] == [False, True, True, True]


def test_a_single_failure_is_passed_over_and_asked_again_later(tmp_path):
    plan = small_plan()
    model = perfect(plan)
    path = tmp_path / "replies.jsonl"
    flaky = ScriptedEndpoint(model, EndpointError("hiccup"), *[model] * 200)
    report = probe_model(flaky, plan, results=path)
    assert report.stopped is None and len(report.scored) == report.total - 1
    assert len(probe_model(scripted(model), plan, results=path).scored) == report.total


def test_ctrl_c_keeps_what_is_done(tmp_path):
    plan = small_plan()
    path = tmp_path / "replies.jsonl"
    model = perfect(plan)
    endpoint = ScriptedEndpoint(*[model] * 12, KeyboardInterrupt(), *[model] * 200)
    report = probe_model(endpoint, plan, results=path)
    assert report.stopped and report.stopped.why == "interrupted"
    assert 0 < len(report.scored) < report.total and endpoint.open == 0
    assert len(probe_model(scripted(model), plan, results=path).scored) == report.total


def test_ctrl_c_ends_requests_in_other_threads():
    plan = small_plan()
    model = perfect(plan)
    hold = Hold()

    def interrupt(progress):
        if hold.reached.is_set():
            raise KeyboardInterrupt

    replies = [model, model, model, ["Well", hold], *[model] * 200]
    endpoint = ScriptedEndpoint(*replies)
    report = probe_model(endpoint, plan, jobs=2, progress=interrupt)
    assert report.stopped and report.stopped.why == "interrupted"
    assert endpoint.open == 0 and 3 <= len(report.scored) < report.total


@pytest.mark.parametrize("jobs", [2, 8])
def test_the_report_is_the_same_however_many_run_at_once(jobs):
    plan = small_plan()
    alone = probe_model(scripted(perfect(plan)), plan)
    assert _told(probe_model(scripted(perfect(plan)), plan, jobs=jobs)) == _told(alone)


def test_a_budget_holds_for_many_at_once():
    plan = small_plan()
    endpoint = scripted(perfect(plan))
    probe_model(endpoint, plan, jobs=8, budget=Budget(requests=20))
    assert len(endpoint.requests) <= 20


@pytest.mark.parametrize("jobs", [0, -1, 1000])
def test_so_many_at_once_make_no_sense(jobs):
    with pytest.raises(UsageError, match="jobs is"):
        probe_model(deaf, small_plan(), jobs=jobs)


def test_progress_counts_what_was_known_before(tmp_path):
    plan = small_plan()
    path = tmp_path / "replies.jsonl"
    probe_model(scripted(perfect(plan)), plan, results=path, budget=Budget(requests=30))
    heard = []
    probe_model(scripted(perfect(plan)), plan, results=path, progress=heard.append)
    assert heard[0].done > 20 and heard[-1].done == heard[-1].total == len(list(plan.trials()))


#: A probe in a process of its own, stuck in a request when it has written enough.
_STUCK = """
import sys, threading
from pathlib import Path
from toolproto.testing.probe import probe_model
from tests.testing.probe.models import (perfect, small_plan)

plan = small_plan()
model = perfect(plan)
asked = 0

def stuck(request):
    global asked
    asked += 1
    if asked > 15:
        print("stuck", flush=True)
        threading.Event().wait()
    return model(request)

report = probe_model(stuck, plan, results=Path(sys.argv[1]))
print(report.stopped.why, len(report.scored), flush=True)
"""


@pytest.mark.parametrize("killer", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_is_ended_leaves_what_it_had(tmp_path, killer):
    path = tmp_path / "replies.jsonl"
    root = Path(__file__).parents[3]
    child = subprocess.Popen(
        [sys.executable, "-c", _STUCK, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "stuck\n"
        interrupt(child) if killer is signal.SIGINT else child.kill()
        told = child.stdout.read()
    if killer is signal.SIGINT:
        assert told.startswith("interrupted ")
    plan = small_plan()
    known = len(path.read_bytes().splitlines())
    assert known >= 13
    expected = probe_model(scripted(perfect(plan)), plan)
    assert _told(probe_model(scripted(perfect(plan)), plan, results=path)) == _told(expected)
