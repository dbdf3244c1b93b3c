"""When a call is complete, to the character."""

from __future__ import annotations

import pytest

from toolproto import ToolCall, get_paradigm, paradigms
from toolproto.events import CallCompleted
from toolproto.testing.offers import STANDARD_OFFER

# What must come behind a call before it is complete, and why.
LATER = {
    "bfcl_json": "\n",  # the fence may be longer than the three backticks
    "fenced_json": "\n",
    "yaml_block": "\n",
    "bfcl_python": "\nSo.",  # a bracket too many behind the list is told of on its last call
    "pythonic": "\nSo.",
}


@pytest.mark.parametrize("name", paradigms())
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_call_is_complete_with_its_last_character(name, size):
    paradigm = get_paradigm(name)
    call = ToolCall("write_file", {"path": "a.txt", "content": 'some words\nand "more", too ' * 60})
    reply = paradigm.encode_call(call) + LATER.get(name, "")
    decoder = paradigm.decoder(STANDARD_OFFER)
    events = []
    for at in range(0, len(reply), size):
        events += decoder.feed(reply[at : at + size])
    assert [event.call for event in events if isinstance(event, CallCompleted)] == [call]
