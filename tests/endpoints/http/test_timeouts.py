"""Which wait is over when."""

from __future__ import annotations

from math import inf

import pytest

from toolproto.endpoints.http.timeouts import Deadlines, Timeouts
from toolproto.protocol.errors import UsageError


def test_each_wait_has_its_own_end_and_the_total_bounds_them_all():
    deadlines = Deadlines(Timeouts(connect=1, first_token=5, between_tokens=2, total=8), 100.0)
    deadlines.start(100.0)
    assert deadlines.at == 105.0
    assert "first_token" in str(deadlines.error())
    deadlines.token(104.0)
    assert deadlines.at == 106.0
    assert "between_tokens" in str(deadlines.error())
    deadlines.token(107.0)
    assert deadlines.at == 108.0
    assert "total" in str(deadlines.error())
    deadlines.tail(107.0, 0.5)
    assert deadlines.at == 107.5
    assert deadlines.left(107.0) == 1.0


def test_connecting_takes_no_longer_than_the_whole_may():
    deadlines = Deadlines(Timeouts(connect=10, first_token=None, total=3), 0.0)
    deadlines.start(0.0)
    assert deadlines.connect(1.0) == 2.0
    assert deadlines.connect(9.0) > 0


def test_none_waits_for_ever():
    deadlines = Deadlines(Timeouts(None, None, None, None), 0.0)
    deadlines.start(0.0)
    assert deadlines.at == inf
    assert deadlines.connect(5.0) is None


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_timeout_is_above_zero(seconds):
    with pytest.raises(UsageError, match="total"):
        Timeouts(total=seconds)
