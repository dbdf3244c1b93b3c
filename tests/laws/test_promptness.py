"""When a call is complete, to the character."""

from __future__ import annotations

import pytest

from tests.amount import together
from toolproto import ToolCall, get_paradigm, list_paradigms
from toolproto.protocol.events import CallCompleted
from toolproto.testing.offers import STANDARD_OFFER

# A fence may still get longer, or go on with words: its line has to be over.
FENCES = {
    name
    for name in list_paradigms()
    if get_paradigm(name).encode_call(ToolCall("now", {})).rstrip().endswith("```")
}


@pytest.mark.parametrize("name", list_paradigms())
@together(size=[1, 7, 10_000])
def test_a_call_is_complete_with_its_last_character(name, size):
    paradigm = get_paradigm(name)
    call = ToolCall("write_file", {"path": "a.txt", "content": 'some words\nand "more", too ' * 60})
    reply = paradigm.encode_call(call) + ("\n" if name in FENCES else "")
    decoder = paradigm.decoder(STANDARD_OFFER)
    events = []
    for at in range(0, len(reply), size):
        events += decoder.feed(reply[at : at + size])
    assert [event.call for event in events if isinstance(event, CallCompleted)] == [call]
