"""How sure a share is."""

from __future__ import annotations

import pytest

from toolproto.testing.probe.intervals import Mean, Share, mean_of, share_of

#: Of the literature: Wilson's interval without a correction for continuity.
KNOWN = [
    (0, 10, 0.0, 0.2775),
    (1, 10, 0.0179, 0.4042),
    (5, 10, 0.2366, 0.7634),
    (10, 10, 0.7225, 1.0),
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
]


@pytest.mark.parametrize("right, asked, low, high", KNOWN)
def test_a_share_has_wilsons_interval(right, asked, low, high):
    share = Share(right, asked)
    assert share.low == pytest.approx(low, abs=5e-5)
    assert share.high == pytest.approx(high, abs=5e-5)


def test_where_nothing_was_asked_nothing_is_known():
    nothing = share_of([None, None])
    assert nothing == Share(0, 0)
    assert (nothing.value, nothing.low, nothing.high) == (None, 0.0, 1.0)
    assert not nothing.is_above(Share(0, 100)) and not Share(99, 100).is_above(nothing)


def test_bounds_never_leave_the_possible():
    for asked in range(1, 60):
        for right in range(asked + 1):
            share = Share(right, asked)
            assert 0.0 <= share.low <= right / asked <= share.high <= 1.0
    assert Share(0, 3).low == 0.0 and Share(3, 3).high == 1.0


def test_above_means_by_more_than_both_intervals():
    assert Share(45, 60).is_above(Share(20, 60))
    assert not Share(31, 60).is_above(Share(29, 60))


def test_marks_that_were_not_asked_do_not_count():
    assert share_of([True, None, False, True]) == Share(2, 3)


def test_a_mean_lies_between_its_standard_errors():
    mean = mean_of([1.0, 2.0, 3.0, 4.0])
    assert mean.value == 2.5
    assert mean.high - mean.value == pytest.approx(1.96 * 1.290994 / 2, rel=1e-4)
    assert mean.value - mean.low == pytest.approx(mean.high - mean.value)


def test_one_value_or_none_has_no_spread():
    assert mean_of([3.0]) == Mean(3.0, 3.0, 3.0, 1)
    assert mean_of([]) == Mean()
