"""How many steps a chunk takes that means nothing: functions that are called, not seconds."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from toolproto import get_paradigm
from toolproto.testing import STANDARD_OFFER

# What is repeated, behind what, and the calls of functions that seven characters of it may take.
STEPS = {
    "brackets of tags": ("", "<", 14),
    "brackets of lists": ("", ";[", 14),
    "objects that are no calls": ("", ' {"a": [1, 2], "b": {"c": 3}}', 45),
    "what is not read any more": ("```\nx\n```\n" * 300, "<tool_call>\n", 5),
    "behind too many mistakes": (' <tool_call>\n{"name": "' * 300, "<tool_call>\n", 17),
}


@pytest.mark.parametrize("head, unit, most", STEPS.values(), ids=STEPS)
def test_chunks_that_mean_nothing_take_few_steps(head: str, unit: str, most: int) -> None:
    decoder = get_paradigm("hermes").decoder(STANDARD_OFFER)
    decoder.feed(head)
    text = unit * (7 * 300 // len(unit) + 1)
    chunks = [text[at : at + 7] for at in range(0, len(text), 7)]
    for chunk in chunks[:100]:
        decoder.feed(chunk)
    calls = 0

    def count(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        for chunk in chunks[100:]:
            decoder.feed(chunk)
    finally:
        sys.setprofile(None)
    assert calls <= most * len(chunks[100:])
