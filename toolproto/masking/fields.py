"""Which values are private, and what the model is told instead.

What is sent goes through :meth:`Masking.mask`, what comes back through :meth:`Masking.unmasker`.
A placeholder is letters, digits and hyphens, which no paradigm, no JSON and no Markdown escapes:
``PRIVATE-EMAIL-4F9A2C1B``. Its last part is drawn anew for each session, so that a web page cannot
write one down beforehand and have it filled in by a model that repeats it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from ..errors import UsageError
from ..messages import IdFactory, Message
from .placeholders import PREFIX, Placeholders
from .readings import replaced
from .unmasker import Unmasker

__all__ = ["Masking", "random_nonce"]

_NONCE = re.compile(r"[0-9A-Z]{6,32}")
_LONGEST_NAME = 24
# A single character is in every other word; two can be a whole Chinese name.
_SHORTEST_VALUE = 2
# No placeholder has small letters, so none can form around this.
_NOT_OURS = "placeholder"

_RULE = """\
Private values in this conversation are hidden behind placeholders that look like \
PRIVATE-EMAIL-1A2B3C4D. Use a placeholder wherever the value itself would stand, in answers and in \
tool arguments, and copy it exactly, character by character: the value is put in before anybody \
reads it. Do not shorten, translate, explain or guess a placeholder, and never make one up."""


def random_nonce() -> str:
    """What sets the placeholders of one session apart from all others."""
    return secrets.token_hex(4).upper()


class Masking:
    """Hides the values of named fields, and puts them back.

    *fields* maps a name (``"email"``) to its value, or to several. The name is told to the model,
    the value never is. A conversation that goes on elsewhere needs the same :attr:`nonce` again.
    """

    def __init__(
        self, fields: Mapping[str, str | Sequence[str]], *, nonce: IdFactory = random_nonce
    ) -> None:
        self.nonce = _checked_nonce(nonce())
        self._fields = tuple(fields)
        values = self._placed(fields)
        by_length = sorted(values.items(), key=lambda item: -len(item[1]))
        hidden = [(value, placeholder) for placeholder, value in by_length]
        self._for_others = [(own, _NOT_OURS) for own in values] + hidden
        self._for_replies = [(own, own) for own in values] + hidden
        self._placeholders = Placeholders(values)

    def __repr__(self) -> str:
        return f"Masking({', '.join(self._fields)})"

    @property
    def rule(self) -> str:
        """What the system prompt must say about placeholders; the same in every session."""
        return _RULE if self._placeholders.values else ""

    def mask(self, messages: Sequence[Message]) -> list[Message]:
        """*messages* without the private values; their calls and results are text already."""
        return [self._masked(message) for message in messages]

    def mask_text(self, text: str) -> str:
        """*text* with each value hidden, also where it stands JSON- or HTML-escaped.

        A placeholder that already stands in *text* is not ours, and ceases to be one.
        """
        return replaced(text, self._for_others)

    def unmask_text(self, text: str) -> str:
        """*text* with each placeholder's value."""
        return self._placeholders.fill(text)

    def unmasker(self) -> Unmasker:
        """A fresh reader of one reply's events."""
        return Unmasker(self._placeholders)

    def _masked(self, message: Message) -> Message:
        if message.calls or message.results:
            raise UsageError("mask() wants text; render calls and results with encode_history()")
        # A call that could not be read stays in the conversation as the model wrote it: nobody
        # else can have put a placeholder there.
        table = self._for_replies if message.role == "assistant" else self._for_others
        content, reasoning = replaced(message.content, table), replaced(message.reasoning, table)
        if (content, reasoning) == (message.content, message.reasoning):
            return message
        return replace(message, content=content, reasoning=reasoning)

    def _placed(self, fields: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
        """Each value once, by its placeholder."""
        placed: dict[str, str] = {}
        for field, value in _each_value(fields):
            if value not in placed.values():
                placed[next(each for each in self._names(field) if each not in placed)] = value
        return placed

    def _names(self, field: str) -> Iterator[str]:
        """``PRIVATE-EMAIL-…``, ``PRIVATE-EMAIL2-…`` and so on."""
        name = re.sub(r"[^0-9A-Z]", "", field.upper())[:_LONGEST_NAME] or "VALUE"
        yield f"{PREFIX}{name}-{self.nonce}"
        yield from (f"{PREFIX}{name}{number}-{self.nonce}" for number in count(2))


def _checked_nonce(nonce: str) -> str:
    if not _NONCE.fullmatch(nonce):
        raise UsageError(f"the nonce is {nonce!r}; use 6 to 32 of the characters 0-9 and A-Z")
    return nonce


def _each_value(fields: Mapping[str, str | Sequence[str]]) -> Iterator[tuple[str, str]]:
    for field, values in fields.items():
        for value in [values] if isinstance(values, str) else values:
            if len(value.strip()) < _SHORTEST_VALUE:
                # The value itself is not for error messages.
                raise UsageError(
                    f"a value of {field!r} cannot be told from other text; "
                    f"use text of {_SHORTEST_VALUE} characters or more"
                )
            yield field, value
