"""Why services say that a reply ended, and what follows from it: one table for the whole package.

A reason that no row knows is a cut. A service that invents a word for "something went wrong" must
not have half a call run as a whole one; one that invents a word for "done" costs a truncated call
that its model writes again.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

__all__ = ["STOP_SEQUENCE", "FinishKind", "cut_reason", "cut_words", "ending_of", "is_cut"]


#: What a dialect says for a reply that ended at a stop sequence of the request, if it is told so.
STOP_SEQUENCE = "stop_sequence"


class FinishKind(Enum):
    """What a finish reason means."""

    DONE = "done"  # the model said all it wanted to say
    CALLS = "calls"  # so it did, and calls are part of it
    TOO_LONG = "too long"  # the reply, or the conversation, reached a limit of the service
    FILTERED = "filtered"  # the service does not want the rest to be read
    BROKEN = "broken"  # anything else: an error, a request that was given up, an unknown word


#: Words of OpenAI, Anthropic, Bedrock, Gemini, Cohere, Mistral, vLLM, SGLang, TGI, llama.cpp,
#: Ollama, LM Studio and watsonx, written as `_usual` writes them.
_WORDS: dict[FinishKind, str] = {
    FinishKind.DONE: """
        stop end_turn stop_sequence stop_token stop_string_found word eos
        eos_token eos_found end_of_text endoftext end complete completed finished finish done normal
    """,
    FinishKind.CALLS: """
        tool_calls tool_call tool_use function_call function_calls
    """,
    FinishKind.TOO_LONG: """
        length max_tokens max_length max_output_tokens maximum_tokens max_new_tokens model_length
        token_limit limit context_length context_length_exceeded model_context_window_exceeded
        max_predicted_tokens_reached context_length_reached
    """,
    FinishKind.FILTERED: """
        content_filter content_filtered refusal safety recitation blocklist prohibited_content spii
        image_safety sensitive guardrail guardrail_intervened error_toxic moderation
    """,
}
_ENDINGS = {word: ending for ending, words in _WORDS.items() for word in words.split()}
#: Where a word in camel case (``toolUse``) has its seams.
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=256)
def ending_of(reason: str) -> FinishKind:
    """What *reason* means, however a service spells it (``STOP``, ``tool-calls``, ``endTurn``)."""
    return _ENDINGS.get(_usual(reason), FinishKind.BROKEN)


def is_cut(reason: str | None) -> bool:
    """Whether a reply that ended for *reason* may lack its end.

    No reason is no cut: whether a reply without one was broken off is for the reader of the stream
    to say, which knows whether one was due.
    """
    return bool(reason) and ending_of(reason) not in (FinishKind.DONE, FinishKind.CALLS)


def cut_reason(reason: str | None) -> str | None:
    """What :meth:`Decoder.finish` is told: ``"length"`` for a cut of any kind, else None."""
    return "length" if is_cut(reason) else None


def cut_words(reason: str | None) -> str | None:
    """What a person is told about a reply that was cut; None if it was not."""
    if not is_cut(reason) or reason is None:
        return None
    if ending_of(reason) is FinishKind.TOO_LONG:
        return "the reply was cut for its length"
    return f"the reply was cut: {reason}"


def _usual(reason: str) -> str:
    word = _SEAM.sub("_", reason.strip()[:100]).lower().replace("-", "_").replace(" ", "_")
    return word.removeprefix("finish_reason_")
