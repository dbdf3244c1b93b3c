"""Remembering who has no tools, and what is raised for it."""

from __future__ import annotations

import pickle

from toolproto.endpoints.http.refusals import Refusals, tools_refused
from toolproto.protocol.errors import EndpointError


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_refusal_is_remembered_for_ten_minutes():
    clock = Clock()
    refusals = Refusals(clock=clock)
    assert "m" not in refusals
    refusals.add("m")
    refusals.add(("upstream", "n"))
    clock.now = 599.0
    assert "m" in refusals and ("upstream", "n") in refusals and "n" not in refusals
    refusals.add("m")
    clock.now = 1000.0
    assert "m" in refusals and ("upstream", "n") not in refusals
    clock.now = 1200.0
    assert "m" not in refusals


def test_what_clients_can_make_up_is_not_kept_without_end():
    refusals = Refusals()
    for number in range(3000):
        refusals.add(f"model {number}")
    assert "model 2999" in refusals and "model 1976" in refusals and "model 1975" not in refusals


def test_an_error_about_tools_says_whether_it_holds_for_other_requests():
    error = EndpointError("answered 400", status=400, body='{"error": "m does not support tools"}')
    refused = pickle.loads(pickle.dumps(tools_refused(error)))
    assert refused.remembered and refused.status == 400 and refused.body == error.body
    once = tools_refused(EndpointError("x", status=400, body='{"error": "bad tool_choice"}'))
    assert once is not None and not once.remembered
    assert tools_refused(EndpointError("the service reports: no such model")) is None
