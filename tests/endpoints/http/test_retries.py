"""Whether, and when, a request is sent again."""

from __future__ import annotations

from random import Random

import pytest

from toolproto.endpoints.http.retries import Phase, Retries, retryable
from toolproto.protocol.errors import EndpointError, EndpointTimeout, UsageError, WireError

LOST = EndpointError("lost")
LATE = EndpointTimeout("late")
GARBAGE = WireError("garbage")


def refused(status, retry_after=None):
    return EndpointError("no", status=status, retry_after=retry_after)


@pytest.mark.parametrize(
    "error, phase, again",
    [
        (LOST, Phase.CONNECTING, True),
        (LATE, Phase.CONNECTING, True),
        (LOST, Phase.WAITING, True),
        (LATE, Phase.WAITING, False),
        (GARBAGE, Phase.WAITING, False),
        (LOST, Phase.ANSWERED, False),
        (LATE, Phase.ANSWERED, False),
        (LOST, Phase.OUTPUT, False),
        (refused(500), Phase.OUTPUT, False),
        *((refused(status), Phase.ANSWERED, True) for status in (408, 409, 429, 500, 503, 529)),
        *((refused(status), Phase.ANSWERED, False) for status in (301, 400, 401, 403, 404, 422)),
    ],
)
def test_what_may_pass_and_repeats_nothing_is_tried_again(error, phase, again):
    assert retryable(error, phase) is again


def delays(retries, error, left=1e9, seed=0):
    random = Random(seed)
    return [
        retries.delay(error, Phase.WAITING, made, left, random)
        for made in range(1, retries.attempts + 1)
    ]


def test_waits_double_up_to_the_cap_and_end_with_the_attempts():
    *waits, last = delays(Retries(attempts=6, base=1.0, cap=5.0), LOST)
    assert last is None
    for wait, most in zip(waits, [1, 2, 4, 5, 5], strict=True):
        assert most / 2 <= wait <= most


def test_clients_that_failed_together_come_back_apart():
    assert delays(Retries(), LOST, seed=1) != delays(Retries(), LOST, seed=2)
    assert delays(Retries(), LOST, seed=1) == delays(Retries(), LOST, seed=1)


def test_a_service_is_left_alone_as_long_as_it_asks_but_no_longer_than_the_cap():
    retries = Retries(base=0.0, retry_after_cap=30.0)
    assert delays(retries, refused(429, 12.0))[0] == 12.0
    assert delays(retries, refused(429, 86400.0))[0] == 30.0


def test_a_wait_that_does_not_fit_into_the_total_is_not_begun():
    assert delays(Retries(base=1.0), LOST, left=0.4)[0] is None
    assert delays(Retries(retry_after_cap=60.0), refused(429, 20.0), left=10.0)[0] is None


def test_ten_thousand_attempts_do_not_overflow():
    assert Retries(attempts=10_001).delay(LOST, Phase.WAITING, 10_000, 1e9, Random(0)) <= 8.0


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"base": -1.0}, {"cap": -1}])
def test_numbers_without_sense_are_refused(wrong):
    with pytest.raises(UsageError):
        Retries(**wrong)
