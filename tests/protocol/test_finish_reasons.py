"""What the words of services for the end of a reply mean."""

from __future__ import annotations

import pytest

from toolproto.protocol.finish_reasons import FinishKind, cut_reason, cut_words, ending_of, is_cut

WORDS = {
    FinishKind.DONE: "stop STOP end_turn endTurn stop_sequence STOP_SEQUENCE eos eos_token "
    "COMPLETE completed finished FINISH_REASON_STOP eosFound",
    FinishKind.CALLS: "tool_calls tool-calls function_call tool_use toolUse TOOL_CALL",
    FinishKind.TOO_LONG: "length LENGTH max_tokens MAX_TOKENS model_length max_output_tokens "
    "model_context_window_exceeded",
    FinishKind.FILTERED: "content_filter content-filter SAFETY RECITATION refusal "
    "guardrail_intervened",
    FinishKind.BROKEN: "error abort insufficient_system_resource OTHER MALFORMED_FUNCTION_CALL "
    "timeout pause_turn unheard_of",
}
CASES = [(word, ending) for ending, words in WORDS.items() for word in words.split()]


@pytest.mark.parametrize("word, ending", CASES)
def test_each_word_means_what_its_service_means(word: str, ending: FinishKind) -> None:
    assert ending_of(word) is ending
    assert is_cut(word) == (ending not in (FinishKind.DONE, FinishKind.CALLS))
    assert cut_reason(word) == ("length" if is_cut(word) else None)


@pytest.mark.parametrize("nothing", [None, ""])
def test_no_reason_is_no_cut(nothing: str | None) -> None:
    assert not is_cut(nothing) and cut_reason(nothing) is None and cut_words(nothing) is None


def test_a_person_is_told_of_any_cut() -> None:
    assert cut_words("MAX_TOKENS") == "the reply was cut for its length"
    assert cut_words("abort") == "the reply was cut: abort"
    assert cut_words("end_turn") is None
