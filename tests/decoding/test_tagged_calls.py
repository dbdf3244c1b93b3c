"""Calls in tags, with what does not belong between them."""

from __future__ import annotations

from toolproto import CallCompleted, ToolCall, get_paradigm
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.laws import read_in_pieces


def test_text_between_the_tags_is_one_repair_however_it_comes() -> None:
    paradigm = get_paradigm("minimax_m3")
    written = paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    reply = written.replace('get_weather">', 'get_weather">so to speak')
    for pieces in ([reply], list(reply)):
        call = read_in_pieces(paradigm, pieces, STANDARD_OFFER)[-1]
        assert isinstance(call, CallCompleted)
        assert [repair.name for repair in call.call.repairs] == ["stray_text"]
