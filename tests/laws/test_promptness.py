"""When a call is complete, to the character."""

from __future__ import annotations

import pytest

from tests.amount import together
from toolproto import ToolCall, get_paradigm, list_paradigms
from toolproto.protocol.events import CallCompleted
from toolproto.testing.offers import STANDARD_OFFER

# What must come behind a call before it is complete: the end of its line, because words on it would
# show that the call is part of a sentence.
LATER = {
    "bfcl_python": "\nSo.",  # another list may follow
    "pythonic": "\nSo.",
}
# Special tokens are nothing that a sentence could hold: these calls are complete at once.
AT_ONCE = ("apertus", "command_a", "deepseek_v3", "gemma4", "harmony", "kimi_k2", "plamo3")


@pytest.mark.parametrize("name", list_paradigms())
@together(size=[1, 7, 10_000])
def test_a_call_is_complete_with_its_last_character_or_its_line(name, size):
    paradigm = get_paradigm(name)
    call = ToolCall("write_file", {"path": "a.txt", "content": 'some words\nand "more", too ' * 60})
    behind = "" if name in AT_ONCE else "\n"
    reply = paradigm.encode_call(call) + LATER.get(name, behind)
    decoder = paradigm.decoder(STANDARD_OFFER)
    events = []
    for at in range(0, len(reply), size):
        events += decoder.feed(reply[at : at + size])
    assert [event.call for event in events if isinstance(event, CallCompleted)] == [call]
