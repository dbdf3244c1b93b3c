"""How many tokens a request may have, guessed: no backend is asked, and no tokenizer is at hand."""

from __future__ import annotations

import string
from collections.abc import Sequence

from ...messages import Message
from ..asked import Asked

__all__ = ["estimated", "estimated_tokens"]

#: Bytes of JSON that one token stands for.
_BYTES_A_TOKEN = 4
#: Characters of each kind that one token stands for, found by trial on the tokenizers of GPT-4 and
#: Claude: within 15 % of both for English, code, JSON and pages, within 30 % for logs, tables and
#: most other languages. Russian is 40 % too many for the first; keys, hashes and Arabic are up to
#: half too few. ``describe.estimate_tokens`` looks at each word, which takes twenty times as long.
_DIGITS, _SIGNS, _BLANKS, _OTHERS = 1.4, 1.7, 8.0, 4.2
_KINDS = (
    (string.digits.encode(), _DIGITS),
    (string.punctuation.encode(), _SIGNS),
    (string.whitespace.encode(), _BLANKS),
)
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
    for kind, weight in _KINDS:
        without = rest.translate(None, kind)
        tokens += (len(rest) - len(without)) / weight
        rest = without
    return round(tokens + len(rest) / _OTHERS)
