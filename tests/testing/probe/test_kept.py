"""Replies in a file."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from toolproto import NativePiece, UsageError
from toolproto.testing.probe.kept import KeptOutcomes
from toolproto.testing.probe.trial import TrialAnswer, TrialOutcome

ONE = TrialOutcome("one", (TrialAnswer("Hi\u2028\ud800\n", "stop", 10, 2, False, 0.25),))
CALLED = NativePiece(0, "a1", "get_weather", {"city": "Oslo"})
NATIVE = TrialOutcome("native", (TrialAnswer("", "tool_calls", calls=(CALLED,)),))
TWO = TrialOutcome("two", (TrialAnswer("a", None), TrialAnswer("b", "length", 1, 1, True, 3.0)))


def _kept(path, *outcomes):
    with KeptOutcomes(path) as kept:
        for outcome in outcomes:
            kept.add(outcome)


def test_what_was_added_is_there_again(tmp_path):
    path = tmp_path / "replies.jsonl"
    _kept(path, ONE, TWO, NATIVE)
    with KeptOutcomes(path) as kept:
        assert (kept.get("one"), kept.get("two"), kept.get("three")) == (ONE, TWO, None)
        assert kept.get("native") == NATIVE
    assert len(path.read_bytes().splitlines()) == 3


def test_a_line_is_in_the_file_as_soon_as_it_is_added(tmp_path):
    path = tmp_path / "replies.jsonl"
    with KeptOutcomes(path) as kept:
        kept.add(ONE)
        assert path.read_bytes().endswith(b"\n")


def test_without_a_file_it_is_kept_all_the_same():
    with KeptOutcomes() as kept:
        kept.add(ONE)
        assert kept.get("one") == ONE


def test_the_last_line_of_somebody_who_was_killed_does_not_count(tmp_path):
    path = tmp_path / "replies.jsonl"
    _kept(path, ONE, TWO)
    path.write_bytes(path.read_bytes()[:-20])
    _kept(path, TrialOutcome("three", TWO.replies))
    with KeptOutcomes(path) as kept:
        assert kept.get("one") == ONE and kept.get("three")
        assert kept.get("two") is None


TRUE = asdict(ONE)
HOSTILE = [
    b"",
    b"\n\n\n",
    b"not json",
    b"\xff\xfe\x00",
    b"[1, 2]",
    b"null",
    b"{}",
    b"[" * 100_000,
    b'{"trial": "x", "replies": []}',
    b'{"trial": "x", "replies": 3}',
    b'{"trial": "x", "replies": [3]}',
    json.dumps({**TRUE, "trial": 3}).encode(),
    json.dumps({**TRUE, "replies": [{**TRUE["replies"][0], "text": 3}]}).encode(),
    json.dumps({**TRUE, "replies": [{**TRUE["replies"][0], "input_tokens": "many"}]}).encode(),
    json.dumps({**TRUE, "replies": [{**TRUE["replies"][0], "seconds": None}]}).encode(),
    json.dumps({**TRUE, "replies": [{**TRUE["replies"][0], "estimated": 1}]}).encode(),
]


@pytest.mark.parametrize("line", HOSTILE)
def test_what_is_no_line_of_ours_does_not_count(tmp_path, line):
    path = tmp_path / "replies.jsonl"
    path.write_bytes(line)
    _kept(path, TWO)
    with KeptOutcomes(path) as kept:
        assert kept.get("two") == TWO
        assert kept.get("one") is None and kept.get("x") is None


def test_a_place_where_nothing_can_be_kept_is_told(tmp_path):
    with pytest.raises(UsageError, match="cannot keep replies"):
        KeptOutcomes(tmp_path)
