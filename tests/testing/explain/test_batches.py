"""Replies in a batch, explained."""

from __future__ import annotations

import json

from tests.bulk.samples import batch, call, reading
from toolproto.testing.explain import explain_batch, explained_schema


def test_replies_are_explained_row_by_row():
    out = explain_batch(batch(reply=[call(), "x", None, f"Or `{call()}`"]), reading()).to_pylist()
    assert [row["verdicts"] for row in out] == [["accepted"], [], [], ["ignored"]]
    assert list(out[0]) == explained_schema().names
    told = json.loads(out[0]["explanation"])
    assert told["paradigm"] == "xml_tag" and told["findings"]
    assert out[2]["reason"] == "field 'reply' is null, not text"
    (row,) = explain_batch(batch(reply=["x"]), reading(paradigm="any")).to_pylist()
    assert row["reason"].endswith("one paradigm; name it")
