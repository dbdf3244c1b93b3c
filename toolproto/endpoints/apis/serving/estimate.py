"""How many tokens a request may have, guessed: no backend is asked, and no tokenizer is at hand."""

from __future__ import annotations

import string
from collections.abc import Sequence

from ....protocol.messages import Message
from ..asked import Asked

__all__ = ["estimated", "estimated_tokens"]

#: Bytes of JSON that one token stands for.
_BYTES_A_TOKEN = 4
#: Characters that one token stands for, by the first byte of each: found by trial on the Universal
#: Declaration of Human Rights in 31 languages and two dozen other texts, beside the tokenizers of
#: Llama 3, Qwen 2.5, Gemma 2, Mistral Nemo, DeepSeek and gpt-oss. They differ by half where digits
#: or letters beyond Latin ones are many, and by four times for Tamil and Georgian: docs/proxy.md
#: has the margins on other texts. ``describe.estimate_tokens`` looks at each word, which takes
#: twenty times as long.
_KINDS = (
    (string.digits, 1.2),
    (string.punctuation, 1.6),
    (" ", 12.0),
    ("\t\n\r", 6.0),
    (string.ascii_lowercase, 4.5),
    (string.ascii_uppercase, 1.3),
    (range(0xC2, 0xCC), 0.8),  # Latin letters with marks: each cuts its word in two
    (range(0xCC, 0xD0), 2.2),  # Greek
    (range(0xD0, 0xD4), 3.0),  # Cyrillic
    (range(0xD4, 0xD8), 1.9),  # Hebrew
    (range(0xD8, 0xE0), 2.4),  # Arabic
    (range(0xE0, 0xE1), 1.9),  # India, Thai
    (range(0xE1, 0xE3), 1.2),  # Georgian, Vietnamese, dashes and signs
    (range(0xE3, 0xEA), 1.5),  # Chinese, Japanese
    (range(0xEA, 0xF0), 1.3),  # Korean
    (range(0xF0, 0xF5), 0.5),  # emoji
)
_WEIGHTS = [
    (kind.encode() if isinstance(kind, str) else bytes(kind), characters)
    for kind, characters in _KINDS
]
#: What the frame of a message takes, and an image of the usual size.
_MESSAGE = 4
_IMAGE = 1_500


def estimated_tokens(asked: Asked) -> int:
    """The tokens of everything in *asked*, roughly; never none."""
    return asked.size // _BYTES_A_TOKEN + estimated(asked.messages)


def estimated(messages: Sequence[Message]) -> int:
    """The tokens of *messages*, roughly; never none."""
    return max(1, sum(map(_tokens, messages)))


def _tokens(message: Message) -> int:
    texts = [message.content]
    texts += (f"{call.name}{call.arguments}" for call in message.calls)
    texts += (result.content for result in message.results)
    images = len(message.attachments) + sum(len(each.attachments) for each in message.results)
    return sum(map(_tokens_in, texts)) + _MESSAGE + images * _IMAGE


def _tokens_in(text: str) -> int:
    rest = text.encode("utf-8", "replace")
    tokens = 0.0
    for kind, characters in _WEIGHTS:
        without = rest.translate(None, kind)
        tokens += (len(rest) - len(without)) / characters
        rest = without
    return round(tokens)
