"""The tokens between which models think, with the models that write them.

At the first token of a row a thought begins, in which calls are only shown; at the second it ends,
and the answer begins. A new token is a row in :data:`THINKING_TOKENS`, with the model or the parser
that it comes from. A paradigm whose model begins its thoughts with words that others write as well
declares them as its ``thinking``; a program names its own with :class:`Reasoning`.

Other spellings of a token (in capitals, ``｜`` for ``|``) are no rows: `markers.py` knows them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

__all__ = ["THINKING_TAGS", "THINKING_TOKENS", "Reasoning", "ThinkingToken"]


class ThinkingToken(NamedTuple):
    """What begins a thought, what ends it, and who writes it so."""

    begins: str
    ends: str
    written_by: str


#: Known in every reply, whatever the paradigm. A token that begins with a space counts only at the
#: beginning of the reply.
THINKING_TOKENS = tuple(
    ThinkingToken(*row)
    for row in (
        ("<think>", "</think>", "DeepSeek R1, Qwen3, GLM-4.5, Kimi K2 and most others"),
        ("<thinking>", "</thinking>", "Amazon Nova, Claude 3, Reflection-Llama-3.1, Hermes 3"),
        ("<thought>", "</thought>", "EXAONE Deep, CodeAct, Gemini's OpenAI-compatible API"),
        ("<reasoning>", "</reasoning>", "Reka Flash 3, Hermes 3"),
        ("<reflection>", "</reflection>", "Reflection-Llama-3.1, Hermes 3"),
        ("<scratchpad>", "</scratchpad>", "Hermes 3 and 4"),
        ("<scratch_pad>", "</scratch_pad>", "Hermes 2 Pro, by its prompt for tools"),
        ("<inner_monologue>", "</inner_monologue>", "Hermes 3"),
        ("<antThinking>", "</antThinking>", "Claude 3.5, before an artifact"),
        ("<longcat_think>", "</longcat_think>", "LongCat-Flash"),
        ("<seed:think>", "</seed:think>", "Seed-OSS"),
        ("<mm:think>", "</mm:think>", "MiniMax M3"),
        ("<ifm|think>", "</ifm|think>", "K2 Horizon"),
        ("<ifm|think_fast>", "</ifm|think_fast>", "K2 Horizon"),
        ("<ifm|think_faster>", "</ifm|think_faster>", "K2 Horizon"),
        ("[THINK]", "[/THINK]", "Magistral, Mistral Small 4"),
        ("◁think▷", "◁/think▷", "Kimi-VL-Thinking"),
        ("<|START_THINKING|>", "<|END_THINKING|>", "Command R7B, Command A"),
        ("<|begin_of_thought|>", "<|end_of_thought|>", "OpenThinker, Sky-T1"),
        ("<|think:start|>", "<|think:end|>", "Solar Open 2"),
        ("<|think_start|>", "<|think_end|>", "ether0"),
        ("<|thought_start|>", "<|thought_end|>", "MiniCPM3; the vLLM parser minicpm"),
        ("<|reasoning_start|>", "<|reasoning_end|>", "Steiner, Pleias-RAG"),
        ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>", "PLaMo 3"),
        ("<|inner_prefix|>", "<|inner_suffix|>", "Apertus"),
        ("<unused94>thought", "<unused95>", "MedGemma 1.5"),
        ("[unused16]", "[unused17]", "openPangu"),
        ("<|im_start|>think", "<|im_start|>answer", "s1"),
        ("<|open|>think<|sep|>", "<|close|>think<|sep|>", "Kimi K3"),
        # The message of which a thought is one is over with its end, or where the next one begins.
        ("<|channel|>analysis<|message|>", "<|end|>", "gpt-oss"),
        ("<|channel|>analysis<|message|>", "<|start|>assistant", "gpt-oss, without the end"),
        ("<|channel|>thought<|message|>", "<|end|>", "gpt-oss and Gemma as LM Studio serves them"),
        ("<|channel>thought", "<channel|>", "Gemma 4"),
        ("<|channel>", "<channel|>", "Gemma 4, without the name; SGLang's parser gemma4"),
        ("<|think|>", "<|end|>", "Solar Open"),
        ("<|content_thinking|>", "<|end_message|>", "Inkling"),
        ("<|start|>assistant to=self<|message|>", "<|eom|>", "Muse Glimmer"),
        (" to=self<|message|>", "<|eom|>", "Muse Glimmer, begun in the prompt"),
    )
)  # fmt: skip
#: The same as :class:`Reasoning` takes them.
THINKING_TAGS = tuple((row.begins, row.ends) for row in THINKING_TOKENS)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The tags around thoughts, and whether a reply begins inside a thought.

    A tag that begins with a space counts only at the beginning of the reply.
    """

    tags: tuple[tuple[str, str], ...] = THINKING_TAGS
    starts_inside: bool = False
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # What is made for these tags is looked up for every reply.
        object.__setattr__(self, "_hash", hash((self.tags, self.starts_inside)))

    def __hash__(self) -> int:
        return self._hash

    def beside(self, tags: tuple[tuple[str, str], ...]) -> Reasoning:
        """Return the same with *tags* known first, as a paradigm declares them."""
        return replace(self, tags=(*tags, *self.tags)) if tags else self
