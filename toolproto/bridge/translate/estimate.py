"""How many tokens a request may have, guessed: no backend is asked, and no tokenizer is at hand."""

from __future__ import annotations

from collections.abc import Sequence

from ...messages import Message
from ..asked import Asked

__all__ = ["estimated", "estimated_tokens"]

#: Bytes of English and of code that one token stands for, in the tokenizers of the last years.
_BYTES_A_TOKEN = 4
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
    size = _size(message.content)
    size += sum(_size(call.name) + _size(str(call.arguments)) for call in message.calls)
    size += sum(_size(result.content) for result in message.results)
    images = len(message.attachments) + sum(len(each.attachments) for each in message.results)
    return size // _BYTES_A_TOKEN + _MESSAGE + images * _IMAGE


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
