"""The tokens between which models think."""

from __future__ import annotations

import pytest

from toolproto import Reasoning, ToolOffer, get_paradigm
from toolproto.protocol.decoding.reply.thinking_tokens import THINKING_TOKENS, ThinkingToken
from toolproto.protocol.events import merge
from toolproto.protocol.paradigms.catalogue.tagged_json import Apriel
from toolproto.protocol.paradigms.parsed import ParsedResponse

_IDS = [f"{row.begins}{row.ends}" for row in THINKING_TOKENS]
_BOTH_WAYS = (
    "Here are my reasoning steps:\nA sum.[BEGIN FINAL RESPONSE]\nIt is 4.",
    "<mine>A sum.</mine>\nIt is 4.",
)


def _read(paradigm: str, reply: str, size: int) -> ParsedResponse:
    decoder = get_paradigm(paradigm).decoder(ToolOffer())
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return ParsedResponse(reply, tuple(merge([*events, *decoder.finish()])))


@pytest.mark.parametrize("row", THINKING_TOKENS, ids=_IDS)
@pytest.mark.parametrize("size", [1, 100])
def test_what_stands_between_the_tokens_is_reasoning(row: ThinkingToken, size: int) -> None:
    parsed = _read("json_strict", f"{row.begins}\nA sum.{row.ends}\nIt is 4.", size)
    assert (parsed.reasoning.strip(), parsed.text.strip()) == ("A sum.", "It is 4.")


def test_each_row_is_there_once_and_names_who_writes_it() -> None:
    pairs = {(row.begins.lower(), row.ends.lower()) for row in THINKING_TOKENS}
    assert len(pairs) == len(THINKING_TOKENS)
    assert all(row.written_by for row in THINKING_TOKENS)


def test_words_that_begin_the_thoughts_of_one_model_are_known_to_its_paradigm_only() -> None:
    reply = "Here are my reasoning steps:\nA sum.\n[BEGIN FINAL RESPONSE]\nIt is 4."
    assert _read("apriel", reply, 1).reasoning == "A sum.\n"
    assert _read("json_strict", reply, 1).reasoning == ""


def test_a_paradigm_keeps_its_own_tokens_beside_those_of_a_program() -> None:
    paradigm = Apriel(reasoning=Reasoning(tags=(("<mine>", "</mine>"),)))
    assert paradigm.reasoning.tags == (*Apriel.thinking, ("<mine>", "</mine>"))
    [thought] = {each.reasoning for each in map(paradigm.parse_response, _BOTH_WAYS)}
    assert thought.strip() == "A sum."
